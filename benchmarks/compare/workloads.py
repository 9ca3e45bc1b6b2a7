"""What is asked of every engine: the events, the question, and the answers there must be.

An event is a row of `kind`, `device`, `place`, `value`, `time` and `arrival`, the last two in ticks; what a
question does not need is empty. The last events are about the device END, long after all others: they move
the clocks of those engines on that know the time from events only, and no answer is about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from benchmarks.compare import answers
from benchmarks.compare.phones import BOUND, phones
from benchmarks.streams import DELAY, Facts, Numbers, arriving, numbered, readings
from benchmarks.workloads import size

END = "end"
BATCHES = 20
LEVELS = ("high", "low")
QUIET = 40
"""So many ticks lie between the last events and those that end the stream."""


@dataclass(frozen=True)
class Given:
    """Events in the order of arrival, the relations that go with them, and the answers."""

    events: pl.DataFrame
    answers: pl.DataFrame
    static: dict[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def ends(self) -> Numbers:
        """The last tick of each batch; one more moves time on."""
        last = int(self.events["arrival"].to_numpy().max())
        quiet = last - QUIET
        return np.append(np.linspace(quiet / BATCHES, quiet, BATCHES).astype(int), last)


@dataclass(frozen=True)
class Workload:
    """A question about `inputs`, kinds of events with their columns; its answers have these variables.

    `delay` is how many ticks late its events may be.
    """

    name: str
    title: str
    what: str
    program: str
    inputs: dict[str, list[str]]
    variables: str
    delay: int
    prepare: Callable[[float], Given]


# ---- W1 and W4: three readings in a row ----

IN_A_ROW = """
input Temp(device, value, time) delay {delay}.
Flag(X, T)   :- Temp(X, high, T).
Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).
Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
Malf(X, T-2) :- Shdn(X, T).
"""

MALFUNCTIONS = """
query Malf(X, T).
"""

NOT_IN_A_ROW = """
OK(X, T) :- Temp(X, _, T), not Malf(X, T).
query OK(X, T).
"""


def in_a_row(scale: float) -> Given:
    devices, ticks = size(scale, 1_000), 2_000
    facts = _temperatures(devices, ticks)
    return Given(_stream(facts), answers.in_a_row(facts, devices, ticks))


def not_in_a_row(scale: float) -> Given:
    devices, ticks = size(scale, 1_000), 2_000
    facts = _temperatures(devices, ticks)
    return Given(_stream(facts), answers.not_in_a_row(facts, devices, ticks))


def _temperatures(devices: int, ticks: int) -> Facts:
    return readings(1, devices, ticks, LEVELS, (0.3, 0.7))


# ---- W2: absence with a deadline ----

UNACKNOWLEDGED = """
input Alarm(device, time) delay 2.
input Ack(device, time) delay 2.
Acknowledged(X, T) :- Alarm(X, T), Ack(X, S), S > T, S <= T + 5.
Ignored(X, T) :- Alarm(X, T), not Acknowledged(X, T).
query Ignored(X, T).
"""


def unacknowledged(scale: float) -> Given:
    devices, ticks = size(scale, 1_000), 2_000
    alarms, acks = (
        _now_and_then(seed, kind, devices, ticks, share)
        for seed, kind, share in ((5, "Alarm", 0.3), (6, "Ack", 0.2))
    )
    return Given(_stream(alarms, acks), answers.unacknowledged(alarms, acks, devices, ticks))


def _now_and_then(seed: int, kind: str, devices: int, ticks: int, share: float) -> Facts:
    """At each tick so large a share of the devices has something to say."""
    random = np.random.default_rng(seed)
    time, device = np.nonzero(random.random((ticks, devices)) < share)
    return arriving(random, kind, (device,), (("device", numbered("d", devices)),), time)


# ---- W3: a join over a static relation ----

JOINED = """
input Heat(device, time) delay 2.
input Pressure(device, time) delay 2.
static Feeds(device, other).
Joint(X, Y, T) :- Heat(X, T), Feeds(X, Y), Pressure(Y, T+1).
query Joint(X, Y, T).
"""


def joined(scale: float) -> Given:
    devices, ticks = size(scale, 1_000), 1_000
    heats, pressures = (
        _now_and_then(seed, kind, devices, ticks, 0.3) for seed, kind in ((7, "Heat"), (8, "Pressure"))
    )
    feeds = np.array([(i, (i + step) % devices) for i in range(devices) for step in (1, 3, 7)])
    names = numbered("d", devices)
    static = pl.DataFrame({"device": names[feeds[:, 0]], "other": names[feeds[:, 1]]})
    found = answers.joined(heats, pressures, feeds, devices, ticks)
    return Given(_stream(heats, pressures), found, {"Feeds": static})


# ---- W5: leads ----

LEADS = """
input Popularity(device, place, value: number, time) delay 2.
static Near(region, neighbour).
static Shop(shop, region).
Trend(P, R, T) :- Popularity(P, R, A, T-2), Popularity(P, R, B, T-1), Popularity(P, R, C, T),
    B >= A + 5, C >= B + 5.
