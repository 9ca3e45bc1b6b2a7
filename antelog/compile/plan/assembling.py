"""The parts of a program put together to a plan, before what follows from its patterns is known.

In come the declarations, the background and the relations with their patterns, out goes a plan that
has them. Its bounds, levels and key are still empty: `completing` works them out, also for a plan that is
read from a file.

    input A(x: text, time) delay 2.    Input("A", ("x", "time"), ("text",), delay=2)
"""

from __future__ import annotations

from collections.abc import Iterable

from antelog.compile.nodes.patterns import Const, Var
from antelog.compile.nodes.plan import (
    Answer,
    Bounds,
    Input,
    Key,
    Level,
    Plan,
    Refinement,
    Relation,
    Static,
    StaticRule,
)
from antelog.compile.patterns.relations import Asked, Resolved
from antelog.compile.rules.clauses import static_parts
from antelog.language import Checked
from antelog.language.vocabulary import Kind, Vocabulary


def assembled(checked: Checked, relations: Iterable[Resolved]) -> Plan:
    vocabulary = checked.vocabulary
    inputs = [_input(p.name, vocabulary) for p in vocabulary.predicates.values() if p.kind is Kind.INPUT]
    statics, static_rules = _statics(checked)
    found = [_relation(each, vocabulary) for each in relations]
    return Plan(tuple(inputs), statics, static_rules, tuple(found), Key(()), vocabulary.tick)


def _relation(resolved: Resolved, vocabulary: Vocabulary) -> Relation:
    asked = resolved.asked
    answer = Answer(asked.variables, _types(asked, vocabulary), asked.clause.head.time.variable)
    nothing = Bounds(None, None, None), Level(0, 0, 0)
    return Relation(asked.name, asked.predicate, asked.by_query, answer, resolved.patterns, *nothing)


def _types(asked: Asked, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    goal = asked.clause.goals[0]
    types = _type_names(goal.predicate, vocabulary)
    return tuple(types[goal.arguments.index(Var(name))] for name in asked.variables)


def _type_names(name: str, vocabulary: Vocabulary) -> tuple[str | None, ...]:
    return tuple(t.value if t else None for t in vocabulary[name].types)


def _input(name: str, vocabulary: Vocabulary) -> Input:
    predicate = vocabulary[name]
    refinements = tuple(Refinement(r.pattern, r.delay) for r in predicate.delays.refinements)
    types = _type_names(name, vocabulary)
    return Input(name, predicate.columns, types, predicate.delays.bound, refinements, predicate.slot)


def _statics(checked: Checked) -> tuple[tuple[Static, ...], tuple[StaticRule, ...]]:
    """The background relations with the facts the program states, and the rules between them."""
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
