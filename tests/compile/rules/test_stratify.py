"""antelog/compile/rules/stratify.py: the programs without a closed walk that forbids it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from antelog.compile.rules.stratify import Dependency, Violation, stratify

NODES = ("A", "B", "C", "D")
ANY = 1_000  # stands for "every weight": as large as it takes


@st.composite
def graphs(draw: st.DrawFn) -> list[Dependency]:
    node = st.sampled_from(NODES)
    weight = st.sampled_from((-3, -2, -1, -1, 0, 0, 1, 2, None))
    edge = st.builds(Dependency, node, node, weight, st.booleans())
    return draw(st.lists(edge, max_size=7))


def _forbidden(edges: list[Dependency]) -> bool:
    """Whether some closed walk through a negative edge has a weight that is not negative.

    By trying all lengths: a walk that needs a loop to make up for what it loses needs no more
    rounds of it than it loses ticks.
    """
    for start in NODES:
        best: dict[tuple[str, bool], int] = {(start, False): 0}
        for _ in range(80):
            longer: dict[tuple[str, bool], int] = {}
            for (node, negative), weight in best.items():
                for edge in edges:
                    if edge.source == node:
                        key = (edge.target, negative or edge.negative)
                        through = weight + (ANY if edge.weight is None else edge.weight)
                        longer[key] = max(longer.get(key, through), through)
            best = longer
            if best.get((start, True), -1) >= 0:
                return True
    return False


def _weight(walk: tuple[Dependency, ...]) -> int:
    return sum(ANY if edge.weight is None else edge.weight for edge in walk)


def _is_closed(walk: tuple[Dependency, ...]) -> bool:
    return all(one.target == other.source for one, other in zip(walk, (*walk[1:], walk[0]), strict=True))


@given(graphs())
def test_accepts_exactly_the_stratified_graphs(edges: list[Dependency]) -> None:
    result = stratify(NODES, edges)
    assert isinstance(result, Violation) == _forbidden(edges)


@given(graphs())
def test_a_refusal_shows_a_walk_that_forbids(edges: list[Dependency]) -> None:
    result = stratify(NODES, edges)
    if not isinstance(result, Violation):
        return
    assert set(result.walk) | set(result.loop) <= set(edges)
    assert _is_closed(result.walk)
    assert any(edge.negative for edge in result.walk)
    if _weight(result.walk) < 0:
        assert _is_closed(result.loop)
        assert _weight(result.loop) > 0
        assert {e.source for e in result.loop} & {e.source for e in result.walk}


@given(graphs())
def test_levels_put_what_is_needed_first(edges: list[Dependency]) -> None:
    levels = stratify(NODES, edges)
    if isinstance(levels, Violation):
        return
    for edge in edges:
        source, target = levels[edge.source], levels[edge.target]
        if source.component != target.component:
            assert target.component < source.component
            continue
        inside = [
            e for e in edges if levels[e.source].component == levels[e.target].component == source.component
        ]
        if any(e.negative for e in inside):
            assert edge.weight is not None
            before = (edge.weight + target.shift, target.rank)
            now = (source.shift, source.rank)
            assert before < now if edge.negative else before <= now


def test_a_long_chain_is_no_problem() -> None:
    names = [f"P{i}" for i in range(5_000)]
    edges = [Dependency(a, b, 1, True) for a, b in pairwise(names)]
    levels = stratify(names, [*edges, Dependency(names[-1], names[0], -5_000, True)])
    assert not isinstance(levels, Violation)
    assert stratify(names, [*edges, Dependency(names[-1], names[0], -4_999, False)]) != levels
