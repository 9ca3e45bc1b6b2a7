"""antelog/engine/facts/admission.py: rows that arrived after the tick that was to be the last."""

from __future__ import annotations

import antelog
from antelog.engine.facts.admission import beyond

PLAN = antelog.parse("input P(x: number, time) delay 1. Q(X, T) :- P(X, T). query Q(X, T).").plan


def test_they_are_counted_and_only_malformed_ones_are_set_aside() -> None:
    rows = [(1, 5, 5), (2, 99, 99), ("seven", 6, 6)]
    found = beyond(PLAN, {"P": rows}, 4, arrival="arrival")
    assert (found.counts.given, found.counts.after_until, found.counts.malformed) == (3, 2, 1)
    assert found.rejects["reason"].to_pylist() == ["malformed"]
    assert found.places.tolist() == [2]
