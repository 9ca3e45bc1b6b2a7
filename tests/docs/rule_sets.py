"""Rule sets of docs/idioms.md in plain Python: the answers that the facts of a tick leave true or open.

A truth is a number: 1 for true, 0 for false, 1/2 as long as facts that may still come can change it. So *and*
is `min`, *or* is `max`, and *not* takes it from 1. A fact about tick `t` comes until `t` and its delay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

Fact = tuple[Any, ...]
Truth = float
YES, OPEN, NO = 1.0, 0.5, 0.0


@dataclass(frozen=True)
class Seen:
    """The facts that have arrived by a tick, the first at `first`, and how late others may come."""

    facts: Mapping[str, Collection[Fact]]
    now: int
    first: int
    delays: Mapping[str, int]

    def coming(self, source: str, ticks: Iterable[int]) -> list[int]:
        """The ticks of these about which facts may still come."""
        return [tick for tick in ticks if tick >= 0 and self.now < tick + self.delays[source]]

    def about(self, source: str, ticks: Iterable[int]) -> Iterator[Fact]:
        """The facts about these ticks."""
        return (fact for tick in ticks for fact in self._by_tick[source, tick])

    @cached_property
    def _by_tick(self) -> Mapping[tuple[str, int], list[Fact]]:
        found: dict[tuple[str, int], list[Fact]] = defaultdict(list)
        for source, facts in self.facts.items():
            for fact in facts:
                found[source, fact[-1]].append(fact)
        return found


@dataclass(frozen=True)
class Found:
    """How true an answer is, and what its aggregates come to so far."""

    truth: Truth
    so_far: frozenset[float | None] = frozenset()


Answers = Iterator[tuple[Fact, Found]]
"""Each answer that a fact speaks for; one may be there several times: the truest counts."""
Meaning = Callable[[Seen], Answers]


def _some(found: object, more: object) -> Truth:
    """Something is there, or may come."""
    return YES if found else OPEN if more else NO


def _none(found: object, more: object) -> Truth:
    return 1 - _some(found, more)


def _compared(holds: bool, more: object) -> Truth:
    """A comparison of a value that facts change as long as more may come."""
    return OPEN if more else YES if holds else NO


def _before(ticks: int, t: int) -> range:
    """So many ticks before a tick, and it."""
    return range(t - ticks, t + 1)


def velocity(seen: Seen) -> Answers:
    for _, c, _, t in seen.facts["Pay"]:
        n = sum(card == c for _, card, _, _ in seen.about("Pay", _before(10, t)))
        yield (c, t), Found(_some(n > 3, seen.coming("Pay", [t])), frozenset([n]))


def spends(seen: Seen) -> Answers:
    for _, c, _, t in seen.facts["Pay"]:
        total = sum(amount for _, card, amount, _ in seen.about("Pay", _before(60, t)) if card == c)
        yield (c, t), Found(_some(total > 1000, seen.coming("Pay", [t])), frozenset([total]))


def silent(seen: Seen) -> Answers:
    for x, t in seen.facts["Heard"]:
        after = range(t + 1, t + 4)
        found = any(device == x for device, _ in seen.about("Heard", after))
        yield (x, t), Found(_none(found, seen.coming("Heard", after)))


def down(seen: Seen) -> Answers:
    for x in ("pump", "fan"):
        for t in range(seen.first, seen.now + 1):
            found = any(device == x for device, _ in seen.about("Heard", _before(2, t)))
            yield (x, t), Found(_none(found, seen.coming("Heard", [t])))


def missed(seen: Seen) -> Answers:
    for k, p, t in seen.facts["Ticket"]:
        until = range(t, t + {"high": 3, "low": 12}[p] + 1)
        found = any(ticket == k for ticket, _, _ in seen.about("Reply", until))
        yield (k, p, t), Found(_none(found, seen.coming("Reply", until)))


def poor(seen: Seen) -> Answers:
    tickets = list(missed(seen))
    for _, p, t in seen.facts["Ticket"]:
        shift = [found.truth for (_, q, u), found in tickets if q == p and u in _before(48, t)]
        late, more = shift.count(YES), inf if seen.coming("Ticket", _before(48, t)) else 0
        if late > 0.1 * (len(shift) + more):
            truth = YES
        else:
            truth = OPEN if late + shift.count(OPEN) + more > 0.1 * len(shift) else NO
        yield (p, t), Found(truth, frozenset([late]))


def warm(seen: Seen) -> Answers:
    for b, _, t in seen.facts["Temp"]:
        ticks = range(t, t + 4)
        degrees = {u: value for box, value, u in seen.about("Temp", ticks) if box == b}
        free = set(seen.coming("Temp", ticks)) - set(degrees)
        least = min(degrees.values())
        enough = _some(len(degrees) >= 3, free) if len(degrees) + len(free) >= 3 else NO
        truth = min(enough, _none(least <= 8, free))
        yield (b, t), Found(truth, frozenset([least, len(degrees)]))


def spoilt(seen: Seen) -> Answers:
    for b, w, t in seen.facts["Temp"]:
        degrees = {u: value for box, value, u in seen.about("Temp", _before(36, t)) if box == b}
        free = set(seen.coming("Temp", _before(36, t))) - set(degrees)
        n = sum(value > 8 for value in degrees.values())
        if w > 8:
            truth = _some(n > 6, free) if n + len(free) > 6 else NO
            yield (b, t), Found(truth, frozenset([n]))


ABOVE = {"main": (), "pump": ("main",), "fan": ("main",), "valve": ("pump", "main")}


def cause(seen: Seen) -> Answers:
    for x, t in seen.facts["Alarm"]:
        near = range(t - 2, t + 3)
        found = any(device in ABOVE[x] for device, _ in seen.about("Alarm", near))
        yield (x, t), Found(_none(found, ABOVE[x] and seen.coming("Alarm", near)))


def storm(seen: Seen) -> Answers:
    for (x, t), found in cause(seen):
        near = range(t - 2, t + 3)
        below = {device for device, above in ABOVE.items() if x in above}
        n = len(below & {device for device, _ in seen.about("Alarm", near)})
        more = below and seen.coming("Alarm", near)
        yield (x, t), Found(min(found.truth, _some(n >= 2, more)), frozenset([n]))


def _sign(kind: str, value: float) -> str | None:
    bad = {"temp": value > 38 or value < 36, "pulse": value > 90, "breath": value > 20}
    return kind if bad[kind] else None


def signs(seen: Seen) -> Answers:
    for p, kind, value, t in seen.facts["Vital"]:
        if _sign(kind, value):
            ticks = _before(4, t)
            known = {(k, u): _sign(k, v) for q, k, v, u in seen.about("Vital", ticks) if q == p}
            n = len(set(known.values()) - {None})
            free = {(k, u) for k in ("temp", "pulse", "breath") for u in seen.coming("Vital", ticks)}
            yield (p, t), Found(_some(n >= 2, free - set(known)), frozenset([n]))


def sepsis(seen: Seen) -> Answers:
    for (p, t), found in signs(seen):
        ticks = range(t - 24, t + 7)
        ordered = any(patient == p for patient, _ in seen.about("Culture", ticks))
        yield (p, t), Found(min(found.truth, _some(ordered, seen.coming("Culture", ticks))), found.so_far)


def taken(seen: Seen) -> Answers:
    for a, w, result, t in seen.facts["Login"]:
        hour, day, after = _before(6, t), range(t - 144, t), range(t, t + 7)
        n = sum((x, r) == (a, "wrong") for x, _, r, _ in seen.about("Login", hour))
        known = any((x, at, r) == (a, w, "ok") for x, at, r, _ in seen.about("Login", day))
        changed = any(account == a for account, _, _ in seen.about("Change", after))
        if result == "ok":
            truth = min(
                _some(n >= 2, seen.coming("Login", hour)),
                _none(known, seen.coming("Login", day)),
                _some(changed, seen.coming("Change", after)),
            )
            yield (a, t), Found(truth, frozenset([n]))


def _latest(known: Mapping[int, str], wanted: str, ticks: Iterable[int], free: Collection[int]) -> Truth:
    """Whether the latest value is the one wanted; ticks go back in time, and others may come at free ones."""
    for tick in ticks:
        if known.get(tick, ""):
            return _compared(known[tick] == wanted, any(other > tick for other in free))
    return _some(found=False, more=free)


def _edges(seen: Seen, machine: str, wanted: str, ticks: range) -> Truth:
    known = {
        t: "up" if value >= 95 else "down" if value < 85 else ""
        for m, value, t in seen.about("Temp", ticks)
        if m == machine
    }
    return _latest(known, wanted, reversed(ticks), set(seen.coming("Temp", ticks)) - set(known))


def on(seen: Seen) -> Answers:
    for m, _, t in seen.facts["Temp"]:
        yield (m, t), Found(_edges(seen, m, "up", _before(144, t)))


def starts(seen: Seen) -> Answers:
    for m, value, t in seen.facts["Temp"]:
        if value >= 95:
            yield (m, t), Found(_edges(seen, m, "down", range(t - 144, t)))


def bonded(seen: Seen) -> Answers:
    for p, step, u in seen.facts["Step"]:
        if step == "press":
            before = range(u - 15, u)
            truth = _some(found=False, more=seen.coming("Step", before))
            glued = [t for q, s, t in seen.about("Step", before) if (q, s) == (p, "glue")]
            for t in glued:
                between = range(t, u + 1)
                cooled = any((q, s) == (p, "cool") for q, s, _ in seen.about("Step", between))
                truth = max(truth, _none(cooled, seen.coming("Step", between)))
            yield (p, u), Found(truth)


def unchecked(seen: Seen) -> Answers:
    for (p, u), found in bonded(seen):
        after = range(u, u + 31)
        checked = any((q, s) == (p, "check") for q, s, _ in seen.about("Step", after))
        yield (p, u), Found(min(found.truth, _none(checked, seen.coming("Step", after))))


def _slow(seen: Seen, road: str, t: int) -> Found:
    ticks = _before(4, t)
    cars = [(car, speed) for r, car, speed, _ in seen.about("Car", ticks) if r == road]
    mean = sum(speed for _, speed in cars) / len(cars) if cars else None
    n = len({car for car, _ in cars})
    more = seen.coming("Car", ticks)
    truth = min(_compared(mean is not None and mean < 30, more), _some(n >= 3, more))
    return Found(truth, frozenset([mean, n]))


def slow(seen: Seen) -> Answers:
    for r, _, _, t in seen.facts["Car"]:
        yield (r, t), _slow(seen, r, t)


def warn(seen: Seen) -> Answers:
    for q, c, speed, t in seen.facts["Car"]:
        if speed > 60 and (r := {"a": "b", "b": "c"}.get(q)):
            there = _some(any(road == r for road, *_ in seen.about("Car", [t])), seen.coming("Car", [t]))
            found = _slow(seen, r, t)
            yield (c, r, t), Found(min(there, found.truth), found.so_far)


def odd(seen: Seen) -> Answers:
    for m, value, t in seen.facts["Temp"]:
        hour = range(t - 60, t)
        before = [v for machine, v, _ in seen.about("Temp", hour) if machine == m]
        mean = sum(before) / len(before) if before else None
        warmer = _compared(mean is not None and mean < value / 1.1, seen.coming("Temp", hour))
        modes = {u: mode for machine, mode, u in seen.facts["Mode"] if machine == m}
        past = range(t + 1)
        runs = _latest(modes, "run", reversed(past), set(seen.coming("Mode", past)) - set(modes))
        yield (m, t), Found(min(warmer, runs), frozenset([mean]))


def reported(seen: Seen) -> Answers:
    for machine in {m for m, _ in seen.facts["Hot"]}:
        hot = {t for m, t in seen.facts["Hot"] if m == machine}
        truths: dict[int, Truth] = {}
        for t in range(max(hot) + 1):
            before = max((truths[u] for u in range(max(t - 5, 0), t)), default=NO)
            truths[t] = min(_some(t in hot, seen.coming("Hot", [t])), 1 - before)
        yield from (((machine, t), Found(truths[t])) for t in hot)
