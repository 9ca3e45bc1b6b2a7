"""Programs whose answers several buckets may know of, or whose time begins and ends for all together."""

import random

from antelog.compile.nodes.plan import Input, Plan
from antelog.program import parse
from tests.spark.comparing import Fact

PROGRAMS = {  # each has a key
    "evidence before any fact": """
        input A(x: text, time). input B(x: text, time) delay 2. input C(x: text, time).
        P1(X, T) :- A(X, T-1), B(X, T).    P1(X, T) :- C(X, T+1), B(X, T-2).
        Q(X, T) :- B(X, T), A(X, T-1), not P1(X, T-1).    query Q(X, T).""",
    "rising edges": """
        input Alarm(x: text, time) delay 1.    delay Alarm(b, _) = 3.
        Rise(X, T) :- Alarm(X, T), not Alarm(X, T-1).    query Rise(X, T).""",
    "turbines": """
        tick 10 minutes.
        input Temp(device: text, level: text, time) delay 1.    delay Temp(b, _, _) = 2.
        static Turbine(device).    Turbine(a).    Turbine(b).
        Flag(X, T) :- Temp(X, a, T).    Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).
        Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).    Malf(X, T-2) :- Shdn(X, T).
        OK(X, T-2) :- Turbine(X), not Shdn(X, T).
        query Malf(X, T).    query OK(X, T).""",
    "all others": """
        input Alarm(x: text, time) delay 2.
        Calm(X, T) :- not Alarm(X, T).    query Calm(X, T).""",
    "all others but some": """
        input Alarm(x: text, v: number, time) delay 2.    delay Alarm(c, _, _) = 0.
        Hot(X, T) :- Alarm(X, V, T), V > 1.    Hot(X, T) :- Alarm(X, 0, T+1), Alarm(X, _, T).
        Calm(X, T-1) :- not Hot(X, T), X != a, X != e.    query Calm(X, T).""",
    "all others but one, at once": """
        input A(x: text, time).
        P(X, T) :- not A(X, T), X != b.    query P(X, T).""",
    "all others of each, by the clock": """
        tick 1 hour.
        input Alarm(x: text, y: text, time) delay 1.    static Site(x: text).    Site(a).    Site(b).
        Calm(X, Y, T) :- Site(X), not Alarm(X, Y, T).    query Calm(X, Y, T).""",
    "all others, by the clock": """
        tick 1 hour.
        input Alarm(x: text, time) delay 2.    input Note(x: text, time).
        Calm(X, T) :- not Alarm(X, T).    Told(X, T) :- Note(X, T), not Calm(X, T+1).
        query Calm(X, T).    query Told(X, T).""",
    "all others, and facts": """
        input Alarm(x: text, time) delay 1.    input Off(x: text, time) delay 2.
        Calm(X, T) :- not Alarm(X, T).    Calm(X, T) :- Off(X, T), not Alarm(X, T+1).
        query Calm(X, T).""",
    "one per device": """
        input Temp(device: text, v: number, time) delay 2, one per device.
        Warm(X, T) :- Temp(X, V, T), V > 0, not Temp(X, 2, T+1).
        Cold(X, T) :- Temp(X, 0, T), Temp(X, 1, T+1).
        query Warm(X, T).    query Cold(X, T).""",
    "one per device and tick, of use to nobody": """
        input Temp(device: text, v: number, time) delay 1, one per v.
        input Mode(x: text, y: text, time) delay 1, one per tick.
        input On(x: text, time).
        Up(X, T) :- On(X, T), not On(X, T+1).    query Up(X, T).""",
    "absences where one fact excludes others": """
        tick 1 minute.
        input Temp(device: text, level: text, time) delay 2, one per device.
        static Turbine(device).    Turbine(a).    Turbine(b).
        OK(X, T) :- Turbine(X), not Temp(X, a, T).    query OK(X, T).""",
    "open for a while": """
        input Ordered(x: text, time) delay 1.    input Closed(x: text, time).
        Waiting(X, T) :- Ordered(X, U), not Closed(X, T), T >= U, T <= U+4.    query Waiting(X, T).""",
    "in turns": """
        tick 1 minute.
        input Press(x: text, time) delay 1.    static Lamp(x: text).    Lamp(a).    Lamp(c).
        Off(X, T+1) :- Press(X, T+1), not Off(X, T).
        Dark(X, T) :- Lamp(X), not Off(X, T).
        query Off(X, T).    query Dark(X, T).""",
}

_VALUES = {"text": ("a", "b", "c", "d"), "number": (0.0, 1.0, 2.0), None: ("a", "b")}


def plan_of(name: str) -> Plan:
    return parse(PROGRAMS[name]).plan


def facts_of(plan: Plan, chance: random.Random, count: int, first: int) -> list[Fact]:
    """Facts about ticks from some on, of which some come late, early, twice, or in another's slot."""
    return [_fact(chance.choice(plan.inputs), chance, first) for _ in range(count)]


def _fact(source: Input, chance: random.Random, first: int) -> Fact:
    time = first + chance.randint(0, 5)
    arrival = max(0, time + chance.choice((-1, 0, 0, 0, *range(source.delay + 2))))
    values = [chance.choice(_VALUES[each]) for each in source.types[: len(source.columns) - 1]]
    return source.name, (*values, time), arrival
