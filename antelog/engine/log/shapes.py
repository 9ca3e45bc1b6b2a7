"""What the literals of a pattern say, with blanks where rows fill in their values.

In come a pattern and the variables that rows bind, out go the shapes of its literals: the same for all such
rows, and so found once.

    A(X, V, T+1), V > W, where rows bind X, T and W     `A(`, X and `, `, `V, `    T+1    `) where V > `, W
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TypeAlias

from antelog.compile.nodes.patterns import (
    Comparison,
    Literal,
    Negated,
    Operand,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.compile.nodes.text import operand_text
from antelog.compile.nodes.variables import compared, variables_of
from antelog.compile.prepared.pattern import Prepared

Bound: TypeAlias = frozenset[str]
"""The variables that rows have values for."""


class As(Enum):
    """As what a variable is written: its value as it is, or a tick or a number with the offset added."""

    VALUE = auto()
    TICK = auto()
    NUMBER = auto()


@dataclass(frozen=True)
class Blank:
    """A place where each row has its own text: what it has for a variable, between two texts."""

    variable: str
    as_: As = As.VALUE
    offset: int | float = 0
    before: str = ""
    after: str = ""

    def between(self, before: str, after: str) -> Blank:
        return Blank(self.variable, self.as_, self.offset, before + self.before, self.after + after)


Part: TypeAlias = str | Blank


@dataclass(frozen=True, eq=False)
class Shape:
    """A literal: what it says up to its time, the time, and what comes after that.

    A time is `known` if rows bind its variable, or it has none.
    """

    opening: tuple[Part, ...]
    time: Time
    known: bool
    closing: tuple[Part, ...]


_COMMA = ", "


@lru_cache(maxsize=1024)
def shapes(prepared: Prepared, bound: Bound) -> tuple[Shape, ...]:
    """The shapes of a pattern's literals, for rows that bind these variables."""
    return tuple(_shape(prepared, literal, bound) for literal in prepared.literals)


def _shape(prepared: Prepared, literal: Literal, bound: Bound) -> Shape:
    name = f"not {literal.predicate}(" if isinstance(literal, Negated) else f"{literal.predicate}("
    arguments = (_between("", _argument(term, bound), _COMMA) for term in literal.arguments)
    known = literal.time.variable is None or literal.time.variable in bound
    return Shape((name, *arguments), literal.time, known, tuple(_closing(prepared, literal, bound)))


def _argument(term: Term | None, bound: Bound) -> Part:
    return "_" if term is None else _operand(term, bound)


def _operand(operand: Operand, bound: Bound) -> Part:
    match operand:
        case Var(name) if name in bound:
            return Blank(name)
        case Time(variable, offset) if variable is not None and variable in bound:
            return Blank(variable, As.TICK, offset)
        case Sum(variable, offset) if variable in bound:
            return Blank(variable, As.NUMBER, offset)
        case _:
            return operand_text(operand)


def _between(before: str, part: Part, after: str) -> Part:
    return before + part + after if isinstance(part, str) else part.between(before, after)


def _closing(prepared: Prepared, literal: Literal, bound: Bound) -> Iterator[Part]:
    """A bracket, and the conditions that are still open: what a fact has to meet besides its values."""
    open_names = variables_of(literal) - bound
    conditions = [
        *(_compared(each, bound) for each in prepared.pattern.comparisons if compared(each) & open_names),
        *(_absent(each, bound) for each in prepared.absent if variables_of(each) & open_names),
    ]
    if not conditions:
        yield ")"
    before = ") where "
    for condition in conditions:
        condition[0] = _between(before, condition[0], "")
        if condition is not conditions[-1]:
            condition[-1] = _between("", condition[-1], _COMMA)
        yield from condition
        before = ""


def _compared(comparison: Comparison, bound: Bound) -> list[Part]:
    left, right = _operand(comparison.left, bound), _operand(comparison.right, bound)
    sign = f" {comparison.operator} "
    # One of them is open, and has the same text everywhere.
    return [
        _between(left + sign, right, "") if isinstance(left, str) else _between("", left, f"{sign}{right}")
    ]


def _absent(atom: StaticAtom, bound: Bound) -> list[Part]:
    """A background fact that must not be there, about values that a fact for the literal will have."""
    ends = [*[_COMMA] * (len(atom.arguments) - 1), ")"]
    arguments = (_argument(argument, bound) for argument in atom.arguments)
    given = (_between("", argument, end) for argument, end in zip(arguments, ends, strict=True))
    return [f"not {atom.predicate}(", *given]
