"""Ranges over a predicate's own past: cooldowns and the like, at the cost of the facts."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given

import antelog
from antelog import Engine
from antelog.compile.nodes.plan import Plan
from antelog.engine import kernel
from antelog.engine.facts.history import Facts
from antelog.engine.state import State
from antelog.engine.step import atoms
from antelog.engine.step.lines import Lines
from antelog.engine.step.query import LineSelection
from tests.engine.replay import compare
from tests.engine.telling import lines_of
from tests.random_own_past import cases_of_own_past, cases_of_times_before
from tests.strategies import Case


@pytest.mark.slow
@given(cases_of_own_past())
def test_ranges_over_an_own_past_tell_what_the_specification_tells(case: Case) -> None:
    with patch.object(atoms, "_MANY", 2 if len(case.facts) % 2 else atoms._MANY):
        compare(case)


@pytest.mark.slow
@given(cases_of_times_before())
def test_a_past_from_a_time_before_tells_what_the_specification_tells(case: Case) -> None:
    with patch.object(atoms, "_MANY", 2 if len(case.facts) % 2 else atoms._MANY):
        compare(case)


def payments(count: int, cards: int, seed: int = 3) -> list[tuple[str, int, int]]:
    """Payments of cards, each with its tick and when it arrives, up to three ticks later."""
    random = Random(seed)
    found = ((f"c{random.randrange(cards)}", random.randrange(count)) for _ in range(count))
    return [(card, time, time + random.randint(0, 3)) for card, time in found]


def cooled(facts: list[tuple[str, int, int]], ticks: int) -> set[tuple[str, int]]:
    """What plain Python says: the payments of a card before which none of these lies for some ticks."""
    last, found = dict[str, int](), set[tuple[str, int]]()
    for time, card in sorted({(time, card) for card, time, _ in facts}):
        if card not in last or last[card] < time - ticks:
            last[card] = time
            found.add((card, time))
    return found


INPUT = "input Pay(card: text, time) delay 3. input Blocked(card: text, time).\n"
COOLDOWNS = [
    "A(X, T) :- Pay(X, T), not A(X, T-300..T-1).",
    "A(X, T) :- Pay(X, T), count(A(X, T-300..T-1)) = 0.",
    "A(X, T) :- Odd(X, T), not A(X, T-300..T-1). Odd(X, T) :- Pay(X, T), not Blocked(X, T).",
]


def confirmed(engine: Engine, facts: list[tuple[str, int, int]], ends: list[int]) -> set[tuple[str, int]]:
    found, start = set[tuple[str, int]](), -1
    for end in ends:
        given = [fact for fact in facts if start < fact[-1] <= end]
        start = end
        for row in engine.advance(end, {"Pay": given})["A"].to_pylist():
            if row["change"] == "confirmed":
                found.add((row["X"], row["T"]))
    return found


@pytest.mark.parametrize("rules", COOLDOWNS)
@pytest.mark.parametrize("cards", [1, 40])
@pytest.mark.parametrize("only", [("confirmed",), ("possible", "revised", "confirmed", "rejected")])
def test_a_cooldown_is_that_of_plain_python(rules: str, cards: int, only: tuple[str, ...]) -> None:
    facts = payments(3_000, cards)
    engine = Engine(antelog.parse(INPUT + rules + " query A(X, T)."), only=only)
    assert confirmed(engine, facts, [1_000, 1_001, 3_010]) == cooled(facts, 300)


def test_only_ticks_that_matter_are_looked_at() -> None:
    # Of a million ticks those with a payment matter, and those that are not over: else there is no room.
    facts = [("a", 1_000_000, 1_000_001), ("a", 1_500_000, 1_500_000), ("a", 2_100_000, 2_100_000)]
    rules = COOLDOWNS[0].replace("300", "1000000")
    engine = Engine(antelog.parse(INPUT + rules + " query A(X, T)."), budget=80 * 100)
    assert confirmed(engine, facts, [2_200_000]) == {("a", 1_000_000), ("a", 2_100_000)}


def test_a_step_with_too_many_rows_is_made_smaller_and_tells_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = COOLDOWNS[0].replace("300", "20")
    facts, program = payments(150, 2), antelog.parse(INPUT + rules + " query A(X, T).")
    expected = lines_of(Engine(program).advance(160, {"Pay": facts}))
    ends, step = list[int](), kernel._stepped

    def counted(
        plan: Plan, state: State, new: Mapping[str, Facts], now: int, wanted: LineSelection
    ) -> tuple[State, Mapping[str, Lines]]:
        found = step(plan, state, new, now, wanted)
        ends.append(now)
        return found

    monkeypatch.setattr(kernel, "_stepped", counted)
    assert lines_of(Engine(program, budget=80 * 60).advance(160, {"Pay": facts})) == expected
    assert len(ends) > 1
