"""The rule sets of docs/idioms.md are open and confirmed, tick by tick, as they are in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pytest

import antelog
from tests.docs import rule_sets
from tests.docs.pages import ROOT, blocks_of
from tests.docs.rule_sets import NO, YES, Fact, Found, Meaning, Seen

PROGRAMS = {block.file: block.text for block in blocks_of(ROOT / "docs" / "idioms.md") if block.file}

LOOK = 2
"""Open answers are looked at after every other tick, which leaves time for more ticks."""

Values = Callable[[random.Random, int], Fact]
"""The values of a fact without its tick, from chance and a running number."""


def _one_of(*columns: tuple[object, ...]) -> Values:
    return lambda chance, _: tuple(chance.choice(column) for column in columns)


def _numbered(*columns: tuple[object, ...]) -> Values:
    return lambda chance, number: (f"n{number}", *(chance.choice(column) for column in columns))


@dataclass(frozen=True)
class RuleSet:
    """A program of the page, the meaning of its queries, and facts to make up: values, rate, ticks."""

    program: str
    meanings: Mapping[str, Meaning]
    values: Mapping[str, Values]
    rate: float = 0.8
    ticks: int = 70
    limits: Mapping[str, float] = field(default_factory=dict)


TWO = ("ann", "ben")
MACHINES = ("m1", "m2")
BOXES = (*[("b1", 7)] * 5, ("b1", 12), ("b2", 9), ("b2", 8.5), ("b2", 8.1), ("b2", 8))
VITALS = (("temp", 39), ("temp", 37), ("temp", 35), ("pulse", 99), ("breath", 22))
RULE_SETS = [
    RuleSet(
        "velocity.alog",
        {"Velocity": rule_sets.velocity, "Spends": rule_sets.spends},
        {"Pay": _numbered(TWO, (5, 20.5, 90, 300))},
        ticks=90,
    ),
    RuleSet(
        "silent.alog",
        {"Silent": rule_sets.silent, "Down": rule_sets.down},
        {"Heard": _one_of(("pump", "fan", "press"))},
    ),
    RuleSet(
        "sla.alog",
        {"Missed": rule_sets.missed, "Poor": rule_sets.poor},
        {
            "Ticket": lambda chance, number: (f"k{number % 60}", chance.choice(("high", "low"))),
            "Reply": lambda chance, number: (f"k{(number - chance.randint(0, 9)) % 60}", "ana"),
        },
        rate=0.3,
        ticks=80,
    ),
    RuleSet(
        "cold.alog",
        {"Warm": rule_sets.warm, "Spoilt": rule_sets.spoilt},
        {"Temp": lambda chance, _: chance.choice(BOXES)},
        rate=4,
        ticks=80,
    ),
    RuleSet(
        "causes.alog",
        {"Cause": rule_sets.cause, "Storm": rule_sets.storm},
        {"Alarm": _one_of(("main", "pump", "fan", "valve"))},
    ),
    RuleSet(
        "sepsis.alog",
        {"Signs": rule_sets.signs, "Sepsis": rule_sets.sepsis},
        {
            "Vital": lambda chance, _: (chance.choice(TWO), *chance.choice(VITALS)),
            "Culture": lambda chance, number: (chance.choice(TWO) if number % 12 == 0 else "cid",),
        },
        rate=0.6,
        ticks=60,
    ),
    RuleSet(
        "takeover.alog",
        {"Taken": rule_sets.taken},
        {
            "Login": _one_of(TWO, ("home", "work", "cafe", "hotel", "bus", "abroad"), ("ok", "wrong")),
            "Change": _one_of(TWO, ("password",)),
        },
        rate=0.5,
        ticks=200,
        limits={"known": 1},
    ),
    RuleSet(
        "hysteresis.alog",
        {"On": rule_sets.on, "Starts": rule_sets.starts},
        {
            "Temp": lambda chance, _: chance.choice(
                (("m1", 80), ("m1", 90), ("m1", 96), ("m2", 80), *[("m2", 90)] * 20, ("m2", 96))
            )
        },
        rate=2,
        ticks=180,
    ),
    RuleSet(
        "sequence.alog",
        {"Bonded": rule_sets.bonded, "Unchecked": rule_sets.unchecked},
        {"Step": _one_of(("p1", "p2"), ("glue", "glue", "press", "press", "cool", "check"))},
        rate=0.25,
        ticks=200,
    ),
    RuleSet(
        "traffic.alog",
        {"Slow": rule_sets.slow, "Warn": rule_sets.warn},
        {"Car": _one_of(("a", "b", "c"), ("c1", "c2", "c3", "c4"), (5, 5, 5, 90))},
        rate=3,
    ),
    RuleSet(
        "odd.alog",
        {"Odd": rule_sets.odd},
        {"Temp": _one_of(MACHINES, (60, 70, 80)), "Mode": _one_of(MACHINES, ("run", "off"))},
        rate=0.5,
        ticks=110,
    ),
    RuleSet(
        "hourly.alog", {"Told": rule_sets.reported}, {"Hot": _one_of((*MACHINES, "m3", "m4"))}, ticks=100
    ),
]


@dataclass(frozen=True)
class Drawn:
    """A fact of an input, and when it arrives."""

    arrival: int
    source: str
    fact: Fact


def _facts(program: antelog.Program, rules: RuleSet, chance: random.Random) -> list[Drawn]:
    """Facts as late as they may be; of facts of one slot and tick only one is there."""
    found: dict[Fact, Drawn] = {}
    for source in program.plan.inputs:
        number = 0
        for tick in range(rules.ticks):
            while chance.random() * (1 + rules.rate) < rules.rate:
                number += 1
                fact = (*rules.values[source.name](chance, number), tick)
                slot = range(len(fact)) if source.slot is None else (*source.slot, -1)
                arrival = tick + chance.randint(0, source.delay)
                key = (source.name, *(fact[place] for place in slot))
                found.setdefault(key, Drawn(arrival, source.name, fact))
    return list(found.values())


def _truest(meaning: Meaning, seen: Seen) -> dict[Fact, Found]:
    best: dict[Fact, Found] = {}
    for answer, found in meaning(seen):
        if found.truth > NO and (answer not in best or best[answer].truth < found.truth):
            best[answer] = found
    return best


def _so_far(explanations: list[dict[str, list[dict[str, float | None]]]]) -> frozenset[float | None]:
    return frozenset(each["value"] for one in explanations for each in one.get("so_far") or ())


def _open(answers: pa.Table, names: Collection[str]) -> dict[Fact, frozenset[float | None]]:
    """The open answers without open variables, with what their aggregates come to so far."""
    rows = [row for row in answers.to_pylist() if row["change"] != "confirmed"]
    found = {tuple(row[name] for name in names): _so_far(row["explanations"]) for row in rows}
    return {answer: so_far for answer, so_far in found.items() if None not in answer}


@pytest.mark.parametrize("rules", RULE_SETS, ids=[each.program for each in RULE_SETS])
def test_a_rule_set_is_open_and_confirmed_as_in_plain_python(rules: RuleSet) -> None:
    program = antelog.parse(PROGRAMS[rules.program], limits=rules.limits)
    drawn = _facts(program, rules, random.Random(7))
    delays = {source.name: source.delay for source in program.plan.inputs}
    engine = antelog.Engine(program)
    known: dict[str, list[Fact]] = {name: [] for name in delays}
    confirmed: dict[str, set[Fact]] = {name: set() for name in rules.meanings}
    were_open = dict.fromkeys(rules.meanings, 0)
    first = min(each.arrival for each in drawn)
    for now in range(rules.ticks + 8):
        came = {name: [d.fact for d in drawn if (d.source, d.arrival) == (name, now)] for name in delays}
        changes = engine.advance(now, came)
        for name, facts in came.items():
            known[name] += facts
        for query, meaning in rules.meanings.items():
            names = program.plan.relation(query).answer.names
            confirmed[query] |= {
                tuple(row[name] for name in names)
                for row in changes[query].to_pylist()
                if row["change"] == "confirmed"
            }
            expected = _truest(meaning, Seen(known, now, first, delays))
            certain = {a for a, found in expected.items() if found.truth == YES}
            assert confirmed[query] == certain, (query, now)
            if now % LOOK:
                continue
            still = {a: found.so_far for a, found in expected.items() if found.truth < YES}
            assert _open(engine.answers(query), names) == still, (query, now)
            were_open[query] += len(still)
    assert all(confirmed.values()), "the facts are to have such answers"
    assert all(were_open.values())
