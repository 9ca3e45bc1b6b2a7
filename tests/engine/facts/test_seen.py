"""antelog/engine/facts/history.py: values are seen from the arrival of their first fact on."""

from __future__ import annotations

import numpy as np

from antelog.compile.nodes.plan import Argument
from antelog.compile.plan.partition import SeenColumns
from antelog.engine.facts.history import Facts, SeenValues, seen_from_the_start, seen_with
from antelog.engine.values.values import Values

COLUMNS = SeenColumns((Argument("A", 0), Argument("B", 1)), (Argument("S", 0),), ("a",))


def facts(*rows: tuple[int, int, int]) -> Facts:
    first, second, arrival = np.array(rows, np.int64).T
    return Facts((first, second), arrival, arrival)


def pairs(seen: SeenValues) -> set[tuple[int, int]]:
    return set(zip(seen.cells.tolist(), seen.since.tolist(), strict=True))


def test_constants_and_background_are_seen_from_the_start() -> None:
    values = Values()
    seen = seen_from_the_start([COLUMNS], {"S": [(7, 1), (8, 1), (7, 2)]}, values)
    assert pairs(seen[COLUMNS]) == {(values.cell("a"), -1), (7, -1), (8, -1)}


def test_a_value_is_seen_from_its_first_arrival_on_in_any_of_the_columns() -> None:
    seen = seen_from_the_start([COLUMNS], {"S": [(7, 1)]}, Values(["a"]))
    start = pairs(seen[COLUMNS])
    first = seen_with(seen, {"A": facts((9, 5, 3), (9, 5, 2), (7, 5, 3)), "B": facts((6, 4, 2), (6, 9, 1))})
    assert pairs(first[COLUMNS]) == {*start, (9, 1), (4, 2)}
    second = seen_with(first, {"A": facts((9, 0, 5), (4, 0, 5), (3, 0, 6))})
    assert pairs(second[COLUMNS]) == {*pairs(first[COLUMNS]), (3, 6)}
    assert pairs(seen_with(second, {})[COLUMNS]) == pairs(second[COLUMNS])