Popular(P, R, T) :- Popularity(P, R, A, T), A >= 60.
Lead(S, P, T) :- Shop(S, R), Near(R, N), Trend(P, N, T), not Popular(P, R, T).
query Lead(S, P, T).
"""


def leads(scale: float) -> Given:
    """Scores that go up and down in each of 6 times 6 regions; every region has two shops."""
    products, side, ticks = size(scale, 100), 6, 60
    random = np.random.default_rng(9)
    steps = random.normal(0, 9, (products, side * side, ticks))
    scores = np.clip(np.cumsum(steps, axis=2) + 40, 0, 100).round().astype(np.int64)
    near = np.array(
        [
            (a, b)
            for a in range(side * side)
            for b in range(side * side)
            if a != b and abs(a // side - b // side) <= 1 and abs(a % side - b % side) <= 1
        ]
    )
    product, region, time = (each.ravel() for each in np.indices(scores.shape))
    names = (("device", numbered("p", products)), ("place", numbered("r", side * side)))
    order = np.argsort(time, kind="stable")
    columns = (product[order], region[order], scores.ravel()[order])
    facts = arriving(
        random, "Popularity", columns, (*names, ("value", np.arange(101).astype(np.str_))), time[order]
    )
    regions = names[1][1]
    shops = [(f"s{region}-{number}", region) for region in regions for number in range(2)]
    static = {
        "Near": pl.DataFrame({"region": regions[near[:, 0]], "neighbour": regions[near[:, 1]]}),
        "Shop": pl.DataFrame(shops, schema=["shop", "region"], orient="row"),
    }
    events = _stream(facts).cast({"value": pl.Int64})
    return Given(events, answers.leads(scores, near, shops, regions), static)


# ---- W6: real disorder ----


def recorded(scale: float) -> Given:
    facts, devices, ticks = phones(size(scale, 100, least=1))
    return Given(_stream(facts), answers.in_a_row(facts, devices, ticks))


# ---- W7 and W8: counts and means in a sliding window ----

PAYMENTS = """
input Pay(device, value: number, time) delay 2.
"""

FAST = f"""
Fast(X, T) :- Pay(X, _, T), count(Pay(X, _, T-{answers.WINDOW - 1}..T)) >= {answers.MANY}.
query Fast(X, T).
"""

DEAR = f"""
Dear(X, T) :- Pay(X, _, T), avg(V : Pay(X, V, T-{answers.WINDOW - 1}..T)) > {answers.HIGH_MEAN}.
query Dear(X, T).
"""


def fast(scale: float) -> Given:
    facts, devices, ticks = _payments(scale)
    return Given(_numbered(facts), answers.many_within(facts, devices, ticks))


def dear(scale: float) -> Given:
    facts, devices, ticks = _payments(scale)
    return Given(_numbered(facts), answers.dear_within(facts, devices, ticks))


def _payments(scale: float) -> tuple[Facts, int, int]:
    """At each tick three in ten cards pay something."""
    devices, ticks = size(scale, 1_000), 2_000
    paid = _now_and_then(9, "Pay", devices, ticks, 0.3)
    value = np.random.default_rng(10).integers(0, answers.AMOUNTS, len(paid))
    names = (*paid.names, ("value", np.arange(answers.AMOUNTS).astype(np.str_)))
    return replace(paid, objects=(*paid.objects, value), names=names), devices, ticks


def _numbered(facts: Facts) -> pl.DataFrame:
    """The events, with numbers as values."""
    return _stream(facts).cast({"value": pl.Int64})


# ---- all of them ----


def _stream(*inputs: Facts) -> pl.DataFrame:
    """All events and those that end the stream, by their arrival, and in any order within a tick."""
    end = max(int(facts.arrival.max()) for facts in inputs) + QUIET
    tables = [_ended(pl.DataFrame(facts.table()), facts.predicate, end) for facts in inputs]
    mixed = pl.concat(tables).sample(fraction=1, shuffle=True, seed=0)
    return mixed.sort("arrival", maintain_order=True)


def _ended(table: pl.DataFrame, kind: str, end: int) -> pl.DataFrame:
    """With the columns all events have, and one event more."""
    table = table.rename({"level": "value"}, strict=False)
    table = table.with_columns(
        pl.lit("").alias(name) for name in ("place", "value") if name not in table.columns
    )
    table = table.select(pl.lit(kind).alias("kind"), "device", "place", "value", "time", "arrival")
    last = table.tail(1).with_columns(device=pl.lit(END), time=pl.lit(end), arrival=pl.lit(end))
    return pl.concat([table, last.select(pl.col(name).cast(kind) for name, kind in table.schema.items())])


_IN_A_ROW = IN_A_ROW.format(delay=DELAY)
_READINGS = {"Temp": ["device", "value"]}
_ALARMS = {"Alarm": ["device"], "Ack": ["device"]}
_SENSORS = {"Heat": ["device"], "Pressure": ["device"]}
_SCORES = {"Popularity": ["device", "place", "value"]}
_PAYMENTS = {"Pay": ["device", "value"]}

WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", "three in a row", "three high readings of a device in a row",
                 _IN_A_ROW + MALFUNCTIONS, _READINGS, "XT", DELAY, in_a_row),
        Workload("W2", "absence", "alarms that nobody acknowledges within five ticks",
                 UNACKNOWLEDGED, _ALARMS, "XT", DELAY, unacknowledged),
        Workload("W3", "join", "heat at a device, and a tick later pressure at one it feeds",
                 JOINED, _SENSORS, "XYT", DELAY, joined),
        Workload("W4", "negation", "readings that do not begin three high ones in a row",
                 _IN_A_ROW + NOT_IN_A_ROW, _READINGS, "XT", DELAY, not_in_a_row),
        Workload("W5", "leads", "a trend in a region nearby, for something not popular here yet",
                 LEADS, _SCORES, "SPT", DELAY, leads),
        Workload("W6", "real disorder", "a phone heard in three ticks in a row",
                 IN_A_ROW.format(delay=BOUND) + MALFUNCTIONS, _READINGS, "XT", BOUND, recorded),
        Workload("W7", "velocity", "payments with 25 or more of their card within 60 ticks",
                 PAYMENTS + FAST, _PAYMENTS, "XT", DELAY, fast),
        Workload("W8", "sliding mean", "payments whose card has paid more than 55 in the mean of 60 ticks",
                 PAYMENTS + DEAR, _PAYMENTS, "XT", DELAY, dear),
    )
}  # fmt: skip
