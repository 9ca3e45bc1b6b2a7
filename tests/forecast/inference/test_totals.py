"""antelog/forecast/inference/nodes.py: what parts weigh together, compared with a number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import eq, ge, gt, le, lt, ne

from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.inference.diagrams import FALSE, TRUE, diagram_of
from antelog.forecast.inference.nodes import Weighed, ratio_of, total
from tests.forecast.inference.test_diagrams import question, walked, x

OPERATORS = {">=": ge, ">": gt, "<": lt, "<=": le, "=": eq, "!=": ne}


@given(
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.sampled_from(sorted(OPERATORS)),
    st.integers(-4, 6),
)
def test_totals(weights: list[int], operator: str, number: int) -> None:
    parts = [Weighed(weight, x(at)) for at, weight in enumerate(weights)]
    diagram = diagram_of(question(total(parts, operator, number)))
    for came in product(range(2), repeat=3):
        holds = OPERATORS[operator](sum(w * c for w, c in zip(weights, came, strict=True)), number)
        assert walked(diagram, {(0, at): each for at, each in enumerate(came)}) == (TRUE if holds else FALSE)


def test_the_ratio_of_a_factor() -> None:
    assert ratio_of(2, 5) == 2
    assert ratio_of(1.1, 49) == Fraction(11, 10)
    assert ratio_of(1.1, 50) is None  # 1.1 * 50 is a little more than 55
