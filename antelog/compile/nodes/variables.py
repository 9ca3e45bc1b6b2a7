"""Which variables stand in the parts of a plan.

R(D, W, U): D, W and U      W >= V + 0.5: W and V
"""

from __future__ import annotations

from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Negated,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)


def variables_of(literal: Atom | Negated) -> frozenset[str]:
    names = {a.name for a in literal.arguments if isinstance(a, Var)}
    return frozenset(names | ({literal.time.variable} if literal.time.variable else set()))


def compared(comparison: Comparison) -> frozenset[str]:
    """The variables of a comparison."""
    return frozenset(filter(None, (variable_of(comparison.left), variable_of(comparison.right))))


def variable_of(operand: Operand) -> str | None:
    match operand:
        case Var(name):
            return name
        case Sum(variable, _) | Time(variable, _):
            return variable
        case _:
            return None


def static_variables(pattern: Pattern) -> set[str]:
    """The variables whose values background facts give."""
    return {a.name for s in pattern.statics if not s.negated for a in _arguments(s) if isinstance(a, Var)}


def _arguments(atom: StaticAtom) -> tuple[Term, ...]:
    return tuple(a for a in atom.arguments if a is not None)
