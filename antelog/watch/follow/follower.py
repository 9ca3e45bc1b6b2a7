"""Facts of sources through an engine, as they come: read, finish ticks that are over, write, keep the state.

follower = Follower(engine, {"Temp": source}, telling, settings)
follower.run(stopping)        until it is told to stop, or everything has ended
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from antelog.files import Reject, Rejects
from antelog.files.columns import Wanted
from antelog.forecast.columns import KINDS
from antelog.process import Engine
from antelog.run import clock
from antelog.telling.shown import Shown
from antelog.watch.follow import state
from antelog.watch.follow.clock import Clock, Timing
from antelog.watch.follow.counting import Counts
from antelog.watch.follow.output import OutputFile
from antelog.watch.follow.telling import Feed, Output, with_kinds
from antelog.watch.follow.waiting import Waiting
from antelog.watch.sources.source import Piece, Source, rows_of

AT_ONCE = 100_000
"""A step begins when about so many rows have been read, or there are no more."""

BETWEEN_STEPS = 0.1
"""Seconds from one step to the next, at least, while there is no more to be read at once."""

BETWEEN_STATES = 2.0
"""Seconds from one state to the next, at least; longer where it takes long to write."""

_SHARE = 20


@dataclass(frozen=True)
class Following:
    """One input that is followed: its source, what that is called, and the columns that are wanted."""

    source: Source
    place: str
    wanted: Wanted


@dataclass(frozen=True)
class Told:
    """Who is told: an output, of `only` these kinds of changes; a feed; where rejects go; who hears notes."""

    output: Output
    rejects: Rejects
    feed: Feed | None = None
    only: tuple[str, ...] = KINDS
    note: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class How:
    """How it is followed: what moves time on, where the state is, and whether it ends when all is read.

    `tend` is called now and then, to look after the page and the alerts. With `linger` it waits to be stopped
    when everything has ended, for there is a page to look at.
    """

    timing: Timing
    state: Path | None = None
    once: bool = False
    tend: Callable[[], object] = lambda: None
    linger: bool = False


@dataclass(eq=False)
class Follower:
    """Follows its inputs; `known` and `waiting` are from the state, if there was one."""

    engine: Engine
    inputs: Mapping[str, Following]
    told: Told
    how: How
    known: state.Known = field(default_factory=state.Known)
    waiting: Waiting = field(default_factory=Waiting)

    def __post_init__(self) -> None:
        self._clock = Clock(self.how.timing, self.known.highest)
        self._counts = Counts(self.engine.plan.inputs, self.known.counts)
        self._saved = time.monotonic()
        self._between = BETWEEN_STATES
        self._changed = False

    def run(self, stopping: Callable[[], bool]) -> None:
        """Until `stopping`, or until all is read and nothing more can come. Keeps the state at the end."""
        if self.told.feed is not None:
            self.told.feed.begin()
        self._status()
        self._keep(at_once=True)  # before anything is written that a state should know of
        while not stopping():
            began = time.monotonic()
            read = self._read()
            self._step(self._clock.over(self.engine.now, self._behind, _wall()))
            self._status()
            self._keep()
            self.how.tend()
            if not self._behind and not read and (self.how.once or self._ended):
                self._finish()
                break
            if not self._behind:
                time.sleep(max(0.0, began + BETWEEN_STEPS - time.monotonic()))
        self._status(at_once=True)
        self._keep(at_once=True)
        if self.how.linger and not stopping():
            self.told.note("all has been read; the page is there until you stop it with Ctrl-C")
            while not stopping():
                self.how.tend()
                time.sleep(BETWEEN_STEPS)

    def close(self) -> None:
        for each in self.inputs.values():
            each.source.close()

    @property
    def _behind(self) -> list[str]:
        return [name for name, each in self.inputs.items() if each.source.behind]

    @property
    def _ended(self) -> bool:
        return all(each.source.ended for each in self.inputs.values())

    # ---- facts in ----

    def _read(self) -> int:
        """Take what is there, up to a limit; how many rows that were."""
        rows, began = 0, time.monotonic()
        while True:
            found = sum(self._take(name, each, each.source.poll()) for name, each in self.inputs.items())
            rows += found
            late = time.monotonic() - began > 2 * BETWEEN_STEPS
            if not found or rows >= AT_ONCE or late or not self._behind:
                return rows

    def _take(self, name: str, each: Following, pieces: list[Piece]) -> int:
        count = 0
        for piece in pieces:
            rows = rows_of(each.wanted, piece)
            table = self._clock.dated(each.wanted, rows, self.engine.now, _wall())
            self._counts.add(name, table)
            self.waiting.add(name, piece.file, table)
            self._set_aside(rows.set_aside, read=True)
            self._note_once(rows.notes)
            self.told.rejects.came(name, piece.file, table.num_rows + len(rows.set_aside))
            count += table.num_rows + len(rows.set_aside)
        self._changed = self._changed or count > 0
        while each.source.notes:
            self.told.note(each.source.notes.pop(0))
        return count

    def _set_aside(self, found: list[Reject], *, read: bool = False) -> None:
        if found:
            if read:
                self.told.rejects.tally.update(malformed=len(found))
            self.told.rejects.add(found)
            self._counts.add_rejects(found)
            if self.told.feed is not None:
                self.told.feed.rejects(found)

    def _note_once(self, notes: Mapping[str, str]) -> None:
        rejects = self.told.rejects
        rejects.note_once(notes)
        while rejects.notes:
            self.told.note(rejects.notes.pop(0))

    # ---- changes out ----

    def _step(self, over: int) -> None:
        """Finish the ticks up to one, and tell what has changed."""
        if over <= self.engine.now:
            return
        taken = self.waiting.taken(over)
        shown = Shown(over, self.engine.advance(over, taken.facts))
        if self.told.feed is not None:
            self.told.feed.changes(shown)
        self.told.output.show(with_kinds(shown, self.told.only))
        self._set_aside(taken.rejects(self.engine.last_rejects, self.engine.plan.tick))
        self._changed = True

    def _finish(self) -> None:
        """All is read. What cannot go on later goes on to its end, as recorded facts do."""
        for name, each in self.inputs.items():
            if self.how.state is None or each.source.ended:
                self._take(name, each, each.source.finish())
        self._step(self._clock.over(self.engine.now, (), _wall()))
        if self.how.state is None:
            self._step(self.waiting.last)
            queries = self.engine.plan.queries
            self._step(clock.end(self.engine.now, (self.engine.answers(q.name) for q in queries)))

    def _status(self, *, at_once: bool = False) -> None:
        if self.told.feed is not None:
            self.told.feed.status(self._counts.status(), self._clock.holding(self._behind), at_once=at_once)

    # ---- the state ----

    def _keep(self, *, at_once: bool = False) -> None:
        """Write the state, if it is time, and something has happened."""
        began = time.monotonic()
        path = self.how.state
        if path is None or not (at_once or (self._changed and began > self._saved + self._between)):
            return
        feed, output = self.told.feed, self.told.output
        written: tuple[str, int] | None = None
        if isinstance(output, OutputFile):
            output.sync()
            written = (str(output.path), output.size)
        if feed is not None:
            feed.writer.sync()
        position = feed.writer.position if feed is not None else None
        known = state.Known(
            sources={
                name: state.Marks(each.place, dict(each.source.mark)) for name, each in self.inputs.items()
            },
            highest=self._clock.highest,
            counts=self._counts.each,
            feed=None if position is None else (position.segment, position.offset),
            output=written,
        )
        state.save(path, state.State(self.engine.to_bytes(), known, self.waiting))
        self._saved = time.monotonic()
        self._between = max(BETWEEN_STATES, _SHARE * (self._saved - began))
        self._changed = False


def _wall() -> int:
    """The time in microseconds since 1970."""
    return time.time_ns() // 1000
