"""antelog/forecast/judges/outcomes.py: of the answers in this state, how many were confirmed?"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import antelog
from antelog.engine.step.lines import PATTERN
from antelog.forecast.judges.following import DecidedAnswers, age_bucket, stage_of, state_of
from antelog.forecast.judges.judge import AnswerRows
from antelog.forecast.judges.outcomes import MEMORIES, OutcomeStatistics, nothing_known
from antelog.forecast.rates.learning import Learns

EARLY, LATE, OTHER, SILENT = (
    int(state_of(np.array([pattern << PATTERN]), age_bucket(np.array([age])), np.array([silent]))[0])
    for pattern, age, silent in ((0, 0, False), (0, 5, True), (1, 0, False), (0, 0, True))
)


def decided(ticks: list[int], *answers: tuple[int, bool, list[int]]) -> DecidedAnswers:
    """Answers given by key, what became of them, and the states they were in; decided at these ticks."""
    key, confirmed, states = zip(*answers, strict=True)
    of = [number for number, each in enumerate(states) for _ in each]
    number = np.arange(len(key))
    return DecidedAnswers(
        (np.array(key, np.int64), number),
        number,
        np.array(ticks),
        np.array(ticks),
        np.array(confirmed, np.bool_),
        np.array(of, np.int64),
        np.array([state for each in states for state in each], np.int64),
    )


def taught(
    before: OutcomeStatistics, ticks: list[int], *answers: tuple[int, bool, list[int]]
) -> OutcomeStatistics:
    return before.learn(decided(ticks, *answers), (0,), Learns.ALL)


def nothing(half_life: float | None = None) -> OutcomeStatistics:
    return nothing_known(1, half_life)


def learned(ticks: list[int], *answers: tuple[int, bool, list[int]]) -> OutcomeStatistics:
    return taught(nothing(), ticks, *answers)


def known(*answers: tuple[int, bool, list[int]]) -> OutcomeStatistics:
    return learned([0] * len(answers), *answers).settled(0)


def chances(outcomes: OutcomeStatistics, state: int, key: int, tick: int = 1) -> list[float]:
    """The chance by each memory, the fastest first, of an answer that is in a state at a tick."""
    own, at, states = np.array([key]), np.array([tick]), np.array([state])
    some, features = stage_of(states), np.zeros((1, 0), np.float32)
    rows = AnswerRows((own, at), (own,), some, at, at >= 0, Learns.ALL, states, features)
    found: list[float] = outcomes.predict(rows)[0, : len(MEMORIES)].tolist()
    return found


def chance(outcomes: OutcomeStatistics, state: int, key: int, tick: int = 1) -> float:
    """The chance by the slowest memory."""
    return chances(outcomes, state, key, tick)[-1]


def test_each_level_is_drawn_towards_the_wider_one() -> None:
    outcomes = known((7, True, [EARLY]), (7, True, [EARLY]), (8, False, [EARLY, LATE]), (8, False, [OTHER]))
    # EARLY two of three, none of them silent, of key 7 both; else in pattern 0 none of one; else none of one.
    query = (0 + 1 * 0.5) / (1 + 1)
    pattern = (0 + 1 * query) / (1 + 1)
    state = (2 + 2 * pattern) / (3 + 2)
    assert chance(outcomes, EARLY, 7) == pytest.approx((2 + 5 * state) / (2 + 5))
    assert chance(outcomes, EARLY, 8) == pytest.approx((0 + 5 * state) / (1 + 5))
    assert chance(outcomes, EARLY, 9) == pytest.approx(state)  # a key nobody has seen
    silent = (2 + 1 * pattern) / (3 + 1)
    assert chance(outcomes, SILENT, 9) == pytest.approx(silent)  # only lines just reported were seen


def test_keys_that_differ_are_drawn_to_all_less_than_keys_that_are_alike() -> None:
    """Half of the answers of all keys are confirmed; one that is new had three confirmed."""
    dice, ticks = random.Random(0), 40
    new = [(99, True, [EARLY])] * 3

    def answers(shares: list[float]) -> list[tuple[int, bool, list[int]]]:
        return [
            (key, dice.random() < share, [EARLY]) for _ in range(ticks) for key, share in enumerate(shares)
        ]

    def of_new(shares: list[float]) -> float:
        when = [tick for tick in range(ticks) for _ in shares]
        outcomes = learned([*when, *[ticks] * 3], *answers(shares), *new).settled(ticks)
        return chance(outcomes, EARLY, 99, ticks + 1)

    assert of_new([0.05] * 10 + [0.95] * 10) > 0.85
    assert of_new([0.5] * 20) < 0.58


def test_answers_that_were_in_many_states_count_in_each() -> None:
    outcomes = known(*[(7, True, [EARLY, LATE])] * 50, *[(7, False, [EARLY])] * 50)
    assert chance(outcomes, LATE, 7) == pytest.approx(1, abs=0.05)
    assert chance(outcomes, EARLY, 7) == pytest.approx(0.5, abs=0.05)


def test_what_is_decided_is_used_from_the_next_tick_on() -> None:
    found = learned([2, 3], (7, True, [EARLY]), (7, True, [EARLY]))
    for outcomes in (found, found.settled(9)):
        one, both = (chance(outcomes, EARLY, 7, tick) for tick in (3, 4))
        assert one <= both
    assert math.isnan(chance(found, EARLY, 7, 2))
    assert chance(found, EARLY, 7, 3) < chance(found, EARLY, 7, 4)


def test_memories_fade_each_at_its_own_pace() -> None:
    old = learned([*range(100)], *[(7, True, [EARLY])] * 100).settled(99)
    new = taught(old, [*range(1000, 1100)], *[(7, False, [EARLY])] * 100).settled(1099)
    fast, slow = chances(new, EARLY, 7, 1100)
    assert fast < 0.1
    assert slow == pytest.approx(0.5, abs=0.05)


def test_a_faster_memory_that_knows_little_is_as_the_slower_one() -> None:
    found = known(*[(7, True, [EARLY])] * 50)
    assert chances(found, EARLY, 8, 1500) == pytest.approx([chance(found, EARLY, 8, 1500)] * 2, abs=0.05)


def test_when_answers_are_confirmed_is_counted_by_what_is_still_ahead() -> None:
    """Three of four took 2 ticks and one 5; an answer that is 2 ticks old has only the 5 ahead."""
    program = antelog.parse(
        "input Ask(x, time). input Ack(x, time). "
        "Done(X, T) :- Ask(X, T), Ack(X, S), S > T, S <= T + 6. query Done(X, T)."
    )
    engine = antelog.Engine(program, model="learn")
    asks = [(f"o{number}", number) for number in range(200)]
    acks = [(x, tick + (5 if tick % 4 == 0 else 2)) for x, tick in asks]
    log = engine.advance(199, {"Ask": asks, "Ack": [row for row in acks if row[1] < 200]})["Done"].to_pylist()
    found = {row["T"]: row for row in engine.answers("Done").to_pylist()}
    young, old = ([each["tick"] - tick for each in found[tick]["forecast"]] for tick in (199, 196))
    assert (young, old) == ([2, 5], [5])
    last = [row for row in log if row["change"] == "possible"][-1]
    first, second = (each["chance"] for each in last["forecast"])
    assert second == pytest.approx(last["chance"])
    assert first == pytest.approx(0.75 * second, abs=0.05)


def test_of_a_count_they_know_the_quarter() -> None:
    """Eight payments in 40 ticks: one a tick are enough, one at every tenth tick are not."""
    program = antelog.parse(
        """
        input Pay(card, amount, time).
        Much(C, T) :- Pay(C, _, T), count(Pay(C, _, T..T+39)) >= 8.
        query Much(C, T).
        """
    )
    engine = antelog.Engine(program, model="learn")
    quick, slow = ([(card, 1, tick) for tick in range(0, 400, step)] for card, step in (("q", 1), ("s", 10)))
    engine.advance(399, {"Pay": quick + slow})
    later = antelog.Engine(program, model=engine.model)
    later.advance(4, {"Pay": [("six", amount, 0) for amount in range(6)] + [("one", 1, 0)]})
    found = {row["C"]: (row["chance"], row["chance_from"]) for row in later.answers("Much").to_pylist()}
    assert found["six"] == (pytest.approx(1, abs=0.2), "outcomes")
    assert found["one"] == (pytest.approx(0, abs=0.2), "outcomes")
