"""antelog/forecast/outcomes/outcomes.py: of the answers in this state, how many were confirmed?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import antelog
from antelog.engine.step.lines import PATTERN
from antelog.forecast.outcomes.following import (
    DecidedAnswers,
    age_bucket,
    is_silent,
    least_age,
    stage_of,
    state_of,
)
from antelog.forecast.outcomes.outcomes import OutcomeStatistics, nothing_known
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes, lesson_of
from antelog.forecast.rates.tally import KnownEpoch

EARLY, LATE, OTHER, SILENT = (
    int(state_of(np.array([pattern << PATTERN]), age_bucket(np.array([age])), np.array([silent]))[0])
    for pattern, age, silent in ((0, 0, False), (0, 5, True), (1, 0, False), (0, 0, True))
)


def lesson(epochs: list[int], *answers: tuple[int, bool, list[int]]) -> tuple[AnswerRows, RowOutcomes]:
    """Answers given by key, what became of them, and the states they were in; decided in these epochs."""
    key, confirmed, states = zip(*answers, strict=True)
    of = [number for number, each in enumerate(states) for _ in each]
    number = np.arange(len(key))
    found = DecidedAnswers(
        (np.array(key, np.int64), number),
        number,
        number,
        np.array(confirmed, np.bool_),
        np.array(of, np.int64),
        np.array([state for each in states for state in each], np.int64),
    )
    return lesson_of(found, (0,), np.array(epochs), KnownEpoch(0, None), np.zeros(2, np.int64))


def learned(epochs: list[int], *answers: tuple[int, bool, list[int]]) -> OutcomeStatistics:
    return nothing_known(1).learn(*lesson(epochs, *answers))


def known(*answers: tuple[int, bool, list[int]]) -> OutcomeStatistics:
    return learned([0] * len(answers), *answers).up_to(KnownEpoch(0, None))


def chance(outcomes: OutcomeStatistics, state: int, key: int, epoch: int = 0) -> float:
    rows, _ = lesson([0], (key, True, [state]))
    return float(outcomes.predict(replace(rows, as_of=KnownEpoch(epoch, None)))[0])


def test_a_state_comes_back_from_its_row() -> None:
    ages = np.arange(-3000, 3000)
    for silent in (False, True):
        states = state_of(np.full(len(ages), 3), age_bucket(ages), np.full(len(ages), silent))
        again = age_bucket(least_age(states))
        assert state_of(stage_of(states), again, is_silent(states)).tolist() == states.tolist()


def test_nothing_known() -> None:
    assert math.isnan(chance(nothing_known(1), EARLY, 7))


def test_each_level_is_drawn_towards_the_wider_one() -> None:
    outcomes = known((7, True, [EARLY]), (7, True, [EARLY]), (8, False, [EARLY, LATE]), (8, False, [OTHER]))
    # In all five cases two; of pattern 0 two of four; EARLY two of three, none of them silent; of key 7 both.
    query = (2 + 1 * 0.5) / (5 + 1)
    pattern = (2 + 1 * query) / (4 + 1)
    either = (2 + 2 * pattern) / (3 + 2)
    state = (2 + 5 * either) / (3 + 5)
    assert chance(outcomes, EARLY, 7) == pytest.approx((2 + 5 * state) / (2 + 5))
    assert chance(outcomes, EARLY, 8) == pytest.approx((0 + 5 * state) / (1 + 5))
    assert chance(outcomes, EARLY, 9) == pytest.approx(state)  # a key nobody has seen
    assert chance(outcomes, SILENT, 9) == pytest.approx(either)  # only lines just reported were seen


def test_a_state_nobody_has_been_in_is_as_its_pattern() -> None:
    outcomes = known(*[(7, True, [EARLY])] * 50)
    assert chance(outcomes, LATE, 9) == pytest.approx(1, abs=0.02)


def test_answers_that_were_in_many_states_count_in_each() -> None:
    outcomes = known(*[(7, True, [EARLY, LATE])] * 50, *[(7, False, [EARLY])] * 50)
    assert chance(outcomes, LATE, 7) == pytest.approx(1, abs=0.05)
    assert chance(outcomes, EARLY, 7) == pytest.approx(0.5, abs=0.05)


def test_what_is_learned_is_used_from_its_epoch_on() -> None:
    waiting = learned([2, 3], (7, True, [EARLY]), (7, True, [EARLY]))
    assert math.isnan(chance(waiting.up_to(KnownEpoch(1, None)), EARLY, 7, 1))
    one, both = (waiting.up_to(KnownEpoch(epoch, None)) for epoch in (2, 3))
    assert chance(one, EARLY, 7, 2) < chance(both, EARLY, 7, 3)
    half = waiting.up_to(KnownEpoch(3, 1.0))
    assert half.levels[0].tally.sums.tolist() == [[1.5, 1.5]]


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
