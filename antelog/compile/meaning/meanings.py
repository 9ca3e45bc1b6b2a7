"""The meaning of each query of a plan: what its patterns say, and what the declarations add.

Two queries have the same meaning if their patterns are the same in the canonical form, and so are those of
all that these ask for, and the background. Names of variables and of predicates in between do not matter, nor
do order and layout. What only says when an answer is decided (delays, `one per`), or how it is shown
(severity, words), is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from antelog.compile.meaning.canonical import NO_TIME, canonical, digest
from antelog.compile.nodes.columns import seen_columns
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.language.moments import DEFAULT_ZONE


@dataclass(frozen=True)
class InputTiming:
    """The declaration of an input, and its zone, as far as it depends on them when answers are decided."""

    delay: int
    refinements: frozenset[tuple[tuple[str | int | float | None, ...], int]]
    slot: tuple[int, ...] | None
    zone: str

    @classmethod
    def of(cls, source: Input, plan: Plan) -> InputTiming:
        refinements = frozenset((each.pattern, each.delay) for each in source.refinements)
        zone = plan.counting(source.name).zone or DEFAULT_ZONE
        return cls(source.delay, refinements, source.slot, zone)


@dataclass(frozen=True)
class QueryMeaning:
    """The meaning of a query: a digest of its `patterns`, and the inputs it rests on as declared."""

    relation: Relation
    patterns: str
    inputs: Mapping[str, InputTiming]


class Meanings:
    """The meanings of the relations of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.known: dict[str, str] = {}
        self.relations = {each.name: each for each in plan.relations}
        self.inputs = {each.name: each for each in plan.inputs}
        self.statics = {each.name: each for each in plan.statics}

    @cached_property
    def queries(self) -> dict[str, QueryMeaning]:
        """The meaning of each query, by its name."""
        return {each.name: self._query(each) for each in self.plan.queries}

    def relation(self, name: str) -> str:
        """The meaning of a relation, as a digest."""
        return _Descent(self, ()).relation(name)

    def _query(self, relation: Relation) -> QueryMeaning:
        inputs = {
            name: InputTiming.of(self.inputs[name], self.plan) for name in inputs_of(self.plan, relation.name)
        }
        # The columns that unguarded variables lead to: which values have answers of their own.
        columns = (
            seen_columns(name, pattern, relation, self.plan)
            for pattern in relation.patterns
            for name in pattern.unguarded
        )
        seen = {repr((each.inputs, each.statics, sorted(map(repr, each.constants)))) for each in columns}
        scale = self.plan.timescale
        zone = scale.zone if scale is not None and scale.of_days else None  # where ticks begin by it
        length = None if scale is None else (scale.length, zone)
        form = length, self.relation(relation.name), tuple(sorted(seen))
        return QueryMeaning(relation, digest(form), inputs)


class _Descent:
    """The way down from a relation to what it asks for; what is above is named by how far up it is."""

    def __init__(self, meanings: Meanings, above: tuple[str, ...]) -> None:
        self._meanings, self._above = meanings, above
        self._highest = len(above)
        """The place in `above` of the highest relation that was found again."""

    def relation(self, name: str) -> str:
        return self._found(name, lambda below: self._relation(name, below))

    def static(self, name: str) -> str:
        """The meaning of a static predicate: facts, rules, and its name unless only rules derive it."""
        return self._found(f"static {name}", lambda below: self._static(name, below))

    def _found(self, name: str, form: Callable[[_Descent], Hashable]) -> str:
        if name in self._above:
            place = self._above.index(name)
            self._highest = min(self._highest, place)
            return f"^{len(self._above) - place}"
        known = self._meanings.known
        if name in known:
            return known[name]
        below = _Descent(self._meanings, (*self._above, name))
        found = digest(form(below))
        self._highest = min(self._highest, below._highest)
        if below._highest >= len(self._above):  # nothing below it rests on what is above it
            known[name] = found
        return found

    def _relation(self, name: str, below: _Descent) -> Hashable:
        relation = self._meanings.relations[name]
        patterns = {canonical(each, below.named) for each in relation.patterns}
        return len(relation.answer.variables), relation.answer.time is None, sorted(patterns)

    def _static(self, name: str, below: _Descent) -> Hashable:
        static = self._meanings.statics[name]
        rules = {
            canonical(Pattern(rule.answer, NO_TIME, rule.literals), below.named)
            for rule in self._meanings.plan.static_rules
            if rule.predicate == name
        }
        outside = name if static.facts or not rules else None
        return outside, len(static.columns), sorted(map(repr, static.facts)), sorted(rules)

    def named(self, field: str, name: str) -> Hashable:
        """The meaning of a relation or of a static predicate; the name of an input."""
        if field == "relation":
            return self.relation(name)
        if field == "asked":  # the relation says all of it
            return None
        if name in self._meanings.statics:
            return self.static(name)
        return name if name in self._meanings.inputs else None


def inputs_of(plan: Plan, query: str) -> tuple[str, ...]:
    """The inputs that a relation rests on, also through those that it asks for, in the plan's order."""
    relations = {each.name: each for each in plan.relations}
    waiting, seen, found = [query], {query}, set[str]()
    while waiting:
        for pattern in relations[waiting.pop()].patterns:
            for each in (reference for literal in pattern.stated for reference in literal.references):
                if each.of_input:
                    found.add(each.name)
                elif each.name not in seen:
                    seen.add(each.name)
                    waiting.append(each.name)
    return tuple(each.name for each in plan.inputs if each.name in found)
