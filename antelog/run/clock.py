"""When rows without an arrival arrive, and which tick is finished: functions on columns, for all runners.

    recorded facts             times 0 5 1 2  ─▶  arrive at 0 5 1 2     nothing was finished before
    tick 1 is finished         times 0 5 1 2  ─▶  arrive at 2 5 2 2     max(t, now + 1)
    one growing file, lag 1    times 0 5 1 2  ─▶  arrive at 0 5 5 5     4 is finished once 5 was read
    the same, and --idle 10s   times 0 5      ─▶  14 is finished 10 seconds later, though nothing came

In a run that nobody gave a clock, the wall clock alone moves time while inputs are live: read to their ends,
with facts about the present. Then a tick is over a *grace* after it has ended: the longest by which one of
the last facts came after its deadline. Ticks are whole numbers, all other times microseconds.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.ticks import tick_at
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.admission import arrivals
from antelog.errors import UnsupportedError
from antelog.language.durations import duration_text, long_duration_text
from antelog.language.moments import Timescale, moment, tick_in_words
from antelog.run.sources.source import FactSource

SECOND = 1_000_000
LEAST_GRACE = SECOND
SAMPLES = 100  # the last facts of each input from which the grace follows
LATEST_SAMPLE = 10 * SECOND  # a fact later than this, and than a tick, does not count: there was an outage
NEAR = 60 * SECOND  # a fact that is no older is about the present, whatever the program says of its input
QUIET = 10 * SECOND  # silence after which an input that cannot tell its end has been read
MAX_WAITING = 10_000_000  # rows of a stream on Spark that may wait for their ticks
PATIENCE = 300 * SECOND  # how long time waits for an input that cannot be reached


@dataclass(eq=False)
class _LiveInput:
    """One input: whether it is live, or was; when rows of it came; since when it cannot be reached."""

    rhythm: int
    known: bool
    live: bool = False
    heard: int = 0
    lost: int | None = None
    late: deque[int] = field(default_factory=lambda: deque(maxlen=SAMPLES))

    def is_waited_for(self, wall: int) -> bool:
        """Whether time has to wait for it: it was live, and may be again."""
        return self.known and not self.live and (self.lost is None or wall - self.lost < PATIENCE)


class LiveInputs:
    """The live inputs of a run, of which those `known` were live in an earlier one."""

    def __init__(self, rhythms: Mapping[str, int], timescale: Timescale, known: Iterable[str] = ()) -> None:
        before = set(known)
        self._timescale = timescale
        self._inputs = {name: _LiveInput(rhythm, name in before) for name, rhythm in rhythms.items()}
        self.looked: int | None = None
        self.notes: list[str] = []
        self.by_clock = False  # whether the wall clock alone moves time
        self.waiting = False  # whether time waits for an input that cannot be reached

    @property
    def known(self) -> list[str]:
        """The names of the inputs that are or were live."""
        return [name for name, each in self._inputs.items() if each.known]

    @property
    def grace(self) -> int:
        """How long after its end a tick is over."""
        return max([LEAST_GRACE, *(max(each.late, default=0) for each in self._inputs.values())])

    def finished(self, wall: int) -> int:
        """The last tick that is over by the wall clock."""
        return self.tick(wall - self.grace) - 1

    def tick(self, wall: int) -> int:
        return tick_at(wall, self._timescale)

    def hear(self, name: str, deadlines: Column, wall: int) -> None:
        """Notes that facts of an input came, given the ticks up to which they may come."""
        each, longest = self._inputs[name], max(LATEST_SAMPLE, self._timescale.length)
        each.heard = wall
        if each.live:
            found = (wall - self._timescale.begin(tick + 1) for tick in deadlines[-SAMPLES:].tolist())
            each.late.extend(late for late in found if late <= longest)

    def look(self, wall: int, newest: Mapping[str, int], sources: Mapping[str, FactSource]) -> None:
        """Finds out which inputs are live, once all were polled; `newest` are their highest ticks."""
        if self.looked is None or wall - self.looked > QUIET:
            for each in self._inputs.values():
                each.live, each.heard = False, wall
        self.looked = wall
        for name, each in self._inputs.items():
            self._look_at(name, each, sources[name], wall, newest.get(name))
        live = [name for name, each in self._inputs.items() if each.live]
        gone = [each for each in self._inputs.values() if each.known and not each.live]
        self.waiting = any(each.lost is not None and each.is_waited_for(wall) for each in gone)
        by_clock = bool(live or gone) and not any(each.is_waited_for(wall) for each in gone)
        if by_clock != self.by_clock:
            by_facts = "time goes by facts again, until the inputs have been read to their ends"
            self.notes.append(self._by_clock_now(live, newest) if by_clock else by_facts)
        self.by_clock = by_clock

    def _look_at(
        self, name: str, each: _LiveInput, source: FactSource, wall: int, newest: int | None
    ) -> None:
        if not source.reachable:
            if each.lost is None and each.known:
                waits = f"time waits for it, for {long_duration_text(PATIENCE)} at most"
                self.notes.append(f"{name} cannot be reached: {waits}")
            each.lost, each.live = wall if each.lost is None else each.lost, False
            return
        each.lost = None
        read = source.ended or not source.behind
        if each.live or not read or not (source.tells_end or wall - each.heard >= QUIET):
            return
        about_now = max(each.rhythm + self.grace, NEAR)
        if each.known or (newest is not None and wall - self._timescale.begin(newest + 1) <= about_now):
            each.live = each.known = True

    def _by_clock_now(self, live: list[str], newest: Mapping[str, int]) -> str:
        if not live:
            return "time goes on with the clock of this machine, without the inputs that cannot be reached"
        facts = list(live)
        for at, name in enumerate(live):
            if name in newest:
                facts[at] += f", its newest fact of {tick_in_words(newest[name], self._timescale)}"
        return (
            f"time goes by the clock of this machine now: facts are about the present ({'; '.join(facts)}). "
            f"A tick is over {self.grace / SECOND:.3g} s after it has ended"
        )


ClockName = Literal["arrival", "event", "processing"]
NOTHING = -1  # the last finished tick before the first fact; recorded facts are dated from here


def rhythms_of(plan: Plan) -> dict[str, int]:
    """For how long no fact of each input may come, its delay included; empty if ticks have no length."""
    tick = plan.tick
    if tick is None:
        return {}
    gaps = {each.name: 1 if each.expected.gap is None else each.expected.gap for each in plan.inputs}
    return {each.name: (max(each.delays) + gaps[each.name]) * tick for each in plan.inputs}


@dataclass(frozen=True)
class Timing:
    """The clock of a run. None: arrivals, where there is a column of them, else the times of facts."""

    clock: ClockName | None = None
    lag: int = 1  # the tick that lies this many behind the highest is finished
    idle: int | None = None  # a source that is silent for so long follows the wall clock
    timescale: Timescale | None = None  # when ticks begin, if the program says how long they are
    ahead: int | None = None  # facts of a source that goes on may be so long after the wall clock
    rhythms: Mapping[str, int] = field(default_factory=dict)  # of inputs that may be live: see `rhythms_of`
    skew: int | None = None  # a source so many ticks ahead of the one that holds time is not read on

    def __post_init__(self) -> None:
        if self.timescale is None and (self.clock == "processing" or self.idle is not None):
            raise UnsupportedError.of("clock.no-ticks")

    def ticks(self, microseconds: int) -> int:
        assert self.timescale is not None
        return microseconds // self.timescale.length

    def at(self, moment: int) -> int:
        assert self.timescale is not None
        return tick_at(moment, self.timescale)


@dataclass(frozen=True)
class Showing:
    """The wall clock when the last row was heard, now, and when the run began; and which inputs are live."""

    heard: int
    wall: int
    began: int = 0
    live: LiveInputs | None = None

    @property
    def silent(self) -> int:
        """How long this run has heard nothing."""
        return self.wall - max(self.heard, self.began)


SILENT = Showing(0, 0)  # for runs that do not look at the wall clock


def arrivals_in_order(
    time: Column, timing: Timing, highest: int, now: int, *, latest: int | None = None
) -> Column:
    """Arrivals of rows of a source that goes on, however they are cut; after `latest` they are as at it."""
    before = np.maximum.accumulate(np.append(np.int64(highest), time))[:-1]
    before = before if latest is None else np.minimum(before, latest)
    arrived: Column = np.maximum(arrivals(time, now), before - timing.lag + 1)
    return arrived


def far_ahead(timing: Timing, time: Column, wall: int) -> Mask:
    """Which rows of a source that goes on are about ticks too long after the wall clock, and thus early."""
    # The highest tick so far is not a measure: after an outage every fact would be far ahead of it.
    if timing.timescale is None or timing.ahead is None:
        return np.zeros(len(time), np.bool_)
    return time > timing.at(wall + timing.ahead)


def shown(timing: Timing, highest: int, showing: Showing) -> int:
    """The tick that the clock shows, given the highest tick in the rows so far."""
    if timing.clock == "processing":
        return timing.at(showing.wall)
    if timing.idle is None or showing.silent < timing.idle:
        return highest
    return highest + timing.ticks(showing.wall - showing.heard)


def finished(
    timing: Timing,
    highest: Mapping[str, int],
    now: int,
    showing: Showing = SILENT,
    behind: Collection[str] = (),
) -> int:
    """The last finished tick, given the highest of each source; those that are `behind` hold time back."""
    held = [highest.get(name, NOTHING) for name in behind]
    top = max(highest.values(), default=NOTHING)
    if showing.live is not None and highest:
        return max(now, _finished_live(showing.live, [top, *held], timing.lag, showing.wall))
    if timing.clock == "processing" or (highest and not held):
        top = shown(timing, top, showing)
    elif held:
        top = min(top, *held)
    return max(now, top - timing.lag)


def _finished_live(live: LiveInputs, read: Sequence[int], lag: int, wall: int) -> int:
    """The last finished tick where nobody chose a clock, given the highest tick and those that hold it."""
    if live.waiting:
        return NOTHING
    by_facts = min(*read, live.tick(wall)) - lag
    if not live.by_clock:
        return by_facts
    return live.finished(wall) if len(read) == 1 else min(live.finished(wall), by_facts)


def alarm(timing: Timing, showing: Showing) -> int | None:
    """When the clock may show another tick although no row comes, in microseconds; None if never."""
    if timing.timescale is None:
        return None
    if timing.clock == "processing":
        return timing.timescale.begin(timing.at(showing.wall) + 1)
    if timing.idle is None:
        return None
    next_tick = (timing.ticks(showing.wall - showing.heard) + 1) * timing.timescale.length
    return showing.heard + max(timing.idle, next_tick)


@dataclass(frozen=True)
class Slowest:
    """The source that holds time back most, its highest tick, and by how much others are ahead of it."""

    source: str
    tick: int
    behind: int


def slowest(highest: Mapping[str, int], holding: Iterable[str], top: int = NOTHING) -> Slowest | None:
    """The source furthest behind of those that hold time, given the highest ticks of sources, and of all."""
    held = [(highest.get(name, NOTHING), name) for name in holding]
    if not held:
        return None
    tick, name = min(held)
    return Slowest(name, tick, max(tick, top, *highest.values()) - tick)


def named(name: str, part: str | None) -> str:
    """The name of a source: of an input, or of a part that it is read from."""
    return f"{name} from {part}" if part else name


def input_of(source: str) -> str:
    return source.partition(" ")[0]


def end(now: int, answers: Iterable[pa.Table]) -> int:
    """The tick by which all open answers are decided if no fact arrives; those of every tick do not count."""
    last = max(now, 0)
    if now < 0:
        return last
    for table in answers:
        silent, decided = table.column("if_silent"), pc.cast(table.column("decided_by"), pa.int64())
        by_silence = decided if pa.types.is_null(silent.type) else pc.struct_field(silent, "tick")
        latest = pc.max(pc.coalesce(pc.cast(by_silence, pa.int64()), decided)).as_py()
        last = max(last, latest or 0)
    return last


# ---- facts that are late because the wall clock moved time ----


@dataclass(eq=False)
class Silence:
    """A stretch without facts, from the tick `since` on, and one warning about facts of it that are late."""

    plan: Plan
    timing: Timing
    since: int | None = None
    _late: Counter[str] = field(default_factory=Counter)
    _first: int = 0  # the first tick that passed without the late facts
    _delay: int = 0  # the delay they would need
    _fresh: bool = False
    _warned: bool = False

    def look(self, now: int, highest: Mapping[str, int]) -> None:
        """Compares the last finished tick with the one that facts alone have finished."""
        by_facts = now
        if self.timing.clock != "processing":
            by_facts = max(NOTHING, max(highest.values(), default=NOTHING) - self.timing.lag)
        if now <= by_facts:
            self.since, self._warned = None, False
        elif self.since is None:
            self.since = by_facts + 1

    def add(self, name: str, time: Column, arrival: Column, waited: Column) -> None:
        """Counts rows of an input that are late, but would not be at the ticks `waited`."""
        assert self.since is not None
        delay = max(next(each.delays for each in self.plan.inputs if each.name == name))
        late = (arrival > time + delay) & (waited <= time + delay)
        if late.any():
            if not self._late:
                self._first, self._delay = self.since, 0
            self._late[name] += int(late.sum())
            self._delay = max(self._delay, int((arrival - time)[late].max()))
            self._fresh = True

    def warning(self, *, at_end: bool = False) -> str | None:
        """A sentence about the late facts, once no more come: in most cases one for a stretch."""
        late, paused = self._late, not self._fresh and not self._warned
        self._fresh = False
        if not late or not (paused or at_end or self.since is None):
            return None
        self._late, self._warned = Counter(), True
        count, tick = late.total(), self.plan.tick
        facts, are, them = ("fact", "is", "it") if count == 1 else ("facts", "are", "them")
        delay = str(self._delay) if tick is None else duration_text(self._delay * tick)
        inputs = " and ".join(sorted(late))
        remedy = "--clock event" if self.timing.idle is None else "a longer --idle"
        return (
            f"{count:,} {facts} of {inputs} {are} late: nothing came, so time went on with the wall clock "
            f"from {moment(self._first, self.plan.timescale)} on. `delay {delay}` in the program "
            f"would have kept {them}, or {remedy}"
        )
