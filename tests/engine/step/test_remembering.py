"""antelog/engine/step/remembering.py: a step leaves behind the decided atoms of relations in a cycle."""

from __future__ import annotations

from antelog.engine.step.remembering import remembered
from tests.engine.stages import stage, texts

TOGGLE = """input Press(x, time) delay 1.
Off(X, T+1) :- Press(X, T+1), not Off(X, T).
query Off(X, T).
"""


def test_the_true_atoms_about_decided_ticks_are_remembered() -> None:
    given = stage(TOGGLE, [("Press", "a", tick, tick) for tick in (1, 2, 3, 20)], now=30)
    found = remembered(given.known, "Off", 30)
    # With delay 1 all about 25 is decided, and the last ticks are still worked out from facts.
    assert 20 <= found.until < 30
    assert texts(given.state.values, found.columns[0]) == ["a"] * len(found.ticks)
    assert found.true.all()
    assert set(found.ticks.tolist()) <= {1, 3, 20}


def test_only_what_may_still_be_asked_for_is_kept() -> None:
    given = stage(TOGGLE, [("Press", "a", tick, tick) for tick in (1, 20)], now=22)
    assert 1 not in remembered(given.known, "Off", 22).ticks.tolist()


def test_while_nothing_is_decided_nothing_is_remembered() -> None:
    given = stage(TOGGLE, [("Press", "a", 1, 1)], now=1)
    assert len(remembered(given.known, "Off", 1).ticks) == 0
