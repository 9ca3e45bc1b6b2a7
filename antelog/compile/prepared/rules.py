"""A plan prepared for the engine: all that follows from its rules together, worked out once.

P(X, T) :- A(X, T-3), B(X, T).    with delay 2 on both: an A matters for 5 ticks, a B for 2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from antelog.compile.comparisons import times_of
from antelog.compile.literals import Aggregation, Last, Negation
from antelog.compile.literals.aggregate import Aggregate
from antelog.compile.literals.literal import AskedNode, Literal
from antelog.compile.literals.terms import Const, Inner, Term, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.plan import bounds
from antelog.compile.plan.partition import SeenColumns
from antelog.compile.prepared.pattern import Prepared, pattern_of
from antelog.language.epochs import Counting


@dataclass(frozen=True)
class SourceReach:
    """A source that atoms rest on, by the terms that name it; facts lie `behind` and `ahead` of the atom."""

    input: Input
    terms: Mapping[int, Term]
    behind: int
    ahead: int


@dataclass(frozen=True, eq=False)
class Rules:
    plan: Plan
    relations: Mapping[str, Relation]
    patterns: Mapping[str, tuple[Prepared, ...]]
    inputs: Mapping[str, Input]
    cycles: Mapping[str, frozenset[str]]  # the relations that rest on their own negation, with their cycle
    needed: Mapping[str, int | None]  # for each input how far back facts matter, from now (None: all do)
    reaches: Mapping[str, int | None]  # how far before its time an atom's facts lie (None: anywhere)
    lag: int  # for how many ticks atoms of cycles are worked out from facts after they are decided
    remembered: Mapping[str, int | None]  # the inputs whose latest facts are kept, from when (None: always)
    queries: tuple[Relation, ...]
    countings: Mapping[str, Counting]
    delays: Mapping[str, tuple[int, ...]]  # every delay that some fact of an input may have, shortest first
    widest: int  # the largest distance of two times that rules tie to each other

    @cached_property
    def seen(self) -> Mapping[SeenColumns, None]:
        """The columns that the unguarded variables of queries lead to."""
        asked = (each for query in self.plan.queries for each in self.patterns[query.name])
        return dict.fromkeys(each.seen for each in asked if each.seen is not None)

    @cached_property
    def delays_of_others(self) -> Mapping[str, int | None]:
        """For queries with unguarded variables, when answers about all other values are decided."""
        return bounds.delays_of_others(self.plan)

    @cached_property
    def of_any_age(self) -> str | None:
        """A query that rests on a negation and on facts that may be of any age, if there is one."""
        asked = (q for q in self.plan.queries if any(p.asked for p in q.patterns))
        return next((query.name for query in asked if self.reaches[query.name] is None), None)

    @cached_property
    def unsteady(self) -> frozenset[str]:
        """The queries whose `if_silent` may turn out different although their explanations stay."""
        return frozenset(
            query.name
            for query in self.plan.queries
            if self._may_be_late(query)
            or any(self._is_put_off(pattern, each) for pattern in query.patterns for each in pattern.asked)
        )

    def _may_be_late(self, query: Relation) -> bool:
        """Returns whether a query negates atoms that may be decided later than expected."""
        asked = [literal for pattern in query.patterns for literal in pattern.asked]
        # Facts that replace the latest one may be due later than those that fit.
        latest = (literal for literal in asked if isinstance(literal, Last) and not literal.any_fits)
        if any(not e.slot.promised or len(self.inputs[e.predicate].delays) > 1 for e in latest):
            return True
        names = {each.name for literal in asked for each in literal.references}
        # Where more than one fact decides an atom, one that comes meanwhile may put that off.
        for pattern in (each for name in names for each in self.relations[name].patterns):
            times = {fact.time.variable for fact in pattern.facts}
            if len(pattern.stated) != 1 or pattern.asked or not times <= {*pattern.answered, None}:
                return True
        return False

    def _is_put_off(self, pattern: Pattern, literal: AskedNode) -> bool:
        """Returns whether atoms that come may put off when an aggregate's comparison is false."""
        if not isinstance(literal, Aggregation):
            return False
        # With open variables it may have to wait for these; of two, one without a value decides alone; and
        # one atom at each tick leaves room for another tick without.
        if literal.needs < literal.variables or any(
            not literal.variables <= pattern.given | fact.variables for fact in pattern.facts
        ):
            return True
        return len(literal.aggregates) > 1 or any(map(self._comes_one_by_one, literal.aggregates))

    def _comes_one_by_one(self, aggregate: Aggregate) -> bool:
        """Returns whether at most one atom comes at each tick, of all or of one rule."""
        given = {place for place, term in enumerate(aggregate.inside.given) if term is not None}
        derived = self.patterns[aggregate.inside.relation]
        return self.is_single(aggregate) or any(each.one_a_tick(given) for each in derived)

    @cached_property
    def sources(self) -> Mapping[str, tuple[SourceReach, ...] | None]:
        """The sources that the answers of each query rest on, by its variables; None: any, or at any time."""
        return {
            query.name: self._sources_of(query.name, tuple(map(Var, query.answer.variables)))
            for query in self.plan.queries
        }

    def _sources_of(self, name: str, given: tuple[Term | None, ...]) -> tuple[SourceReach, ...] | None:
        """Returns the sources of a relation's atoms with some arguments; None: any, or at any time."""
        found = list[SourceReach]()
        for each in self.patterns[name]:
            arguments = dict(zip(each.pattern.answer, given, strict=True))
            for below in self._sources_in(each.pattern):
                named = {
                    at: term if isinstance(term, Const) else arguments.get(term)
                    for at, term in ({} if below is None else below.terms).items()
                }
                if below is None or None in named.values():
                    return None
                found.append(replace(below, terms={at: term for at, term in named.items() if term}))
        once = dict[tuple[str, frozenset[tuple[int, Term]]], SourceReach]()
        for one in found:
            key = one.input.name, frozenset(one.terms.items())
            same = once.get(key, one)
            behind, ahead = max(one.behind, same.behind), max(one.ahead, same.ahead)
            once[key] = replace(one, behind=behind, ahead=ahead)
        return tuple(once.values())

    def _sources_in(self, pattern: Pattern) -> Iterator[SourceReach | None]:
        """Yields the sources that a pattern rests on, named by its terms, and None if it may be others."""
        times = times_of(pattern)
        for literal in pattern.stated:
            for each in () if self.asks_for_silence(literal) else times.reaches(literal, pattern.time):
                reference = each.reference
                below: tuple[SourceReach, ...] | None = ()
                if reference.of_input or reference.remembered:
                    source = self.inputs[reference.predicate]
                    given = ((at, reference.arguments[at]) for at in source.expected.of)
                    terms = {at: term for at, term in given if isinstance(term, Var | Const)}
                    below = (SourceReach(source, terms, 0, 0),) if terms else ()
                elif reference.name not in self.cycles:  # of those it is remembered what was decided, not why
                    below = self._sources_of(reference.name, reference.untimed)
                if below is None or (below and (each.behind is None or each.ahead is None)):
                    yield None
                    return
                for inner in below:
                    behind, ahead = inner.behind + (each.behind or 0), inner.ahead + (each.ahead or 0)
                    yield replace(inner, behind=behind, ahead=ahead)

    def asks_for_silence(self, literal: Literal | Aggregate) -> bool:
        """Returns whether a literal asks for a source's silence: `not Beat(X, _, T)`, counts of all."""
        if isinstance(literal, Aggregation):
            return all(map(self.asks_for_silence, literal.aggregates))
        if isinstance(literal, Aggregate):
            inside = literal.inside
            own = [each for each in inside.arguments if isinstance(each, Inner)]
            if literal.function != "count" or literal.distinct or inside.conditions or len({*own}) < len(own):
                return False
            predicate, given = inside.predicate, inside.given
        elif isinstance(literal, Negation):
            predicate, given = literal.predicate, literal.arguments
        else:
            return False
        source = self.inputs[predicate].expected.of if predicate in self.inputs else ()
        return bool(source) and {at for at, term in enumerate(given) if term is not None} <= {*source}

    def is_single(self, aggregate: Aggregate) -> bool:
        """Returns whether at most one atom can be a member of an aggregate at each tick."""
        inside = aggregate.inside
        given = {place for place, term in enumerate(inside.given) if term is not None}
        source = self.inputs.get(inside.predicate)
        slot = None if source is None else source.slot
        return len(given) == len(inside.arguments) or (slot is not None and set(slot) <= given)


