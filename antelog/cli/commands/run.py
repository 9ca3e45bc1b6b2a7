"""`antelog run`: a pipeline on Spark, as a batch or a stream, from its settings to its summary."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from antelog.accounts import PARTICULAR, REASONS
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import RUN, ready
from antelog.cli.run.columns import Wish, reading_of
from antelog.cli.run.report import Paging, Report, console_printer, paging, reporting
from antelog.cli.serving import page_address, until_stopped
from antelog.cli.show.endings import ending_in_words, stoppable
from antelog.cli.show.terminal import print_diagnostics, say, say_what_is_missing
from antelog.errors import DataError, UnsupportedError
from antelog.files.setting_aside import no_use
from antelog.lazily import brought_by
from antelog.program import Program
from antelog.run.address import Console
from antelog.run.settings import Settings
from antelog.run.sinks.set_aside import reject_of
from antelog.run.values import ANSWERS
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, Sink, Source, reach
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.requirements import locked, require_java, require_pyspark
from antelog.spark.settings import BUCKETS, master_of
from antelog.watch.web.address import PageAddress
from antelog.writing import temporary_folder

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark import Outputs
    from antelog.spark.endpoints.sinks import MicroBatch
    from antelog.spark.endpoints.sources import Reading
    from antelog.spark.pipeline.session import Session
    from antelog.spark.pipeline.stream_run import Counts

_PATIENCE = 60.0
"""Seconds a batch may go on after a request to stop."""


@click.command(
    "run",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to their outputs, everything else to stderr.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path), required=False)
@flags(RUN, settings=Settings)
@click.pass_context
def run(ctx: click.Context, /, settings: Settings) -> None:
    """Run PROGRAM on Spark over files, topics and tables, once or as a stream.

    \b
    Examples:
      antelog run turbines.alog --input Temp=readings/*.csv --output console
      antelog run turbines.alog --input Temp=readings --stream --checkpoint state --output parquet:changes
      antelog run turbines.alog --input Temp=kafka://localhost:9092/temp --stream --checkpoint state \\
                  --output kafka://localhost:9092/malf --only confirmed --trigger 10s
      antelog run --config pipeline.toml

    A source's columns are matched by name, as --map says, or else by position. Rows that cannot be used,
    and facts that arrived later than their input allows, are set aside and counted.

    In sources, sinks and settings of Spark's '${NAME}' stands for the variable NAME of the environment:
    so a password is in no list of processes.
    """
    with ending_in_words(ctx, debug=settings.debug):
        found = ready(settings, RUN)
        program, settings = found.program, found.settings
        print_diagnostics(program.warnings, program.source)
        run_pipeline(program, settings, page_address(settings) if settings.page else None)


def run_pipeline(program: Program, settings: Settings, address: PageAddress | None = None) -> None:
    """Runs a program from sources to sinks, with a page if there is an address. Raises AntelogError."""
    require_java()
    require_pyspark()
    say_what_is_missing(program.plan, settings.inputs, "SOURCE")
    here = [SOURCES.take(each) for each in (*settings.inputs.values(), *settings.statics.values())]
    sinks = [SINKS.take(each) for each in (*settings.outputs, settings.rejects) if each is not None]
    endpoints = [*here, *sinks]
    buckets = settings.buckets or (BUCKETS if program.plan.key else 1)
    on_console = any(isinstance(each, Console) for each in sinks)
    with ExitStack() as stack:
        if settings.checkpoint is not None:
            stack.enter_context(locked(settings.checkpoint))
        master = master_of(settings.master, settings.conf)
        reach(here, sinks, settings.conf, master)
        once = [] if settings.stream else here
        wanted = settings_of(
            endpoints, buckets=buckets, master=settings.master, conf=settings.conf, once=once
        )
        try:
            from antelog.spark.endpoints.sinks import require  # noqa: PLC0415 - needs PySpark
            from antelog.spark.pipeline.session import session  # noqa: PLC0415 - needs PySpark
        except ImportError as error:
            raise UnsupportedError(
                f"`antelog run` needs the package {error.name}, which is missing: {brought_by('spark')}"
            ) from None
        spark = stack.enter_context(session("antelog", wanted))
        require(spark, endpoints)
        page = stack.enter_context(paging(program, settings, address))
        report = stack.enter_context(
            reporting(program.plan.timescale, stream=settings.stream, results_on_terminal=on_console)
        )
        of_no_use = _Pipeline(spark, program, settings, report, page).run()
        report.summarize(
            stream=settings.stream,
            rejects=None if settings.rejects is None else str(settings.rejects),
            timescale=program.plan.timescale,
        )
        if of_no_use:
            raise DataError(of_no_use)
        if page is not None and not settings.stream:
            say("the page stays until Ctrl-C")
            until_stopped(page.tend)


@dataclass(frozen=True, eq=False)
class _Pipeline:
    spark: Session
    program: Program
    settings: Settings
    report: Report
    page: Paging | None = None

    @cached_property
    def inputs(self) -> Mapping[str, Source]:
        return {name: SOURCES.take(each) for name, each in self.settings.inputs.items()}

    @cached_property
    def outputs(self) -> Sequence[Sink]:
        return [SINKS.take(each) for each in self.settings.outputs]

    @cached_property
    def rejects(self) -> Sink | None:
        return None if self.settings.rejects is None else SINKS.take(self.settings.rejects)

    @property
    def sinks(self) -> Sequence[Sink]:
        return [*self.outputs, *([] if self.rejects is None else [self.rejects])]

    def run(self) -> str:
        """Runs it to its end; returns the reason if no row can be used, else an empty text."""
        from antelog.spark.failures import plainly  # noqa: PLC0415 - needs PySpark

        with plainly():
            stream, static = self.settings.stream, self.settings.statics.items()
            inputs = {name: self._reading(name, each, stream=stream) for name, each in self.inputs.items()}
            statics = {name: self._reading(name, SOURCES.take(each)) for name, each in static}
            outputs = partial(self._outputs, inputs, statics)
            if not stream:
                return self._read_once(outputs())
            self._follow(outputs)
            return ""

    def _outputs(
        self, inputs: Mapping[str, Reading], statics: Mapping[str, Reading], leave_out: Collection[str] = ()
    ) -> Outputs:
        """The outputs of the program over its sources without some files, as Spark names them."""
        from antelog import spark  # noqa: PLC0415 - needs PySpark
        from antelog.spark.endpoints.sources import frame  # noqa: PLC0415 - needs PySpark

        settings = self.settings
        with _printed_warnings(silent=bool(leave_out)):
            return spark.outputs(
                self.program,
                {
                    name: frame(
                        self.spark, each, stream=settings.stream, limit=settings.chunk, leave_out=leave_out
                    )
                    for name, each in inputs.items()
                },
                static={name: frame(self.spark, each, stream=False) for name, each in statics.items()},
                only=settings.only,
                explanations=settings.explanations,
                model=settings.model,
                epoch=settings.epoch,
                half_life=settings.half_life,
                judges=settings.judges,
                min_chance=settings.min_chance,
                most=settings.most,
                buckets=settings.buckets,
                clock=settings.clock,
                arrival=settings.arrival,
                lag=settings.lag,
                ahead=settings.ahead,
                idle=settings.idle,
                until=settings.last,
            )

    def _reading(self, name: str, source: Source, *, stream: bool = False) -> Reading:
        settings = self.settings
        must_arrive = "arrival" in settings.given or settings.clock == "arrival"
        arrival = settings.arrival if must_arrive else None
        wish = Wish(name, source, settings.map, arrival, stream)
        return reading_of(self.spark, self.program.plan, wish)

    # ---- once ----

    def _read_once(self, outputs: Outputs) -> str:
        from antelog.spark.endpoints.sinks import MicroBatch, refuse_used  # noqa: PLC0415 - needs PySpark
        from antelog.spark.pipeline.stream_run import totals  # noqa: PLC0415 - needs PySpark

        refuse_used(self.spark, self.sinks, fresh=True)
        # A run over the same program and sources has the same name, and replaces its own rows in tables.
        # Sources are written without their passwords, which may change.
        settings, source = self.settings, self.program.source
        given = (*settings.inputs.items(), *settings.statics.items())
        parts = [source.whole, *map(str, source.values.items()), *(f"{name}={each}" for name, each in given)]
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join([*parts, str(settings.map)])))
        packed = outputs.frame.persist()
        try:
            seen = outputs.of(packed)
            counts = totals(seen)
            self._writer()(seen, MicroBatch(name), counts)
            return self._of_no_use(seen, counts)
        finally:
            packed.unpersist()

    def _of_no_use(self, seen: Outputs, counts: Counts) -> str:
        """The reason if no row can be used, not only for the time they came at; otherwise empty."""
        from antelog.spark.endpoints.sinks import commonest  # noqa: PLC0415 - needs PySpark

        given, malformed = (counts.get(name) or 0 for name in ("given", "malformed"))
        if not malformed or sum(counts.get(reason) or 0 for reason in REASONS) < given:
            return ""
        row, count = commonest(seen.rejects, PARTICULAR)
        source = str(self.settings.inputs.get(row["input"], row["input"]))
        return no_use(source, given, count, reject_of(row, source, None, self.program.plan.timescale))

    # ---- as a stream ----

    def _follow(self, outputs_but: Callable[[Collection[str]], Outputs]) -> None:
        from antelog.spark import guard  # noqa: PLC0415 - needs PySpark
        from antelog.spark.endpoints.folders import entries  # noqa: PLC0415 - needs PySpark
        from antelog.spark.endpoints.sinks import refuse_used  # noqa: PLC0415 - needs PySpark
        from antelog.spark.pipeline.stream_run import follow  # noqa: PLC0415 - needs PySpark

        outputs = outputs_but(())
        with ExitStack() as stack:
            checkpoint = self.settings.checkpoint or str(stack.enter_context(temporary_folder()))
            # Nothing is written before a batch was begun, whatever else a start that was killed has left.
            fresh = not entries(self.spark, f"{checkpoint}/offsets")
            refuse_used(self.spark, self.sinks, fresh=fresh)
            outputs = guard(
                self.spark,
                checkpoint,
                outputs,
                accept=self.settings.accept_changes,
                note=lambda sentence: say(f"note: {sentence}"),
            )
            before = outputs.job.data.before
            if before:
                anew, outputs_but = outputs_but, lambda left_out: anew(left_out).after(before)
            stop_requested = stack.enter_context(
                stoppable("stopping after this batch; once more stops at once")
            )
            trigger = self.settings.trigger
            query = follow(outputs, self._writer(), checkpoint=checkpoint, trigger=trigger, anew=outputs_but)
            try:
                for done in query.progress(stop_requested):
                    self.report.batch(done)
            finally:
                query.stop(_PATIENCE)
            for done in query.rest():
                self.report.batch(done)

    # ---- results ----

    def _writer(self) -> Callable[[Outputs, MicroBatch, Counts], None]:
        """A function that writes the outputs of a batch to all sinks."""
        from antelog.spark.endpoints.folders import input_of  # noqa: PLC0415 - needs PySpark
        from antelog.spark.endpoints.sinks import as_rejects, write, write_changes, write_states  # noqa: PLC0415 - needs PySpark

        show = console_printer(self.program.plan)
        files, timescale = self.settings.inputs, self.program.plan.timescale
        write_lines = write_states if self.settings.output_mode == ANSWERS else write_changes

        def write_all(seen: Outputs, batch: MicroBatch, counts: Counts) -> None:
            aside = any(counts.get(reason) for reason in REASONS)
            for file in batch.unread:
                self.report.warn(f"{file}; it is set aside")
            for sink in self.outputs:
                if isinstance(sink, Console):
                    show(seen)
                elif counts.get("changes") or batch.number is None:
                    write_lines(seen, sink, batch)
            if self.rejects is not None and (aside or batch.unread or batch.number is None):
                unread = [(input_of(self.spark, self.inputs, file), file) for file in batch.unread]
                write(as_rejects(seen.rejects, unread), self.rejects, batch)
            if aside and self.report.room > 0:
                rows = (row.asDict() for row in seen.rejects.limit(self.report.room).collect())
                self.report.first += [
                    reject_of(row, str(files.get(row["input"], row["input"])), None, timescale)
                    for row in rows
                ]
            self.report.count(counts)
            if timescale is not None and counts.get("given"):
                self.report.clocks((row.asDict() for row in seen.clocks.collect()), self.program.plan)
            if self.page is not None:
                self.page.batch(seen, batch.number, counts)

        return write_all


@contextmanager
def _printed_warnings(*, silent: bool) -> Iterator[None]:
    """Prints warnings of the library in the form of the command line, or drops them if `silent`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for each in () if silent else caught:
        if issubclass(each.category, UserWarning):
            say(f"warning: {each.message}")
