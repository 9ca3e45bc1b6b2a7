"""The columns an unguarded variable leads to: those with the values seen for it.

An unguarded variable has a row for each value seen in these columns, and one for all others. It leads to the
columns it stands in, and from an argument of a negated relation to those the variable there stands in.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T), X != wt9.
    X of Calm: the first column of Temp, the constant wt9
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.literal import Literal, Value
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Argument, Plan, Relation


@dataclass(frozen=True)
class SeenColumns:
    """The columns of inputs and of the background an unguarded variable leads to, and the constants there."""

    inputs: tuple[Argument, ...]
    statics: tuple[Argument, ...]
    constants: tuple[Value, ...]


def seen_columns(name: str, pattern: Pattern, relation: Relation, plan: Plan) -> SeenColumns:
    """The columns that an unguarded variable of a relation's pattern leads to."""
    search = reached(name, pattern, relation, plan.relations)
    constants = [*search.constants]
    for other in plan.relations:
        for each in other.patterns:
            for predicate, arguments in _atoms(each.literals):
                constants += _values(predicate, arguments, search.columns)
    for source in plan.inputs:
        for refinement in source.refinements:
            terms = [None if value is None else Const(value) for value in refinement.pattern]
            constants += _values(source.name, terms, search.columns)
    return SeenColumns(
        _of({source.name for source in plan.inputs}, search.columns),
        _of({static.name for static in plan.statics}, search.columns),
        tuple(dict.fromkeys(constants)),
    )


def input_columns(plan: Plan) -> frozenset[Argument]:
    """The columns of inputs whose values are to be remembered once they have been seen."""
    return frozenset(
        column
        for relation in plan.queries
        for pattern in relation.patterns
        for name in pattern.unguarded
        for column in seen_columns(name, pattern, relation, plan).inputs
    )


def reached(name: str, pattern: Pattern, relation: Relation, relations: Iterable[Relation]) -> Reached:
    """The columns of all predicates that an unguarded variable leads to."""
    search = Reached({each.name: each for each in relations})
    for place, term in enumerate(pattern.answer):
        if term == Var(name):
            search.follow(Argument(relation.name, place), relation)
    return search


@dataclass
class Reached:
    """Columns that have been reached, and the constants met on the way.

    An argument of an asked atom is a column of its predicate, and leads on to an argument of its relation.
    """

    relations: Mapping[str, Relation]
    columns: set[Argument] = field(default_factory=set)
    constants: dict[Value, None] = field(default_factory=dict)
    _followed: set[Argument] = field(default_factory=set)

    def follow(self, argument: Argument, relation: Relation) -> None:
        """Adds the columns that an argument of a relation leads to."""
        if argument in self._followed:
            return
        self._followed.add(argument)
        for pattern in relation.patterns:
            term = pattern.answer[argument.position]
            if isinstance(term, Const):
                self.constants[term.value] = None
            if not isinstance(term, Var):
                continue
            for comparison in pattern.comparisons:
                if term in comparison.operands:
                    self.constants |= {s.value: None for s in comparison.operands if isinstance(s, Const)}
            for predicate, arguments in _atoms(pattern.literals):
                self.columns |= {Argument(predicate, i) for i, each in enumerate(arguments) if each == term}
            for reference in (each for literal in pattern.asked for each in literal.references):
                for place, each in enumerate(reference.given):
                    if each == term:
                        self.follow(Argument(reference.name, place), self.relations[reference.name])


def _atoms(literals: Iterable[Literal]) -> Iterator[tuple[str, Sequence[Term | None]]]:
    """The predicates that literals look at, with the arguments they ask for."""
    for literal in literals:
        if isinstance(literal, StaticAtom):
            yield literal.predicate, literal.arguments
        for reference in literal.references:
            yield reference.predicate, reference.arguments


def _values(predicate: str, terms: Sequence[Term | None], columns: set[Argument]) -> Iterator[Value]:
    for place, term in enumerate(terms):
        if isinstance(term, Const) and Argument(predicate, place) in columns:
            yield term.value


def _of(names: set[str], columns: set[Argument]) -> tuple[Argument, ...]:
    return tuple(sorted((c for c in columns if c.name in names), key=lambda c: (c.name, c.position)))
