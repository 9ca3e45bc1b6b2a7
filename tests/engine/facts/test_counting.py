"""antelog/engine/facts/counting.py: what an engine counts."""

from __future__ import annotations

from antelog.engine.facts.counting import Dropped, dropped_table, total


def test_a_total_is_known_if_all_parts_are() -> None:
    assert total(1, 2) == 3
    assert total(1, None) is None


def test_dropped_facts_are_reported_with_the_ticks_they_were_about() -> None:
    both = Dropped(2, 3, 4) + Dropped(1, 0, 0)
    assert dropped_table({"Temp": both}).to_pylist() == [{"input": "Temp", "facts": 3, "first": 0, "last": 4}]
    assert dropped_table({}).num_rows == 0