@lru_cache(maxsize=64)
def prepared(plan: Plan) -> Rules:
    inputs = {source.name: source for source in plan.inputs}
    of_cycle = cycles(plan)
    return Rules(
        plan,
        {relation.name: relation for relation in plan.relations},
        {r.name: tuple(pattern_of(p, r, plan) for p in r.patterns) for r in plan.relations},
        inputs,
        of_cycle,
        bounds.needed(plan, of_cycle),
        bounds.reaches(plan),
        bounds.lag(plan),
        bounds.remembered(plan, of_cycle),
        tuple(plan.queries),
        {name: plan.counting(name) for name in inputs},
        {name: tuple(sorted(source.delays)) for name, source in inputs.items()},
        bounds.widest(plan),
    )


def cycles(plan: Plan) -> dict[str, frozenset[str]]:
    """Returns the relations that rest on their own negation, each with all that share that cycle."""
    members: dict[int, set[str]] = {}
    for relation in plan.relations:
        members.setdefault(relation.level.component, set()).add(relation.name)
    return {
        relation.name: frozenset(members[relation.level.component])
        for relation in plan.relations
        if len(members[relation.level.component]) > 1 or relation.name in relation.bounds.asked_by
    }


def kept_for_ever(plan: Plan, relation: Relation) -> list[str]:
    """Returns the predicates of which nothing is forgotten for a relation."""
    predicates = {each.name: each.predicate for each in plan.relations}
    found = bounds.base_reaches(plan, relation.name, cycles(plan))
    kept = {each.name for each in found if each.ticks is None and not each.is_latest}
    return sorted({predicates.get(name, name) for name in kept})
