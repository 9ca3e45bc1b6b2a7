"""Patterns of which none makes another needless, with an index, for there may be thousands.

A clock-driven pattern makes no fact-driven one needless: a fact may come before the answer's tick does.

    A(X, T) is there; A(X, T), B(X, T) is not kept
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from antelog.compile.literals.literal import Literal
from antelog.compile.literals.terms import Const, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.subsume import Budget, Target, subsumes


def minimal(patterns: Iterable[Pattern], work: Budget) -> tuple[Pattern, ...]:
    """Drops patterns that others make needless; of equal ones the first stays."""
    every = list(patterns)
    order = sorted(range(len(every)), key=lambda i: len(every[i].stated))
    for direction in (1, -1):  # first those an earlier one subsumes, then those a later one does
        kept = Antichain(work)
        order = [i for i in order[::direction] if kept.add(every[i])]
    return tuple(every[i] for i in sorted(order))


_TO_LOOK = 1
_TO_COMPARE = 10  # steps to look at a pattern, and to begin to compare it
_KEYS_A_STEP = 8  # the number of features that are compared within a step


class Antichain:
    """Patterns of which none makes a later one needless, with an index to find those that might."""

    def __init__(self, work: Budget) -> None:
        self._work = work
        self._of_constants: dict[frozenset[Hashable], list[_Features]] = {}
        self._index: dict[Hashable, dict[int, list[_Features]]] = {}
        self._frequency: Counter[Hashable] = Counter()
        self._alike: dict[frozenset[Hashable], list[_Features]] = {}

    def add(self, pattern: Pattern, among: Callable[[Pattern], bool] | None = None) -> bool:
        """Adds a pattern, unless one makes it needless (of those `among` is true for)."""
        new = _Features.of(pattern)
        near = self._near(new) if new.plain else self._less_special(new)
        target = Target(pattern)
        for each in near:
            self._work.compare(_TO_COMPARE)
            if among is not None and not among(each.pattern):
                continue
            as_early = pattern.clock_driven or not each.pattern.clock_driven
            if as_early and subsumes(each.pattern, target, self._work):
                return False
        if new.plain:  # others make no plain one needless
            self._frequency.update(new.keys)
            rarest = min(new.keys, key=self._rank, default=None)
            self._index.setdefault(rarest, {}).setdefault(new.size, []).append(new)
            self._alike.setdefault(new.keys, []).append(new)
        self._of_constants.setdefault(_constants(pattern), []).append(new)
        return True

    def _less_special(self, new: _Features) -> Iterator[_Features]:
        constants = _constants(new.pattern)
        if len(constants) > _FEW:
            fit = [found for key, found in self._of_constants.items() if key <= constants]
        else:
            keys = (frozenset(c) for n in range(len(constants) + 1) for c in combinations(constants, n))
            fit = [self._of_constants.get(key, []) for key in keys]
        for found in fit:
            self._work.compare(_TO_LOOK * len(found))
            yield from (f for f in found if f.predicates <= new.predicates)

    def _rank(self, key: Hashable) -> tuple[int, int]:
        """Returns the sort key of index keys: rare ones first, and of equally rare ones the more specific."""
        return self._frequency[key], -(len(key) if isinstance(key, tuple) else 0)

    def _near(self, new: _Features) -> Iterator[_Features]:
        yield from self._alike.get(new.keys, ())
        for key in (None, *new.keys):
            for size, found in self._index.get(key, {}).items():
                if size != new.size or size == 0:
                    self._work.compare(_TO_LOOK * len(found))
                    for features in found:
                        if features.keys < new.keys:  # if so, all were looked at, else mostly few
                            self._work.compare(len(features.keys) // _KEYS_A_STEP)
                            yield features


@dataclass(frozen=True, eq=False)
class _Features:
    """The literals, offsets and arguments that a pattern needs to find in those it subsumes: a cheap test.

    Offsets and arguments count between patterns whose answers are plain variables (`plain`): arguments that
    are answers or constants, and which of them are the same. If all arguments of all literals count, `size`
    is their number, else 0: of the same size, such a pattern subsumes only its equal.
    """

    pattern: Pattern
    plain: bool
    predicates: frozenset[Hashable]
    keys: frozenset[Hashable]
    size: int

    @staticmethod
    def of(pattern: Pattern) -> _Features:
        names = {a.name: i for i, a in enumerate(pattern.answer) if isinstance(a, Var)}
        plain = names if len(names) == len(pattern.answer) else None
        coarse: list[Hashable] = [literal.key for literal in pattern.stated]
        exact: list[Hashable] = []
        if plain is not None:
            exact = [key for literal in pattern.stated for key in _places(literal, pattern, plain)]
        keys = frozenset([*coarse, *exact])
        told = sum(1 for key in keys if isinstance(key, tuple) and key[_COARSE:][:1] == ("exactly",))
        size = told if told == len(pattern.stated) else 0
        return _Features(pattern, plain is not None, frozenset(coarse), keys, size)


_FEW = 6  # constants, of which all choices are looked up
_COARSE = 2  # a literal's key and its offsets; a longer key has the arguments too


def _constants(pattern: Pattern) -> frozenset[Hashable]:
    """Returns the constants of the answer by position: one that makes it needless has no others."""
    return frozenset((i, a.value) for i, a in enumerate(pattern.answer) if isinstance(a, Const))


def _places(literal: Literal, pattern: Pattern, plain: dict[str, int]) -> Iterator[Hashable]:
    """Yields features that a literal shares with every literal it can be replaced by."""
    later = tuple(time.after(pattern.time) for time in literal.times)
    if None in later:
        return
    place = (literal.key, later)
    yield place
    first: dict[Hashable, int] = {}
    for position, term in enumerate(literal.terms):
        if term is not None and first.setdefault(term, position) != position:
            yield (*place, "same", first[term], position)
    terms: list[Hashable] = []
    for term in literal.terms:
        if isinstance(term, Var):
            if term.name not in plain:
                return
            terms.append(plain[term.name])
        else:
            terms.append(term)
    yield (*place, "exactly", *terms)
