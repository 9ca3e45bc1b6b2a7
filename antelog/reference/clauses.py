"""Rules in a normal form: each kind of condition apart, and no `_` outside negations.

Every `_` in a positive atom is a variable of its own; `_` under negation stays, because
`not P(_, T)` denies all instances at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from antelog.language import syntax
from antelog.language.syntax import Anonymous, Comparison, Negation, Rule, Shifted, Variable, variable_of
from antelog.language.vocabulary import Type, Vocabulary


@dataclass(frozen=True)
class Clause:
    """A rule: what it derives, and from what.

    `background` and `missing` are its static atoms, positive and negated; `positive` and
    `negated` the others.
    """

    head: syntax.Atom
    positive: tuple[syntax.Atom, ...]
    negated: tuple[syntax.Atom, ...]
    background: tuple[syntax.Atom, ...]
    missing: tuple[syntax.Atom, ...]
    comparisons: tuple[Comparison, ...]
    vocabulary: Vocabulary

    @property
    def atoms(self) -> tuple[syntax.Atom, ...]:
        """All atoms, the head first."""
        return (self.head, *self.positive, *self.negated, *self.background, *self.missing)

    @cached_property
    def time_terms(self) -> tuple[syntax.Term, ...]:
        """The terms in the places of times: all of them have to be natural numbers."""
        return tuple(a.terms[-1] for a in self.atoms if self.vocabulary[a.predicate].temporal)

    @cached_property
    def times(self) -> frozenset[str]:
        """The variables that stand for times."""
        return frozenset(name for term in self.time_terms if (name := variable_of(term)))

    @cached_property
    def objects(self) -> dict[str, Type | None]:
        """The other variables, each with the type of its columns, if they have one."""
        found: dict[str, Type | None] = {}
        for atom in self.atoms:
            for term, type_ in zip(atom.terms, self.vocabulary[atom.predicate].types, strict=False):
                if isinstance(term, Variable):
                    found[term.name] = found.get(term.name) or type_
        return found

    def offset(self, atom: syntax.Atom) -> tuple[str, int] | None:
        """The variable of a temporal atom's time and what is added to it; None for a constant time."""
        term = atom.terms[-1]
        if isinstance(term, Variable):
            return term.name, 0
        return (term.variable, int(term.offset)) if isinstance(term, Shifted) else None


def clause_of(rule: Rule, vocabulary: Vocabulary) -> Clause:
    """The normal form of a rule."""
    fresh = (Variable(f"_{i}") for i in range(sum(len(a.terms) for a, _ in syntax.atoms_of(rule))))
    positive: list[syntax.Atom] = []
    background: list[syntax.Atom] = []
    negated: list[syntax.Atom] = []
    missing: list[syntax.Atom] = []
    for literal in rule.body:
        if isinstance(literal, syntax.Atom):
            static = vocabulary.is_static(literal.predicate)
            (background if static else positive).append(_named(literal, fresh))
        elif isinstance(literal, Negation):
            static = vocabulary.is_static(literal.atom.predicate)
            (missing if static else negated).append(literal.atom)
    return Clause(
        rule.head,
        tuple(positive),
        tuple(negated),
        tuple(background),
        tuple(missing),
        tuple(literal for literal in rule.body if isinstance(literal, Comparison)),
        vocabulary,
    )


def _named(atom: syntax.Atom, fresh: Iterator[Variable]) -> syntax.Atom:
    return replace(atom, terms=tuple(next(fresh) if isinstance(t, Anonymous) else t for t in atom.terms))
