"""antelog/engine/step/pattern_rows.py: a row for each value that has been seen, and one for all others."""

from __future__ import annotations

import numpy as np

from antelog.engine.step.matching import Partial, fitting
from antelog.engine.step.pattern_rows import with_seen
from antelog.engine.step.rows import Rows
from antelog.engine.values.encoding import OTHERS
from tests.engine.stages import stage

CALM = "input Alarm(x: text, time) delay 2. Calm(X, T) :- not Alarm(X, T), X != b. query Calm(X, T)."


def test_each_row_has_every_value_that_meets_the_comparisons() -> None:
    given = stage(CALM, [("Alarm", "a", 3, 4), ("Alarm", "a", 4, 5), ("Alarm", "b", 4, 5)])
    prepared, background = given.pattern("Calm")
    part = Partial(Rows({"T": np.array([6, 7])}, 2), np.zeros((0, 2), np.int64))
    assert prepared.seen is not None
    rows = with_seen(prepared, part, given.known.seen[prepared.seen]).rows
    rows = rows.take(fitting(prepared, rows, background, given.state.values))
    assert rows.seen is not None
    (a,) = given.cells("a").tolist()
    found = zip(*(rows.bound[name].tolist() for name in "TX"), rows.seen.tolist(), strict=True)
    assert set(found) == {(t, *each) for t in (6, 7) for each in ((a, 4), (OTHERS, -1))}
