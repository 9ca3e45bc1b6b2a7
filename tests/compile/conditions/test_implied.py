"""antelog/compile/conditions/ordering.py: what two comparisons say of the variables they do not share.

W > V, W < 90     so V < 90, which is tested where W is still open
"""

from __future__ import annotations

import pytest

import antelog
from antelog.compile.conditions.ordering import implied


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ("W > V, W < 90", {"V < 90"}),
        ("W >= V, W <= 90", {"V <= 90"}),
        ("W > V + 2.5, W < 90", {"V < 87.5"}),
        ("W = V + 1, W >= 3", {"3 <= V+1"}),
        ("V < 3, W < 5", set()),  # no variable is shared
        ("W != V, W < 90", set()),  # nothing follows from `!=`
    ],
)
def test_what_two_comparisons_say(conditions: str, said: set[str]) -> None:
    text = f"input P(v: number, w: number, time). Q(T) :- P(V, W, T), {conditions}. query Q(T)."
    (query,) = antelog.parse(text).plan.queries
    found = {c.text for pattern in query.patterns for c in implied(pattern.comparisons)}
    assert found == said
