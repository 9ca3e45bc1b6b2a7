"""Which variables stand in the parts of a pattern.

In comes a literal, a background literal or a comparison, out go the names of its variables, of objects
and of times. Both compiler and engine ask for them wherever some variables have values and others not.

    R(D, W, U): D, W and U      W >= V + 0.5: W and V
"""

from __future__ import annotations

from collections.abc import Iterable

from antelog.compile.nodes.patterns import (
    Comparison,
    Literal,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)


def variables_of(part: Literal | StaticAtom | Comparison) -> frozenset[str]:
    """The variables of a literal, a background literal or a comparison: of objects and of times."""
    if isinstance(part, Comparison):
        return compared(part)
    names = names_in(part.arguments)
    if isinstance(part, StaticAtom) or part.time.variable is None:
        return names
    return names | {part.time.variable}


def names_in(terms: Iterable[Term | None]) -> frozenset[str]:
    """The variables among terms."""
    return frozenset(term.name for term in terms if isinstance(term, Var))


def compared(comparison: Comparison) -> frozenset[str]:
    """The variables of a comparison."""
    return frozenset(filter(None, (_variable(comparison.left), _variable(comparison.right))))


def _variable(operand: Operand) -> str | None:
    match operand:
        case Var(name):
            return name
        case Sum(variable, _) | Time(variable, _):
            return variable
        case _:
            return None


def answered(pattern: Pattern) -> frozenset[str]:
    """The variables that an answer has the values of, its time among them."""
    time = pattern.time.variable
    return names_in(pattern.answer) | ({time} if time is not None else set())


def static_variables(pattern: Pattern) -> frozenset[str]:
    """The variables whose values background facts give."""
    return names_in(term for static in pattern.statics if not static.negated for term in static.arguments)
