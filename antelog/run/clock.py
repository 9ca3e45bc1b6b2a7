"""When rows without an arrival arrive, and which tick is finished: functions on columns, for all runners.

    recorded facts             times 0 5 1 2  ─▶  arrive at 0 5 1 2     nothing was finished before
    tick 1 is finished         times 0 5 1 2  ─▶  arrive at 2 5 2 2     max(t, now + 1)
    one growing file, lag 1    times 0 5 1 2  ─▶  arrive at 0 5 5 5     4 is finished once 5 was read

Ticks are whole numbers, all other times microseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.admission import arrivals
from antelog.errors import UnsupportedError

ClockName = Literal["arrival", "event", "processing"]

NOTHING = -1
"""The last finished tick before the first: all recorded facts are dated from here."""


@dataclass(frozen=True)
class Timing:
    """The clock of a run. None: arrivals, where there is a column of them, else the times of facts.

    lag     the tick that lies this many behind the highest is finished
    idle    a source that is silent for so long follows the wall clock
    tick    the length of a tick, if the program declares one
    ahead   facts of a source that goes on may be so long after the wall clock, and no longer
    """

    clock: ClockName | None = None
    lag: int = 1
    idle: int | None = None
    tick: int | None = None
    ahead: int | None = None

    def __post_init__(self) -> None:
        if self.tick is None and (self.clock == "processing" or self.idle is not None):
            raise UnsupportedError(
                "the wall clock shows no ticks that have no length; begin the program with `tick 1 minute`"
            )

    def ticks(self, microseconds: int) -> int:
        """The whole ticks in a stretch of time."""
        assert self.tick is not None
        return microseconds // self.tick


@dataclass(frozen=True)
class Showing:
    """The wall clock: when the last row was `heard`, and now, in microseconds since 1970."""

    heard: int
    wall: int


SILENT = Showing(0, 0)
"""For runs that do not look at the wall clock."""


def arrivals_in_order(time: Column, timing: Timing, highest: int, now: int) -> Column:
    """Arrivals of the rows of one source that goes on: `max(t, now + 1)`, with what the rows before finished.

    `highest` is the highest tick in the rows before. A tick is finished for a row if it lies the lag behind
    the rows before it; so arrivals do not depend on how rows are cut into pieces.
    """
    before = np.maximum.accumulate(np.append(np.int64(highest), time))[:-1]
    arrived: Column = np.maximum(arrivals(time, now), before - timing.lag + 1)
    return arrived


def far_ahead(timing: Timing, time: Column, wall: int) -> Mask:
    """Which rows of a source that goes on are about ticks too long after the wall clock: these are early.

    The highest tick so far is no measure: after an outage every fact would be far ahead of it.
    """
    if timing.tick is None or timing.ahead is None:
        return np.zeros(len(time), np.bool_)
    far: Mask = time > timing.ticks(wall + timing.ahead)
    return far


def shown(timing: Timing, highest: int, showing: Showing) -> int:
    """The tick the clock shows, `highest` being the highest in the rows so far."""
    if timing.clock == "processing":
        return timing.ticks(showing.wall)
    silent = showing.wall - showing.heard
    if timing.idle is None or silent < timing.idle:
        return highest
    return highest + timing.ticks(silent)


def finished(
    timing: Timing,
    highest: Mapping[str, int],
    now: int,
    showing: Showing = SILENT,
    behind: Collection[str] = (),
) -> int:
    """The last finished tick, at least `now`, given the highest tick of each input.

    Inputs that are `behind` have more to read at once, and hold time back.
    """
    held = [highest.get(name, NOTHING) for name in behind]
    top = max(highest.values(), default=NOTHING)
    if timing.clock == "processing" or (highest and not held):
        top = shown(timing, top, showing)
    elif held:
        top = min(top, *held)
    return max(now, top - timing.lag)


def alarm(timing: Timing, showing: Showing) -> int | None:
    """When the clock may show another tick although no row comes, in microseconds; None if never."""
    if timing.clock == "processing":
        return (timing.ticks(showing.wall) + 1) * (timing.tick or 1)
    if timing.idle is None:
        return None
    next_tick = (timing.ticks(showing.wall - showing.heard) + 1) * (timing.tick or 1)
    return showing.heard + max(timing.idle, next_tick)


def holding(timing: Timing, highest: Mapping[str, int], behind: Collection[str]) -> str | None:
    """The input that holds time back, of those with more to read at once."""
    top = max(highest.values(), default=NOTHING)
    slow = {name: highest.get(name, NOTHING) for name in behind}
    name = min(slow, key=slow.__getitem__, default=None)
    return name if timing.clock != "processing" and name is not None and slow[name] < top else None


def begin(arrived: Iterable[Column]) -> int | None:
    """The first tick of a program with `tick`: that of the earliest arrival over all inputs."""
    return min((int(column.min()) for column in arrived if len(column)), default=None)


def end(now: int, answers: Iterable[pa.Table]) -> int:
    """The tick at which everything that is open at `now` is decided, if no further fact arrives.

    `answers` are those of all queries, of all buckets, at that tick. What is not decided by then has no
    bound. A program with new answers at every tick always has open ones; they do not count.
    """
    last = max(now, 0)
    if now < 0:
        return last
    for table in answers:
        silent, decided = table.column("if_silent"), pc.cast(table.column("decided_by"), pa.int64())
        by_silence = decided if pa.types.is_null(silent.type) else pc.struct_field(silent, "tick")
        latest = pc.max(pc.coalesce(pc.cast(by_silence, pa.int64()), decided)).as_py()
        last = max(last, latest or 0)
    return last
