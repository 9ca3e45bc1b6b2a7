"""Incidents with planted causes: whether `antelog suggest` finds the rule that was planted.

Each kind of condition has a way to make it hold at a moment, and ways to make it nearly hold: a mean over six
hours has a spike, a burst of three hours, and a day that is a little too high. Of 20 causes 14 come before an
incident, and 6 incidents have none. Of a pair each condition holds 30 times without the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pyarrow as pa

from antelog import Program, parse
from antelog.incidents.judging import Incidents, Lead
from antelog.incidents.suggest.conditions import RuleCondition
from antelog.incidents.suggest.input_columns import InputColumns, key_positions
from antelog.incidents.suggest.measures import Measure, SearchedHistory
from antelog.incidents.suggest.proposals import proposals
from antelog.incidents.suggest.searched_part import FoundRule, holding

DEVICES, HOURS = 6, 3000
CAUSES, WITH_INCIDENT, INCIDENTS, ALONE, NEARLY = 20, 14, 20, 30, 20
LEAD = Lead(1, 24, 24)
_APART = 50  # hours between what is planted
_MANUAL = 8  # hours for which a mode lasts


@cache
def program() -> Program:
    return parse("""tick 1 hour.
input Vib(device: text, value: number, noise: number, time) delay 0, one per device.
input Temp(device: text, level: number, pressure: number, time) delay 0, one per device.
input Flow(device: text, rate: number, power: number, time) delay 0, one per device.
input Error(device: text, code: text, time) delay 0.
input Mode(device: text, mode: text, time) delay 0, one per device.
Any(X, T) :- Vib(X, _, _, T), Temp(X, _, _, T), Flow(X, _, _, T), Error(X, _, T-1..T), last Mode(X, _, T).
query Any(X, T).
""")


@dataclass(eq=False)
class World:
    """Readings of some devices by the hour, in which conditions can be planted."""

    random: np.random.Generator
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    errors: list[tuple[int, int, str]] = field(default_factory=list)
    modes: list[tuple[int, int, str]] = field(default_factory=list)
    spots: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        shape, random = (DEVICES, HOURS), self.random
        for name, middle in (("value", 50), ("noise", 50), ("level", 40), ("pressure", 50), ("power", 50)):
            self.columns[name] = middle + 5 * np.clip(random.standard_normal(shape), -2.6, 2.6)
        base = 60 + np.cumsum(random.standard_normal(shape) * 0.6, axis=1)
        self.columns["rate"] = np.clip(base, 25, 110) * (1 + 0.02 * random.standard_normal(shape))
        self.beats = random.random(shape) < 0.9
        self.beats[:, 1:] |= ~self.beats[:, :-1]
        for device in range(DEVICES):
            for hour in np.flatnonzero(random.random(HOURS) < 0.15).tolist():
                self.errors.append(
                    (device, hour, str(random.choice(["E1", "E2", "E3"], p=[0.03, 0.5, 0.47])))
                )
            self.modes.append((device, 0, "auto"))
            for hour in np.flatnonzero(random.random(HOURS) < 0.03).tolist():
                self.modes.append((device, hour, str(random.choice(["auto", "semi"]))))

    def spot(self, fits: Callable[[int], bool] = lambda _: True) -> tuple[int, int]:
        """A device and an hour at which nothing else is planted."""
        for _ in range(100_000):
            device, hour = int(self.random.integers(DEVICES)), int(self.random.integers(80, HOURS - 60))
            if fits(hour) and all(device != d or abs(hour - h) > _APART for d, h in self.spots):
                self.spots.append((device, hour))
                return device, hour
        raise ValueError("there is no room left")

    def tables(self) -> list[pa.Table]:
        device, hour = (each.ravel() for each in np.indices((DEVICES, HOURS)))
        names = pa.array([f"d{each}" for each in device])
        wide = [
            pa.table({"device": names, **{c: np.round(self.columns[c].ravel(), 2) for c in of}, "time": hour})
            for of in (("value", "noise"), ("level", "pressure"), ("rate", "power"))
        ]
        beats = [(d, h, "HB") for d, h in np.argwhere(self.beats).tolist()]
        narrow = [
            pa.table(
                {
                    "device": [f"d{d}" for d, _, _ in rows],
                    name: [code for _, _, code in rows],
                    "time": [h for _, h, _ in rows],
                }
            )
            for name, rows in (
                ("code", self.errors + beats),
                ("mode", [(*at, mode) for at, mode in {(d, h): mode for d, h, mode in self.modes}.items()]),
            )
        ]
        return wide + narrow


# ---- how conditions are made to hold, and nearly to hold ----


def _fill(world: World, column: str, device: int, hour: int, low: float, high: float, hours: int = 1) -> None:
    world.columns[column][device, hour - hours + 1 : hour + 1] = world.random.uniform(low, high, hours)


def _error(world: World, device: int, hours: Sequence[int], code: str) -> None:
    world.errors += [(device, int(hour), code) for hour in hours]


def _within(world: World, hour: int, hours: int, number: int) -> list[int]:
    return [hour - int(each) for each in world.random.choice(hours, number, replace=False)]


def _manual(world: World, device: int, begin: int, end: int) -> None:
    world.modes = [each for each in world.modes if each[0] != device or not begin - 1 <= each[1] <= end + 1]
    world.modes += [(device, begin, "manual"), (device, end, "auto")]


def _flips(world: World, device: int, hour: int) -> None:
    world.modes += [(device, hour - each, ("auto", "semi")[each % 2]) for each in range(0, 8, 2)]


def _no_beats(world: World, device: int, hour: int, hours: int) -> None:
    world.beats[device, hour - hours + 1 : hour + 1] = False
    world.beats[device, [hour - hours, hour + 1]] = True


def _jump_from(
    world: World, column: str, device: int, hour: int, before: tuple[float, float], then: tuple[float, float]
) -> None:
    """A day at one level, and an hour at another."""
    _fill(world, column, device, hour - 1, *before, 30)
    _fill(world, column, device, hour, *then)


def _broken(world: World, device: int, hour: int, middle: tuple[float, float]) -> None:
    """Six hours of high power, and one among them."""
    _fill(world, "power", device, hour, 58, 66, 6)
    _fill(world, "power", device, hour - 2, *middle)


def _average(world: World, device: int, hour: int) -> None:
    """Six hours of a mean of 62 to 65, one of which is low."""
    part = world.random.uniform(61, 67, 6)
    part[world.random.integers(6)] = 52
    world.columns["noise"][device, hour - 5 : hour + 1] = part - part.mean() + world.random.uniform(61, 65)


def _jump(world: World, device: int, hour: int, factor: float) -> None:
    rate = world.columns["rate"][device]
    rate[hour] = rate[hour - 12 : hour].mean() * factor


def _dip(world: World, device: int, hour: int) -> None:
    world.columns["rate"][device, hour - 5 : hour] *= 0.6


def _ramp(world: World, device: int, hour: int) -> None:
    """A steady rise, by a third over the mean of a day and a sixth over that of half a day."""
    rate = world.columns["rate"][device]
    rate[hour - 30 : hour + 1] *= np.geomspace(1, 2.07, 31)
    rate[hour + 1 : hour + 31] *= np.geomspace(2.07, 1, 30)


def _nothing(world: World, device: int, hour: int) -> None:
    """What is about the time needs nothing in the facts."""


Act = Callable[[World, int, int], None]


@dataclass(frozen=True)
class Kind:
    """A kind of condition: what is planted, how it is made to hold, and how nearly."""

    condition: RuleCondition
    plant: Act
    nearly: Sequence[Act] = ()
    beside: Sequence[Act] = ()  # holds at another time than the condition beside it
    at_once: Act | None = (
        None  # holds at one hour: beside hours of the day a range could not be told from them
    )


def _over(what: str, column: str, limit: float, **more: object) -> RuleCondition:
    stream = {"value": 0, "noise": 0, "level": 1, "pressure": 1, "rate": 2, "power": 2, "code": 3, "mode": 4}
    return RuleCondition(Measure(what, stream[column], column, **more), True, limit)  # type: ignore[arg-type]


KINDS: dict[str, Kind] = {
    "presence": Kind(
        _over("count", "code", 0.5, ticks=6, kind="BAD"),
        lambda w, d, h: _error(w, d, _within(w, h, 6, 1), "BAD"),
        beside=(lambda w, d, h: _error(w, d, [h - 12 - int(w.random.integers(4))], "BAD"),),
        at_once=lambda w, d, h: _error(w, d, [h], "BAD"),
    ),
    "count": Kind(
        _over("count", "code", 3.5, ticks=12, kind="E1"),
        lambda w, d, h: _error(w, d, [h, h - 11, *_within(w, h - 2, 8, 2)], "E1"),
        (
            lambda w, d, h: _error(w, d, _within(w, h, 12, 3), "E1"),
            lambda w, d, h: _error(w, d, [h, h - 5, h - 16, h - 21], "E1"),
        ),
    ),
    "not": Kind(
        RuleCondition(Measure("count", 3, "code", 6, "HB"), False, 0.5),
        lambda w, d, h: _no_beats(w, d, h, 6),
        (lambda w, d, h: _no_beats(w, d, h, 4), lambda w, d, h: _no_beats(w, d, h, 5)),
    ),
    "over": Kind(
        _over("value", "value", 70),
        lambda w, d, h: _fill(w, "value", d, h, 71, 85),
        (lambda w, d, h: _jump_from(w, "value", d, h, (33, 40), (62, 68)),),
    ),
    "under": Kind(
        RuleCondition(Measure("value", 1, "level"), False, 22),
        lambda w, d, h: _fill(w, "level", d, h, 12, 21.5),
        (lambda w, d, h: _jump_from(w, "level", d, h, (54, 60), (24, 27)),),
    ),
    "avg": Kind(
        _over("avg", "noise", 60, ticks=6),
        _average,
        (
            lambda w, d, h: _fill(w, "noise", d, h, 68, 80),
            lambda w, d, h: _fill(w, "noise", d, h, 62, 68, 3),
            lambda w, d, h: _fill(w, "noise", d, h, 57, 59.5, 24),
        ),
    ),
    "max": Kind(
        _over("max", "pressure", 70, ticks=6),
        lambda w, d, h: _fill(w, "pressure", d, h - int(w.random.integers(6)), 71, 85),
        (lambda w, d, h: _fill(w, "pressure", d, h, 62, 67, 6),),
        (lambda w, d, h: _fill(w, "pressure", d, h - 12 - int(w.random.integers(4)), 71, 85),),
        at_once=lambda w, d, h: _fill(w, "pressure", d, h, 71, 85),
    ),
    "min": Kind(
        _over("min", "power", 57, ticks=6),
        lambda w, d, h: _fill(w, "power", d, h, 57.5, 63, 6),
        (
            lambda w, d, h: _broken(w, d, h, (48, 55)),
            lambda w, d, h: _fill(w, "power", d, h, 58, 66, 3),
            lambda w, d, h: _fill(w, "power", d, h, 60, 66, 4),
        ),
    ),
    "change": Kind(
        _over("change", "rate", 1.3, ticks=12),
        lambda w, d, h: _jump(w, d, h, w.random.uniform(1.34, 1.6)),
        (_dip, _ramp, lambda w, d, h: _jump(w, d, h, 1.24)),
    ),
    "last": Kind(
        _over("last", "mode", 0.5, kind="manual"),
        lambda w, d, h: _manual(w, d, h - int(w.random.integers(_MANUAL)), h + 1),
        (_flips,),
        (lambda w, d, h: _manual(w, d, h - 20, h - 14),),
        at_once=lambda w, d, h: _manual(w, d, h - 2, h + 1),
    ),
    "hour": Kind(RuleCondition(Measure("hour"), True, 17), _nothing),
    "weekday": Kind(RuleCondition(Measure("weekday"), True, 5), _nothing),
}
CALENDAR = ("hour", "weekday")
SINGLES = [name for name in KINDS if name not in CALENDAR]
PAIRS = [
    (one, other) for at, one in enumerate(KINDS) for other in list(KINDS)[at + 1 :] if one not in CALENDAR
]
_SAME_ALARMS = ("presence", "max", "last")
"""Alone these ring when what they look for comes, whatever the range: other ways to say that count, too."""


def _fits(kinds: Sequence[str]) -> Callable[[int], bool]:
    scale = program().plan.timescale
    assert scale is not None

    def fits(hour: int) -> bool:
        time = scale.time(hour)
        own = {"hour": time.hour > 17, "weekday": time.isoweekday() > 5}
        return all(own[each] for each in kinds if each in own)

    return fits


def _away(kind: str, others: Sequence[str]) -> Callable[[int], bool]:
    """The hours at which a kind may hold alone, without another one that is about the time."""
    hours = [each for each in others if each in CALENDAR]
    within, lasts = _fits(hours), 0 if kind in ("presence", "over", "under", "max", "change") else 2

    def away(hour: int) -> bool:
        return not hours or not any(map(within, range(hour - lasts, hour + lasts + 1)))

    return away


@dataclass(frozen=True, eq=False)
class Planted:
    """Inputs as tables, and the device and the hour of each incident."""

    kinds: tuple[str, ...]
    tables: Sequence[pa.Table]
    incidents: Sequence[tuple[int, int]]

    @property
    def conditions(self) -> tuple[RuleCondition, ...]:
        return tuple(_condition(each, self.kinds) for each in self.kinds)


def _condition(kind: str, kinds: Sequence[str]) -> RuleCondition:
    """The condition that is planted; beside hours and days those that look for something do so at once."""
    found = KINDS[kind].condition
    if KINDS[kind].at_once is None or kind == "last" or not set(kinds) & set(CALENDAR):
        return found
    return replace(
        found, measure=replace(found.measure, ticks=1, what="count" if kind == "presence" else "value")
    )


def _plant(world: World, kind: str, kinds: Sequence[str], device: int, hour: int) -> None:
    own = KINDS[kind]
    act = own.plant if own.at_once is None or not set(kinds) & set(CALENDAR) else own.at_once
    act(world, device, hour)


def planted(kinds: tuple[str, ...], seed: int, *, moved: bool = False) -> Planted:
    """Plants a rule; `moved`: incidents are at random, and have to do with nothing."""
    world = World(np.random.default_rng([seed, *map(list(KINDS).index, kinds)]))
    fits, random = _fits(kinds), world.random
    causes = [world.spot(fits) for _ in range(CAUSES)]
    for cause in causes:
        for kind in kinds:
            _plant(world, kind, kinds, *cause)
    for at, kind in enumerate(kinds):
        others = [*kinds[:at], *kinds[at + 1 :]]
        for near in (*KINDS[kind].nearly, *(KINDS[kind].beside if set(others) - set(CALENDAR) else ())):
            for _ in range(NEARLY if not others else NEARLY // 2):
                spot = world.spot(_fits(others))
                near(world, *spot)
                for other in others:
                    _plant(world, other, kinds, *spot)
        if others and kind not in CALENDAR:
            for _ in range(ALONE):
                _plant(world, kind, kinds, *world.spot(_away(kind, others)))
    # A mode lasts for hours before its cause: from the first alert on an incident is within the lead.
    incidents = [(d, h + int(random.integers(1, LEAD.most - _MANUAL + 1))) for d, h in causes[:WITH_INCIDENT]]
    while len(incidents) < INCIDENTS:
        device, hour = int(random.integers(DEVICES)), int(random.integers(80, HOURS - 60))
        if all(device != d or not -30 < hour - h < 60 for d, h in (*causes, *incidents)):
            incidents.append((device, hour))
    if moved:
        incidents = [(int(random.integers(DEVICES)), int(random.integers(80, HOURS - 60))) for _ in incidents]
    return Planted(kinds, world.tables(), incidents)


# ---- what is found ----


@dataclass(frozen=True, eq=False)
class Found:
    """The proposals for a planted rule, up to the one that is it, if any is."""

    proposals: Sequence[FoundRule]
    right: bool


def found(plan: Planted) -> Found:
    keys = dict[str, int]()
    at = key_positions(program().plan)
    inputs = [
        InputColumns.of(source, table, at.get(source.name), keys)
        for source, table in zip(program().plan.inputs, plan.tables, strict=True)
    ]
    key = np.array([keys[f"d{device}"] for device, _ in plan.incidents])
    begin = np.array([hour for _, hour in plan.incidents])
    incidents = Incidents.of(key, begin, begin)
    history = SearchedHistory.of(program().plan, inputs, keys, incidents, LEAD).measured()
    proposed = list[FoundRule]()
    for each in proposals(history, 5, 0.5):
        proposed.append(each)
        if is_planted(each.conditions, plan, history):
            return Found(proposed, True)
    return Found(proposed, False)


def is_planted(conditions: Sequence[RuleCondition], plan: Planted, history: SearchedHistory) -> bool:
    """Whether conditions are the planted ones, but for limits within 5 %, or ring like it."""
    same = all(any(_like(one, other) for other in conditions) for one in plan.conditions)
    if same and len(conditions) == len(plan.conditions):
        return True
    if len(plan.kinds) == 1 and plan.kinds[0] in _SAME_ALARMS and len(conditions) == 1:
        return _rings_alike(conditions, plan.conditions, history)
    return False


def _like(one: RuleCondition, other: RuleCondition) -> bool:
    whole = one.measure.what in ("count", "last", "hour", "weekday")
    near = 0.5 if whole else abs(one.limit) * 0.05
    same_limit = abs(one.limit - other.limit) <= near
    return one.measure == other.measure and one.above == other.above and same_limit


def _rings_alike(
    one: Sequence[RuleCondition], other: Sequence[RuleCondition], history: SearchedHistory
) -> bool:
    first, second = _alarms(one, history), _alarms(other, history)
    both = len(first & second)
    return both >= 0.95 * max(len(first), len(second))


def _alarms(conditions: Sequence[RuleCondition], history: SearchedHistory) -> set[tuple[int, int]]:
    """Where conditions begin to hold."""
    rows = holding(history, conditions, np.arange(history.count))
    key, tick = history.key[rows], history.tick[rows]
    fresh = np.append(True, (np.diff(key) != 0) | (np.diff(tick) > LEAD.settle + 1))[: len(key)]
    return set(zip(key[fresh].tolist(), tick[fresh].tolist(), strict=True))
