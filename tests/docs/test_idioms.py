"""Each short idiom of docs/idioms.md confirms what its question means in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

import antelog
from tests.docs.pages import ROOT, blocks_of
from tests.docs.test_rule_sets import RULE_SETS

PAGE = blocks_of(ROOT / "docs" / "idioms.md")
PROGRAMS = {block.file: block for block in PAGE if block.file is not None and block.language == "antelog"}
LAST = 16
"""The tick of the last fact; answers about ticks near it are decided after it."""

Fact = tuple[Any, ...]
Drawn = tuple[int, str, Fact]
"""When a fact arrives, at which input, and the fact."""
Facts = Mapping[str, set[Fact]]
Answers = set[Fact]
Meaning = Callable[[Facts], Answers]


def _begins(facts: Facts) -> Answers:
    return {(m, t) for m, t in facts["Hot"] if t > 0 and (m, t - 1) not in facts["Hot"]}


def _ends(facts: Facts) -> Answers:
    return {(m, t) for m, t in facts["Hot"] if (m, t + 1) not in facts["Hot"]}


def _row(facts: Facts) -> Answers:
    hot = facts["Hot"]
    return {(m, t) for m, t in hot if {(m, t + 1), (m, t + 2)} <= hot}


def _first(facts: Facts) -> Answers:
    return _row(facts) & _begins(facts)


def _after(facts: Facts) -> Answers:
    deploys = facts["Deploy"]
    return {(s, t) for s, t in facts["Error"] if deploys & {(s, t - n) for n in (1, 2, 3)}}


def _without(facts: Facts) -> Answers:
    return facts["Error"] - _after(facts)


def _changed(facts: Facts) -> Answers:
    found = set()
    for m, level, t in facts["Level"]:
        before = [(u, old) for n, old, u in facts["Level"] if n == m and u < t]
        if before and (latest := max(before)[1]) != level:
            found.add((m, latest, level, t))
    return found


def _fire(facts: Facts) -> Answers:
    smoke = facts["Smoke"]
    return {(r, t) for r, a, t in smoke for q, b, u in smoke if r == q and a != b and u in (t, t + 1)}


def _top(facts: Facts) -> Answers:
    readings = facts["Reading"]
    return {(r, d, t) for r, d, t in readings if d == max(e for _, e, u in readings if u == t)}


def _faults(facts: Facts) -> Answers:
    faults = facts["Fault"]
    return {(n, sum(m == n and t - 2 <= u <= t for m, _, u in faults), t) for n, _, t in faults}


MEANING: list[tuple[str, str, Meaning]] = [
    ("edge.alog", "Begins", _begins),
    ("edge.alog", "Ends", _ends),
    ("row.alog", "Row", _row),
    ("row.alog", "First", _first),
    ("after.alog", "After", _after),
    ("after.alog", "Without", _without),
    ("changed.alog", "Changed", _changed),
    ("agree.alog", "Fire", _fire),
    ("top.alog", "Top", _top),
    ("faults.alog", "Faults", _faults),
]
VALUES: Mapping[str, list[Fact]] = {
    "Level": [("m1", "low"), ("m1", "high"), ("m2", "low"), ("m2", "high")],
    "Smoke": [(room, sensor) for room in ("fish", "meat") for sensor in ("s1", "s2")],
    "Fault": [("l1", "e7"), ("l1", "e9"), ("l2", "e7")],
    "Reading": [("fish", 4), ("fish", 5), ("meat", 5), ("ice", -18)],
}


def _random_facts(program: antelog.Program, chance: random.Random) -> list[Drawn]:
    """Facts of all inputs with the ticks of their arrivals, as late as they may be."""
    drawn = []
    for source in program.plan.inputs:
        for tick in range(LAST + 1):
            values = VALUES.get(source.name, [("web",), ("db",)])
            taken: set[object] = set()
            for value in chance.sample(values, len(values)):
                if chance.random() < 0.45 and (source.slot is None or value[0] not in taken):
                    taken.add(value[0])
                    drawn.append((tick + chance.randint(0, source.delay), source.name, (*value, tick)))
    return drawn


def _decided(program: antelog.Program, query: str, drawn: Collection[Drawn]) -> Mapping[str, Answers]:
    """The answers that are confirmed and rejected when the facts come one tick after the other."""
    engine = antelog.Engine(program)
    answer = program.plan.relation(query).answer
    columns = [*answer.variables, answer.time]
    decided: dict[str, Answers] = {"confirmed": set(), "rejected": set()}
    for tick in range(LAST + 8):
        came: dict[str, list[Fact]] = {each.name: [] for each in program.plan.inputs}
        for arrival, source, fact in drawn:
            if arrival == tick:
                came[source].append(fact)
        for row in engine.advance(tick, came)[query].to_pylist():
            if row["change"] in decided and row[answer.time] is not None and row[answer.time] <= LAST:
                decided[row["change"]].add(tuple(row[column] for column in columns))
    return decided


@pytest.mark.parametrize(("name", "query", "meaning"), MEANING, ids=[f"{n}-{q}" for n, q, _ in MEANING])
def test_an_idiom_means_what_its_question_asks(name: str, query: str, meaning: Meaning) -> None:
    program = antelog.parse(PROGRAMS[name].text)
    found = 0
    for seed in range(3):
        drawn = _random_facts(program, random.Random(seed))
        names = [each.name for each in program.plan.inputs]
        expected = meaning({each: {fact for _, source, fact in drawn if source == each} for each in names})
        found += len(expected)
        decided = _decided(program, query, drawn)
        assert decided["confirmed"] == expected
        assert not decided["confirmed"] & decided["rejected"]
    assert found, "the facts are to have such answers"


def test_every_query_of_the_page_is_tested() -> None:
    """Here, or tick by tick in test_rule_sets.py."""
    plans = {name: antelog.parse(block.text).plan for name, block in PROGRAMS.items()}
    asked = {(name, query.name) for name, plan in plans.items() for query in plan.queries}
    tick_by_tick = {(rules.program, query) for rules in RULE_SETS for query in rules.meanings}
    assert asked == {(name, query) for name, query, _ in MEANING} | tick_by_tick
