"""A formula in its plain form: conditions decided, negations before literals only, each part there once.

    not (x at 0 and x at 1), with a condition that holds      x never at 0, or x never at 1

In comes a formula whose conditions are known, out go numbered parts, each after those that it is made of.
Decision diagrams are built from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from antelog.forecast.formulas.formulas import Comes, Every, Holds, Never, Node, Some

FALSE, TRUE = 0, 1
"""The numbers of what is decided."""

_NO_TICK = 2**62


@dataclass(frozen=True)
class Leaf:
    """A chain shows one of its states, counted from 1, at a tick counted from the answer's."""

    chain: int
    state: int
    at: int


@dataclass(frozen=True)
class Question:
    """A formula, and what is known of it: its conditions, whose leaf each literal is, and what is over.

    A literal that did not come is false where its leaf is `over`: no fact of it can come any more.
    `outcomes` says of how many kinds a tick of each chain may be.
    """

    whole: Node
    conditions: Sequence[bool]
    leaves: Mapping[Comes, Leaf]
    outcomes: Sequence[int]
    over: Callable[[Leaf], bool]


@dataclass(frozen=True)
class Shows:
    """A leaf came, or did not and is over."""

    leaf: Leaf
    came: bool


@dataclass(frozen=True)
class Joined:
    """All of the parts hold, or any of them does. The parts are numbers, in order of first ticks."""

    parts: tuple[int, ...]
    both: bool


Part: TypeAlias = Shows | Joined | bool


@dataclass
class Parts:
    """What the numbers of parts stand for, and the first tick that each speaks of."""

    question: Question
    entries: list[Part] = field(default_factory=lambda: [False, True])
    first: list[int] = field(default_factory=lambda: [_NO_TICK, _NO_TICK])
    known: dict[Part, int] = field(default_factory=dict)

    def of(self, node: Node, positive: bool = True) -> int:
        """The number of a formula, or of its negation."""
        match node:
            case Holds(condition):
                return TRUE if self.question.conditions[condition] is positive else FALSE
            case Comes():
                leaf = self.question.leaves[node]
                return self._number(Shows(leaf, positive), leaf.at)
            case Never(part):
                return self.of(part, not positive)
            case Every(parts) | Some(parts):
                both = isinstance(node, Every) is positive
                return self.joined((self.of(part, positive) for part in parts), both)

    def joined(self, parts: Iterable[int], both: bool) -> int:
        """The number of parts together."""
        decisive, neutral = (FALSE, TRUE) if both else (TRUE, FALSE)
        different = set(parts) - {neutral}
        if decisive in different:
            return decisive
        if len(different) < 2:
            return different.pop() if different else neutral
        ordered = tuple(sorted(different, key=lambda part: (self.first[part], part)))
        return self._number(Joined(ordered, both), self.first[ordered[0]])

    def _number(self, entry: Part, first: int) -> int:
        number = self.known.setdefault(entry, len(self.entries))
        if number == len(self.entries):
            self.entries.append(entry)
            self.first.append(first)
        return number
