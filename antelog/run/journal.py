"""Entries of a run in its store: with each step its rows and the feed's lines, now and then the whole state.

A resumed run takes the last state and repeats the steps since. So no fact is lost, and no line comes twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa

from antelog.errors import StateError
from antelog.process import Engine
from antelog.run.reading import InputReader, ReadProgress
from antelog.run.sinks.feed_sink import FeedSink, LostAnswers
from antelog.run.sinks.result import Sink, StepResult
from antelog.run.store.store import RecordedStep, Store
from antelog.run.waiting import WaitingRows

BETWEEN_STATES = 2.0  # seconds from one state to the next, at least; longer where it takes long to write
BETWEEN_SLOTS = 60.0  # seconds from one writing of when each slot was heard to the next
_SHARE = 20  # writing states takes at most one part in this many of the time


class RunState(msgspec.Struct, frozen=True):
    """The parts of a state besides engine and waiting rows: addresses, marks, counts, changed rules."""

    addresses: dict[str, str] = {}
    marks: dict[str, dict[str, Any]] = {}
    progress: ReadProgress = msgspec.field(default_factory=ReadProgress)
    output: tuple[str, dict[str, Any]] | None = None
    changed: dict[str, Any] | None = None


def restored(
    store: Store, engine_of: Callable[[bytes], Engine]
) -> tuple[Engine, RunState, WaitingRows] | None:
    """The run that a store was left with, after the last step; None if it is new. Raises StateError."""
    stored = store.stored()
    if stored is None:
        return None
    waiting = WaitingRows()
    try:
        known = msgspec.json.decode(stored.known, type=RunState)
        engine = engine_of(stored.engine)
        waiting.restore(stored.waiting)
        for step in stored.steps:
            waiting.restore(step.rows)
            while engine.now < step.now:
                batch = waiting.batch(step.now)
                engine.advance(batch.now, batch.facts)
    except (msgspec.MsgspecError, pa.ArrowException, LookupError) as error:
        raise StateError(f"{store.path} has no state that can be restored: {error}") from None
    return engine, known, waiting


@dataclass(eq=False)
class Journal:
    """Writes the journal of a run; if it is not `resumable`, the feed only."""

    store: Store
    engine: Engine
    reader: InputReader
    monotonic: Callable[[], float]
    feed: FeedSink | None = None
    output: tuple[str, Sink] | None = None
    resumable: bool = True
    changed: dict[str, Any] | None = None
    _saved: float = field(default=0.0, init=False)
    _between: float = field(default=BETWEEN_STATES, init=False)
    _recorded: bytes = field(default=b"", init=False)
    _slots_kept: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        if self.feed is not None and self.engine.plan.has_sight:
            self.feed.lost = LostAnswers(self.engine.plan, self.store.lost())

    def begin(self) -> None:
        """Before the first step: writes a head of the feed and a state, to which steps are added."""
        if self.feed is not None:
            with self.store.transaction():
                self.feed.begin()
                self._status(at_once=True)
                self.feed.flush()
        if self.resumable:
            self.reader.fresh = []
            self._save()

    def hear(self, facts: Mapping[str, pa.Table]) -> None:
        """Before a step is committed: notes its facts, for answers that were lost from sight."""
        if self.feed is not None:
            self.feed.heard = facts

    def change_rules(self, closed: StepResult, changes: StepResult) -> None:
        """Writes the lines of changed rules and the new state, all or nothing."""
        self.reader.fresh = []
        self._save(lambda: self._write_change(closed, changes))

    def _write_change(self, closed: StepResult, changes: StepResult) -> None:
        if self.feed is None:
            return
        # Answers of before are closed under the head that has their program; the new one comes after.
        if self.feed.feed.last:  # it has a head, of this run or of one before
            self.feed.write(closed)
            self.feed.flush()
        self.feed.begin()
        self.feed.write(changes)
        self._status(at_once=True)
        self.feed.flush()

    def commit(self, step: StepResult | None = None) -> None:
        """Writes all of a step, or of rows that were read without one, or nothing."""
        if self.feed is not None:
            if step is not None:
                self.feed.write(step)
            else:
                self._status()
            if self.feed.lost is not None and (ended := self.store.acts.take_ended()):
                self.feed.end(ended)
        if not self.resumable:
            self._forget()  # no other run will read them again
        known = self._known() if self.resumable else b""
        recorded = self.resumable and (step is not None or known != self._recorded)
        pending = self.feed is not None and self.feed.pending
        if not recorded and not pending:
            return
        with self.store.transaction():
            self._flush()
            if recorded:
                self.store.record(known, RecordedStep(self.engine.now, tuple(self.reader.fresh or ())))
                self.reader.fresh, self._recorded = [], known
                self._forget()
        if self.resumable and self.monotonic() > self._saved + self._between:
            self._save()

    def end(self) -> None:
        """After the last step: saves the whole state."""
        if self.feed is not None:
            self._status(at_once=True)
            with self.store.transaction():
                self._flush()
        if self.resumable:
            self._slots_kept = float("-inf")
            self._save()

    def _status(self, *, at_once: bool = False) -> None:
        if self.feed is not None:
            self.feed.status(self.reader.counts.status(), self.reader.holding(), at_once=at_once)

    def _flush(self) -> None:
        if self.feed is None:
            return
        if self.feed.pending:
            self.feed.flush()
            if self.feed.feed.full:  # a head has what is open after the lines before it
                self.feed.begin()
                self.feed.flush()
        if self.feed.lost is not None and self.feed.lost.changed:
            self.store.keep_lost(self.feed.lost.changed)
            self.feed.lost.changed = {}

    def _save(self, also: Callable[[], None] = lambda: None) -> None:
        began = self.monotonic()
        known = self._known()
        self.store.save(self.engine.to_bytes(), self.reader.waiting.stored(), known, also)
        if self.reader.counts.slots and began > self._slots_kept + BETWEEN_SLOTS:
            slots = {name: each.saved() for name, each in self.reader.counts.slots.items()}
            self.store.keep_slots(msgspec.json.encode(slots))
            self._slots_kept = began
        self.reader.fresh, self._recorded = [], known
        self._forget()
        self._saved = self.monotonic()
        self._between = max(BETWEEN_STATES, _SHARE * (self._saved - began))

    def _forget(self) -> None:
        for each in self.reader.inputs.values():
            each.source.saved()

    def _known(self) -> bytes:
        output = None
        if self.output is not None and (mark := self.output[1].mark()) is not None:
            output = (self.output[0], dict(mark))
        known = RunState(
            {name: each.address for name, each in self.reader.inputs.items()},
            {name: dict(each.source.mark) for name, each in self.reader.inputs.items()},
            self.reader.progress,
            output,
            self.changed,
        )
        return msgspec.json.encode(known)
