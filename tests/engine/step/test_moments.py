"""antelog/engine/step/lives.py: the ticks at which answers may change, and what is reported then."""

from __future__ import annotations

from antelog.engine.step.lives import Lives, Moments, confirmations, current, levels, moments
from tests.engine.stages import Fact, stage

MALF = "input Temp(x, time) delay 2. Malf(X, T) :- Temp(X, T), Temp(X, T+1). query Malf(X, T)."
FACTS = [("Temp", "a", 3, 3), ("Temp", "a", 4, 5)]


def of(facts: list[Fact], now: int = 9) -> Lives:
    return stage(MALF, facts, now).lives()


def read(found: Lives, at: Moments) -> list[tuple[int, int]]:
    """The moments: the tick an answer is about, and the one it may change at."""
    row = found.by_answer.first.take(at.answer)
    return list(zip(found.time.take(row).tolist(), at.tick.tolist(), strict=True))


def test_an_answer_may_change_when_it_is_supported_gets_evidence_or_is_over() -> None:
    found = of(FACTS)
    # Malf(a, 2) rests on Temp(a, 2), awaited until 4; (a, 3) is complete at 5; (a, 4) waits until 7.
    assert sorted(read(found, moments(found, -1, 9))) == [(2, 3), (2, 4), (3, 3), (3, 5), (4, 5), (4, 7)]


def test_of_a_step_only_its_own_ticks_and_the_one_before() -> None:
    found = of(FACTS)
    assert sorted(read(found, moments(found, 4, 6))) == [(3, 4), (3, 5), (4, 5)]


def test_views_are_the_derivations_supported_at_a_moment() -> None:
    found = of(FACTS)
    at = moments(found, -1, 9)
    seen = sorted(zip(at.tick.take(at.view_at).tolist(), levels(found, at).tolist(), strict=True))
    # At 3 two answers have one fact; at 5 one has both and the next begins; at 4 and 7 those are over.
    assert seen == [(3, 1), (3, 1), (5, 1), (5, 2)]


def test_the_present_and_the_confirmations_alone() -> None:
    found = of(FACTS, now=5)
    assert read(found, confirmations(found, -1, 5)) == [(3, 5)]
    now = current(found, 5)
    assert {tick for _, tick in read(found, now)} == {5}
    assert len(now.view_of) == 2
