"""antelog/engine/facts/frames.py: background facts from outside the program."""

from __future__ import annotations

import pyarrow as pa

import antelog
from antelog.engine.facts.frames import static_rows

PLAN = antelog.parse(
    "static Site(x, n: number). input P(x, time). Q(X, N, T) :- P(X, T), Site(X, N). query Q(X, N, T)."
).plan


def test_columns_are_matched_by_name_or_by_position() -> None:
    table = pa.table({"n": [1.0, 2.5], "x": ["a", "b"]})
    assert static_rows(PLAN, {"Site": table}) == {"Site": [("a", 1), ("b", 2.5)]}
    assert static_rows(PLAN, {"Site": [("a", 1)]}) == {"Site": [("a", 1)]}
    assert static_rows(PLAN, {"Site": []}) == {"Site": []}
