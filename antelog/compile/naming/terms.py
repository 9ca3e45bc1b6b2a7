"""The words in which it is said what names values for an unguarded variable.

The search passes through many patterns, each with variables of its own. What it finds is told in terms of
the answer: `<0>` is the value at its position 0, `<t>` its time, and `<u>` the time of the fact that names
the value.

    Temp(<0>, high, <u>) if <t> >= 3     a fact about <u> names the value at position 0 of answers from 3 on
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var

TIME = "<t>"
"""The answer's time."""

FACT_TIME = "<u>"
"""The time of a fact that names a value."""

Value = str | int | float


Tests = tuple[Comparison, ...]
"""What has to hold of an answer for something to name a value for it."""


@dataclass(frozen=True)
class Source:
    """A fact literal that names values, with the answer's variables where it has these.

    Its facts name a value for the answers from `ahead` ticks before their time to `behind` ticks
    after it, if the `tests` hold.
    """

    atom: Atom
    tests: tuple[Comparison, ...]
    behind: int | None
    ahead: int | None


def place(position: int) -> str:
    return f"<{position}>"


def is_private(name: str) -> bool:
    """Whether a variable is none of the answer's."""
    return name.endswith("~") or name.startswith("?")


def put_in(test: Comparison, known: Mapping[str, Value]) -> Comparison:
    """A test with the values of some variables."""

    def side(operand: Operand) -> Operand:
        match operand:
            case Var(name) if name in known:
                return Const(known[name])
            case Sum(name, offset) if name in known:
                value = known[name]
                return operand if isinstance(value, str) else Const(value + offset)
            case _:
                return operand

    return Comparison(side(test.left), test.operator, side(test.right))


def strongest(tests: Iterable[Comparison]) -> Tests:
    """The tests, of those that say from which tick on answers are the one that says most."""
    first, rest = beginning(tests)
    begin = (Comparison(Time(TIME, 0), ">=", Time(None, first)),) if first else ()
    return (*begin, *dict.fromkeys(rest))


def beginning(tests: Iterable[Comparison]) -> tuple[int, list[Comparison]]:
    """From which tick on answers are, by some tests, and the other tests."""
    first, rest = 0, []
    for test in tests:
        match test:
            case Comparison(Time(variable, later), ">=", Time(None, tick)) if variable == TIME:
                first = max(first, tick - later)
            case _:
                rest.append(test)
    return first, rest
