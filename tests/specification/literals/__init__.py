"""The kinds of literals of the specification: a new one is a module, and a line in the table here."""

from __future__ import annotations

from antelog.language import syntax
from tests.specification.literals.absence import Absence
from tests.specification.literals.aggregate import Aggregation
from tests.specification.literals.background import Static
from tests.specification.literals.call import Call
from tests.specification.literals.comparison import Comparison
from tests.specification.literals.fact import Fact
from tests.specification.literals.last import Last
from tests.specification.literals.literal import Body, Lowering
from tests.specification.literals.negation import Negated

__all__ = [
    "KINDS", "Absence", "Aggregation", "Body", "Call", "Comparison", "Fact", "Last", "Negated", "Static",
    "lowered",
]  # fmt: skip

KINDS: tuple[type[Body], ...] = (Fact, Absence, Aggregation, Last, Negated, Static, Call, Comparison)


def lowered(literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...]:
    """The literals of the specification that one of the syntax tree stands for."""
    return next(made for kind in KINDS if (made := kind.lowered(literal, lowering)) is not None)
