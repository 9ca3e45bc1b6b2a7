"""Terms of the syntax tree: variables, `_`, constants, and a variable plus a number.

Every node knows its place in the source, which plays no part in comparing nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from antelog.diagnostics import Span

NOWHERE = Span(0, 0)

Value: TypeAlias = str | int | float
"""A constant: a text or a number. A number without a fraction is an `int` (1.0 is 1)."""


def number(value: float) -> int | float:
    """The one form of a number: 1 and 1.0 are the same constant."""
    return int(value) if value == value // 1 else value


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Anonymous:
    """`_`: some value, which one does not matter; no two of them are the same variable."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Shifted:
    """A variable plus a number: `T+1`, `T-2`; in comparisons also `V + 0.5`."""

    variable: str
    offset: int | float
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Term: TypeAlias = Variable | Anonymous | Constant | Shifted


def variable_of(term: Term) -> str | None:
    """The variable in a term, if any: that of `T` and of `T+1` is `T`."""
    if isinstance(term, Variable):
        return term.name
    return term.variable if isinstance(term, Shifted) else None


def variables_of(terms: Iterable[Term]) -> set[str]:
    return {name for term in terms if (name := variable_of(term))}
