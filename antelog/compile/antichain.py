"""Sets of patterns of which none subsumes another, with an index to find those that might."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from antelog.compile.plan import Literal, Pattern, Var
from antelog.compile.subsume import subsumes


def minimal(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """The patterns that no other subsumes; of equal ones the first."""
    every = list(patterns)
    kept = Antichain()
    order = sorted(range(len(every)), key=lambda i: len(every[i].literals))
    return tuple(every[i] for i in sorted(i for i in order if kept.add(every[i])))


class Antichain:
    """Patterns of which none subsumes a later one, with an index to find those that might."""

    def __init__(self) -> None:
        self._all: list[_Features] = []
        self._index: dict[Hashable, list[_Features]] = {}

    def add(self, pattern: Pattern, among: Callable[[Pattern], bool] | None = None) -> bool:
        """Take in a pattern, unless one subsumes it (of those `among` is true for)."""
        new = _Features.of(pattern)
        if new.plain:
            near = [f for key in (None, *new.keys) for f in self._index.get(key, ()) if f.keys <= new.keys]
        else:
            near = [f for f in self._all if f.predicates <= new.predicates]
        if any((among is None or among(f.pattern)) and subsumes(f.pattern, pattern) for f in near):
            return False
        self._index.setdefault(new.rarest, []).append(new)
        self._all.append(new)
        return True


@dataclass(frozen=True, eq=False)
class _Features:
    """A cheap first test: what a pattern needs to find in those it subsumes.

    That is its literals by their predicates and, between patterns whose answers are plain
    variables, by their offsets from the answer's time, and by their arguments too where
    all of these are answers or constants.
    """

    pattern: Pattern
    plain: bool
    predicates: frozenset[Hashable]
    keys: frozenset[Hashable]
    rarest: Hashable

    @staticmethod
    def of(pattern: Pattern) -> _Features:
        plain = _plain_answer(pattern)
        coarse: list[Hashable] = [(type(literal), literal.predicate) for literal in pattern.literals]
        exact: list[Hashable] = []
        if plain is not None:
            exact = [key for literal in pattern.literals for key in _places(literal, pattern, plain)]
        rarest = max(exact, key=_length, default=coarse[-1] if coarse else None)
        return _Features(pattern, plain is not None, frozenset(coarse), frozenset([*coarse, *exact]), rarest)


def _length(key: Hashable) -> int:
    return len(key) if isinstance(key, tuple) else 0


def _plain_answer(pattern: Pattern) -> dict[str, int] | None:
    """Which answer each variable is, if all answers are different variables."""
    names = {a.name: i for i, a in enumerate(pattern.answer) if isinstance(a, Var)}
    return names if len(names) == len(pattern.answer) and pattern.time.variable is not None else None


def _places(literal: Literal, pattern: Pattern, plain: dict[str, int]) -> Iterator[Hashable]:
    """What any literal that this one is replaced by has in common with it."""
    if literal.time.variable != pattern.time.variable:
        return
    place = (type(literal), literal.predicate, literal.time.offset - pattern.time.offset)
    yield place
    arguments: list[Hashable] = []
    for argument in literal.arguments:
        if isinstance(argument, Var):
            if argument.name not in plain:
                return
            arguments.append(plain[argument.name])
        else:
            arguments.append(argument)
    yield (*place, "exactly", *arguments)
