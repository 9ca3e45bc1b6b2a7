"""A pipeline on Spark, from its sources to its sinks, and its report and page; needs PySpark."""

from __future__ import annotations

import sys
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.status import Status
from rich.text import Text

from antelog.accounts import FAILED, FATES, PARTICULAR, REASONS
from antelog.arrow.ticks import UTC_ASSUMED, comes_twice
from antelog.cli.serving import Tend, tending, until_stopped, with_page
from antelog.cli.show import listing
from antelog.cli.show.endings import stoppable
from antelog.cli.show.set_aside import facts, number, say_what_was_set_aside
from antelog.cli.show.terminal import (
    escaped,
    for_stderr,
    note,
    print_text,
    say,
    say_whole,
    to_stderr,
    to_stdout,
)
from antelog.compile.nodes.plan import Plan, Relation
from antelog.errors import DataError
from antelog.escaping import shown
from antelog.files import Reject
from antelog.files.setting_aside import SHOWN, no_use
from antelog.language.durations import span_in_words
from antelog.language.moments import Timescale, tick_in_words, timed
from antelog.program import Program
from antelog.run.address import Console
from antelog.run.clock import Slowest
from antelog.run.settings import Settings
from antelog.run.sinks.feed_sink import holding
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult, reject_of
from antelog.run.store.feed import BatchFeed, FolderFeed, about, reject_line
from antelog.run.values import ANSWERS, duration
from antelog.spark import Outputs, guard, outputs
from antelog.spark.endpoints import sinks
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, Sink, Source
from antelog.spark.endpoints.folders import entries, input_of
from antelog.spark.endpoints.sinks import MicroBatch
from antelog.spark.endpoints.sources import Reading, Wish, frame, reading_of
from antelog.spark.failures import plainly
from antelog.spark.pipeline.metrics import serve_metrics
from antelog.spark.pipeline.session import Session, session
from antelog.spark.pipeline.stream_run import Counts, Progress, follow, totals
from antelog.spark.settings import HOLDING
from antelog.watch.web.address import PageAddress
from antelog.writing import temporary_folder

_ASIDE = (*REASONS, FAILED)
_STANDING = ("open", "held", "behind", HOLDING)
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass
class Report:
    status: Status | None = None  # a line of a terminal that each batch replaces
    timescale: Timescale | None = None
    max_skew: int | None = None  # microseconds
    began: float = field(default_factory=time.monotonic)
    batches: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    standing: dict[str, Any] = field(default_factory=dict)
    first: list[Reject] = field(default_factory=list)
    twice: Counter[str] = field(default_factory=Counter)  # rows, by input, with times the clock showed twice

    def batch(self, done: Progress) -> None:
        self.batches += 1
        self._warn_of_skew(done.counts)
        line = batch_line(done, self.timescale)
        if self.status is not None:
            self.status.update(escaped(Text(line)))
        else:
            say(line)

    def _warn_of_skew(self, counts: Mapping[str, Any]) -> None:
        """Warns once if a source is further ahead than is wanted: on Spark it is read on all the same."""
        behind, scale = counts.get("behind") or 0, self.timescale
        if scale is None or self.max_skew is None or behind * scale.length <= self.max_skew:
            return
        self.max_skew = None
        self.warn(
            f"{counts.get(HOLDING)} is {span_in_words(behind, scale)} behind other sources, whose rows wait "
            "in the state; --max-skew says when this is worth a warning"
        )

    def count(self, counts: Mapping[str, Any]) -> None:
        self.totals.update({name: counts.get(name) or 0 for name in ("given", "changes", FAILED, *FATES)})
        # A micro-batch without rows may lack these counts, which are then as before.
        self.standing |= {name: counts[name] for name in _STANDING if counts.get(name) is not None}

    def clocks(self, rows: Iterable[Mapping[str, Any]], plan: Plan) -> None:
        """Counts rows whose times have no offset; notes once that they are read as UTC."""
        for row in rows:
            self.twice[row["input"]] += row["twice"]
            if plan.counting(row["input"]).zone is None:
                if not self.totals["local"]:
                    say(f"note: {UTC_ASSUMED}")
                self.totals["local"] += row["local"]

    @property
    def room(self) -> int:
        return SHOWN - len(self.first)

    def warn(self, text: str) -> None:
        if self.status is not None:
            print_text(self.status.console, Text(for_stderr(f"warning: {shown(text)}")), soft_wrap=True)
        else:
            say(f"warning: {shown(text)}")

    def summarize(self, *, stream: bool, rejects: str | None, timescale: Timescale | None) -> None:
        seconds = time.monotonic() - self.began
        came = facts(self.totals, _held_before({**self.totals, **self.standing}))
        parts = [came, number(self.totals["changes"], "change"), *_still(self.standing)]
        if stream:
            parts.insert(0, f"{self.batches:,} batch{'' if self.batches == 1 else 'es'}")
        say(f"done: {', '.join(parts)} in {seconds:,.1f} s")
        if stream and not self.batches and not self.totals["given"]:
            say("note: there was no batch, for nothing has come that was not read before")
        if held := self.standing.get("held"):
            many = f"{held:,} facts wait: their ticks are not finished"
            said = "1 fact waits: its tick is not finished" if held == 1 else many
            say(f"note: {', '.join([said, *_holding(self.standing, timescale)])}")
        for name, count in sorted(self.twice.items()):
            if count:
                say(f"note: {comes_twice(count, name)}")
        counts = {reason: self.totals[reason] for reason in _ASIDE}
        say_what_was_set_aside(counts, self.first, timescale, where=rejects, option="--rejects SINK")


