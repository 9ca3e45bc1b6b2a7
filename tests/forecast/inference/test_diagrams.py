"""antelog/forecast/inference/diagrams.py: a formula as a decision diagram, tick by tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from operator import eq, ge, gt, le, lt, ne

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.inference import diagrams
from antelog.forecast.inference.diagrams import (
    FALSE,
    TRUE,
    Diagram,
    DiagramTooLargeError,
    Leaf,
    Question,
    diagram_of,
)
from antelog.forecast.inference.nodes import (
    AtLeast,
    Comes,
    Every,
    Never,
    Node,
    Some,
    Weighed,
    total,
    whole_values,
)
from antelog.forecast.rates.odds import Series
from antelog.language.literals.aggregate import Affine

SERIES = Series("X", (), (), (), ()), Series("Y", (), (), (), ())


def x(at: int, chain: int = 0) -> Comes:
    return Comes(SERIES[chain], (), at)


def question(whole: Node, *, over: int = 99, slot: bool = False, conditions: Sequence[bool] = ()) -> Question:
    """Chains X and Y of one state, or one chain of two states; facts of ticks up to `over` are over."""
    leaves = {
        x(at, which): Leaf(0, which + 1, at) if slot else Leaf(which, 1, at)
        for at in range(3)
        for which in range(2)
    }
    outcomes = [4] if slot else [2, 2]
    return Question(whole, conditions, leaves, outcomes, lambda leaf: leaf.at <= over)


def walked(diagram: Diagram, shown: Mapping[tuple[int, int], int]) -> int:
    """The node at which a diagram ends if chains show these outcomes at these ticks."""
    node = {FALSE: FALSE, TRUE: TRUE}.get(diagram.root, 2)
    for layer in diagram.layers:
        node = int(layer.then[(node, *(shown.get((chain, layer.at), 0) for chain in layer.chains))])
    return node


def test_nodes_that_say_the_same_are_one() -> None:
    # After tick 0 only `x at 1` is left, whichever of the two came.
    found = diagram_of(question(Every((Some((x(0), x(0, 1))), x(1)))))
    assert [(layer.at, layer.width) for layer in found.layers] == [(0, 3), (1, 2), (2, 2)]


def test_another_fact_in_the_slot_rules_a_fact_out_at_once() -> None:
    absent = diagram_of(question(Never(x(0)), over=-1, slot=True))
    assert [walked(absent, {(0, 0): outcome}) for outcome in range(4)] == [FALSE, FALSE, TRUE, TRUE]


def test_a_count_is_decided_as_soon_as_it_can_be() -> None:
    two = AtLeast(2, (x(0), x(1), x(2)))
    layers = diagram_of(question(two)).layers
    assert [layer.width for layer in layers] == [4, 3, 2]  # after the second tick only one is worth a look
    assert walked(diagram_of(question(two, over=-1)), {(0, 0): 1, (0, 1): 1}) == TRUE
    fewer = diagram_of(question(Never(two), over=1))
    assert [walked(fewer, {(0, at): 1 for at in came}) for came in ((), (0,), (0, 1))] == [TRUE, FALSE, FALSE]


def test_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Every((x(0), x(1), x(2)))
    diagram_of(question(whole))
    monkeypatch.setattr(diagrams, "MOST_STEPS", 10)
    with pytest.raises(DiagramTooLargeError):
        diagram_of(question(whole))


NODES: st.SearchStrategy[Node] = st.recursive(
    st.builds(x, st.integers(0, 2), st.integers(0, 1)),
    lambda below: (
        st.builds(Never, below)
        | st.builds(Every, st.lists(below, max_size=3).map(tuple))
        | st.builds(Some, st.lists(below, max_size=3).map(tuple))
        | st.builds(AtLeast, st.integers(1, 4), st.lists(below, max_size=4).map(tuple))
    ),
    max_leaves=8,
)


def truth(node: Node, shown: Mapping[tuple[int, int], int]) -> bool:
    match node:
        case Comes(series, _, at):
            return shown[SERIES.index(series), at] == 1
        case Never(part):
            return not truth(part, shown)
        case Every(parts):
            return all(truth(part, shown) for part in parts)
        case Some(parts):
            return any(truth(part, shown) for part in parts)
        case AtLeast(number, parts):
            return sum(truth(part, shown) for part in parts) >= number
        case _:
            raise AssertionError(node)


@given(NODES)
def test_a_diagram_says_what_its_formula_says(node: Node) -> None:
    diagram = diagram_of(question(node))
    places = list(product(range(2), range(3)))
    for outcomes in product(range(2), repeat=len(places)):
        shown = dict(zip(places, outcomes, strict=True))
        assert walked(diagram, shown) == (TRUE if truth(node, shown) else FALSE)


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
