"""The nodes of formulas: facts that come, conditions that hold, and what is made of them.

    all(Temp(X, high) at 0, at least 2 of(Temp(X, high) at 1, Temp(X, high) at 2, Temp(X, high) at 3))

Nodes are trees that compare by value. Ticks are counted from the answer's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from antelog.forecast.rates.series import Series


@dataclass(frozen=True)
class Comes:
    """A fact of a series comes; `key` names the answer's variables that tell which, `at` the tick."""

    series: Series
    key: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class Holds:
    """A condition on the answer's values holds: one of `Formula.conditions`."""

    condition: int


@dataclass(frozen=True)
class Every:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Some:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Never:
    """The part turns out to be false."""

    part: Node


@dataclass(frozen=True)
class AtLeast:
    """So many of the parts hold, each counting once."""

    number: int
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Turns:
    """It turns out true once one part is certain, and false once the other is."""

    true: Node
    false: Node


Node: TypeAlias = Comes | Holds | Every | Some | Never | AtLeast | Turns

NOT = Some(())
"""What nothing makes true."""


def literals_of(node: Node) -> Iterator[Comes]:
    """The facts that a formula speaks of."""
    match node:
        case Comes():
            yield node
        case Every(parts) | Some(parts) | AtLeast(parts=parts):
            yield from chain.from_iterable(map(literals_of, parts))
        case Never(part):
            yield from literals_of(part)
        case Turns(true, false):
            yield from chain(literals_of(true), literals_of(false))
        case Holds():
            pass