@contextmanager
def reporting(timescale: Timescale | None, *, stream: bool, results_on_terminal: bool) -> Iterator[Report]:
    console = to_stderr()
    if not stream or not console.is_terminal or (results_on_terminal and sys.stdout.isatty()):
        yield Report(timescale=timescale)
        return
    with console.status("waiting for facts; Ctrl-C ends it", spinner="dots") as status:
        yield Report(status, timescale)


def batch_line(done: Progress, timescale: Timescale | None = None) -> str:
    counts = done.counts
    given = counts.get("given") or 0
    speed = given / done.seconds if done.seconds else 0
    rate = f" ({speed:,.0f}/s)" if speed >= 10 else f" ({speed:.1f}/s)" if speed else ""
    parts = [f"{facts(counts, _held_before(counts))} in {done.seconds:,.1f} s{rate}"]
    parts += [number(counts.get("changes") or 0, "change"), *_still(counts)]
    parts += [f"{number(failed, 'call')} failed"] if (failed := counts.get(FAILED)) else []
    kept = counts.get("kept")
    state = [*([] if kept is None else [number(kept, "fact")]), *_size(counts.get("state_bytes"))]
    parts += [f"state {' in '.join(state)}"] if state else []
    now = counts.get("now")
    parts += [] if now is None else [tick_in_words(now, timescale)]
    parts += _holding(counts, timescale)
    parts += [f"{count:,} {what} waiting" for what, count in done.waiting.items()]
    return f"batch {done.number}: {', '.join(parts)}"


def _held_before(counts: Mapping[str, int | None]) -> int:
    """The number of facts that were held before: those counted now minus those that came."""
    after = sum(counts.get(name) or 0 for name in (*FATES, "held"))
    return after - (counts.get("given") or 0)


def _still(counts: Mapping[str, int | None]) -> list[str]:
    still, held = counts.get("open"), counts.get("held")
    return [*([] if still is None else [f"{still:,} open"]), *([f"{held:,} held"] if held else [])]


def _holding(counts: Mapping[str, Any], timescale: Timescale | None) -> list[str]:
    """The source that holds time back, and by how much."""
    source, behind = counts.get(HOLDING), counts.get("behind")
    if not source or not behind:
        return []
    return [f"{source} holds time back by {span_in_words(behind, timescale)}"]


def _size(count: int | None) -> list[str]:
    if not count:
        return []
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return [f"{size:,.0f} {_UNITS[unit]}" if size >= 10 or not unit else f"{size:.1f} {_UNITS[unit]}"]


