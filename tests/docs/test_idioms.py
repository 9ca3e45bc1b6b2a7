"""Each query of docs/idioms.md confirms what its question means in plain Python, once all facts have come."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

import antelog
from tests.docs.pages import ROOT, blocks_of

PAGE = blocks_of(ROOT / "docs" / "idioms.md")
PROGRAMS = {
    block.file: block.text for block in PAGE if block.file is not None and block.language == "antelog"
}
BY_HAND: dict[str, Any] = {}  # the functions in Python that the page has
for _block in (each for each in PAGE if each.language == "python"):
    exec(compile(_block.text, str(_block), "exec"), BY_HAND)

Fact = tuple[Any, ...]
Facts = Mapping[str, set[Fact]]
Answers = set[Fact]
Meaning = Callable[[Facts], Answers]
Values = Callable[[random.Random, int], Fact]
"""The values of a fact without its tick, from chance and a running number."""
STEP = 3  # the ticks of a step of the engine


def about(facts: Iterable[Fact], ticks: Collection[int]) -> list[Fact]:
    return [fact for fact in facts if fact[-1] in ticks]


def before(ticks: int, t: int) -> range:
    """So many ticks before a tick, and it."""
    return range(t - ticks, t + 1)


# ---- what the queries mean ----


def velocity(facts: Facts) -> Answers:
    pays = facts["Pay"]
    return {(c, t) for _, c, _, t in pays if [pay[1] for pay in about(pays, before(10, t))].count(c) > 3}


def spends(facts: Facts) -> Answers:
    pays = facts["Pay"]

    def spent(card: str, t: int) -> float:
        return sum((amount for _, c, amount, _ in about(pays, before(60, t)) if c == card), 0.0)

    return {(c, t) for _, c, _, t in pays if spent(c, t) > 1000}


def silent(facts: Facts) -> Answers:
    heard = facts["Heard"]
    return {(x, t) for x, t in heard if not heard & {(x, t + n) for n in (1, 2, 3)}}


def down(facts: Facts) -> Answers:
    heard, ticks = facts["Heard"], range(max(t for _, t in facts["Heard"]) + 1)
    devices = ("pump", "fan")
    return {(x, t) for x in devices for t in ticks if not heard & {(x, t - n) for n in (0, 1, 2)}}


def missed(facts: Facts) -> Answers:
    found = set()
    for k, p, t in facts["Ticket"]:
        until = range(t, t + {"high": 3, "low": 12}[p] + 1)
        if k not in {ticket for ticket, _, _ in about(facts["Reply"], until)}:
            found.add((k, p, t))
    return found


def poor(facts: Facts) -> Answers:
    late, tickets = missed(facts), facts["Ticket"]

    def count(some: Answers, priority: str, t: int) -> int:
        return sum(p == priority for _, p, _ in about(some, before(48, t)))

    return {(p, t) for _, p, t in tickets if count(late, p, t) > 0.1 * count(tickets, p, t)}


def degrees(facts: Facts, box: str, ticks: range) -> list[float]:
    return [value for b, value, _ in about(facts["Temp"], ticks) if b == box]


def warm(facts: Facts) -> Answers:
    rows = {(b, t): degrees(facts, b, range(t, t + 4)) for b, _, t in facts["Temp"]}
    return {answer for answer, values in rows.items() if min(values) > 8 and len(values) >= 3}


def spoilt(facts: Facts) -> Answers:
    rows = {(b, t): degrees(facts, b, before(36, t)) for b, w, t in facts["Temp"] if w > 8}
    return {answer for answer, values in rows.items() if sum(value > 8 for value in values) > 6}


ABOVE = {"main": (), "pump": ("main",), "fan": ("main",), "valve": ("pump", "main")}


def alarms(facts: Facts, t: int) -> set[str]:
    return {device for device, _ in about(facts["Alarm"], range(t - 2, t + 3))}


def cause(facts: Facts) -> Answers:
    return {(x, t) for x, t in facts["Alarm"] if not alarms(facts, t) & {*ABOVE[x]}}


def storm(facts: Facts) -> Answers:
    return {(x, t) for x, t in cause(facts) if sum(x in ABOVE[y] for y in alarms(facts, t)) >= 2}


def signs(facts: Facts) -> Answers:
    healthy = {"temp": range(36, 39), "pulse": range(91), "breath": range(21)}
    bad = {(p, kind, t) for p, kind, value, t in facts["Vital"] if value not in healthy[kind]}
    return {
        (p, t) for p, _, t in bad if len({kind for q, kind, _ in about(bad, before(4, t)) if q == p}) >= 2
    }


def sepsis(facts: Facts) -> Answers:
    return {(p, t) for p, t in signs(facts) if facts["Culture"] & {(p, u) for u in range(t - 24, t + 7)}}


def taken(facts: Facts) -> Answers:
    found, logins = set(), facts["Login"]
    for a, w, result, t in logins:
        guesses = [(account, r) for account, _, r, _ in about(logins, before(6, t))].count((a, "wrong"))
        is_known = logins & {(a, w, "ok", u) for u in range(t - 144, t)}
        changed = {account for account, _, _ in about(facts["Change"], range(t, t + 7))}
        if result == "ok" and guesses >= 2 and not is_known and a in changed:
            found.add((a, t))
    return found


def last_edge(facts: Facts, machine: str, ticks: range) -> str | None:
    temps = ((t, value) for m, value, t in about(facts["Temp"], ticks) if m == machine)
    edges = [(t, "up" if value >= 95 else "down") for t, value in temps if not 85 <= value < 95]
    return max(edges)[1] if edges else None


def on(facts: Facts) -> Answers:
    return {(m, t) for m, _, t in facts["Temp"] if last_edge(facts, m, before(144, t)) == "up"}


def starts(facts: Facts) -> Answers:
    hot = {(m, t) for m, value, t in facts["Temp"] if value >= 95}
    return {(m, t) for m, t in hot if last_edge(facts, m, range(t - 144, t)) == "down"}


def bonded(facts: Facts) -> Answers:
    steps = facts["Step"]
    glued = {(p, t) for p, step, t in steps if step == "glue"}
    pressed = {(p, u) for p, step, u in steps if step == "press"}
    return {
        (p, u)
        for p, u in pressed
        for t in range(u - 15, u)
        if (p, t) in glued and not steps & {(p, "cool", v) for v in range(t, u + 1)}
    }


def unchecked(facts: Facts) -> Answers:
    steps = facts["Step"]
    return {(p, u) for p, u in bonded(facts) if not steps & {(p, "check", v) for v in range(u, u + 31)}}


def slow(facts: Facts) -> Answers:
    found = set()
    for road, _, _, t in facts["Car"]:
        cars = [(car, speed) for r, car, speed, _ in about(facts["Car"], before(4, t)) if r == road]
        if fmean(speed for _, speed in cars) < 30 and len({car for car, _ in cars}) >= 3:
            found.add((road, t))
    return found


def warn(facts: Facts) -> Answers:
    jams, into = slow(facts), {"a": "b", "b": "c", "c": ""}
    return {(c, into[q], t) for q, c, speed, t in facts["Car"] if speed > 60 and (into[q], t) in jams}


def odd(facts: Facts) -> Answers:
    found = set()
    for m, value, t in facts["Temp"]:
        hour = degrees(facts, m, range(t - 60, t))
        modes = [(u, mode) for machine, mode, u in facts["Mode"] if machine == m and u <= t]
        if hour and fmean(hour) < value / 1.1 and modes and max(modes)[1] == "run":
            found.add((m, t))
    return found


def told(facts: Facts) -> Answers:
    found: Answers = set()
    for m, t in sorted(facts["Hot"], key=lambda fact: fact[1]):
        if not found & {(m, u) for u in range(t - 5, t)}:
            found.add((m, t))
    return found


def begins(facts: Facts) -> Answers:
    return {(m, t) for m, t in facts["Hot"] if (m, t - 1) not in facts["Hot"]}


def ends(facts: Facts) -> Answers:
    return {(m, t) for m, t in facts["Hot"] if (m, t + 1) not in facts["Hot"]}


def row(facts: Facts) -> Answers:
    return {(m, t) for m, t in facts["Hot"] if {(m, t + 1), (m, t + 2)} <= facts["Hot"]}


def first(facts: Facts) -> Answers:
    return row(facts) & begins(facts)


def after(facts: Facts) -> Answers:
    return {(s, t) for s, t in facts["Error"] if facts["Deploy"] & {(s, t - n) for n in (1, 2, 3)}}


def without(facts: Facts) -> Answers:
    return facts["Error"] - after(facts)


def stays(facts: Facts) -> Answers:
    found = set()
    for r, b, u in facts["Enter"]:
        leaves = [t for room, badge, t in facts["Leave"] if (room, badge) == (r, b) and t >= u]
        if leaves and u < min(leaves) <= u + 480:
            found.add((r, b, u, min(leaves)))
    return found


def exposed(facts: Facts) -> Answers:
    smoke = facts["Smoke"]
    return {(r, b, u, t) for r, b, u, v in stays(facts) for room, t in smoke if room == r and u <= t <= v}


def changed(facts: Facts) -> Answers:
    found = set()
    for m, level, t in facts["Level"]:
        earlier = [(u, old) for n, old, u in facts["Level"] if n == m and u < t]
        if earlier and (latest := max(earlier)[1]) != level:
            found.add((m, latest, level, t))
    return found


def fire(facts: Facts) -> Answers:
    smoke = facts["Smoke"]
    return {(r, t) for r, a, t in smoke for q, b, u in smoke if r == q and a != b and u in (t, t + 1)}


def top(facts: Facts) -> Answers:
    readings = facts["Reading"]
    return {(r, d, t) for r, d, t in readings if d == max(e for _, e, u in readings if u == t)}


def faults(facts: Facts) -> Answers:
    found = facts["Fault"]
    return {(n, sum(m == n for m, _, _ in about(found, before(2, t))), t) for n, _, t in found}


# ---- the page ----


def one_of(*columns: tuple[object, ...]) -> Values:
    return lambda chance, _: tuple(chance.choice(column) for column in columns)


def by_hand(name: str, *inputs: str) -> Meaning:
    """Calls a Python function of the page with the facts of its inputs, and returns its answers."""

    def answers(facts: Facts) -> Answers:
        found: Answers = BY_HAND[name](*(facts[each] for each in inputs))
        return found

    return answers


def session(facts: Facts) -> Answers:
    clicks = facts["Click"]
    found, since = set(), dict[str, int]()
    for u, t in sorted(clicks, key=lambda each: each[1]):
        since.setdefault(u, t)
        if not clicks & {(u, t + n) for n in range(1, 11)}:
            found.add((u, since.pop(u), t))
    return found


def paid(facts: Facts) -> Answers:
    rows = sorted(facts["Ev"], key=lambda row: row[2])
    following = {
        n: next((e for e in rows[i:] if e[0] == x and e[2] > n), None) for i, (x, _, n, _) in enumerate(rows)
    }
    pairs = ((row, following[row[2]]) for row in rows if row[1] == "order")
    return {
        (a[0], a[2], b[2], a[3]) for a, b in pairs if b is not None and b[1] == "paid" and b[3] <= a[3] + 10
    }


def then(facts: Facts) -> Answers:
    ticks = {x: sorted({row[3] for row in facts["Ev"] if row[0] == x}) for x in TWO}
    following = {(x, t): u for x, own in ticks.items() for t, u in pairwise(own)}
    orders = [row for row in facts["Ev"] if row[1] == "order"]
    pairs = ((a, b) for a in orders for b in facts["Ev"] if b[3] == following.get((a[0], a[3])))
    return {(a[0], a[2], b[2], a[3]) for a, b in pairs if a[0] == b[0] and b[1] == "paid"}


@dataclass(frozen=True)
class Idiom:
    """A program of the page, the meaning of its queries, and facts to make up: values, rate, ticks."""

    program: str
    meanings: Mapping[str, Meaning]
    values: Mapping[str, Values]
    rate: float = 0.8
    ticks: int = 70
    limits: Mapping[str, float] = field(default_factory=dict)


TWO, MACHINES = ("ann", "ben"), ("m1", "m2")
BOXES = (*[("b1", 7)] * 5, ("b1", 12), ("b2", 9), ("b2", 8.5), ("b2", 8.1), ("b2", 8))
VITALS = (("temp", 39), ("temp", 37), ("temp", 35), ("pulse", 99), ("breath", 22))
HEAT = (("m1", 80), ("m1", 90), ("m1", 96), ("m2", 80), *[("m2", 90)] * 20, ("m2", 96))
SERVERS, HOT = one_of(("web", "db")), {"Hot": one_of(MACHINES)}
TICKETS = {
    "Ticket": lambda chance, number: (f"k{number % 60}", chance.choice(("high", "low"))),
    "Reply": lambda chance, number: (f"k{(number - chance.randint(0, 9)) % 60}", "ana"),
}
PATIENTS = {
    "Vital": lambda chance, _: (chance.choice(TWO), *chance.choice(VITALS)),
    "Culture": lambda chance, number: (chance.choice(TWO) if number % 12 == 0 else "cid",),
}
LOGINS = {
    "Login": one_of(TWO, ("home", "work", "cafe", "hotel", "bus", "abroad"), ("ok", "wrong")),
    "Change": one_of(TWO, ("password",)),
}
PAYS = {"Pay": lambda chance, number: (f"n{number}", chance.choice(TWO), chance.choice((5, 20.5, 90, 300)))}
STEPS = {"Step": one_of(("p1", "p2"), ("glue", "glue", "press", "press", "cool", "check"))}
CARS = {"Car": one_of(("a", "b", "c"), ("c1", "c2", "c3", "c4"), (5, 5, 5, 90))}
MODES = {"Temp": one_of(MACHINES, (60, 70, 80)), "Mode": one_of(MACHINES, ("run", "off"))}
BADGES = one_of(("lab", "attic"), TWO)
ROOMS = {"Enter": BADGES, "Leave": BADGES, "Smoke": one_of(("lab", "attic"))}
ROWS = {"Ev": lambda c, number: (c.choice(TWO), c.choice(("order", "paid", "cancel")), number)}
IDIOMS = [
    Idiom("velocity.alog", {"Velocity": velocity, "Spends": spends}, PAYS, ticks=90),
    Idiom("silent.alog", {"Silent": silent, "Down": down}, {"Heard": one_of(("pump", "fan", "press"))}),
    Idiom("sla.alog", {"Missed": missed, "Poor": poor}, TICKETS, rate=0.3, ticks=80),
    Idiom("cold.alog", {"Warm": warm, "Spoilt": spoilt}, {"Temp": lambda c, _: c.choice(BOXES)}, rate=4),
    Idiom("causes.alog", {"Cause": cause, "Storm": storm}, {"Alarm": one_of(tuple(ABOVE))}),
    Idiom("sepsis.alog", {"Signs": signs, "Sepsis": sepsis}, PATIENTS, rate=0.6),
    Idiom("takeover.alog", {"Taken": taken}, LOGINS, rate=0.5, ticks=200, limits={"known": 1}),
    Idiom("hysteresis.alog", {"On": on, "Starts": starts}, {"Temp": lambda c, _: c.choice(HEAT)}, 2, 180),
    Idiom("sequence.alog", {"Bonded": bonded, "Unchecked": unchecked}, STEPS, rate=0.25, ticks=200),
    Idiom("traffic.alog", {"Slow": slow, "Warn": warn}, CARS, rate=3),
    Idiom("odd.alog", {"Odd": odd}, MODES, rate=0.5, ticks=110),
    Idiom("hourly.alog", {"Told": told}, HOT),
    Idiom("thrice.alog", {"Attack": by_hand("thrice", "Fail")}, {"Fail": one_of(TWO, ("h1", "h2"))}),
    Idiom(
        "restart.alog",
        {"Each": by_hand("each", "Heat", "Alarm"), "Again": by_hand("restarted", "Heat", "Alarm")},
        {"Heat": one_of(MACHINES), "Alarm": one_of(MACHINES)},
        rate=0.2,
        ticks=300,
    ),
    Idiom("ever.alog", {"Ever": by_hand("ever", "Hot")}, HOT, rate=0.05),
    Idiom("new.alog", {"New": by_hand("new", "Pay")}, {"Pay": one_of(TWO, ("fr", "de", "pt", "es"))}),
    Idiom("edge.alog", {"Begins": begins, "Ends": ends}, HOT),
    Idiom("row.alog", {"Row": row, "First": first}, HOT, rate=1.5),
    Idiom("after.alog", {"After": after, "Without": without}, {"Deploy": SERVERS, "Error": SERVERS}),
    Idiom("stays.alog", {"Stay": stays, "Exposed": exposed}, ROOMS, rate=0.5),
    Idiom("changed.alog", {"Changed": changed}, {"Level": one_of(MACHINES, ("low", "high"))}),
    Idiom("agree.alog", {"Fire": fire}, {"Smoke": one_of(("fish", "meat"), ("s1", "s2"))}),
    Idiom("top.alog", {"Top": top}, {"Reading": one_of(("fish", "meat", "ice"), (-18, 4, 5))}, rate=2),
    Idiom("faults.alog", {"Faults": faults}, {"Fault": one_of(("l1", "l2"), ("e7", "e9"))}),
    Idiom("session.alog", {"Session": session}, {"Click": one_of(TWO)}, 0.2, 200),
    Idiom("order.alog", {"Paid": paid}, ROWS, rate=2),
    Idiom("rows.alog", {"Then": then}, ROWS, rate=2),
]


def drawn(program: antelog.Program, idiom: Idiom) -> Mapping[str, Mapping[Fact, int]]:
    """Facts of all inputs, one for each slot and tick, with their arrivals, as late as may be."""
    chance = random.Random(7)
    found: dict[str, dict[Fact, int]] = {each.name: {} for each in program.plan.inputs}
    for source in program.plan.inputs:
        slots, number = set(), 0
        for tick in range(idiom.ticks):
            while chance.random() * (1 + idiom.rate) < idiom.rate:
                number += 1
                fact = (*idiom.values[source.name](chance, number), tick)
                slot = fact if source.slot is None else (*(fact[i] for i in source.slot), tick)
                if slot not in slots:
                    slots.add(slot)
                    found[source.name][fact] = tick + chance.randint(0, source.delay)
    return found


@pytest.mark.parametrize("idiom", IDIOMS, ids=[each.program for each in IDIOMS])
def test_a_query_confirms_what_its_question_means(idiom: Idiom) -> None:
    program = antelog.parse(PROGRAMS[idiom.program], limits=idiom.limits)
    facts = drawn(program, idiom)
    last = max(arrival for each in facts.values() for arrival in each.values())
    engine = antelog.Engine(program)
    decided: dict[tuple[str, str], Answers] = {}
    for now in [*range(STEP - 1, last + STEP, STEP), last + 60]:
        near = range(now - STEP + 1, now + 1)
        came = {name: [fact for fact, at in each.items() if at in near] for name, each in facts.items()}
        for query, table in engine.advance(now, came).items():
            names = program.plan.relation(query).answer.names
            for line in table.to_pylist():
                answer = tuple(line[name] for name in names)
                decided.setdefault((query, line["change"]), set()).add(answer)
    ticks = range(STEP, idiom.ticks - 1)  # time begins with a fact, and goes on behind the last
    for query, meaning in idiom.meanings.items():
        expected = set(about(meaning({name: {*each} for name, each in facts.items()}), ticks))
        assert expected, "the facts are to have such answers"
        confirmed = decided[query, "confirmed"]
        assert set(about(confirmed, ticks)) == expected
        assert not confirmed & decided.get((query, "rejected"), set())


def test_every_query_of_the_page_is_tested() -> None:
    plans = {name: antelog.parse(text).plan for name, text in PROGRAMS.items()}
    asked = {(name, query.name) for name, plan in plans.items() for query in plan.queries}
    assert asked == {(each.program, query) for each in IDIOMS for query in each.meanings}
