"""The columns an unguarded variable leads to: where the values stand that have been seen for it.

An unguarded variable has a row for each value seen in these columns, and one for all others. It leads to the
columns it stands in, and from an argument of a negated relation to those the variable there stands in.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T), X != wt9.
    X of Calm: the first column of Temp, the constant wt9
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Position, Relation

Value = str | int | float


@dataclass(frozen=True)
class SeenColumns:
    """The columns of inputs and of the background an unguarded variable leads to, and the constants there."""

    inputs: tuple[Position, ...]
    statics: tuple[Position, ...]
    constants: tuple[Value, ...]


def seen_columns(name: str, pattern: Pattern, relation: Relation, plan: Plan) -> SeenColumns:
    """The columns that an unguarded variable of a relation's pattern leads to."""
    search = reached(name, pattern, relation, plan.relations)
    constants = [*search.constants]
    for each in _patterns(plan.relations):
        for literal in (*each.literals, *each.statics):
            constants += _values(literal.predicate, literal.arguments, search.columns)
    for source in plan.inputs:
        for refinement in source.refinements:
            terms = (None if value is None else Const(value) for value in refinement.pattern)
            constants += _values(source.name, terms, search.columns)
    return SeenColumns(
        _of({source.name for source in plan.inputs}, search.columns),
        _of({static.name for static in plan.statics}, search.columns),
        tuple(dict.fromkeys(constants)),
    )


def input_columns(plan: Plan) -> frozenset[Position]:
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
            search.follow(Position(relation.name, place), relation)
    return search


@dataclass
class Reached:
    """Columns that have been reached, and the constants met on the way.

    A column of a negated atom is that of its predicate, and leads on to the argument of its relation.
    """

    relations: Mapping[str, Relation]
    columns: set[Position] = field(default_factory=set)
    constants: dict[Value, None] = field(default_factory=dict)
    arguments: set[Position] = field(default_factory=set)

    def follow(self, argument: Position, relation: Relation) -> None:
        """Adds the columns that an argument of a relation leads to."""
        if argument in self.arguments:
            return
        self.arguments.add(argument)
        for pattern in relation.patterns:
            term = pattern.answer[argument.position]
            if isinstance(term, Const):
                self.constants[term.value] = None
            else:
                self._within(pattern, term)

    def _within(self, pattern: Pattern, variable: Var) -> None:
        for comparison in pattern.comparisons:
            sides = (comparison.left, comparison.right)
            if variable in sides:
                self.constants.update((s.value, None) for s in sides if isinstance(s, Const))
        for literal in (*pattern.literals, *pattern.statics):
            places = [i for i, term in enumerate(literal.arguments) if term == variable]
            self.columns.update(Position(literal.predicate, place) for place in places)
            if isinstance(literal, Negation):
                for place, term in enumerate(literal.asked):
                    if term == variable:
                        self.follow(Position(literal.relation, place), self.relations[literal.relation])


def _patterns(relations: Iterable[Relation]) -> Iterator[Pattern]:
    return (pattern for relation in relations for pattern in relation.patterns)


def _values(predicate: str, terms: Iterable[Term | None], columns: set[Position]) -> Iterator[Value]:
    for place, term in enumerate(terms):
        if isinstance(term, Const) and Position(predicate, place) in columns:
            yield term.value


def _of(names: set[str], columns: set[Position]) -> tuple[Position, ...]:
    return tuple(sorted((c for c in columns if c.name in names), key=lambda c: (c.name, c.position)))
