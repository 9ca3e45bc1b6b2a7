"""The kinds of literals; a new kind is a class and a line in the table here."""

from __future__ import annotations

from typing import TypeAlias, get_args

from antelog.compile.literals.aggregate import Aggregation
from antelog.compile.literals.atoms import Atom, Last, Negation, first_of
from antelog.compile.literals.conditions import Call, Comparison, StaticAtom
from antelog.compile.literals.literal import Lowering
from antelog.language import syntax

__all__ = [
    "KINDS", "Aggregation", "AnyLiteral", "Atom", "Call", "Comparison", "Last", "Negation",
    "StaticAtom", "lowered",
]  # fmt: skip

AnyLiteral: TypeAlias = Atom | Last | Negation | Aggregation | StaticAtom | Call | Comparison
"""The table of kinds, as a type: JSON is read by it."""

KINDS: tuple[type[AnyLiteral], ...] = get_args(AnyLiteral)


def lowered(literal: syntax.Literal, lowering: Lowering) -> tuple[AnyLiteral, ...]:
    """Lowers a literal of a rule to literals of the plan."""
    if isinstance(literal, syntax.First):
        return first_of(literal, lowering)
    for kind in KINDS:
        found = kind.lowered(literal, lowering)
        if found is not None:
            return tuple(found)
    raise TypeError(f"no kind of literal in a plan stands for {literal!r}")
