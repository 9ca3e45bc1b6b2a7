"""The compiler: a checked program to its plan, pass by pass.

clauses     rules in normal form
stratify    is every negation decided before what rests on it?
relations   the patterns of the queries, and of what their patterns negate, until none is new
refusals    patterns that cannot be run
bounds      delays, windows, how long things are remembered
levels      the order in which the relations are evaluated
partition   the key by which the work can be divided
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.compile import problems
from antelog.compile.clauses import Clause, clause_of, static_parts
from antelog.compile.completing import completed
from antelog.compile.plan import (
    Atom,
    Bounds,
    Const,
    Input,
    Key,
    Level,
    Pattern,
    Plan,
    Refinement,
    Relation,
    Static,
    StaticRule,
    Time,
    Var,
)
from antelog.compile.refusals import Asked, refusals
from antelog.compile.renaming import apart
from antelog.compile.resolve import EndlessError, Resolver, TooManyPatternsError
from antelog.compile.stratify import Edge, Violation, stratify
from antelog.compile.unfold import Frame
from antelog.diagnostics import Diagnostic, errors_of, in_source_order
from antelog.language import Checked, syntax
from antelog.language.checks.declarations import ticks_of
from antelog.language.vocabulary import Kind, Vocabulary

PATTERN_LIMIT = 10_000
"""How many patterns a predicate may have, unless the caller says otherwise."""


@dataclass(frozen=True)
class Compiled:
    """The plan, if the program has one, and everything there is to say about the program."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]


def compile_program(checked: Checked, limit: int = PATTERN_LIMIT) -> Compiled:
    """The plan of a program; without one, the diagnostics have the reasons."""
    if not checked.ok:
        return Compiled(None, checked.diagnostics)
    found: list[Diagnostic] = []
    clauses = _clauses(checked, found)
    violation = stratify(clauses, _edges(clauses))
    if isinstance(violation, Violation):
        found.append(problems.unstratified(violation, checked.document))
    wanted = _resolve(checked, clauses, limit, found)
    asked = (Asked(w.name, w.clause.goals[0].predicate, w.asked, w.patterns) for w in wanted)
    found += refusals(asked, checked.document)
    plan = None
    if not errors_of(found):
        plan = _assemble(checked, wanted)
        found += problems.about(plan, clauses, checked)
    return Compiled(plan, in_source_order([*checked.diagnostics, *found]))


def _clauses(checked: Checked, found: list[Diagnostic]) -> dict[str, list[Clause]]:
    """The clauses of every derived predicate, by its name."""
    vocabulary = checked.vocabulary
    asked = frozenset(q.atom.predicate for q in checked.document.queries if _asks_for_all(q))
    clauses: dict[str, list[Clause]] = {
        p.name: [] for p in vocabulary.predicates.values() if p.kind is Kind.DERIVED
    }
    for number, rule in enumerate(checked.document.rules):
        if vocabulary.is_derived(rule.head.predicate):
            clause = clause_of(rule, number, vocabulary, asked)
            if clause is None:
                found.append(problems.contradictory(rule))
            else:
                clauses[rule.head.predicate].append(clause)
    return clauses


def _asks_for_all(query: syntax.Query) -> bool:
    """Whether every atom of the predicate is an answer to the query."""
    names = [t.name for t in query.atom.terms if isinstance(t, syntax.Variable)]
    return len(set(names)) == len(query.atom.terms)


def _edges(clauses: dict[str, list[Clause]]) -> Iterator[Edge]:
    """What each predicate rests on, and how much later."""
    for name, own in clauses.items():
        for clause in own:
            for negative, atoms in ((False, clause.goals), (True, clause.negations)):
                for atom in atoms:
                    if atom.predicate in clauses:
                        related = atom.time.variable == clause.head.time.variable
                        weight = atom.time.offset - clause.head.time.offset if related else None
                        yield Edge(name, atom.predicate, weight, negative, clause.rule)


@dataclass(frozen=True)
class _Wanted:
    """A relation that is needed: its name, what it asks for, and the patterns found."""

    name: str
    asked: bool
    clause: Clause
    patterns: tuple[Pattern, ...]


def _resolve(
    checked: Checked, clauses: dict[str, list[Clause]], limit: int, found: list[Diagnostic]
) -> list[_Wanted]:
    """The queries with their patterns, then what these negate, until nothing new is negated."""
    resolver = Resolver(clauses, limit)
    frames = {q.atom.predicate: _frame(q, checked.vocabulary) for q in checked.document.queries}
    waiting = [
        (q.atom.predicate, True, _query_clause(q, checked.vocabulary)) for q in checked.document.queries
    ]
    seen = {name for name, _, _ in waiting}
    wanted = []
    for name, asked, clause in waiting:
        predicate = clause.goals[0].predicate
        try:
            patterns = resolver.answers(clause, frames.get(predicate))
        except EndlessError as error:
            found.append(problems.endless(error, name, asked, checked.document))
            continue
        except TooManyPatternsError as error:
            found.append(problems.too_many(error, limit, checked.document))
            continue
        names = tuple(a.name for a in clause.head.arguments if isinstance(a, Var))
        patterns = tuple(apart(pattern, names, clause.head.time.variable) for pattern in patterns)
        wanted.append(_Wanted(name, asked, clause, patterns))
        for negation in (n for p in patterns for n in p.negations):
            if negation.relation not in seen:
                seen.add(negation.relation)
                kept = tuple(i for i, a in enumerate(negation.arguments) if a is not None)
                auxiliary = _auxiliary_clause(negation.predicate, kept, checked.vocabulary)
                waiting.append((negation.relation, False, auxiliary))
    return wanted


