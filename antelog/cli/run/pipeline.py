"""A pipeline on Spark, from its sources to its sinks; needs PySpark."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from antelog.accounts import PARTICULAR, REASONS
from antelog.cli.run.report import Paging, Report, console_printer, paging, reporting
from antelog.cli.serving import until_stopped
from antelog.cli.show.endings import stoppable
from antelog.cli.show.terminal import say
from antelog.errors import DataError
from antelog.files.setting_aside import no_use
from antelog.program import Program
from antelog.run.address import Console
from antelog.run.settings import Settings
from antelog.run.sinks.set_aside import reject_of
from antelog.run.values import ANSWERS
from antelog.spark import Outputs, guard, outputs
from antelog.spark.endpoints import sinks
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, Sink, Source
from antelog.spark.endpoints.folders import entries, input_of
from antelog.spark.endpoints.sinks import MicroBatch
from antelog.spark.endpoints.sources import Reading, Wish, frame, reading_of
from antelog.spark.failures import plainly
from antelog.spark.pipeline.session import Session, session
from antelog.spark.pipeline.stream_run import Counts, follow, totals
from antelog.temporary import temporary_folder
from antelog.watch.web.address import PageAddress

_PATIENCE = 60.0
"""Seconds a batch may go on after a request to stop."""
_OPTIONS = (
    *("only", "explanations", "model", "epoch", "half_life", "judges", "min_chance", "most", "buckets"),
    *("clock", "arrival", "lag", "ahead", "idle"),
)
"""Settings that are options of `antelog.spark.outputs` as they are."""


def run_on_spark(
    program: Program, settings: Settings, configuration: Mapping[str, str], address: PageAddress | None
) -> None:
    """Runs a program in a session with this configuration, with a page if there is an address."""
    timescale, stream = program.plan.timescale, settings.stream
    with ExitStack() as stack:
        spark = stack.enter_context(session("antelog", configuration))
        pipeline = Pipeline(spark, program, settings)
        static = map(SOURCES.take, settings.statics.values())
        sinks.require(spark, [*pipeline.inputs.values(), *static, *pipeline.sinks])
        page = stack.enter_context(paging(program, settings, address))
        on_terminal = any(isinstance(each, Console) for each in pipeline.sinks)
        report = stack.enter_context(reporting(timescale, stream=stream, results_on_terminal=on_terminal))
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
        facts = partial(frame, spark, stream=settings.stream, limit=settings.chunk, leave_out=leave_out)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = outputs(
                self.program,
                {name: facts(each) for name, each in inputs.items()},
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
            current = guard(
                self.spark,
                checkpoint,
                current,
                accept=settings.accept_changes,
                note=lambda sentence: say(f"note: {sentence}"),
            )

            def anew(left_out: Collection[str]) -> Outputs:
                return made(left_out).after(current.job.data.before)

            stop_requested = stack.enter_context(
                stoppable("stopping after this batch; once more stops at once")
            )
            query = follow(
                current, self._writer(), checkpoint=checkpoint, trigger=settings.trigger, anew=anew
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
        files, timescale = self.settings.inputs, self.program.plan.timescale
        answers = self.settings.output_mode == ANSWERS
        write_lines = sinks.write_states if answers else sinks.write_changes
        of_changes = self.sinks[: len(self.settings.outputs)]

        def write_all(seen: Outputs, batch: MicroBatch, counts: Counts) -> None:
            aside = any(counts.get(reason) for reason in REASONS)
            for file in batch.unread:
                self.report.warn(f"{file}; it is set aside")
            for sink in of_changes:
                if isinstance(sink, Console):
                    show(seen)
                elif counts.get("changes") or batch.number is None:
                    write_lines(seen, sink, batch)
            if self.rejects is not None and (aside or batch.unread or batch.number is None):
                unread = [(input_of(self.spark, self.inputs, file), file) for file in batch.unread]
                sinks.write(sinks.as_rejects(seen.rejects, unread), self.rejects, batch)
            if aside and self.report.room > 0:
                self.report.first += [
                    reject_of(row.asDict(), str(files.get(row["input"], row["input"])), None, timescale)
                    for row in seen.rejects.limit(self.report.room).collect()
                ]
            self.report.count(counts)
            if timescale is not None and counts.get("given"):
                self.report.clocks((row.asDict() for row in seen.clocks.collect()), self.program.plan)
            if self.page is not None:
                self.page.batch(seen, batch.number, counts)

        return write_all
