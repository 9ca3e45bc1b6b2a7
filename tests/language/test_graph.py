"""antelog/language/graph.py, antelog/pictures/plan.py: components, and the graph of a program to be read."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.language.graph import Edge, Graph, Placement, components, graph_of, layout
from tests.cli.trying import TURBINES
from tests.pictures.looks import texts
from tests.recorded import NAMES, recorded

NODES = st.integers(0, 6)


def _reached(edges: dict[int, list[int]], start: int) -> set[int]:
    found, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += edges.get(node, [])
    return found


@given(st.dictionaries(NODES, st.lists(NODES, max_size=4)))
def test_components_are_what_a_search_finds(edges: dict[int, list[int]]) -> None:
    found = components(edges)
    nodes = {*edges, *(node for there in edges.values() for node in there)}
    assert sorted(node for each in found for node in each) == sorted(nodes)
    of = {node: number for number, each in enumerate(found) for node in each}
    for one in nodes:
        for other in _reached(edges, one):
            assert of[other] <= of[one]  # what it leads to comes before it
            assert (of[one] == of[other]) == (one in _reached(edges, other))


WIDTH, GAP = 80.0, 20.0


def graph(text: str) -> Graph:
    return graph_of(antelog.parse(text).document)


def placed(shown: Graph) -> Placement:
    return layout(shown, {node: 20.0 if node in shown.rules else WIDTH for node in shown.strata}, GAP)


def test_the_turbines() -> None:
    shown = graph(TURBINES.read_text(encoding="utf-8"))
    assert {node for node in shown.strata if node not in shown.rules} == {
        "Temp", "Turbine", "Flag", "Cool", "Shdn", "Malf", "OK",
    }  # fmt: skip
    assert len(shown.rules) == 5
    assert Edge("Shdn", "rule 6", negated=True) in shown.edges, "two facts come before the rules"
    assert Edge("Turbine", "rule 6") in shown.edges
    assert {node for node, stratum in shown.strata.items() if stratum == 1} == {"rule 6", "OK"}


def test_negations_above_each_other() -> None:
    text = """\
    input A(x, time).
    static S(x).
    S(a).
    B(X, T) :- S(X), not A(X, T).
    C(X, T) :- S(X), not B(X, T).
    D(X, T) :- C(X, T), A(X, T).
    query D(X, T).
    """
    shown = graph(text)
    assert [shown.strata[name] for name in ("A", "S", "B", "C", "D")] == [0, 0, 1, 2, 2]


def test_what_rests_on_itself_is_drawn_upwards() -> None:
    shown = graph_of(recorded("toggle").checked.document)
    assert shown.edges
    place = placed(shown)
    upwards = [edge for edge in shown.edges if place.layer[edge.source] > place.layer[edge.target]]
    assert upwards == [edge for edge in shown.edges if edge.negated], "rules stand above what they derive"


def apart(place: Placement, widths: dict[str, float]) -> None:
    """Nodes, labels and edges that pass a layer do not overlap."""
    for layer in {*place.layer.values()}:
        row = sorted((place.x[node], node) for node in place.x if place.layer[node] == layer)
        for (x, node), (other_x, other) in pairwise(row):
            assert other_x - x >= (widths.get(node, 0) + widths.get(other, 0)) / 2 + GAP - 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_layouts_can_be_read(name: str) -> None:
    shown = graph_of(recorded(name).checked.document)
    nodes = {node: 20.0 if node in shown.rules else WIDTH for node in shown.strata}
    place = layout(shown, nodes, GAP)
    assert {*shown.strata} <= {*place.x}
    for edge in shown.edges:
        path = place.paths[edge]
        assert (path[0], path[-1]) == (edge.source, edge.target)
        assert all(abs(place.layer[one] - place.layer[other]) == 1 for one, other in pairwise(path))
        if shown.strata[edge.source] < shown.strata[edge.target]:
            assert place.layer[edge.source] < place.layer[edge.target]
    apart(place, nodes)
    wide = {edge: 50.0 + 10 * (at % 5) for at, edge in enumerate(shown.edges)}
    place = layout(shown, nodes, GAP, wide)
    assert place.labels.keys() == wide.keys()
    assert not {*place.labels.values()} & {*shown.strata}
    apart(place, nodes | {place.labels[edge]: width for edge, width in wide.items()})


def test_a_long_chain() -> None:
    rules = "".join(f"P{n + 1}(X, T) :- P{n}(X, T).\n" for n in range(600))
    shown = graph_of(antelog.parse(f"input P0(x, time).\n{rules}query P600(X, T).\n").document)
    assert placed(shown).layer["P600"] == 1200


def test_the_picture_names_everything() -> None:
    program = antelog.load(TURBINES)
    shown = texts(antelog.draw(program, title="Rules").svg())
    kinds = {"input, delay 1 to 2", "static", "query", "derived"}
    assert {"Rules", "Temp", "Turbine", "Flag", "OK", *kinds} <= {*shown}
    assert {"stratum 0", "stratum 1"} <= {*shown}
    assert "Malf(X, T-2) :- Shdn(X, T)." in shown
    line = program.source.text[: program.source.text.index("Malf(X, T-2)")].count("\n") + 1
    assert shown.count(str(line)) == 2, "at the rule in the graph, and at its text"
