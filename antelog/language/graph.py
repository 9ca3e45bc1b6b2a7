"""Graphs: components, what a node leads to, and the graph of a program with places for its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TypeVar

from antelog.language.syntax import Document, Rule, atoms_of

N = TypeVar("N")


def components(edges: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """The strongly connected components, each after those it leads to (Tarjan, without recursion)."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: dict[N, None] = {}
    work: list[tuple[N, Iterator[N]]] = []
    found: list[list[N]] = []

    def enter(node: N) -> None:
        index[node] = low[node] = len(index)
        stack[node] = None
        work.append((node, iter(edges.get(node, ()))))

    for root in list(edges):
        if root not in index:
            enter(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    enter(successor)
                    break
                if successor in stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = [stack.popitem()[0]]
                    while members[-1] != node:
                        members.append(stack.popitem()[0])
                    found.append(members)
    return found


def reachable(edges: Mapping[N, Iterable[N]], *starts: N) -> set[N]:
    """All that edges lead to from some nodes, and these themselves."""
    found, waiting = set(starts), list(starts)
    while waiting:
        new = set(edges.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


_SWEEPS = 8


@dataclass(frozen=True)
class Edge:
    source: str
    target: str
    negated: bool = False


@dataclass(frozen=True)
class Graph:
    """The graph of a program; `strata` has all nodes, each after those on which it rests."""

    edges: tuple[Edge, ...]
    strata: Mapping[str, int]
    rules: Mapping[str, Rule]


@dataclass(frozen=True)
class Placement:
    """The middle and layer of each node, the nodes on the path of each edge, and the node of its label."""

    x: Mapping[str, float]
    layer: Mapping[str, int]
    paths: Mapping[Edge, tuple[str, ...]]
    labels: Mapping[Edge, str]


def graph_of(document: Document) -> Graph:
    """Makes the graph of a program, without its facts."""
    rules = {f"rule {number}": rule for number, rule in enumerate(document.rules) if rule.body}
    edges: dict[Edge, None] = {}
    for name, rule in rules.items():
        edges |= {Edge(atom.predicate, name, negated): None for atom, negated in atoms_of(rule)}
        edges[Edge(name, rule.head.predicate)] = None
    # A stratum is the most negations on which a node rests, except within cycles, which lead through time.
    into = _into(edges)
    above = {
        node: [edge.source for edge in into[node]] for edge in edges for node in (edge.source, edge.target)
    }
    strata: dict[str, int] = {}
    for members in components(above):
        steps = [edge for node in members for edge in into[node] if edge.source not in members]
        level = max((strata[edge.source] + edge.negated for edge in steps), default=0)
        strata |= dict.fromkeys(sorted(members, key=lambda node: node not in rules), level)
    return Graph(tuple(edges), strata, rules)


def _into(edges: Iterable[Edge]) -> defaultdict[str, list[Edge]]:
    into: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        into[edge.target].append(edge)
    return into


def layout(
    graph: Graph, widths: Mapping[str, float], gap: float, labels: Mapping[Edge, float] | None = None
) -> Placement:
    """Places nodes of these widths, and labels of edges between them, with few crossings and no overlaps."""
    layer = _layers(graph)
    if labels is not None:
        layer = {node: 2 * number for node, number in layer.items()}
    paths, layer = _with_bends(graph, layer)
    places = {edge: paths[edge][-2] for edge in labels or ()}
    widths = {**widths, **{places[edge]: width for edge, width in (labels or {}).items()}}
    rows: dict[int, list[str]] = defaultdict(list)
    for node, number in layer.items():
        rows[number].append(node)
    near: dict[str, list[str]] = defaultdict(list)
    for path in paths.values():
        for one, other in pairwise(path):
            near[one].append(other)
            near[other].append(one)
    x = {node: float(place) for row in rows.values() for place, node in enumerate(row)}
    order = sorted(rows)
    for sweep in range(_SWEEPS):
        for number in order if sweep % 2 == 0 else order[::-1]:
            ahead = -1 if sweep % 2 == 0 else 1
            wanted = {
                n: fmean([x[m] for m in near[n] if (layer[m] - number) * ahead > 0] or [x[n]])
                for n in rows[number]
            }
            rows[number].sort(key=wanted.__getitem__)
            x |= {node: float(place) for place, node in enumerate(rows[number])}
    for row in rows.values():
        x |= _spread(row, dict.fromkeys(row, 0.0), widths, gap)
    for _ in range(_SWEEPS):
        for number in [*order, *order[::-1]]:
            wanted = {node: fmean([x[m] for m in near[node]] or [x[node]]) for node in rows[number]}
            x |= _spread(rows[number], wanted, widths, gap)
    return Placement(x, layer, paths, places)


def _layers(graph: Graph) -> dict[str, int]:
    """Puts each node below those on which it rests, and each stratum below the one before."""
    into, order = _into(graph.edges), {node: place for place, node in enumerate(graph.strata)}
    layer: dict[str, int] = {}
    ends: list[int] = []
    for stratum in range(max(graph.strata.values(), default=-1) + 1):
        first = ends[-1] + 1 if ends else 0
        for node in (node for node in graph.strata if graph.strata[node] == stratum):
            above = (edge.source for edge in into[node] if order[edge.source] < order[node])
            layer[node] = max([first, *(layer[source] + 1 for source in above)])
        ends.append(max(layer.values()))
    # Nodes that rest on nothing stand just above their first use, within their stratum.
    for node in graph.strata:
        uses = [layer[edge.target] for edge in graph.edges if edge.source == node]
        if not into[node] and uses:
            layer[node] = min(min(uses) - 1, ends[graph.strata[node]])
    return layer


def _with_bends(graph: Graph, layer: Mapping[str, int]) -> tuple[dict[Edge, tuple[str, ...]], dict[str, int]]:
    """Adds a bend to each edge in every layer that it passes; returns paths and layers."""
    layer = dict(layer)
    paths = {}
    for number, edge in enumerate(graph.edges):
        start, end = layer[edge.source], layer[edge.target]
        step = 1 if end > start else -1
        bends = {f"bend {number} {at}": at for at in range(start + step, end, step)}
        layer |= bends
        paths[edge] = (edge.source, *bends, edge.target)
    return paths, layer


def _spread(
    row: Sequence[str], wanted: Mapping[str, float], widths: Mapping[str, float], gap: float
) -> dict[str, float]:
    """Moves nodes apart, in their order, and near the wanted places."""
    rightmost: dict[str, float] = {}
    leftmost: dict[str, float] = {}
    for nodes, found, sign in ((row, rightmost, 1), (row[::-1], leftmost, -1)):
        before: str | None = None
        for node in nodes:
            place = wanted[node]
            if before is not None:
                apart = (widths.get(node, 0) + widths.get(before, 0)) / 2 + gap
                place = sign * max(sign * place, sign * found[before] + apart)
            found[node] = place
            before = node
    return {node: (rightmost[node] + leftmost[node]) / 2 for node in row}
