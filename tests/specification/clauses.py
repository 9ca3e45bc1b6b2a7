"""Rules in normal form: equations are put in where their variable stands, and `_` is a variable of its own.

Under negation `_` is `ANY`; an equation with a sum of values, `W = V + 5`, stays a condition.
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.vocabulary import Vocabulary
from tests.specification.literals import Body, Comparison, lowered
from tests.specification.literals.literal import Lowering
from tests.specification.terms import Atom, Calculation, Term, Variable, apply, renamed, unify
from tests.specification.written_out import written_out


@dataclass(frozen=True)
class Clause:
    """`head` if all `literals`."""

    head: Atom
    literals: tuple[Body, ...]


def clause_of(rule: syntax.Rule, vocabulary: Vocabulary) -> Clause | None:
    """The clause of a rule; None if its equations contradict each other."""
    lowering, rule = Lowering(vocabulary), written_out(rule, vocabulary.tick)
    times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
    put: dict[str, Term] = {}
    literals = []
    for each in (each for literal in rule.body for each in lowered(literal, lowering)):
        if isinstance(each, Comparison) and each.operator == "=" and not _calculates(each, times):
            known = unify((each.left,), (each.right,), put)
            if known is None:
                return None
            put = known
        else:
            literals.append(each)
    return Clause(apply(lowering.atom(rule.head), put), tuple(apply(each, put) for each in literals))


def _calculates(comparison: Comparison, times: set[str]) -> bool:
    """Whether a side is worked out from values."""
    return any(
        isinstance(t, Calculation) or (isinstance(t, Variable) and t.shift and t.name not in times)
        for t in comparison.operands
    )


def apart(clause: Clause, number: int) -> Clause:
    """The clause with variables of its own."""
    names = clause.head.variables.union(*(each.variables for each in clause.literals))
    own = {name: Variable(f"{name.partition('~')[0]}~{number}") for name in names}
    return Clause(renamed(clause.head, own), tuple(renamed(each, own) for each in clause.literals))
