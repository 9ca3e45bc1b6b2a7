"""The parts of a program put together to a plan, and what follows from its patterns.

A plan has the declarations, the background and the relations with their patterns; bounds, levels and the key
follow from these.

    input A(x: text, time) delay 2.    Input("A", ("x", "time"), ("text",), delay=2)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec.structs import replace

from antelog.compile.literals.terms import Const, Time, Var, is_duration, variable_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import (
    NO_NOTICE,
    AnswerVariables,
    Bounds,
    Chance,
    Expected,
    GivenFacts,
    Input,
    InputOdds,
    Key,
    Level,
    Notice,
    Plan,
    Refinement,
    Relation,
    Static,
    StaticRule,
    TimeReading,
)
from antelog.compile.patterns.relations import Resolved
from antelog.compile.plan.bounds import bound
from antelog.compile.rules.clauses import static_rule
from antelog.compile.rules.stratify import Dependency, Violation, stratify
from antelog.errors import PlanError
from antelog.language import Checked
from antelog.language.moments import DEFAULT_ZONE, DURATION, TIME
from antelog.language.syntax import Constant, Query, Variable
from antelog.language.vocabulary import PredicateKind, Vocabulary


def assembled(checked: Checked, relations: Iterable[Resolved]) -> Plan:
    vocabulary = checked.vocabulary
    inputs = [
        _input(p.name, vocabulary) for p in vocabulary.predicates.values() if p.kind is PredicateKind.INPUT
    ]
    statics, static_rules = _statics(checked)
    queries = {query.atom.predicate: query for query in checked.document.queries}
    resolved = {each.request.name: each for each in relations}
    bounds = bound({name: each.patterns for name, each in resolved.items()}, inputs)
    found = [_relation(each, bounds[name], vocabulary, queries) for name, each in resolved.items()]
    units, zone = vocabulary.units, vocabulary.zone
    readings = (TimeReading(each.name, units.get(each.name), zone) for each in inputs)
    said = tuple(each for each in readings if each != TimeReading(each.input))
    times = vocabulary.tick, said, zone or DEFAULT_ZONE
    return Plan(tuple(inputs), statics, static_rules, tuple(found), Key(()), *times)


def _relation(
    resolved: Resolved, bounds: Bounds, vocabulary: Vocabulary, queries: Mapping[str, Query]
) -> Relation:
    request = resolved.request
    head, names = request.clause.head, [*map(variable_in, request.clause.facts[0].arguments)]
    declared = _type_names(request.predicate, vocabulary)
    types = [declared[names.index(name)] for name in request.variables]
    # What is ticks in all answers is times, or durations.
    for place, argument in enumerate(head.arguments):
        if isinstance(argument, Time):
            types[place] = TIME
        elif resolved.patterns and all(_has_duration(each, place) for each in resolved.patterns):
            types[place] = DURATION
    answer = AnswerVariables(request.variables, tuple(types), head.time.variable)
    timing = bounds, Level(0, 0, 0)  # see `with_levels`
    notice = NO_NOTICE
    if request.by_query:
        query = queries[request.predicate]
        notice = Notice(
            float(query.alert.fraction) if query.alert else None,
            query.severity or ("warning" if query.alert else "info"),
            query.words.text if query.words else None,
            (query.severity or query.words) is not None,
            tuple(GivenFacts(e.predicate, tuple(map(_column, e.terms[:-1]))) for e in query.given),
        )
    return Relation(
        request.name, request.predicate, request.by_query, answer, resolved.patterns, *timing, notice
    )


def _column(term: object) -> Var | Const | None:
    match term:
        case Variable(name):
            return Var(name)
        case Constant(value):
            return Const(value)
        case _:
            return None


def _has_duration(pattern: Pattern, place: int) -> bool:
    """Whether a pattern works out what it has at a place of the answer as the ticks between two times."""
    lengths = [Var(each.variable) for each in pattern.worked_out if is_duration(each.operand)]
    return pattern.answer[place] in lengths


def _type_names(name: str, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    return tuple(t.value if t else None for t in vocabulary[name].types)


def _input(name: str, vocabulary: Vocabulary) -> Input:
    predicate, odds = vocabulary[name], vocabulary.odds_of(name)
    schedule = predicate.schedule
    refinements = tuple(Refinement(r.pattern, r.delay, _floats(r.shares)) for r in schedule.refinements)
    chances = tuple(Chance(c.pattern, float(c.once), float(c.again)) for c in odds.chances)
    types = _type_names(name, vocabulary)
    return Input(
        *(name, predicate.columns, types, schedule.bound, refinements, predicate.slot),
        *(InputOdds(chances, _floats(odds.shares)), Expected(schedule.gap, predicate.source)),
    )


def _floats(shares: tuple[Fraction, ...] | None) -> tuple[float, ...] | None:
    return None if shares is None else tuple(map(float, shares))


def _statics(checked: Checked) -> tuple[tuple[Static, ...], tuple[StaticRule, ...]]:
    """The background relations with the facts the program states, and the rules between them."""
    vocabulary = checked.vocabulary
    facts: dict[str, list[tuple[str | int | float, ...]]] = {}
    rules = []
    for rule in checked.document.rules:
        if vocabulary.is_static(rule.head.predicate):
            lowered = static_rule(rule, vocabulary)
            if lowered is not None and lowered.literals:
                rules.append(lowered)
            elif lowered is not None:
                row = tuple(t.value for t in lowered.answer if isinstance(t, Const))
                facts.setdefault(lowered.predicate, []).append(row)
    statics = tuple(
        Static(
            p.name,
            p.columns,
            _type_names(p.name, vocabulary),
            tuple(dict.fromkeys(facts.get(p.name, ()))),
            vocabulary.most.get(p.name, ()),
        )
        for p in vocabulary.predicates.values()
        if p.kind is PredicateKind.STATIC
    )
    return statics, tuple(rules)


def with_levels(plan: Plan) -> Plan:
    """The order in which relations are evaluated, each after those it asks for."""
    patterns = {each.name: each.patterns for each in plan.relations}
    edges = (
        Dependency(name, each.name, each.last.after(pattern.time), True)
        for name, own in patterns.items()
        for pattern in own
        for literal in pattern.asked
        for each in literal.references
    )
    levels = stratify(patterns, edges)
    if isinstance(levels, Violation):
        raise PlanError("a relation rests on its own negation")
    return replace(plan, relations=tuple(replace(r, level=levels[r.name]) for r in plan.relations))
