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
    """A node of the syntax tree; its place in the source does not count in comparisons."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


Value: TypeAlias = str | int | float  # a text or a number; a number without a fraction is an `int` (1.0 is 1)


def number(value: float) -> int | float:
    """Normalises a number: 1.0 is 1, beyond 64 bits it is a double, and beyond all doubles an infinity."""
    if isinstance(value, int):
        try:
            return value if value in WHOLE else float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return int(value) if -_EDGE <= value < _EDGE and value == value // 1 else value


def number_of(text: str) -> int | float:
    """Reads a number, with all digits of a whole one. Raises ValueError."""
    value, digits = float(text), text.strip().lstrip("+-").lstrip("0")
    if abs(value) > _EDGE or not digits.isdecimal():
        return number(value)
    return number(-int(digits) if value < 0 else int(digits))


WHOLE = range(-(2**63), 2**63)  # the whole numbers that are kept exactly

_EDGE = 2.0**63


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Anonymous(Node):
    """`_`, any value; two of them may be different values."""


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A constant, or with a unit a duration; `written` is its text if it is another one, as of a limit."""

    value: Value
    written: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Shifted(Node):
    """A variable plus a number, or with a unit a duration; `written` is the text of a limit, `+patience`."""

    variable: str
    offset: int | float
    unit: str | None = None
    written: str | None = None


@dataclass(frozen=True, slots=True)
class Calculation(Node):
    """A value that an operator or a function calculates: `W - V`, `km(A, B)`."""

    function: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Later(Node):
    """A time, later by the ticks in a column of the background: `T+N`."""

    time: Variable | Shifted
    by: Variable


@dataclass(frozen=True, slots=True)
class Bound(Node):
    """A stretch of time, in ticks or a unit; `written` is the name of its limit, if any."""

    amount: int | float
    unit: str | None = None
    written: str | None = None


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
    """The variable of `T` or `T+1`; for calculations and ranges see `leaves_of`."""
    if isinstance(term, Variable):
        return term.name
    return term.variable if isinstance(term, Shifted) else None


def leaves_of(term: Term) -> tuple[Term, ...]:
    """The ends of a range, the terms in a calculation, or else the term itself."""
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
