"""Decision diagrams: a formula, layer by layer of ticks; equal remainders of the formula are one node.

x at 0 and x at 1      after 0, if x came: x at 1; if not: false. After 1: true or false
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.forecast.inference import nodes
from antelog.forecast.inference.nodes import Comes, Node, UnknownChanceError

FALSE, TRUE = 0, 1  # the numbers of what is decided
BEFORE = 3  # the number of nodes before the first layer
MOST_STEPS = 100_000  # the most steps between nodes, and pairs of a node and states of all chains at a tick
_NO_TICK = 2**62


@dataclass(frozen=True)
class Leaf:
    """A chain shows one of its states, counted from 1, at a tick counted from the answer's."""

    chain: int
    state: int
    at: int


@dataclass(frozen=True)
class Shows:
    """A leaf came; or it did not, and is over."""

    leaf: Leaf
    came: bool


@dataclass(frozen=True)
class Joined:
    """At least `needed` of the parts hold; these are numbers, in order of first ticks."""

    parts: tuple[int, ...]
    needed: int


Part: TypeAlias = Shows | Joined | bool


@dataclass
class Question:
    """A formula with the values of its conditions, the leaf of each literal, and the outcomes of chains."""

    whole: Node
    conditions: Sequence[bool]
    leaves: Mapping[Comes, Leaf]
    outcomes: Sequence[int]
    over: Set[Leaf]  # those that can no longer come: if they have not, their literals are false
    entries: list[Part] = field(default_factory=lambda: [False, True])  # the parts of the formula by number
    first: list[int] = field(default_factory=lambda: [_NO_TICK, _NO_TICK])  # of each part
    known: dict[Part, int] = field(default_factory=dict)

    def of(self, node: Node, positive: bool = True) -> int:
        match node:
            case nodes.Holds(condition):
                return TRUE if self.conditions[condition] is positive else FALSE
            case Comes():
                leaf = self.leaves[node]
                return self._number(Shows(leaf, positive), leaf.at)
            case nodes.Never(part):
                return self.of(part, not positive)
            case nodes.Turns(true, false):
                return self.of(true if positive else false)
            case nodes.Every(parts) | nodes.Some(parts):
                every, found = isinstance(node, nodes.Every) is positive, list[int]()
                for part in parts:
                    found.append(self.of(part, positive))
                    if found[-1] == (FALSE if every else TRUE):
                        return found[-1]
                return self.joined(found, len(found) if every else 1)
            case nodes.AtLeast(number, parts):
                # All but `number - 1` of them fail where it fails.
                needed = number if positive else len(parts) - number + 1
                return self.joined([self.of(part, positive) for part in parts], needed)

    def joined(self, parts: Sequence[int], needed: int, later: tuple[int, ...] = ()) -> int:
        """The number of "`needed` of these parts hold"; `later` parts are open and in order."""
        needed -= parts.count(TRUE)
        open_ = [part for part in parts if part not in (FALSE, TRUE)]
        size = len(open_) + len(later)
        if needed <= 0 or needed > size:
            return TRUE if needed <= 0 else FALSE
        whole = (*open_, *later)
        if needed in (1, size):
            # To ask for the same part twice is to ask for it once.
            every, whole = needed == size, tuple(dict.fromkeys(whole))
            needed = len(whole) if every else 1
        if len(whole) == 1:
            return whole[0]
        if open_:
            whole = tuple(sorted(whole, key=lambda part: (self.first[part], part)))
        return self._number(Joined(whole, needed), self.first[whole[0]])

    def _number(self, entry: Part, first: int) -> int:
        number = self.known.setdefault(entry, len(self.entries))
        if number == len(self.entries):
            self.entries.append(entry)
            self.first.append(first)
        return number


@dataclass(frozen=True)
class Layer:
    """The step between nodes at a tick, to `width` nodes: `then` has an axis for nodes and for each chain."""

    at: int
    chains: tuple[int, ...]
    then: Column
    width: int


@dataclass(frozen=True)
class Diagram:
    """Layers in the order of their ticks; the nodes of each are numbered, FALSE and TRUE always the same."""

    root: int  # the node of the formula before the first layer
    layers: tuple[Layer, ...]

    @property
    def width(self) -> int:
        return max((layer.width for layer in self.layers), default=BEFORE)


def diagram_of(question: Question) -> Diagram:
    """Builds the decision diagram of a question. Raises UnknownChanceError if it has too many nodes."""
    root = question.of(question.whole)
    ticks: dict[int, set[int]] = {}
    for leaf in question.leaves.values():
        ticks.setdefault(leaf.at, set()).add(leaf.chain)
    together = prod(question.outcomes)
    frontier = [FALSE, TRUE, root]
    layers, steps = [], 0
    for at in sorted(ticks):
        chains = tuple(sorted(ticks[at]))
        outcomes = [range(question.outcomes[chain]) for chain in chains]
        steps += len(frontier) * prod(map(len, outcomes))
        if steps > MOST_STEPS or len(frontier) * together > MOST_STEPS:
            raise UnknownChanceError("its formula is too large to work out")
        numbers = {FALSE: FALSE, TRUE: TRUE}
        then = []
        for node in frontier:
            for each in product(*outcomes):
                left = _after(question, node, at, dict(zip(chains, each, strict=True)))
                then.append(numbers.setdefault(left, len(numbers)))
        shape = (len(frontier), *map(len, outcomes))
        layers.append(Layer(at, chains, np.array(then, np.int64).reshape(shape), len(numbers)))
        frontier = list(numbers)
    return Diagram(root if root in (FALSE, TRUE) else 2, tuple(layers))


def _after(question: Question, node: int, at: int, outcome: Mapping[int, int]) -> int:
    """The remainder of a formula after a tick at which the chains had these outcomes."""
    if question.first[node] > at:
        return node
    match question.entries[node]:
        case Shows(leaf, came):
            shown = outcome[leaf.chain]
            if came:
                return TRUE if shown == leaf.state else FALSE
            # Another fact came, or none, and none can come any more.
            fails = shown != leaf.state and (shown != 0 or leaf in question.over)
            return TRUE if fails else FALSE
        case Joined(own, needed):
            here = bisect_right(own, at, key=question.first.__getitem__)
            return question.joined([_after(question, p, at, outcome) for p in own[:here]], needed, own[here:])
        case known:
            return TRUE if known else FALSE
