"""The driver of all runs: read, date, advance, write, save. Recorded facts are sources that end.

Answers driven by the clock would fill a long stretch of time without facts with lines:

    OK(X, T-2) :- Turbine(X), not Shdn(X, T).     facts about 2024-01-01 00:10 and about 2124-01-01

Their number is estimated from the first ticks. A recording stops before too many; a run that goes on begins
time anew at the later fact. Shorter stretches are gone through piece by piece, so that they fit in memory.
"""

from __future__ import annotations

import time as system
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.errors import AntelogError, DataError
from antelog.process import Engine
from antelog.run import clock
from antelog.run.journal import Journal
from antelog.run.reading import InputReader, Now
from antelog.run.sinks.result import Sink, StepResult, fact_text, weight_of
from antelog.run.waiting import DueRows, arrivals_of

MOST_LINES = 1_000_000  # lines that may fill a stretch
SAMPLE = 512  # ticks over which lines are counted; a stretch is longer
_PIECE = 50_000  # about the lines of a piece
_LONGEST = 1_000_000  # ticks of a piece, at most


@dataclass(frozen=True)
class Stretch:
    """The ticks up to `last` between two facts, given as texts; an empty text stands for no fact."""

    last: int
    before: str = ""
    next: str = ""


def speaks_by_the_clock(plan: Plan) -> bool:
    """Whether some query may have answers at ticks without facts."""
    return any(each.clocked for query in plan.queries for each in prepared(plan).patterns[query.name])


def _end_fact(plan: Plan, batch: DueRows, *, last: bool = False) -> str:
    """The first or the last fact to arrive in a batch, as text; empty if there is none."""
    if not batch.rows:
        return ""
    choose, number = (max, -1) if last else (min, 0)
    name = choose(batch.rows, key=lambda each: int(arrivals_of(batch.rows[each])[number]))
    columns = next(source.columns for source in plan.inputs if source.name == name)
    *values, time = (batch.rows[name].column(column)[number].as_py() for column in columns)
    return fact_text(name, values, time, plan.timescale)