def console_printer(plan: Plan) -> Callable[[Outputs], None]:
    relations = list(plan.queries)
    to = listing.listing(to_stdout(), plan.timescale, None)

    def show(outputs: Outputs) -> None:
        listing.print_changes(relations, StepResult(0, tables_of(outputs, relations)), to)
        to.console.file.flush()

    return show


def tables_of(outputs: Outputs, relations: Sequence[Relation]) -> dict[str, pa.Table]:
    """Collects the changes of each query from Spark, with columns named as variables again."""
    found = {}
    times = pa.timestamp("us", outputs.job.plan.zone)  # Spark's are of the zone of its session
    for relation in relations:
        table = outputs.query(relation.name).toArrow()
        clashing = {f"{name}_": name for name in relation.answer.names if name not in table.column_names}
        table = table.rename_columns([clashing.get(name, name) for name in table.column_names])
        timed_ = {timed(name) for name in table.column_names}
        fields = [each.with_type(times) if each.name in timed_ else each for each in table.schema]
        found[relation.name] = table.cast(pa.schema(fields))
    return found


# ---- the page ----

_MOST_REJECTS = 100
_REJECTED = {"input": "predicate", "reason": "reason", "row": "row", "detail": "detail"}


@dataclass(eq=False)
class Paging:
    """The feed of a page; `tend` restarts the page's process if it has ended."""

    program: Program
    feed: BatchFeed
    tend: Tend
    given: int = 0
    aside: Counter[tuple[str, str]] = field(default_factory=Counter)

    def batch(self, seen: Outputs, number: int | None, counts: Counts) -> None:
        lines: list[str] = []
        if counts.get("changes"):
            relations = list(self.program.plan.queries)
            shown = StepResult(0, tables_of(seen, relations))
            lines += change_lines(relations, shown, Style()).splitlines()
        if any(counts.get(reason) for reason in _ASIDE):
            for row in seen.rejects.groupBy("input", "reason").count().collect():
                self.aside[row["input"], row["reason"]] += row["count"]
            for row in seen.rejects.limit(_MOST_REJECTS).collect():
                each = reject_of(row.asDict(), "", None, self.program.plan.timescale)
                lines.append(reject_line({key: getattr(each, name) for key, name in _REJECTED.items()}))
        self.given += counts.get("given") or 0
        inputs: dict[str, Any] = {}
        for source in self.program.plan.inputs:
            rejects = {reason: n for (name, reason), n in self.aside.items() if name == source.name}
            inputs[source.name] = {"delay": max(source.delays), "rejects": rejects}
            if len(self.program.plan.inputs) == 1:  # rows are counted in total
                inputs[source.name]["facts"] = self.given
        slow = Slowest(counts[HOLDING], 0, counts["behind"]) if counts.get(HOLDING) else None
        self.feed.write(number, lines, {"tick": counts.get("now"), "inputs": inputs, **holding(slow)})
        self.tend()


@contextmanager
def paging(program: Program, settings: Settings, address: PageAddress | None) -> Iterator[Paging | None]:
    if address is None:
        yield None
        return
    with ExitStack() as stack:
        # Next to a checkpoint on this machine, so that a restarted stream shows open answers at once.
        if settings.checkpoint is None or ":" in settings.checkpoint:
            folder = stack.enter_context(temporary_folder())
        else:
            folder = Path(f"{settings.checkpoint.rstrip('/')}.feed")
        feed = BatchFeed(FolderFeed(folder), about(program.source, program.plan.tick))
        yield Paging(program, feed, tending(with_page(folder, address, stack)))


# ---- the pipeline ----

_PATIENCE = 60.0  # seconds a batch may go on after a request to stop
# Settings that are options of `antelog.spark.outputs` as they are.
_OPTIONS = (
    *("only", "explanations", "model", "half_life", "judges", "min_chance", "most", "buckets"),
    *("clock", "arrival", "lag", "ahead", "idle", "max_waiting", "most_failed"),
)


