"""T-stratification: whether every negation can be decided before the atoms that depend on it.

A program is T-stratified if and only if every closed walk through a negative edge has negative total weight,
of body times minus head times (AAAI-20, definition 6, proposition 14).

    P(X, T) :- A(X, T), not P(X, T-1).    weight -1: fine      not P(X, T+1): its own future

In a component with a negative edge, longest walks give every predicate a shift such that no edge leads
upwards in `time + shift`; a negative edge must not lie on a cycle of edges that stay level. The components,
the shifts and the order among the level edges are a finite description of the strata.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from antelog.compile.nodes.plan import Level
from antelog.language.graph import components


@dataclass(frozen=True, slots=True)
class Dependency:
    """`source` rests on `target`, `weight` ticks later (None: at any time); `label` says by which rule."""

    source: str
    target: str
    weight: int | None
    negative: bool
    label: int = 0


@dataclass(frozen=True)
class Violation:
    """A closed walk through a negative edge that does not lead into the past."""

    walk: tuple[Dependency, ...]
    loop: tuple[Dependency, ...] = ()  # a cycle into the future, repeated until the whole walk leads there


def stratify(nodes: Iterable[str], edges: Iterable[Dependency]) -> dict[str, Level] | Violation:
    """Returns the level of every node, or the walk that forbids levels."""
    successors: dict[str, list[Dependency]] = {node: [] for node in nodes}
    for edge in dict.fromkeys(edges):
        successors[edge.source].append(edge)
    levels: dict[str, Level] = {}
    targets = {node: [e.target for e in out] for node, out in successors.items()}
    for number, members in enumerate(components(targets)):
        among = set(members)
        inside = {node: [e for e in successors[node] if e.target in among] for node in members}
        own = _levels(number, inside)
        if isinstance(own, Violation):
            return own
        levels.update(own)
    return levels


def _levels(number: int, inside: dict[str, list[Dependency]]) -> dict[str, Level] | Violation:
    edges = [edge for out in inside.values() for edge in out]
    negative = [edge for edge in edges if edge.negative]
    if not negative:
        return {node: Level(number, 0, 0) for node in inside}
    anytime = next((edge for edge in edges if edge.weight is None), None)
    if anytime is not None:
        return Violation(_closed_walk(negative[0], anytime, inside))
    shifts = _shifts(inside)
    if isinstance(shifts, list):
        # Some cycle leads into the future: the plainest closed walk there is.
        if any(edge.negative for edge in shifts):
            return Violation(tuple(shifts))
        best = max(((edge, *_path(edge.target, edge.source, inside)) for edge in negative), key=_weight)
        if _weight(best) >= 0:
            return Violation(best)
        return Violation(_closed_walk(best[0], shifts[0], inside), tuple(shifts))
    level = {
        node: [e for e in out if (e.weight or 0) + shifts[e.target] == shifts[node]]
        for node, out in inside.items()
    }
    groups = components({node: [e.target for e in out] for node, out in level.items()})
    rank = {node: i for i, members in enumerate(groups) for node in members}
    for edge in negative:
        if edge in level[edge.source] and rank[edge.source] == rank[edge.target]:
            return Violation((edge, *_path(edge.target, edge.source, level)))
    return {node: Level(number, shifts[node], rank[node]) for node in inside}


def _shifts(inside: dict[str, list[Dependency]]) -> dict[str, int] | list[Dependency]:
    """Returns the weight of the longest walk from each node, or a cycle of positive weight."""
    shifts = dict.fromkeys(inside, 0)
    longest: dict[str, Dependency] = {}
    rounds = dict.fromkeys(inside, 0)
    sources: dict[str, list[Dependency]] = {node: [] for node in inside}
    for out in inside.values():
        for edge in out:
            sources[edge.target].append(edge)
    waiting = deque(inside)
    queued = set(inside)
    while waiting:
        node = waiting.popleft()
        queued.discard(node)
        for edge in sources[node]:
            through = (edge.weight or 0) + shifts[node]
            if through <= shifts[edge.source]:
                continue
            shifts[edge.source] = through
            longest[edge.source] = edge
            if edge.source not in queued:
                rounds[edge.source] += 1
                if rounds[edge.source] > len(inside):
                    return _cycle(edge.source, longest)
                queued.add(edge.source)
                waiting.append(edge.source)
    return shifts


def _cycle(start: str, longest: dict[str, Dependency]) -> list[Dependency]:
    """Returns the cycle that following the longest walks from `start` ends in."""
    node = start
    for _ in range(len(longest)):
        node = longest[node].target if node in longest else node
    cycle = [longest[node]]
    while cycle[-1].target != node:
        cycle.append(longest[cycle[-1].target])
    return cycle


def _weight(walk: Iterable[Dependency]) -> int:
    return sum(edge.weight or 0 for edge in walk)


def _closed_walk(
    first: Dependency, through: Dependency, inside: dict[str, list[Dependency]]
) -> tuple[Dependency, ...]:
    """Returns a closed walk that begins with one edge and passes another."""
    if first == through:
        return (first, *_path(first.target, first.source, inside))
    there = _path(first.target, through.source, inside)
    back = _path(through.target, first.source, inside)
    return (first, *there, through, *back)


def _path(start: str, end: str, graph: dict[str, list[Dependency]]) -> tuple[Dependency, ...]:
    """Returns a shortest path; nothing if start and end are the same."""
    came: dict[str, Dependency] = {}
    waiting = deque([start])
    while waiting and end not in came and start != end:
        for edge in graph[waiting.popleft()]:
            if edge.target not in came and edge.target != start:
                came[edge.target] = edge
                waiting.append(edge.target)
    path: list[Dependency] = []
    node = end
    while node != start:
        path.append(came[node])
        node = came[node].source
    return tuple(reversed(path))
