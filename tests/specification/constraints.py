"""Comparisons together: whether they can hold, what follows, and how late a time can be.

Each says how much greater one side can be than the other; a way round on which something would be greater
than itself is a contradiction. Between two numbers, and between two texts, there is always another.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias

from antelog.language.syntax import OPPOSITE
from tests.specification.literals import Comparison
from tests.specification.terms import Calculation, Term, Variable

Node: TypeAlias = tuple[str, str]
_ZERO: Node = ("number", "")
Bound: TypeAlias = tuple[Fraction, int]
"""The most by which something can be greater, and -1 if only less than that."""

Edges: TypeAlias = dict[tuple[Node, Node], Bound]


def possible(comparisons: Collection[Comparison], first: Mapping[str, int]) -> bool:
    """Whether comparisons can hold together; `first` has the first tick of each time variable."""
    return any(True for _ in _cases(comparisons, first))


def follows(wanted: Comparison, known: Sequence[Comparison], first: Mapping[str, int]) -> bool:
    """Whether a comparison holds wherever those known do."""
    decided = wanted.holds()
    if decided is not None:
        return decided
    denied = Comparison(wanted.left, OPPOSITE[wanted.operator], wanted.right)
    return not possible([*known, denied], first)


def latest(
    time: Variable, comparisons: Collection[Comparison], first: Mapping[str, int]
) -> int | float | None:
    """The latest tick that a time can be: infinite if nothing bounds it, None if there is none."""
    found: list[int | float] = []
    for edges in _cases(comparisons, first):
        bound = edges.get((_ZERO, ("variable", time.name)))
        found.append(math.inf if bound is None else math.floor(bound[0]) + time.shift)
    return max(found, default=None)


def is_bounded(
    time: str, comparisons: Collection[Comparison], first: Mapping[str, int], known: Collection[str]
) -> bool:
    """Whether a time has a latest tick once the `known` ones have values."""
    ends = [_ZERO, *(("variable", name) for name in known)]
    cases = _cases(comparisons, first)
    return all(any((end, ("variable", time)) in edges for end in ends) for edges in cases)


def _cases(comparisons: Collection[Comparison], first: Mapping[str, int]) -> Iterator[Edges]:
    """The ways in which comparisons can hold together, each as the differences it allows."""
    given: Edges = {}
    for name, tick in first.items():
        _add(given, (("variable", name), _ZERO, (Fraction(-tick), 0)))
    texts = sorted({s for c in comparisons for s in (c.left, c.right) if isinstance(s, str)})
    for less, more in pairwise(texts):
        _add(given, (("text", more), ("text", less), (Fraction(0), -1)))
    for ways in product(*(list(_ways(c, first)) for c in comparisons)):
        edges = dict(given)
        for way in ways:
            for edge in way:
                _add(edges, edge)
        if _closed(edges):
            yield edges


def _add(edges: Edges, edge: tuple[Node, Node, Bound]) -> None:
    lower, upper, bound = edge
    edges[lower, upper] = min(edges.get((lower, upper), bound), bound)


def _ways(comparison: Comparison, times: Collection[str]) -> Iterator[list[tuple[Node, Node, Bound]]]:
    left, operator, right = comparison.left, comparison.operator, comparison.right
    if operator == "!=":
        yield from _ways(Comparison(left, "<", right), times)
        yield from _ways(Comparison(left, ">", right), times)
        return
    (one, more), (other, less) = _placed(left), _placed(right)
    whole = any(isinstance(s, Variable) and s.name in times for s in (left, right))
    strict = (Fraction(-1), 0) if whole else (Fraction(0), -1)
    step = strict if operator in ("<", ">") else (Fraction(0), 0)
    edges = []
    if operator in ("<", "<=", "="):
        edges.append((other, one, (less - more + step[0], step[1])))
    if operator in (">", ">=", "="):
        edges.append((one, other, (more - less + step[0], step[1])))
    yield edges


def _placed(term: Term) -> tuple[Node, Fraction]:
    if isinstance(term, Variable):
        return ("variable", term.name), Fraction(term.shift)
    if isinstance(term, int | float):
        return _ZERO, Fraction(term)
    return ("number" if isinstance(term, Calculation) else "text", str(term)), Fraction(0)


def _closed(edges: Edges) -> bool:
    """Adds what follows; False if that contradicts itself."""
    nodes = {node for edge in edges for node in edge}
    for middle in nodes:
        for start in nodes:
            for end in nodes:
                one, other = edges.get((start, middle)), edges.get((middle, end))
                if one is not None and other is not None:
                    _add(edges, (start, end, (one[0] + other[0], min(one[1], other[1]))))
    return all(edges.get((node, node), (Fraction(0), 0)) >= (Fraction(0), 0) for node in nodes)


def leaves_none(name: str, comparisons: Iterable[Comparison]) -> bool:
    """Whether the comparisons of one variable with known values leave it none."""
    own = [
        c
        for c in comparisons
        if c.variables == {name}
        and isinstance(c.left, Variable) is not isinstance(c.right, Variable)
        and not (isinstance(c.left, Calculation) or isinstance(c.right, Calculation))
    ]
    return bool(own) and not possible(own, {})
