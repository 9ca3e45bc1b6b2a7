"""Looks: the values that a query compares, found in its rules alone.

Hot(X, T) :- High(X, T), High(X, T+1).     High(X, T) :- Temp(X, V, T), V > 100.
one look: column 1 of Temp against 100, the facts of an answer being those with its X in column 0
query Hot(X, T) given Load(X, L, T).       one more: column 1 of Load, against nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from antelog.compile.literals.aggregate import Aggregate, Aggregation, open_name
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Inner, Term, Var, shifted, variables_in
from antelog.compile.nodes.plan import GivenFacts, Plan
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules, prepared
from antelog.forecast.rates.odds import Value

_ORDERS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Look:
    """A column of an input's facts with these constants, and the threshold its values are compared with.

    `key` pairs columns with the positions of their values in the answer.
    """

    predicate: str
    constants: tuple[tuple[int, Value], ...]
    key: tuple[tuple[int, int], ...]
    column: int
    operator: str
    threshold: float


@lru_cache(maxsize=64)
def looks_of(plan: Plan, query: str) -> tuple[Look, ...]:
    """The looks of a query, each column once, at its first threshold."""
    rules = prepared(plan)
    answer = rules.relations[query].answer.variables
    search = _LookSearch(rules, {name: place for place, name in enumerate(answer)})
    search.relation(query, tuple(map(Var, answer)))
    for each in rules.relations[query].given:
        search.given(each)
    return tuple(search.looks.values())


Bounds = Mapping[str, tuple[str, float]]
"""Variables that are compared, each with the operator and the number."""


@dataclass
class _LookSearch:
    """Searches the rules of a query for comparisons."""

    rules: Rules
    places: Mapping[str, int]
    looks: dict[object, Look] = field(default_factory=dict)
    been: set[object] = field(default_factory=set)

    def relation(self, name: str, terms: tuple[Term | None, ...]) -> None:
        """Searches a relation, given variables of the answer, constants, or (None) anything."""
        if (name, terms) in self.been:
            return
        self.been.add((name, terms))
        for each in self.rules.patterns[name]:
            pairs = zip(each.pattern.answer, terms, strict=True)
            self.pattern(each, {own.name: term for own, term in pairs if isinstance(own, Var)})

    def pattern(self, each: Prepared, known: Mapping[str, Term | None]) -> None:
        bounds = _bounds(each.comparisons)
        for fact in each.facts:
            self.facts(fact.node.predicate, fact.node.terms, bounds, known)
        for asked in each.asked:
            if isinstance(asked.node, Aggregation):
                for aggregate in asked.node.aggregates:
                    self.aggregate(aggregate, asked.node, known)
            else:
                for reference in asked.node.references:
                    self.reference(reference.name, reference.given, bounds, known)

    def aggregate(self, each: Aggregate, literal: Aggregation, known: Mapping[str, Term | None]) -> None:
        """Searches inside of an aggregate: its conditions, and the values it takes."""
        bounds = dict(_bounds(each.inside.opened))
        if each.value is not None:
            name, right = open_name(each.value), literal.right
            number = right.value if isinstance(right, Const) and each.function != "sum" else 0
            if not isinstance(number, str):
                order = literal.operator if literal.operator in _ORDERS else ">="
                bounds.setdefault(name, (order, float(number)))
        terms = tuple(Var(open_name(a)) if isinstance(a, Inner) else a for a in each.inside.arguments)
        name = each.inside.predicate if each.inside.predicate in self.rules.inputs else each.inside.relation
        self.reference(name, terms, bounds, known)

    def given(self, each: GivenFacts) -> None:
        """Adds the columns of an input that the query names; they are compared with nothing."""
        seen = [term.name for term in each.columns if isinstance(term, Var) and term.name not in self.places]
        self.facts(
            each.predicate, each.columns, dict.fromkeys(seen, (">=", 0.0)), {n: Var(n) for n in self.places}
        )

    def reference(
        self, name: str, terms: Sequence[Term | None], bounds: Bounds, known: Mapping[str, Term | None]
    ) -> None:
        if name in self.rules.inputs:
            self.facts(name, terms, bounds, known)
        else:
            self.relation(name, tuple(_put(term, known) for term in terms))

    def facts(
        self, name: str, terms: Sequence[Term | None], bounds: Bounds, known: Mapping[str, Term | None]
    ) -> None:
        """Adds the columns of facts that are compared."""
        compared = {
            column: bounds[term.name]
            for column, term in enumerate(terms)
            if isinstance(term, Var) and term.name in bounds
        }
        if not compared:
            return
        others = [(c, _put(t, known)) for c, t in enumerate(terms) if c not in compared]
        constants = tuple((c, term.value) for c, term in others if isinstance(term, Const))
        key = tuple(
            (c, self.places[term.name])
            for c, term in others
            if isinstance(term, Var) and term.name in self.places
        )
        for column, (operator, number) in compared.items():
            look = Look(name, constants, key, column, operator, number)
            self.looks.setdefault((name, constants, key, column), look)


def _put(term: Term | None, known: Mapping[str, Term | None]) -> Term | None:
    """Replaces a variable by a variable of the answer, a constant, or (None) anything."""
    return known.get(term.name) if isinstance(term, Var) else term


def _bounds(comparisons: Iterable[Comparison]) -> Bounds:
    """The variables that are compared, each with a number, or with 0 if rules do not say which."""
    numbers: dict[str, tuple[str, float]] = {}
    others: dict[str, tuple[str, float]] = {}
    orders = (each for each in comparisons if each.operator in _ORDERS)
    for each in chain.from_iterable((one, one.mirrored) for one in orders):
        one, other = shifted(each.left), shifted(each.right)
        if one is None:
            others.update((name, (each.operator, 0.0)) for name in variables_in([each.left]))
        elif isinstance(one[0], Var):
            right = None if other is None else other[0]
            if isinstance(right, Const) and not isinstance(right.value, str):
                numbers.setdefault(one[0].name, (each.operator, float(right.value - one[1])))
            elif not isinstance(right, Const):
                others.setdefault(one[0].name, (each.operator, 0.0))
    return {**others, **numbers}