@dataclass(frozen=True)
class Sampled:
    """The lines by query in the second half of the first ticks of a stretch, and its ticks to come."""

    by_query: Mapping[str, int]
    rest: int
    snapshots: bool
    hidden: bool  # snapshots begin later
    unseen: int  # changes behind snapshots

    @classmethod
    def of(cls, steps: list[StepResult], before: int, last: int) -> Sampled:
        middle, changed, shown = before + SAMPLE // 2, Counter[str](), Counter[str]()
        for step in steps:
            changes = step.tables if step.changes is None else step.changes
            for name, table in changes.items():
                changed[name] += int((table.column("tick").to_numpy() > middle).sum())
            if step.changes is not None and step.tick > middle:
                shown.update({name: max(1, table.num_rows) for name, table in step.tables.items()})
        hidden = not shown and any(step.changes is not None for step in steps)
        return cls(shown or changed, last - before - SAMPLE, bool(shown), hidden, changed.total())

    def too_many(self, most: int) -> bool:
        """Whether the rest would have more lines than may be shown; hidden ones only take time."""
        return self.lines > (MOST_LINES if self.hidden else most)

    @property
    def lines(self) -> int:
        """The lines that the rest would have, at this rate."""
        return sum(self.by_query.values()) * self.rest // (SAMPLE // 2)

    @property
    def query(self) -> str:
        return max(self.by_query, key=lambda name: self.by_query[name], default="")

    @property
    def piece(self) -> int:
        """The ticks with about as many lines, or unseen changes, as are taken at a time."""
        lines = max(self.unseen, sum(self.by_query.values()))
        return min(max(1, _PIECE * (SAMPLE // 2) // max(1, lines)), _LONGEST)


def _sentence(stretch: Stretch, sampled: Sampled) -> str:
    where = f"after {stretch.before}"
    if stretch.next:
        where = f"between {stretch.before or 'the beginning'} and {stretch.next}"
    return (
        f"{where} lie {sampled.rest + SAMPLE:,} ticks without facts, and "
        + ("snapshots of all" if sampled.snapshots else f"{sampled.query}, which needs none,")
        + f" would fill them with about {sampled.lines:,} lines"
    )


def _refused(stretch: Stretch, sampled: Sampled) -> DataError:
    if sampled.snapshots:
        why = _sentence(stretch, sampled)
        return DataError(f"{why}. Is a time wrong? Else say which to show, with --since and --until")
    return DataError(
        f"{_sentence(stretch, sampled)}. Is a time wrong? Else end before with `until=`, leave out the facts "
        f"before, or give the rule of {sampled.query} a condition on a fact: then it has answers there only"
    )


_BETWEEN_STEPS = 0.1  # seconds between two steps, at least, if there is no more to be read at once
_MANY = 10_000  # rows of a step that takes a while
_FIRST, _LEAST = 5_000, 500  # the rows of the first two steps, and the fewest of any
_WEIGHT = 250_000  # about so many lines and explanations has a step; each takes some 250 bytes as text
Judged = Callable[[DueRows], None]  # called after the engine has judged rows


class RunTime:
    """The clock of a run: that of this machine."""

    def wall(self) -> int:
        """Microseconds since 1970."""
        return system.time_ns() // 1000

    def monotonic(self) -> float:
        """Seconds since any moment."""
        return system.monotonic()

    def sleep(self, seconds: float) -> None:
        system.sleep(seconds)


class ChangeView:
    """Shows the changes of each step; at most `most` lines may fill a stretch without facts."""

    def __init__(self, most: int = MOST_LINES) -> None:
        self.most = most
        self.mapped: Callable[..., Iterable[Any]] = map
        # The rows of the next steps. With workers two are under way, and all cut them alike.
        self._rows, self._last = deque([_FIRST, _FIRST]), _FIRST

    @property
    def rows(self) -> int:
        """The rows that the next step may have, so that its lines fit in memory."""
        return self._rows[0]

    def _weighed(self, rows: int, weight: int) -> None:
        """Sets the rows of the step after the next, by the lines and explanations of one that was taken."""
        if rows:
            self._last = max(_LEAST, min(4 * self._last, rows * _WEIGHT // max(1, weight)))
        self._rows.append(self._last)

    def fills(self, plan: Plan, /) -> bool:
        """Whether ticks without facts may have lines."""
        return speaks_by_the_clock(plan)

    def ends(self, _now: int, last: int, /) -> tuple[int, ...]:
        """The ticks at which a stretch is cut, because another share of its lines is shown from there on."""
        return (last,)

    def steps(self, engine: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        self._rows.popleft()
        tables = engine.advance(batch.now, batch.facts)
        self._weighed(batch.count, weight_of(tables))
        judged(batch)
        yield StepResult(batch.now, tables)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        if end > engine.now:
            yield StepResult(end, engine.advance(end))

    def outstanding(self) -> Iterator[StepResult]:
        """The steps that workers have taken, or are at."""
        yield from ()

    def in_turn(self, act: Callable[[], object], /) -> None:
        """Acts once the steps before have been yielded."""
        act()


class SnapshotView(ChangeView):
    """Shows the answers open at each tick from `since` (None: the first arrival) on, or confirmed at it."""

    def __init__(
        self, since: int | None, progress: Callable[[int], None] = lambda _: None, most: int = MOST_LINES
    ) -> None:
        super().__init__(most)
        self._since, self._progress = since, progress

    def fills(self, _plan: Plan, /) -> bool:
        return True

    def ends(self, now: int, last: int, /) -> tuple[int, ...]:
        since = self._since
        return (last,) if since is None or not now < since - 1 < last else (since - 1, last)

    def steps(self, engine: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        begins = engine.plan.tick is not None and engine.state.begin is None
        if begins and batch.first is not None:
            # Before the first arrival there is no time, and nothing to show.
            self._since = max(self._since or 0, batch.first)
        if self._since is None or (begins and batch.first is None):
            yield self._step(engine, batch, judged, shown=False)
            return
        before = min(self._since - 1, batch.now)
        if before > engine.now:
            yield self._step(engine, batch.between(engine.now, before), judged, shown=False)
        for tick in range(engine.now + 1, batch.now + 1):
            yield self._step(engine, batch.between(tick - 1, tick), judged)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        since = self._since
        if since is not None and engine.now < since - 1 < end:
            yield self._step(engine, DueRows(since - 1, {}), shown=False)
        for tick in range(max(engine.now + 1, since or 0), end + 1):
            yield self._step(engine, DueRows(tick, {}))

    def _step(
        self, engine: Engine, batch: DueRows, judged: Judged | None = None, *, shown: bool = True
    ) -> StepResult:
        changes = engine.advance(batch.now, batch.facts)
        if judged is not None:
            judged(batch)
        self._progress(1 if shown else 0)
        queries = engine.plan.queries if shown else ()
        return StepResult(batch.now, {each.name: engine.answers(each.name) for each in queries}, changes)


_NO_TIME = (
    "no answers, for no time has passed: with a `tick` it begins with the first fact, and there is none; "
    "`antelog try` with --since and --until needs no facts"
)


@dataclass(eq=False)
class Driver:
    """Drives an engine with the rows of a reader; if `resumed`, another run goes on later from its end."""

    engine: Engine
    reader: InputReader
    view: ChangeView = field(default_factory=ChangeView)
    once: bool = True
    resumed: bool = False
    tend: Callable[[], object] = lambda: None
    journal: Journal | None = None
    time: RunTime = field(default_factory=RunTime)
    _stopping: Callable[[], bool] = field(default=lambda: False, init=False)
    _last_fact: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.reader.in_turn, self.reader.mapped = self.view.in_turn, self.view.mapped

    def run(self, sink: Sink, stopping: Callable[[], bool]) -> None:
        """Writes all steps until `stopping`, or to the end."""
        for step in self.steps(stopping):
            sink.write(step)

    def steps(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[StepResult]:
        """Yields all steps until `stopping`, or to the end; each is saved after it was taken."""
        self._stopping = stopping
        if self.journal is not None:
            self.journal.begin()
        try:
            yield from self._through_all()
        except AntelogError:
            yield from self._outstanding()  # as if those had been taken at once
            raise
        if self.journal is not None:
            self.journal.end()

    def _through_all(self) -> Iterator[StepResult]:
        while not self._stopping():
            began = self.time.monotonic()
            read = self.reader.read(self._now())
            if read > _MANY:
                self._commit()  # those who look at the feed see that there is work
            yield from self._advance(self.reader.finished(self._now()))
            self.reader.look(self._now())
            self._commit()
            self.tend()
            if self.reader.ended or (self.once and self.reader.through):
                yield from self._finish()
                break
            if not read or not (self.once or self.reader.behind):
                self.time.sleep(max(0.0, began + _BETWEEN_STEPS - self.time.monotonic()))
        yield from self._outstanding()

    def linger(self, stopping: Callable[[], bool]) -> None:
        """Looks after the other processes until `stopping`."""
        while not stopping():
            self.tend()
            self._commit()  # the page sees that this process is there
            self.time.sleep(_BETWEEN_STEPS)

    def _now(self) -> Now:
        return Now(self.engine.now, self.time.wall())

    def _advance(self, finished: int) -> Iterator[StepResult]:
        engine, waiting = self.engine, self.reader.waiting
        while engine.now < finished and not self._stopping():
            end = finished
            if self._by_clock:
                has_begun = engine.plan.tick is None or engine.state.begin is not None
                now = engine.now if has_begun else max(engine.now, waiting.first().now - 1)
                end, is_stretch = waiting.until_gap(now, finished, SAMPLE)
                if is_stretch:
                    after = _end_fact(engine.plan, waiting.first())
                    yield from self._through(Stretch(end, self._last_fact, after))
                    continue
            batch = waiting.batch(end, self.view.rows)
            if self._by_clock and batch.rows:
                self._last_fact = _end_fact(engine.plan, batch, last=True)
            yield from self._steps(batch)

    @cached_property
    def _by_clock(self) -> bool:
        return self.view.fills(self.engine.plan)

    def _outstanding(self) -> Iterator[StepResult]:
        return self._committed(self.view.outstanding())

    def _steps(self, batch: DueRows) -> Iterator[StepResult]:
        return self._committed(self.view.steps(self.engine, batch, self._judged))

    def _committed(self, steps: Iterable[StepResult]) -> Iterator[StepResult]:
        for step in steps:
            yield step
            self._commit(step)
            while self.engine.notes:
                self.reader.listeners.note(self.engine.notes.pop(0))

    def _through(self, stretch: Stretch) -> Iterator[StepResult]:
        """Yields the steps through a long stretch without facts, unless they would be too many."""
        for end in self.view.ends(self.engine.now, stretch.last):
            part = replace(stretch, last=end)
            if end - self.engine.now > SAMPLE:
                yield from self._through_part(part)
            else:
                yield from self._steps(DueRows(end, {}))

    def _through_part(self, stretch: Stretch) -> Iterator[StepResult]:
        engine, before = self.engine, self.engine.now
        yield from self._outstanding()
        steps = [
            *self.view.steps(engine, DueRows(before + SAMPLE, {}), self._judged),
            *self.view.outstanding(),
        ]
        sampled = Sampled.of(steps, before, stretch.last)
        too_long = sampled.too_many(self.view.most)
        if too_long and (self.once or self.reader.recorded):
            raise _refused(stretch, sampled)
        yield from self._committed(steps)
        if too_long:
            engine.begin_anew(stretch.last + 1)
            sentence = _sentence(stretch, sampled)
            self.reader.listeners.note(f"{sentence}; time begins anew after them")
            if self.journal is not None:
                self.journal.begin()
            return
        while engine.now < stretch.last and not self._stopping():
            yield from self._steps(DueRows(min(engine.now + sampled.piece, stretch.last), {}))

    def _finish(self) -> Iterator[StepResult]:
        self.reader.finish(self._now(), ended_only=self.resumed)
        reader, queries = self.reader, self.engine.plan.queries
        if self.resumed or not reader.recorded:
            yield from self._advance(self.reader.finished(self._now(), at_end=True))
        if self.resumed:
            self.reader.progress.before = None  # more facts are dated from the tick that is finished then
            return
        yield from self._advance(self.reader.waiting.last)
        yield from self._outstanding()
        end = reader.until
        if self._by_clock and self.engine.plan.tick is not None and self.engine.state.begin is None:
            if reader.since is None or end is None:
                self.reader.listeners.note(_NO_TIME)
            else:
                self.engine.begin_at(reader.since)
        if end is None:
            end = clock.end(self.engine.now, (self.engine.answers(each.name) for each in queries))
        if end - self.engine.now > SAMPLE and self._by_clock:
            yield from self._through(Stretch(end, self._last_fact))
            yield from self._outstanding()
        before = self.engine.now
        yield from self._committed(self.view.rest(self.engine, end))
        if self.engine.now > before:
            self._judged(DueRows(end, {}))

    def _judged(self, batch: DueRows) -> None:
        if self.journal is not None:
            self.journal.hear(batch.facts)
        self.reader.set_aside(batch.rejects(self.engine.last_rejects, self.engine.plan.timescale))

    def _commit(self, step: StepResult | None = None) -> None:
        if self.journal is not None:
            self.journal.commit(step)
