"""A run that follows its inputs: new, or from the state that its store was left with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from antelog.compile.nodes.plan import Plan
from antelog.engine.transition import RuleChange
from antelog.errors import InUseError, RulesChangedError, StateError
from antelog.files import ARRIVAL, Rejects
from antelog.language.durations import duration_text
from antelog.language.moments import tick_in_words
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Files, Posted
from antelog.run.clock import Timing, rhythms_of
from antelog.run.door import SinkAddress
from antelog.run.driver import Driver, RunTime
from antelog.run.journal import Journal, RunState, restored
from antelog.run.reading import InputReader, InputSource, Listeners, wanted_of
from antelog.run.settings import Settings
from antelog.run.sinks.feed_sink import FeedSink, open_answers
from antelog.run.sinks.outputs import OutputFile
from antelog.run.sinks.result import LinesOfStep, Sink, remark, sentences, steps_of
from antelog.run.sources.opening import FOLLOWED, Followed, source_of
from antelog.run.store.store import Store
from antelog.run.values import duration
from antelog.run.waiting import WaitingRows, waiting_for
from antelog.run.workers.divided import divided

_CHANGEABLE = ("only", "explanations", "min_chance", "most", "most_failed")  # from one start to the next


def _clock(timing: Timing, plan: Plan) -> str:
    if timing.clock == "processing":
        return "time goes by the clock of this machine: --clock processing"
    if timing.idle is not None:
        silent = f"the clock of this machine once nothing came for {duration_text(timing.idle)}: --idle"
        return f"time goes by facts, and by {silent}"
    if timing.rhythms:
        return "time goes by facts until they are about the present, then by the clock of this machine"
    why = "the program has no `tick`, so no clock shows its ticks"
    said = f"time goes by facts alone: {why if timing.clock is None else f'--clock {timing.clock}'}"
    absence = any(pattern.asked for query in plan.queries for pattern in query.patterns)
    waits = "; what becomes of an answer if nothing comes is decided once a later fact has come"
    return said + waits if absence else said


@dataclass(frozen=True)
class RunOutput:
    """A file, topic or the like for changes as `lines`, or else a given sink."""

    address: Files | SinkAddress | None
    lines: LinesOfStep
    otherwise: Sink


@dataclass(frozen=True)
class Follower:
    """A driver and its sink; `resumed` from a state, since when rules may have had a `change`."""

    driver: Driver
    sink: Sink
    resumed: bool
    change: RuleChange | None = None

    def run(self, stopping: Callable[[], bool]) -> None:
        if self.change is not None:
            steps = steps_of(self.change, self.driver.engine.plan)
            for step in steps:
                self.sink.write(step)
            if self.driver.journal is not None:
                self.driver.journal.change_rules(*steps)
        self.driver.run(self.sink, stopping)


@dataclass(frozen=True)
class FollowedRun:
    """A run that follows its sources; with a `feed`, for the page and alerts, in its store."""

    program: Program
    settings: Settings
    static: Mapping[str, Any]
    store: Store | None
    feed: bool
    note: Callable[[str], None]
    tend: Callable[[], object]
    time: RunTime = field(default_factory=RunTime)

    def _groups(self) -> dict[str, str]:
        """The group of each device on the map, where a relation gives it."""
        name = self.settings.group_by
        stated = [row for each in self.program.plan.statics if each.name == name for row in each.facts]
        return {str(row[0]): str(row[1]) for row in (*stated, *self.static.get(name or "", ()))}

    def follower(self, output: RunOutput, stack: ExitStack) -> Follower:
        """Opens all that the run needs, which the stack closes."""
        store, state, options = self.store, self.settings.state, self.settings.printing_engine()
        # The page and the alerts see all kinds and explanations; those of the output are chosen afterwards.
        if self.feed:
            options |= {"only": None, "explanations": None}
        begun = partial(Engine, self.program, **{**options, "static": self.static, "arrival": ARRIVAL})
        changeable = {name: options[name] for name in _CHANGEABLE}
        given = {"functions": self.program.functions, "arrival": ARRIVAL, **changeable}
        kept, engine_of = store if state is not None else None, partial(Engine.restore, **given)
        found = None if kept is None else restored(kept, engine_of)
        change: RuleChange | None = None
        if found is None:
            engine = begun()
            known, waiting = RunState(), WaitingRows()
        else:
            engine, known, waiting = found
            after = f"after {tick_in_words(engine.now, self.program.plan.timescale)}"
            self.note(f"going on from {state}, {after if engine.now >= 0 else 'which has no facts yet'}")
            change = self._changed(engine)
            if change is not None:
                waiting = waiting_for(waiting, change, engine.plan)

        def again() -> Engine | None:
            """The engine that the store has by now; None if it keeps none."""
            if kept is None:
                return None
            stored = restored(kept, engine_of)
            return begun() if stored is None else stored[0]

        engine = divided(engine, self.settings.workers, self.note, again)
        sink = self._sink(output, known, engine, stack)
        feed = None
        if store is not None and self.feed:
            feed = FeedSink(store.feed, engine, self.program.source, self.time.monotonic)
            feed.groups = self._groups()
        reader = self._reader(known, waiting, feed)
        stack.callback(reader.close)
        if feed is not None:
            feed.sources = {name: each.address for name, each in reader.inputs.items()}
        if found is not None and store is not None and (slots := store.slots()) is not None:
            reader.counts.restore(slots)
        journal = None
        if store is not None:
            written = None if output.address is None else (str(output.address), sink)
            resumable = state is not None
            journal = Journal(store, engine, reader, self.time.monotonic, feed, written, resumable)
            journal.changed = known.changed if change is None else remark(change, engine.plan)
            if feed is not None:
                feed.rules_changed = journal.changed
        driver = Driver(
            engine,
            reader,
            once=self.settings.once,
            resumed=state is not None,
            tend=self.tend,
            journal=journal,
            time=self.time,
        )
        return Follower(driver, sink, found is not None, change)

    def _changed(self, engine: Engine) -> RuleChange | None:
        """The change of the rules, if any. Raises StateError for a new meaning that is not accepted."""
        settings = self.settings
        try:
            change = engine.change_rules(
                self.program, accept=settings.accept_changes, static=self.static if settings.statics else None
            )
        except RulesChangedError as error:
            said = {"state": settings.state, "program": settings.program}
            raise StateError.of("state.changed-rules", **said, differences=error.differences) from None
        if change is None or all(each.continues for each in change.queries):
            return change
        self.note(f"the rules were changed after {tick_in_words(change.tick, engine.plan.timescale)}")
        for sentence in sentences(change, engine.plan):
            self.note(sentence)
        return change

    def _reader(self, known: RunState, waiting: WaitingRows, feed: FeedSink | None) -> InputReader:
        plan, settings = self.program.plan, self.settings
        idle = None if settings.idle is None else duration(settings.idle)
        live = settings.clock is None and not settings.once
        rhythms = rhythms_of(plan) if live and idle is None else {}
        skew = None if plan.tick is None else duration(settings.max_skew) // plan.tick
        ahead = duration(settings.ahead)
        timing = Timing(settings.clock, settings.lag, idle, plan.timescale, ahead, rhythms, skew)
        if not settings.once:
            self.note(_clock(timing, plan))
        return InputReader(
            plan,
            {name: self._input(name, FOLLOWED.take(each), known) for name, each in settings.inputs.items()},
            timing,
            Rejects(),
            Listeners(self.note, feed.rejects if feed is not None else lambda _: None),
            known.progress,
            waiting,
            recorded=settings.once and settings.clock != "processing",
        )

    def _input(self, name: str, place: Followed, known: RunState) -> InputSource:
        settings = self.settings
        wanted = wanted_of(self.program.plan, name, settings.arrival, settings.map)
        must_arrive = settings.clock == "arrival" and not isinstance(place, Posted)
        wanted = replace(wanted, must_arrive=must_arrive)
        before, mark = known.addresses.get(name), known.marks.get(name)
        if before is not None and before != str(place):
            self.note(f"{name} came from {before} before; {place} is read from its start")
            mark = None
        inbox = self.store.inbox if self.store is not None and self.feed else None
        resumed = settings.state is not None
        source = source_of(place, wanted, mark, complete=settings.once, resumed=resumed, inbox=inbox)
        return InputSource(source, str(place), wanted)

    def _sink(self, output: RunOutput, known: RunState, engine: Engine, stack: ExitStack) -> Sink:
        address = output.address
        if address is None:
            return output.otherwise
        mark = None if known.output is None or known.output[0] != str(address) else known.output[1]
        sink: Sink
        if isinstance(address, Files):
            path = Path(address.path)
            kept = self.settings.state is not None
            try:
                sink = OutputFile(path, mark, output.lines, kept=kept)
            except InUseError:
                if not self.settings.wait:
                    raise
                self.note(f"another process writes to {path}; this one waits for its end")
                sink = OutputFile(path, mark, output.lines, kept=kept, wait=True)
            stack.callback(sink.close)
            return sink
        sink = address.sink(mark, output.lines)
        stack.callback(sink.close)
        if address.needs_all and mark is None and engine.now >= 0:
            sink.write(open_answers(engine))  # of before it was the output
        return sink
