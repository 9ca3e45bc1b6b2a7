"""The compiler: turns a checked program into its plan, pass by pass, or into the reasons why it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from msgspec.structs import replace

from antelog.compile.comparisons import times_of
from antelog.compile.literals.literal import Lowering
from antelog.compile.literals.terms import Const, Time, Var, is_duration, variable_in
from antelog.compile.nodes import plan as nodes
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.resolve import EndlessError, Request, Resolved, relations_of
from antelog.compile.plan.bounds import bound
from antelog.compile.plan.partition import partition
from antelog.compile.problems import refusals
from antelog.compile.problems.remarks import remarks
from antelog.compile.rules.clauses import clauses_of, edges_of, static_rule
from antelog.compile.rules.stratify import Dependency, Violation, stratify
from antelog.diagnostics import Diagnostic, errors_of, in_source_order, problem
from antelog.language import Checked
from antelog.language.moments import DEFAULT_ZONE, DURATION, TIME
from antelog.language.syntax import Query
from antelog.language.vocabulary import PredicateKind, Vocabulary

PATTERN_LIMIT = 10_000  # the default for the most patterns of a predicate


@dataclass(frozen=True)
class Compiled:
    """The plan, if there is one, diagnostics, and how many searches for needless patterns were given up."""

    plan: nodes.Plan | None
    diagnostics: tuple[Diagnostic, ...]
    given_up: int = 0


def compile_program(checked: Checked, limit: int = PATTERN_LIMIT) -> Compiled:
    """Compiles a program to a plan of at most `limit` patterns a predicate, or to the reasons why not."""
    document, found = checked.document, [*checked.diagnostics]
    if not checked.ok:
        return Compiled(None, in_source_order(found))
    # Rules in normal form, and whether every negation is decided before what rests on it.
    clauses, contradictory = clauses_of(checked)
    found += (problem("W107.contradictory", rule.span) for rule in contradictory)
    strata = stratify(clauses, edges_of(clauses))
    if isinstance(strata, Violation):
        found.append(refusals.unstratified(strata, document))
    # The patterns of the queries, and of what their patterns ask for, until none is new.
    relations, failed, given_up = relations_of(checked, clauses, limit)
    for request, why in failed.items():
        if isinstance(why, EndlessError):
            found.append(refusals.endless(why, request, document))
        else:
            found.append(refusals.too_many(why, limit, document))
    found += refusals.of_patterns(relations, document)
    if errors_of(found):
        return Compiled(None, in_source_order(found))
    plan = assembled(checked, relations)
    plan = replace(plan, key=partition(plan))
    found += remarks(plan, clauses, document)
    return Compiled(plan, in_source_order(found), given_up)


def assembled(checked: Checked, relations: Resolved) -> nodes.Plan:
    """Puts the declarations, the background and the relations together to a plan without a key."""
    vocabulary = checked.vocabulary
    inputs = [
        _input(p.name, vocabulary) for p in vocabulary.predicates.values() if p.kind is PredicateKind.INPUT
    ]
    statics, static_rules = _statics(checked)
    queries = {query.atom.predicate: query for query in checked.document.queries}
    patterns = {request.name: own for request, own in relations.items()}
    bounds, levels = bound(patterns, inputs), _levels(patterns)
    found = []
    for request, own in relations.items():
        name, answer = request.name, _answer(request, own, vocabulary)
        notice = _notice(queries[request.predicate], vocabulary) if request.by_query else nodes.Notice()
        asked = request.predicate, request.by_query, answer, own
        found.append(nodes.Relation(name, *asked, bounds[name], levels[name], notice))
    units, zone = vocabulary.units, vocabulary.zone
    readings = (nodes.TimeReading(each.name, units.get(each.name), zone) for each in inputs)
    said = tuple(each for each in readings if each != nodes.TimeReading(each.input))
    times = vocabulary.tick, said, zone or DEFAULT_ZONE
    return nodes.Plan(tuple(inputs), statics, static_rules, tuple(found), nodes.Key(()), *times)


def _levels(patterns: Mapping[str, tuple[Pattern, ...]]) -> Mapping[str, nodes.Level]:
    """Returns an order of evaluation of relations, each after those it asks for."""
    edges = (
        Dependency(name, each.name, times.furthest(pattern.time, each.last), True)
        for name, own in patterns.items()
        for pattern, times in ((pattern, times_of(pattern)) for pattern in own)
        for each in pattern.asked_for
    )
    levels = stratify(patterns, edges)
    assert not isinstance(levels, Violation), "the clauses were stratified"
    return levels


def _answer(request: Request, patterns: tuple[Pattern, ...], vocabulary: Vocabulary) -> nodes.AnswerVariables:
    head, names = request.clause.head, [*map(variable_in, request.clause.facts[0].arguments)]
    declared = _type_names(request.predicate, vocabulary)
    types = [declared[names.index(name)] for name in request.variables]
    # What is ticks in all answers is times, or durations.
    for place, argument in enumerate(head.arguments):
        if isinstance(argument, Time):
            types[place] = TIME
        elif patterns and all(_has_duration(each, place) for each in patterns):
            types[place] = DURATION
    return nodes.AnswerVariables(request.variables, tuple(types), head.time.variable)


def _notice(query: Query, vocabulary: Vocabulary) -> nodes.Notice:
    terms = Lowering(vocabulary, set())
    return nodes.Notice(
        float(query.alert.fraction) if query.alert else None,
        query.severity or ("warning" if query.alert else "info"),
        query.words.text if query.words else None,
        (query.severity or query.words) is not None,
        tuple(nodes.GivenFacts(each.predicate, terms.gaps(each.terms[:-1])) for each in query.given),
        query.many.text if query.many else None,
        query.runbook.text if query.runbook else None,
    )


def _has_duration(pattern: Pattern, place: int) -> bool:
    """Returns whether a pattern works out a place of the answer as the ticks between two times."""
    lengths = [Var(each.variable) for each in pattern.worked_out if is_duration(each.operand)]
    return pattern.answer[place] in lengths


def _type_names(name: str, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    return tuple(t.value if t else None for t in vocabulary[name].types)


def _input(name: str, vocabulary: Vocabulary) -> nodes.Input:
    predicate, odds = vocabulary[name], vocabulary.odds_of(name)
    schedule = predicate.schedule
    refinements = tuple(nodes.Refinement(r.pattern, r.delay, _floats(r.shares)) for r in schedule.refinements)
    chances = tuple(nodes.Chance(c.pattern, float(c.once), float(c.again)) for c in odds.chances)
    types = _type_names(name, vocabulary)
    return nodes.Input(
        *(name, predicate.columns, types, schedule.bound, refinements, predicate.slot),
        *(nodes.InputOdds(chances, _floats(odds.shares)), nodes.Expected(schedule.gap, predicate.source)),
    )


def _floats(shares: tuple[Fraction, ...] | None) -> tuple[float, ...] | None:
    return None if shares is None else tuple(map(float, shares))


def _statics(checked: Checked) -> tuple[tuple[nodes.Static, ...], tuple[nodes.StaticRule, ...]]:
    """Returns the background relations with the facts the program states, and the rules between them."""
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
        nodes.Static(
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
