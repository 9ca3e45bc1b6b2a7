"""antelog/engine/step/lives.py: from when on a derivation is supported, is complete, and is over."""

from __future__ import annotations

from collections.abc import Sequence

from antelog.engine.columns.spans import EVERYWHERE, Spans, span
from antelog.engine.step.lives import Lives
from tests.engine.stages import Fact, Stage, stage, texts, ticks

MALF = "input Temp(x, time) delay 1. Malf(X, T) :- Temp(X, T), Temp(X, T+1). query Malf(X, T)."


def read(given: Stage, found: Lives) -> list[tuple[object, ...]]:
    """Answers with the ticks at which they are supported, complete and over."""
    columns: list[Sequence[object]] = [texts(given.values, cells) for cells in found.answer]
    life = found.life
    columns += [[int(time) for time in found.time], *map(ticks, (life.supported, life.complete, life.end))]
    alive = (life.supported < life.end).tolist()
    return sorted(
        (row for row, is_it in zip(zip(*columns, strict=True), alive, strict=True) if is_it), key=str
    )


def of(text: str, facts: list[Fact], about: Spans = EVERYWHERE, now: int = 9) -> list[tuple[object, ...]]:
    given = stage(text, facts, now)
    return read(given, given.lives(about))


def test_a_derivation_is_supported_from_its_first_fact_until_one_is_missing() -> None:
    assert of(MALF, [("Temp", "a", 3, 4)]) == [("a", 3, 4, None, 5)]


def test_it_is_complete_with_its_last_fact_and_then_never_over() -> None:
    found = of(MALF, [("Temp", "a", 3, 4), ("Temp", "a", 4, 4)], span(3, 3))
    assert found == [("a", 3, 4, 4, None)]


def test_only_answers_about_wanted_ticks_are_looked_at() -> None:
    assert of(MALF, [("Temp", "a", 3, 3)], span(7, 8)) == []


def test_a_clock_driven_one_is_supported_once_its_tick_has_come() -> None:
    text = "static S(x). S(a). input Off(x, time) delay 1. On(X, T) :- S(X), not Off(X, T-3). query On(X, T)."
    # not Off(a, 1) was decided at 2; the answer about 4 is supported at 4.
    assert of(text, [], span(4, 4)) == [("a", 4, 4, 4, None)]


def test_values_that_evidence_leaves_open_are_part_of_the_answer() -> None:
    text = "input p(x, time) delay 1. input r(y, time). q(X, T) :- p(X, T), r(Y, T). query q(X, T)."
    assert of(text, [("r", "b", 3, 3), ("p", "a", 3, 4)]) == [("a", 3, 4, 4, None), (None, 3, 3, None, 4)]
