"""Rows of sources, dated (recorded ones by what was finished before) and kept until they are due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.arrays import to_blob
from antelog.compile.literals.terms import Const
from antelog.compile.nodes.plan import Plan
from antelog.compile.plan.bounds import DelayTable
from antelog.engine.columns.tables import Column
from antelog.engine.facts.admission import arrivals, beyond
from antelog.errors import DataError
from antelog.files import ARRIVAL, LINE, Reject, Rejects
from antelog.files.chunks import CheckedRows, sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, WantedColumns, mapped
from antelog.language.epochs import TICKS
from antelog.run import clock
from antelog.run.clock import NOTHING, QUIET, SAMPLES, LiveInputs, Showing, Silence, Slowest, Timing
from antelog.run.counting import Count, InputCounts
from antelog.run.sources.source import FactSource, SourcePiece
from antelog.run.store.store import StoredRows
from antelog.run.waiting import FILE, ROOM, DueRows, WaitingRows

AT_ONCE = 100_000  # rows after which a step begins, if there are more


def wanted_of(
    plan: Plan, name: str, arrival: str = DEFAULT_ARRIVAL, maps: Mapping[str, str] = {}
) -> WantedColumns:
    """The columns that an input or a static predicate needs, with the names that its source gives them."""
    for source in plan.inputs:
        if source.name == name:
            wanted = WantedColumns(name, source.columns, source.types, arrival, plan.counting(name))
            slot = None if source.slot is None else tuple(source.columns[i] for i in source.slot)
            return mapped(replace(wanted, slot=slot), maps)
    static = next(static for static in plan.statics if static.name == name)
    most = static.most or (None,) * len(static.columns)
    types = tuple(type_ if m is None else TICKS for type_, m in zip(static.types, most, strict=True))
    return mapped(WantedColumns(name, static.columns, types, counting=plan.counting(name)), maps)


@dataclass(frozen=True)
class InputSource:
    """One input that is read: its source, the address of that, and the columns that are wanted."""

    source: FactSource
    address: str
    wanted: WantedColumns


@dataclass(frozen=True)
class Now:
    """The last finished tick, and the wall clock in microseconds since 1970."""

    tick: int
    wall: int


class ReadProgress(msgspec.Struct):
    """The `highest` tick of each source, and what was finished `before` any recorded fact."""

    highest: dict[str, int] = {}
    before: int | None = None
    counts: dict[str, Count] = {}
    heard: int = 0
    live: list[str] = []


@dataclass(frozen=True)
class Listeners:
    """Receivers of rejects and notes besides the counts."""

    note: Callable[[str], None]
    rejects: Callable[[Sequence[Reject]], None] = lambda _: None


@dataclass(eq=False)
class InputReader:
    """Reads inputs for an engine whose plan this is, up to a tick; `since` is the first without facts."""

    plan: Plan
    inputs: Mapping[str, InputSource]
    timing: Timing
    rejects: Rejects
    listeners: Listeners
    progress: ReadProgress = field(default_factory=ReadProgress)
    waiting: WaitingRows = field(default_factory=WaitingRows)
    mapped: Callable[..., Iterable[CheckedRows]] = map  # calls a function for each of several pieces
    in_turn: Callable[[Callable[[], object]], object] = lambda act: act()  # after the steps before
    recorded: bool = False
    until: int | None = None
    since: int | None = None

    def __post_init__(self) -> None:
        self.counts = InputCounts(self.plan, self.progress.counts)
        self.progress.counts = self.counts.each
        # The rows that were dated since the journal had them, if there is one.
        self.fresh: list[StoredRows] | None = None
        self._done = NOTHING
        self._share = max(1, ROOM // max(1, len(self.inputs)))
        self._began: int | None = None
        self._wall = 0
        self._read_last = True
        self._silence = Silence(self.plan, self.timing)
        self._noted_ahead: set[str] = set()
        timing = self.timing
        self.live: LiveInputs | None = None
        if timing.rhythms and timing.timescale is not None and not self.recorded:
            rhythms = {name: timing.rhythms[name] for name in self.inputs}
            self.live = LiveInputs(rhythms, timing.timescale, self.progress.live)
        self._delays = {each.name: DelayTable(each) for each in self.plan.inputs if each.refinements}

    @property
    def _holding(self) -> list[str]:
        """The sources that hold time: with more to read at once, or without a row and, so far, an end."""
        found = [clock.named(name, part) for name, each in self.inputs.items() for part in each.source.unread]
        if self._began is None or self._wall - self._began < QUIET:
            for name, each in self.inputs.items():
                is_sure = (each.source.tells_end and each.source.there) or each.source.ended
                if not is_sure and not self.counts.each[name].facts and name not in found:
                    found.append(name)
        return found

    def _hold_back(self) -> None:
        """Has sources wait that are further ahead of the slowest one than the skew."""
        timing, highest = self.timing, self.progress.highest
        if timing.skew is None or timing.clock == "processing" or self.recorded:
            return
        slow = clock.slowest(highest, self._holding)
        for name, each in self.inputs.items():
            known = {part: highest.get(clock.named(name, part), NOTHING) for part in each.source.unread}
            ahead = [] if slow is None else [p for p, at in known.items() if at > slow.tick + timing.skew]
            each.source.ahead = ahead

    @property
    def behind(self) -> list[str]:
        """The inputs that have more to read at once."""
        return [name for name, each in self.inputs.items() if each.source.behind and not each.source.ended]

    @property
    def through(self) -> bool:
        """Whether all that is there has been read."""
        return not self.behind and (not self._read_last or self._ended)

    @property
    def newest(self) -> int | None:
        """The newest time in what has been read, or -1; None as long as there is more."""
        return None if self.behind else max(self.progress.highest.values(), default=-1)

    @property
    def ended(self) -> bool:
        return self.through and self._ended

    @property
    def _ended(self) -> bool:
        return all(each.source.ended for each in self.inputs.values())

    def close(self) -> None:
        self._warn(at_end=True)
        for note in self.rejects.at_end:
            self.listeners.note(note)
        for each in self.inputs.values():
            each.source.close()

    def look(self, now: Now) -> None:
        """Looks how much is unread, and as of when inputs are silent."""
        live = {} if self.recorded else self.inputs
        self.counts.look(now.wall, {name: each.source.extent for name, each in live.items()})

    def read(self, now: Now) -> int:
        """Reads what is there, up to a limit; returns 0 if there is nothing, else about the rows."""
        self.look(now)
        self._wall, self._began = now.wall, now.wall if self._began is None else self._began
        if not self.recorded:
            self.progress.before = None
            self._silence.look(now.tick, self.progress.highest)
        elif self.progress.before is None or self._done == NOTHING:
            self._done = now.tick
            self.progress.before = now.tick if self.progress.before is None else self.progress.before
        rows = 0
        while True:
            found = 0
            self._hold_back()
            for name, each in self.inputs.items():
                if self._has_room(name) if self.recorded else "" not in each.source.ahead:
                    found += self._take(name, each, each.source.poll(), now)
            rows += found
            self._read_last = found > 0
            enough = rows >= AT_ONCE
            if self.recorded:
                enough = not any(self._has_room(name) for name in self.behind)
            if not self.behind or not found or enough:
                break
        if self.live is not None:
            sources = {name: each.source for name, each in self.inputs.items()}
            newest: dict[str, int] = {}
            for source, tick in self.progress.highest.items():
                name = clock.input_of(source)
                newest[name] = max(tick, newest.get(name, tick))
            self.live.look(now.wall, newest, sources)
            self.progress.live = self.live.known
            while self.live.notes:
                self.listeners.note(self.live.notes.pop(0))
        self._warn()
        return rows

    def finish(self, now: Now, *, ended_only: bool) -> None:
        """Reads the last line, which nothing ends, where nothing more will come."""
        for name, each in self.inputs.items():
            if each.source.ended or not ended_only:
                self._take(name, each, each.source.finish(), now)

    def _has_room(self, name: str) -> bool:
        return self.waiting.count(name) < self._share

    def _take(self, name: str, each: InputSource, pieces: Sequence[SourcePiece], now: Now) -> int:
        count = 0

        def check(piece: SourcePiece) -> CheckedRows:
            before = self.counts.each[name].facts
            return next(sorted_out(each.wanted, [piece.chunk], piece.file, before))

        # The numbers of rows follow from how many came before them.
        is_numbered = any(column.is_number for column in each.wanted.of_rows)
        checked = map(check, pieces) if is_numbered else self.mapped(check, pieces)
        for piece, rows in zip(pieces, checked, strict=True):
            for note in self.rejects.new_of(rows.notes):
                self._note(note)
            self.rejects.came(name, piece.file, rows.count, rows.twice, rows.gap)
            self.rejects.tally.update(malformed=len(rows.set_aside))
            self._set_aside(rows.set_aside)
            self._keep(name, piece.file, self._dated(each.wanted, piece.part, rows, now))
            count += rows.count
        while each.source.notes:
            self._note(each.source.notes.pop(0))
        return max(count, len(pieces))

    def _note(self, note: str) -> None:
        self.in_turn(partial(self.listeners.note, note))

    def _set_aside(self, found: Sequence[Reject]) -> None:
        if found:
            self.in_turn(partial(self.set_aside, found))

    def set_aside(self, found: Sequence[Reject]) -> None:
        """Counts rows that cannot be used. Raises DataError in a strict run."""
        if found:
            self.counts.add_rejects(found)
            self.listeners.rejects(found)
            self.rejects.add(found)

    def _dated(self, wanted: WantedColumns, part: str, rows: CheckedRows, now: Now) -> pa.Table:
        """The rows with the ticks at which they arrive."""
        table, timing = rows.table, self.timing
        if not table.num_rows:
            return table
        self.progress.heard = now.wall
        if not self.recorded:
            self.counts.hear(wanted.name, table, now.wall)
        time: Column = table.column(wanted.time).to_numpy()
        source = clock.named(wanted.name, part)
        highest = self.progress.highest.get(source, NOTHING)
        given = rows.arrives if timing.clock != "event" else np.zeros_like(rows.arrives)
        seen = np.where(given, table.column(ARRIVAL).to_numpy(), time)
        if timing.clock == "processing":
            arrival = seen = arrivals(time, now.tick, latest=timing.at(now.wall))
        elif self.progress.before is not None:
            arrival = np.where(given, seen, arrivals(time, self.progress.before))
        else:
            far = clock.far_ahead(timing, np.maximum(time, seen), now.wall)
            seen = np.where(far, NOTHING, seen)
            latest = None if self.live is None else self.live.tick(now.wall)
            if self.live is not None:
                self.live.hear(wanted.name, self._deadlines(wanted, table.filter(pa.array(~far))), now.wall)
            if self.live is not None and self.live.by_clock:
                arrival = np.where(given, np.maximum(seen, now.tick + 1), arrivals(seen, now.tick))
            else:
                in_order = clock.arrivals_in_order(seen, timing, highest, now.tick, latest=latest)
                arrival = np.where(given, seen, in_order)
            if (since := self._silence.since) is not None:
                in_order = clock.arrivals_in_order(seen, timing, highest, since - 1, latest=latest)
                waited = np.where(given, seen, in_order)
                arrival = np.maximum(arrival, now.tick + 1)
                self._silence.add(wanted.name, time, arrival, waited)
            if far.any():
                arrival = np.where(far, now.tick + 1, arrival)
                if wanted.name not in self._noted_ahead:
                    self._noted_ahead.add(wanted.name)
                    self.listeners.note(
                        f"facts of {wanted.name} are about times long after the clock of this machine; they "
                        "are set aside as early. If they are right, give a longer --ahead"
                    )
        self.progress.highest[source] = max(highest, int(seen.max()))
        return table.set_column(table.schema.get_field_index(ARRIVAL), ARRIVAL, pa.array(arrival))

    def _deadlines(self, wanted: WantedColumns, table: pa.Table) -> Column:
        """The ticks up to which the last facts of a table may come."""
        last = table.slice(max(0, table.num_rows - SAMPLES)).drop_columns([ARRIVAL, LINE])
        time: Column = last.column(-1).to_numpy()
        delays = self._delays.get(wanted.name)
        if delays is None:
            return time + next(each.delay for each in self.plan.inputs if each.name == wanted.name)
        rows = ([Const(value) for value in row.values()] for row in last.to_pylist())
        return time + np.array([delays.largest(row) for row in rows], np.int64)

    def _warn(self, *, at_end: bool = False) -> None:
        if (warning := self._silence.warning(at_end=at_end)) is not None:
            self.listeners.note(warning)

    def _keep(self, name: str, file: str, table: pa.Table) -> None:
        self.counts.add(name, table)
        if self.recorded and table.num_rows:
            self._refuse_disorder(name, table)
        if self.until is not None:
            table = self._up_to_the_end(name, file, table, self.until)
        self.waiting.add(name, file, table)
        if self.fresh is not None and table.num_rows:
            self.fresh.append(StoredRows(name, file, to_blob(table)))

    def _refuse_disorder(self, name: str, table: pa.Table) -> None:
        before = NOTHING if self.progress.before is None else self.progress.before
        if self._done <= before:
            return
        arrival = table.column(ARRIVAL).to_numpy()
        early = arrival[(arrival > before) & (arrival <= self._done)]
        if len(early):
            raise DataError.of("files.not-in-order", name=name, tick=early.min(), done=self._done)

    def _up_to_the_end(self, name: str, file: str, table: pa.Table, until: int) -> pa.Table:
        inside = pc.less_equal(table.column(ARRIVAL), until)
        if not table.num_rows or pc.all(inside).as_py():
            return table
        late = table.filter(pc.invert(inside))
        found = beyond(self.plan, {name: late.drop_columns([LINE])}, until, arrival=ARRIVAL)
        counts = found.counts[name]
        self.rejects.tally.update(malformed=counts.malformed, after_until=counts.after_until)
        rows = found.rejects.append_column("row", pa.array(found.places))
        files = pa.array(np.zeros(late.num_rows, np.int64))
        batch = DueRows(until, {name: late.append_column(FILE, files)}, [file])
        self._set_aside(batch.rejects(rows, self.plan.timescale))
        return table.filter(inside)

    def finished(self, now: Now, *, at_end: bool = False) -> int:
        """The last finished tick; `at_end` all has been read, and a later run may read more."""
        if self.recorded and not at_end:
            return self._finished_window(now.tick)
        self._wall, self._began = now.wall, now.wall if self._began is None else self._began
        behind = () if at_end else self._holding
        # What comes while rows are read is looked for before a tick of that time is over.
        wall = now.wall if self.live is None or self.live.looked is None else self.live.looked
        showing = Showing(self.progress.heard or self._began, wall, self._began, self.live)
        return clock.finished(self.timing, self.progress.highest, now.tick, showing, behind)

    def _finished_window(self, now: int) -> int:
        more = self.behind
        if not more:
            return now  # all is there: the end of the run says how far that goes
        if any(self._has_room(name) for name in more):
            return now
        window = self.waiting.window(more)
        if window <= self._done:
            self._share *= 2  # one tick alone fills the window
            return now
        self._done = window
        return max(now, window)

    def holding(self) -> Slowest | None:
        """The source that holds time back; None if no other is ahead of it."""
        if self.timing.clock == "processing":
            return None
        slow = clock.slowest(self.progress.highest, self._holding)
        return slow if slow is not None and slow.behind else None
