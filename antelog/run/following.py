"""A run that follows its inputs: new, or from the state that its store was left with.

no state yet      a new engine; an output that is there already is not overwritten
a state           its engine, its sources where they were left, its output cut to what is known of it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from antelog.errors import OutputError
from antelog.files import ARRIVAL, Rejects
from antelog.files.columns import WantedColumns, mapped
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Files, Kafka, Posted
from antelog.run.clock import Timing
from antelog.run.driver import Driver, RunCourse, RunTime
from antelog.run.journal import Journal, RunState, restored
from antelog.run.reading import InputReader, InputSource, Listeners, ReadingMode, wanted_of
from antelog.run.sinks.feed_sink import FeedSink
from antelog.run.sinks.file import OutputFile
from antelog.run.sinks.result import Sink, StepResult
from antelog.run.sources.opening import Around, Followed, source_of
from antelog.run.store import Store
from antelog.run.waiting import WaitingRows

Lines = Callable[[StepResult], str]


@dataclass(frozen=True)
class InputAddresses:
    """The addresses of inputs, the column of arrivals, and what sources call columns."""

    places: Mapping[str, Followed]
    arrival: str
    maps: Mapping[str, str]

    def wanted(self, program: Program, name: str, timing: Timing) -> WantedColumns:
        wanted = mapped(wanted_of(program.plan, name, self.arrival), self.maps)
        must_arrive = timing.clock == "arrival" and not isinstance(self.places[name], Posted)
        return replace(wanted, must_arrive=must_arrive)


@dataclass(frozen=True)
class RunOutput:
    """The output of changes: a file or topic, which gets these lines, or else a given sink."""

    address: Files | Kafka | None
    lines: Lines
    otherwise: Sink


@dataclass(frozen=True)
class RunStore:
    """The store of a run, if it has one: for its state, for a feed, or for both."""

    store: Store | None = None
    state: Path | None = None
    feed: bool = False


@dataclass(frozen=True)
class Follower:
    """A driver and its sink. `resumed` says whether it goes on from a state."""

    driver: Driver
    sink: Sink
    resumed: bool

    def run(self, stopping: Callable[[], bool]) -> None:
        self.driver.run(self.sink, stopping)


@dataclass(frozen=True)
class FollowedRun:
    """A run that follows its sources: program, inputs, timing; `engine` has options for the engine."""

    program: Program
    inputs: InputAddresses
    timing: Timing
    course: RunCourse
    only: tuple[str, ...]
    engine: Mapping[str, Any]
    note: Callable[[str], None]
    time: RunTime = field(default_factory=RunTime)

    def follower(self, kept: RunStore, output: RunOutput, stack: ExitStack) -> Follower:
        """A follower, which the stack closes with all it has opened."""
        # The page and the alerts see all kinds; those of the output are chosen afterwards.
        only = None if kept.feed else self.only
        found = None
        if kept.store is not None and kept.state is not None:
            found = restored(
                kept.store,
                lambda state: Engine.from_bytes(
                    state,
                    self.program,
                    only=only,
                    arrival=ARRIVAL,
                    min_chance=self.engine.get("min_chance"),
                    most=self.engine.get("most"),
                ),
            )
        if found is None:
            engine = Engine(self.program, only=only, arrival=ARRIVAL, **self.engine)
            known, waiting = RunState(), WaitingRows()
        else:
            engine, known, waiting = found.engine, found.known, found.waiting
            self.note(f"going on from {kept.state}, after tick {engine.now}")
        sink = self._sink(output, kept, known, stack)
        feed = None
        if kept.store is not None and kept.feed:
            feed = FeedSink(kept.store.feed, engine, self.program.source, self.time.monotonic)
        reader = self._reader(kept, known, waiting, feed)
        stack.callback(reader.close)
        journal = None
        if kept.store is not None:
            address = None if output.address is None else str(output.address)
            journal = Journal(
                kept.store,
                engine,
                reader,
                self.time.monotonic,
                feed,
                None if address is None else (address, sink),
                kept.state is not None,
            )
        driver = Driver(engine, reader, course=self.course, journal=journal, time=self.time)
        return Follower(driver, sink, found is not None)

    def _reader(
        self, kept: RunStore, known: RunState, waiting: WaitingRows, feed: FeedSink | None
    ) -> InputReader:
        recorded = self.course.once and self.timing.clock != "processing"
        rejects = feed.rejects if feed is not None else lambda _: None
        return InputReader(
            self.program.plan,
            {name: self._input(name, kept, known) for name in self.inputs.places},
            ReadingMode(self.timing, recorded),
            Rejects(),
            Listeners(self.note, rejects),
            known.progress,
            waiting,
        )

    def _input(self, name: str, kept: RunStore, known: RunState) -> InputSource:
        place = self.inputs.places[name]
        wanted = self.inputs.wanted(self.program, name, self.timing)
        before, mark = known.addresses.get(name), known.marks.get(name)
        if before is not None and before != str(place):
            self.note(f"{name} came from {before} before; {place} is read from its start")
            mark = None
        inbox = kept.store.inbox if kept.store is not None and kept.feed else None
        around = Around(mark, self.course.once, self.course.resumed, inbox)
        return InputSource(source_of(place, wanted, around), str(place), wanted)

    def _sink(self, output: RunOutput, kept: RunStore, known: RunState, stack: ExitStack) -> Sink:
        address = output.address
        if address is None:
            return output.otherwise
        mark = None if known.output is None or known.output[0] != str(address) else known.output[1]
        sink: Sink
        if isinstance(address, Files):
            path = Path(address.path)
            if kept.state is not None and mark is None and path.exists() and path.stat().st_size:
                raise OutputError(
                    f"{address}: is there already, and the state knows nothing of it; "
                    "move it away, or give another --output"
                )
            sink = OutputFile(path, mark, output.lines)
        else:
            from antelog.run.sinks.topic import TopicSink  # noqa: PLC0415 - few need the client

            sink = TopicSink(address, mark, output.lines)
        stack.callback(sink.close)
        return sink
