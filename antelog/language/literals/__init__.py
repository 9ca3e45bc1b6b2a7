"""The kinds of literals; a new one is a module, its grammar rule, and a line in the table here."""

from __future__ import annotations

from antelog.language.literals.aggregate import Aggregate, Aggregation
from antelog.language.literals.comparison import Call, Comparison
from antelog.language.literals.first import First
from antelog.language.literals.literal import Atom, Last, Literal, Negation

__all__ = [
    "KINDS", "Aggregate", "Aggregation", "Atom", "Call", "Comparison", "First", "Last", "Literal",
    "Negation",
]  # fmt: skip

KINDS: dict[str, type[Literal]] = {  # by grammar rules; a call of a function is made of an atom
    "atom": Atom,
    "negation": Negation,
    "comparison": Comparison,
    "aggregation": Aggregation,
    "last": Last,
    "first": First,
}