def _frame(query: syntax.Query, vocabulary: Vocabulary) -> Frame | None:
    if query.window is None and query.horizon is None:
        return None
    window, horizon = (ticks_of(b, vocabulary.tick, []) if b else 0 for b in (query.window, query.horizon))
    return Frame(-window, horizon)


def _query_clause(query: syntax.Query, vocabulary: Vocabulary) -> Clause:
    """The query as a rule whose head has the query's variables."""
    rule = syntax.Rule(query.atom, (query.atom,))
    clause = clause_of(rule, -1, vocabulary)
    assert clause is not None
    goal = clause.goals[0]
    names = dict.fromkeys(t.name for t in query.atom.terms[:-1] if isinstance(t, syntax.Variable))
    time = Time(goal.time.variable, 0 if goal.time.variable else goal.time.offset)
    head = Atom(query.atom.predicate, tuple(map(Var, names)), time)
    earliest = dict(clause.earliest)
    if time.variable is not None:
        earliest[time.variable] = max(0, earliest[time.variable])
    return Clause(head, (goal,), (), (), (), tuple(earliest.items()), -1)


def _auxiliary_clause(predicate: str, kept: tuple[int, ...], vocabulary: Vocabulary) -> Clause:
    """What a negation asks: is there an atom with these arguments?"""
    columns = vocabulary[predicate].columns[:-1]
    names = [column[0].upper() + column[1:] for column in columns]
    if len({*names, "T"}) <= len(names):
        names = [f"X{i + 1}" for i in range(len(columns))]
    variables = tuple(map(Var, names))
    goal = Atom(predicate, variables, Time("T", 0))
    head = Atom(predicate, tuple(variables[i] for i in kept), goal.time)
    return Clause(head, (goal,), (), (), (), (("T", 0),), -1)


def _assemble(checked: Checked, wanted: list[_Wanted]) -> Plan:
    vocabulary = checked.vocabulary
    inputs = [_input(p.name, vocabulary) for p in vocabulary.predicates.values() if p.kind is Kind.INPUT]
    relations = []
    for w in wanted:
        head, goal = w.clause.head, w.clause.goals[0]
        names = tuple(a.name for a in head.arguments if isinstance(a, Var))
        types = _types(names, goal, vocabulary)
        relations.append(
            Relation(
                *(w.name, goal.predicate, w.asked, names, types, head.time.variable, w.patterns),
                *(Bounds(None, None, None), Level(0, 0, 0)),
            )
        )
    statics, static_rules = _statics(checked)
    bare = Plan(tuple(inputs), statics, static_rules, tuple(relations), Key(()), vocabulary.tick)
    return completed(bare)


def _input(name: str, vocabulary: Vocabulary) -> Input:
    predicate = vocabulary[name]
    refinements = tuple(Refinement(r.pattern, r.delay) for r in predicate.delays.refinements)
    types = _type_names(name, vocabulary)
    return Input(name, predicate.columns, types, predicate.delays.bound, refinements, predicate.slot)


def _type_names(name: str, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    return tuple(t.value if t else None for t in vocabulary[name].types)


def _types(names: tuple[str, ...], goal: Atom, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    types = _type_names(goal.predicate, vocabulary)
    return tuple(types[goal.arguments.index(Var(name))] for name in names)


def _statics(checked: Checked) -> tuple[tuple[Static, ...], tuple[StaticRule, ...]]:
    vocabulary = checked.vocabulary
    facts: dict[str, list[tuple[str | int | float, ...]]] = {}
    rules = []
    for rule in checked.document.rules:
        if vocabulary.is_static(rule.head.predicate):
            lowered = static_parts(rule, vocabulary)
            if lowered is not None and lowered.body:
                rules.append(lowered)
            elif lowered is not None:
                row = tuple(t.value for t in lowered.answer if isinstance(t, Const))
                facts.setdefault(lowered.predicate, []).append(row)
    statics = tuple(
        Static(
            p.name, p.columns, _type_names(p.name, vocabulary), tuple(dict.fromkeys(facts.get(p.name, ())))
        )
        for p in vocabulary.predicates.values()
        if p.kind is Kind.STATIC
    )
    return statics, tuple(rules)