def run_on_spark(
    program: Program, settings: Settings, configuration: Mapping[str, str], address: PageAddress | None
) -> None:
    timescale, stream = program.plan.timescale, settings.stream
    with ExitStack() as stack:
        spark = stack.enter_context(session("antelog", configuration))
        pipeline = Pipeline(spark, program, settings)
        static = map(SOURCES.take, settings.statics.values())
        sinks.require(spark, [*pipeline.inputs.values(), *static, *pipeline.sinks])
        page = stack.enter_context(paging(program, settings, address))
        on_terminal = any(isinstance(each, Console) for each in pipeline.sinks)
        report = stack.enter_context(reporting(timescale, stream=stream, results_on_terminal=on_terminal))
        report.max_skew = duration(settings.max_skew)
        of_no_use = replace(pipeline, report=report, page=page).run()
        rejects = None if settings.rejects is None else str(settings.rejects)
        report.summarize(stream=stream, rejects=rejects, timescale=timescale)
        if of_no_use:
            raise DataError(of_no_use)
        if page is not None and not stream:
            say("the page stays until Ctrl-C")
            until_stopped(page.tend)


@dataclass(frozen=True, eq=False)
class Pipeline:
    spark: Session
    program: Program
    settings: Settings
    report: Report = field(default_factory=Report)
    page: Paging | None = None

    @cached_property
    def inputs(self) -> Mapping[str, Source]:
        return {name: SOURCES.take(each) for name, each in self.settings.inputs.items()}

    @cached_property
    def rejects(self) -> Sink | None:
        return None if self.settings.rejects is None else SINKS.take(self.settings.rejects)

    @cached_property
    def sinks(self) -> Sequence[Sink]:
        """The sinks of changes, and then that of rejects, if there is one."""
        found = [SINKS.take(each) for each in self.settings.outputs]
        return found if self.rejects is None else [*found, self.rejects]

    def run(self) -> str:
        """Runs it to its end; returns the reason if no row can be used, else an empty text."""
        with plainly():
            stream, static = self.settings.stream, self.settings.statics.items()
            self._step("the columns of the sources")
            inputs = {name: self._reading(name, each, stream=stream) for name, each in self.inputs.items()}
            statics = {name: self._reading(name, SOURCES.take(each)) for name, each in static}
            made = partial(self._outputs, inputs, statics)
            if not stream:
                return self._read_once(made())
            self._follow(made)
            return ""

    def _outputs(
        self, inputs: Mapping[str, Reading], statics: Mapping[str, Reading], leave_out: Collection[str] = ()
    ) -> Outputs:
        """The outputs of the program over its sources without some files, as Spark names them."""
        spark, settings = self.spark, self.settings
        facts_of = partial(frame, spark, stream=settings.stream, limit=settings.chunk, leave_out=leave_out)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = outputs(
                self.program,
                {name: facts_of(each) for name, each in inputs.items()},
                static={name: frame(spark, each, stream=False) for name, each in statics.items()},
                until=settings.last,
                **{name: getattr(settings, name) for name in _OPTIONS},
            )
        for each in () if leave_out else caught:
            if issubclass(each.category, UserWarning):
                say(f"warning: {each.message}")
        return found

    def _reading(self, name: str, source: Source, *, stream: bool = False) -> Reading:
        settings = self.settings
        must_arrive = "arrival" in settings.given or settings.clock == "arrival"
        arrival = settings.arrival if must_arrive else None
        return reading_of(self.spark, self.program.plan, Wish(name, source, settings.map, arrival, stream))

    # ---- once ----

    def _read_once(self, made: Outputs) -> str:
        sinks.refuse_used(self.spark, self.sinks, fresh=True)
        # A run over the same program and sources has the same name, and replaces its own rows in tables.
        # Sources are written without their passwords, which may change.
        settings, source = self.settings, self.program.source
        given = (*settings.inputs.items(), *settings.statics.items())
        parts = [source.whole, *map(str, source.values.items()), *(f"{name}={each}" for name, each in given)]
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join([*parts, str(settings.map)])))
        packed = made.frame.persist()
        try:
            seen = made.of(packed)
            self._step("the rules")
            counts = totals(seen)
            self._writer()(seen, MicroBatch(name), counts)
            return self._of_no_use(seen, counts)
        finally:
            packed.unpersist()

    def _of_no_use(self, seen: Outputs, counts: Counts) -> str:
        """The reason if no row can be used, not only for the time they came at; otherwise empty."""
        given, malformed = (counts.get(name) or 0 for name in ("given", "malformed"))
        if not malformed or sum(counts.get(reason) or 0 for reason in REASONS) < given:
            return ""
        row, count = sinks.commonest(seen.rejects, PARTICULAR)
        source = str(self.settings.inputs.get(row["input"], row["input"]))
        return no_use(source, given, count, reject_of(row, source, None, self.program.plan.timescale))

    # ---- as a stream ----

    def _follow(self, made: Callable[[Collection[str]], Outputs]) -> None:
        settings, current = self.settings, made(())
        with ExitStack() as stack:
            checkpoint = settings.checkpoint or str(stack.enter_context(temporary_folder()))
            # Nothing is written before a batch was begun, whatever else a start that was killed has left.
            fresh = not entries(self.spark, f"{checkpoint}/offsets")
            sinks.refuse_used(self.spark, self.sinks, fresh=fresh)
            current = guard(self.spark, checkpoint, current, accept=settings.accept_changes, note=note)

            def anew(left_out: Collection[str]) -> Outputs:
                return made(left_out).after(current.job.data.before)

            stop_requested = stack.enter_context(
                stoppable("stopping after this batch; once more stops at once")
            )
            if settings.metrics is not None:
                host, port = settings.metrics
                say_whole(f"metrics: {serve_metrics(self.spark, port, host=host)}")
            name, trigger = Path(self.program.source.name).stem, settings.trigger
            query = follow(
                current, self._writer(), checkpoint=checkpoint, trigger=trigger, name=name, anew=anew
            )
            try:
                for done in query.progress(stop_requested):
                    self.report.batch(done)
            finally:
                query.stop(_PATIENCE)
            for done in query.rest():
                self.report.batch(done)

    # ---- results ----

    def _writer(self) -> Callable[[Outputs, MicroBatch, Counts], None]:
        show = console_printer(self.program.plan)
        settings, files, timescale = self.settings, self.settings.inputs, self.program.plan.timescale
        write_lines = sinks.write_states if settings.output_mode == ANSWERS else sinks.write_changes
        of_changes = self.sinks[: len(settings.outputs)]

        def write_all(seen: Outputs, batch: MicroBatch, counts: Counts) -> None:
            aside = any(counts.get(reason) for reason in _ASIDE)
            for file in batch.unread:
                self.report.warn(f"{file}; it is set aside")
            for sink in of_changes:
                self._step(f"{settings.output_mode} to {sink}", batch)
                if isinstance(sink, Console):
                    show(seen)
                elif counts.get("changes") or batch.number is None:
                    write_lines(seen, sink, batch)
            self._step("rejects", batch)
            if self.rejects is not None and (aside or batch.unread or batch.number is None):
                unread = [(input_of(self.spark, self.inputs, file), file) for file in batch.unread]
                sinks.write(sinks.as_rejects(seen.rejects, unread), self.rejects, batch)
            if aside and self.report.room > 0:
                self.report.first += [
                    reject_of(row.asDict(), str(files.get(row["input"], row["input"])), None, timescale)
                    for row in seen.rejects.limit(self.report.room).collect()
                ]
            self._step("the report", batch)
            self.report.count(counts)
            if timescale is not None and counts.get("given"):
                self.report.clocks((row.asDict() for row in seen.clocks.collect()), self.program.plan)
            if self.page is not None:
                self.page.batch(seen, batch.number, counts)

        return write_all

    def _step(self, what: str, batch: MicroBatch | None = None) -> None:
        """Names the jobs that follow on Spark's page."""
        number = None if batch is None else batch.number
        step = what if number is None else f"batch {number}: {what}"
        self.spark.sparkContext.setJobDescription(step)
