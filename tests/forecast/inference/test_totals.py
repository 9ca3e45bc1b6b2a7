"""antelog/forecast/inference/totals.py: what parts weigh together, compared with a number."""

from __future__ import annotations

from itertools import product
from operator import eq, ge, gt, le, lt, ne

from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.inference.diagrams import FALSE, TRUE, diagram_of
from antelog.forecast.inference.totals import Weighed, total, whole_values
from antelog.language.literals.aggregate import Affine
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


def test_counts_times_and_plus_numbers_as_whole_ones() -> None:
    half, more = Affine("*", 0.5, first=True), Affine("+", 2, first=False)
    assert whole_values(">", [((), 2), ((half, more), 3)]) == [[0, 2, 4], [4, 5, 6, 7]]
    assert whole_values("=", [((Affine("/", 0, first=False),), 2), ((), 3)]) is None
    often = [((Affine("*", 1.1, first=True),), 50), ((), 60)]
    assert whole_values(">", often) is None  # 1.1 * 50 is a little more than 55
