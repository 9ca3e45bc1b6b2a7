"""antelog/engine/step/literal_texts.py: literals by time, then text, also where a range begins in one."""

from __future__ import annotations

import pytest

from tests.engine.telling import reported


@pytest.mark.parametrize(
    ("conditions", "tick", "evidence"),
    [
        ("not B(X, T), not B(X, 0..T)", 2, "A(a, 2), not B(a, 0..2), not B(a, 2)"),
        ("not B(X, T), not B(X, T-1..T)", 10, "A(a, 10), not B(a, 10), not B(a, 9..10)"),
        ("not B(X, T-1), not B(X, 0..T)", 2, "not B(a, 1), A(a, 2), not B(a, 0..2)"),
    ],
)
def test_a_range_is_compared_as_text(conditions: str, tick: int, evidence: str) -> None:
    text = f"input A(x, time). input B(x, time). P(X, T) :- A(X, T), {conditions}. query P(X, T)."
    assert reported(text, [("A", "a", tick, tick)], tick) == {tick: [f"confirmed P(a, {tick}): {evidence} |"]}
