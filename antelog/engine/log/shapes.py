"""What the literals of a pattern say, with blanks where rows fill in their values.

In come a pattern and the variables that rows bind, out go the shapes of its literals: the same for all such
rows, and so found once.

    A(X, V, T+1), V > W, where rows bind X, T and W     `A(`, X and `, `, `V, `    T+1    `) where V > `, W
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TypeAlias

from antelog.compile.literals.literal import Literal
from antelog.compile.literals.terms import Operand, Sum, Time, Var, operand_text
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
    return tuple(_shape(prepared, literal.node, bound) for literal in prepared.literals)


def _shape(prepared: Prepared, literal: Literal, bound: Bound) -> Shape:
    (time,) = literal.times
    known = time.variable is None or time.variable in bound
    opening = _pieces(literal.parts[:-2], bound)
    return Shape(tuple(opening), time, known, tuple(_closing(prepared, literal, bound)))


def _pieces(parts: Iterable[str | Operand], bound: Bound) -> list[Part]:
    """A text, and then each operand, or `_`, with the text that follows it."""
    pieces: list[Part] = []
    for part in parts:
        if not isinstance(part, str):
            pieces.append(_operand(part, bound))
        elif part == "_" or not pieces:
            pieces.append(part)
        else:
            pieces[-1] = _between("", pieces[-1], part)
    return pieces


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
    open_names = literal.variables - bound
    pattern = prepared.pattern
    tests = sorted(pattern.tests, key=lambda test: test not in pattern.comparisons)
    conditions = [_pieces(test.parts, bound) for test in tests if test.variables & open_names]
    if not conditions:
        yield ")"
    before = ") where "
    for condition in conditions:
        if len(condition) == 2 and isinstance(condition[0], str):
            condition[:] = [_between(condition[0], condition[1], "")]
        condition[0] = _between(before, condition[0], "")
        if condition is not conditions[-1]:
            condition[-1] = _between("", condition[-1], _COMMA)
        yield from condition
        before = ""
