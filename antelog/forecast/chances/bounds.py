"""Bounds of a chance where it is too much to work it out: it is neither smaller nor larger than these.

    x at 0 and x at 1, or y at 5      at least the likelier of the two, at most their sum

In come the parts of a formula and the courses of its chains, out go both bounds. Literals that all have to
come are exact, and what rests on different chains is independent. Otherwise nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from antelog.engine.columns.tables import Numbers
from antelog.forecast.chances.courses import Course
from antelog.forecast.chances.evaluating import Window, weights_at
from antelog.forecast.formulas.plain import TRUE, Joined, Leaf, Parts, Shows


@dataclass(frozen=True, eq=False)
class Between:
    """The least and the most that something may be likely, for each row, and the chains it rests on."""

    least: Numbers
    most: Numbers
    chains: frozenset[int]

    def denied(self) -> Between:
        return Between(1 - self.most, 1 - self.least, self.chains)

    def and_(self, other: Between) -> Between:
        """Both hold."""
        chains = self.chains | other.chains
        if self.chains.isdisjoint(other.chains):
            return Between(self.least * other.least, self.most * other.most, chains)
        least = np.maximum(self.least + other.least - 1, 0)
        return Between(least, np.minimum(self.most, other.most), chains)


@dataclass
class Bounds:
    """The bounds of the parts of a formula, once everything has come that ever will, or of the truth."""

    parts: Parts
    window: Window
    courses: Sequence[Course]
    horizon: int
    known: dict[int, Between] = field(default_factory=dict)

    def of(self, part: int) -> Between:
        """The bounds of a part."""
        if part not in self.known:
            self.known[part] = self._of(part)
        return self.known[part]

    def _of(self, part: int) -> Between:
        match self.parts.entries[part]:
            case Shows():
                return self._all([part], denied=False)
            case Joined(_, both):
                # That any part holds is that not all of them fail.
                joined = self._all(list(self._flat(part, both)), denied=not both)
                return joined if both else joined.denied()
            case _:
                decided = np.full(self.window.count, float(part == TRUE))
                return Between(decided, decided, frozenset())

    def _flat(self, part: int, both: bool) -> Iterator[int]:
        match self.parts.entries[part]:
            case Joined(parts, own) if own is both:
                for each in parts:
                    yield from self._flat(each, both)
            case _:
                yield part

    def _all(self, parts: Sequence[int], *, denied: bool) -> Between:
        """The bounds of all parts holding, or failing."""
        wanted: dict[int, dict[Leaf, set[bool]]] = {}
        groups: list[Between] = []
        for part in parts:
            entry = self.parts.entries[part]
            if isinstance(entry, Shows):
                own = wanted.setdefault(entry.leaf.chain, {})
                own.setdefault(entry.leaf, set()).add(entry.came is not denied)
            else:
                groups.append(self.of(part).denied() if denied else self.of(part))
        groups += (self._literals(chain, leaves) for chain, leaves in wanted.items())
        together: list[Between] = []
        for group in groups:
            # What shares a chain is put together first: what is left is independent.
            sharing = [each for each in together if not each.chains.isdisjoint(group.chains)]
            together = [each for each in together if each.chains.isdisjoint(group.chains)]
            together.append(reduce(Between.and_, sharing, group))
        return reduce(Between.and_, together)

    def _literals(self, chain: int, leaves: dict[Leaf, set[bool]]) -> Between:
        """Literals of one chain that have to come, or must not: this is exact."""
        if any(len(came) > 1 for came in leaves.values()):
            none = np.zeros(self.window.count)
            return Between(none, none, frozenset({chain}))
        link = self.window.links[chain]
        shown: dict[int, Numbers] = {}
        for leaf, came in leaves.items():
            weights = weights_at(self.window, link, leaf.at, self.horizon)
            whole = weights.sum(axis=1)
            own = np.divide(weights[:, leaf.state], whole, out=np.zeros_like(whole), where=whole > 0)
            shown[leaf.at] = shown.get(leaf.at, 1) * (own if True in came else 1 - own)
        chance = self.courses[chain].all_of(shown)
        return Between(chance, chance, frozenset({chain}))
