"""Terms of the syntax tree: variables, `_`, constants, calculations, and ranges of ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from antelog.diagnostics import Span

NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the syntax tree, and its place in the source, which plays no part in comparing nodes."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


Value: TypeAlias = str | int | float
"""A constant: a text or a number. A number without a fraction is an `int` (1.0 is 1)."""


def number(value: float) -> int | float:
    """The one form of a number: 1 and 1.0 are the same constant; beyond 64 bits it is a double.

    A whole number larger than all doubles becomes an infinity.
    """
    if isinstance(value, int):
        try:
            return value if value in WHOLE else float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return int(value) if -_EDGE <= value < _EDGE and value == value // 1 else value


def number_of(text: str) -> int | float:
    """The number a text stands for; all digits of a whole one count. Raises ValueError for other texts."""
    value, digits = float(text), text.strip().lstrip("+-").lstrip("0")
    if abs(value) > _EDGE or not digits.isdecimal():
        return number(value)
    return number(-int(digits) if value < 0 else int(digits))


WHOLE = range(-(2**63), 2**63)
"""The whole numbers that are kept exactly."""

_EDGE = 2.0**63


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Anonymous(Node):
    """`_`: some value, which one does not matter; no two of them are the same variable."""


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A constant; `written` is how it is written if not as its value: by the name of a limit, `hot`.

    With a unit, it is a duration, as facts about deadlines may have it: `Within(high, 30 minutes)`.
    """

    value: Value
    written: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Shifted(Node):
    """A variable plus a number: `T+1`, `T-2`; in comparisons also `V + 0.5`.

    With a unit, the number is a duration: `T+15 minutes`. `written` is how the number is written if it is a
    limit: `+patience`.
    """

    variable: str
    offset: int | float
    unit: str | None = None
    written: str | None = None


@dataclass(frozen=True, slots=True)
class Calculation(Node):
    """A value that is calculated, `W - V` or `km(A, B)`, by an operator or a function."""

    function: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Later(Node):
    """A time, later by as many ticks as a column of the background says: `T+N`."""

    time: Variable | Shifted
    by: Variable


@dataclass(frozen=True, slots=True)
class Range(Node):
    """A range of ticks, both ends included: `T..T+5`."""

    first: Term
    last: Term

    @property
    def ends(self) -> tuple[Term, Term]:
        return self.first, self.last


Term: TypeAlias = Variable | Anonymous | Constant | Shifted | Calculation | Later | Range


def variable_of(term: Term) -> str | None:
    """The variable in a term, if any: that of `T` and of `T+1` is `T`. For others see `leaves_of`."""
    if isinstance(term, Variable):
        return term.name
    return term.variable if isinstance(term, Shifted) else None


def leaves_of(term: Term) -> tuple[Term, ...]:
    """A term by itself; of a range its ends, of a calculation the terms that it calculates with."""
    match term:
        case Range(first, last):
            return first, last
        case Later(time, by):
            return time, by
        case Calculation(_, arguments):
            return tuple(part for each in arguments for part in leaves_of(each))
        case _:
            return (term,)


def variables_of(terms: Iterable[Term]) -> set[str]:
    return {name for term in terms for part in leaves_of(term) if (name := variable_of(part))}
