"""antelog/language/graph.py: which nodes of a graph can reach each other."""

from hypothesis import given
from hypothesis import strategies as st

from antelog.language.graph import components

NODES = st.integers(0, 6)


def _reached(edges: dict[int, list[int]], start: int) -> set[int]:
    found, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += edges.get(node, [])
    return found


def test_what_rests_on_itself_is_one_component() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["b"], "d": []}
    assert [sorted(each) for each in components(edges)] == [["b", "c"], ["a"], ["d"]]


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


def test_a_long_chain_needs_no_deep_stack() -> None:
    edges = {node: [node + 1] for node in range(50_000)}
    assert [node for (node,) in components(edges)] == list(range(50_000, -1, -1))
