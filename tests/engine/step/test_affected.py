"""antelog/engine/step/query.py: the ticks whose answers a step can change, as spans."""

from __future__ import annotations

import numpy as np

import antelog
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.spans import EVERYWHERE, NOWHERE, Spans, span
from antelog.engine.facts.history import SeenValues
from antelog.engine.step.query import Step, affected, undecided

MALF = "input Temp(x, time) delay 1. Malf(X, T) :- Temp(X, T), Temp(X, T+1), Temp(X, T+2). query Malf(X, T)."
CALM = "input Alarm(x, time) delay 1. Calm(X, T) :- not Alarm(X, T-2). query Calm(X, T)."


def of(text: str, step: Step, seen: SeenValues | None = None, **new: Spans) -> list[tuple[int, int]]:
    rules = prepared(antelog.parse(text).plan)
    (query,) = rules.plan.queries
    facts = {name: new.get(name, NOWHERE) for name in rules.inputs}
    values = seen or SeenValues(np.zeros(0, np.int64), np.zeros(0, np.int64))
    spans = affected(rules, [query.name], step, facts, dict.fromkeys(rules.seen, values))[query.name]
    return list(zip(spans.first.tolist(), spans.last.tolist(), strict=True))


def test_a_fact_changes_the_answers_that_may_rest_on_it_and_a_tick_those_it_is_the_deadline_of() -> None:
    # A fact about 20 comes; what was due at 9 is about 8.
    assert of(MALF, Step(0, 8, 9), Temp=span(20, 20)) == [(6, 8), (18, 20)]
    assert of(MALF, Step(0, 8, 9)) == [(6, 8)]
    assert of(MALF, Step(0, 8, 10**12)) == [(6, 10**12 - 1)]


def test_a_pattern_without_facts_speaks_at_each_tick() -> None:
    # Of tick 9; and not Alarm(X, 8) is decided now, on which that about 10 rests.
    assert of(CALM, Step(0, 8, 9)) == [(9, 10)]
    assert of(CALM, Step(0, 8, 9), Alarm=span(3, 3)) == [(5, 5), (9, 10)]


def test_a_value_that_is_seen_has_answers_where_all_others_are_open() -> None:
    at_9 = SeenValues(np.array([7]), np.array([9]))
    slow = "input Alarm(x, time) delay 3. Calm(X, T) :- not Alarm(X, T). query Calm(X, T)."
    ((first, _),) = of(slow, Step(0, 8, 9), at_9)
    assert first == 6
    assert of(slow, Step(0, 9, 10), at_9) == [(7, 7), (10, 10)]


def test_answers_that_can_be_open_now() -> None:
    rules = prepared(antelog.parse(MALF).plan)
    assert int(undecided(rules, "Malf", Step(0, 8, 9)).first[0]) == 6  # that about 6 is decided at 9
    endless = prepared(antelog.parse("Q(X, T) :- A(X, T), B(X, U). query Q(X, T).").plan)
    assert undecided(endless, "Q", Step(0, 8, 9)) is EVERYWHERE
