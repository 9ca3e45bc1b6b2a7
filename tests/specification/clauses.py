"""Rules in normal form: their conditions sorted by kind, and their equations gone.

`_` is a variable of its own, or under negation `ANY`. `X = high` and `T2 = T + 5` are put in wherever
the variable stands; an equation with a sum of values, `W = V + 5`, stays a condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.vocabulary import Vocabulary
from tests.specification.terms import ANY, Atom, Comparison, Denial, Term, Variable, apply, renamed, unify


@dataclass(frozen=True)
class Clause:
    """`head` if `goals`, and not `negations`, with `background` and the comparisons and denials."""

    head: Atom
    goals: tuple[Atom, ...]
    negations: tuple[Atom, ...]
    background: tuple[Atom, ...]
    denials: tuple[Denial, ...]
    comparisons: tuple[Comparison, ...]


def clause_of(rule: syntax.Rule, vocabulary: Vocabulary) -> Clause | None:
    """The clause of a rule; None if its equations contradict each other."""
    fresh = (Variable(f"_{i}") for i in count(1))
    times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
    put: dict[str, Term] = {}
    comparisons = []
    for each in (c for c in rule.body if isinstance(c, syntax.Comparison)):
        left, right = _term(each.left, fresh), _term(each.right, fresh)
        sides = [t for t in (left, right) if isinstance(t, Variable)]
        calculates = any(t.shift and t.name not in times for t in sides)
        if each.operator == "=" and not calculates:
            known = unify((left,), (right,), put)
            if known is None:
                return None
            put = known
        else:
            comparisons.append(Comparison(left, each.operator, right))
    positive = [_atom(a, fresh) for a, negated in syntax.atoms_of(rule) if not negated]
    negative = [_negated(a, fresh) for a, negated in syntax.atoms_of(rule) if negated]
    return Clause(
        apply(_atom(rule.head, fresh), put),
        tuple(apply(a, put) for a in positive if not vocabulary.is_static(a.predicate)),
        tuple(apply(a, put) for a in negative if not vocabulary.is_static(a.predicate)),
        tuple(apply(a, put) for a in positive if vocabulary.is_static(a.predicate)),
        tuple(Denial(apply(a, put)) for a in negative if vocabulary.is_static(a.predicate)),
        tuple(apply(c, put) for c in comparisons),
    )


def apart(clause: Clause, number: int) -> Clause:
    """The clause with variables of its own."""
    parts = (clause.head, *clause.goals, *clause.negations, *clause.background)
    names = {
        t.name
        for a in (*parts, *(d.atom for d in clause.denials))
        for t in a.arguments
        if isinstance(t, Variable)
    }
    own = {name: Variable(f"{name.partition('~')[0]}~{number}") for name in names}
    return Clause(
        renamed(clause.head, own),
        tuple(renamed(a, own) for a in clause.goals),
        tuple(renamed(a, own) for a in clause.negations),
        tuple(renamed(a, own) for a in clause.background),
        tuple(renamed(d, own) for d in clause.denials),
        tuple(renamed(c, own) for c in clause.comparisons),
    )


def atom_of(atom: syntax.Atom) -> Atom:
    """An atom of a query: each `_` is a variable of its own."""
    return _atom(atom, (Variable(f"_{i}") for i in count(1)))


def _term(term: syntax.Term, fresh: Iterator[Variable]) -> Term:
    if isinstance(term, syntax.Variable):
        return Variable(term.name)
    if isinstance(term, syntax.Shifted):
        return Variable(term.variable, term.offset)
    return term.value if isinstance(term, syntax.Constant) else next(fresh)


def _atom(atom: syntax.Atom, fresh: Iterator[Variable]) -> Atom:
    return Atom(atom.predicate, tuple(_term(t, fresh) for t in atom.terms))


def _negated(atom: syntax.Atom, fresh: Iterator[Variable]) -> Atom:
    terms = (ANY if isinstance(t, syntax.Anonymous) else _term(t, fresh) for t in atom.terms)
    return Atom(atom.predicate, tuple(terms))
