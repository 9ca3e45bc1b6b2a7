"""`antelog run`: a pipeline on Spark, as a batch or a stream, from its settings to its summary."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from antelog.cli.arguments.flags import FINE, flags
from antelog.cli.arguments.ready import RUN, ready
from antelog.cli.serving import page_address
from antelog.cli.show.terminal import print_diagnostics, say_what_is_missing
from antelog.lazily import libraries
from antelog.program import Program
from antelog.run.settings import Settings
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, reach
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.requirements import locked, require_java, require_pyspark
from antelog.spark.settings import BUCKETS, master_of
from antelog.watch.web.address import PageAddress


@click.command("run", epilog=f"{FINE} Results go to their outputs, everything else to stderr.")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path), required=False)
@flags(RUN, settings=Settings)
def run(settings: Settings) -> None:
    """Run PROGRAM on Spark over files, topics and tables, once or as a stream."""
    found = ready(settings, RUN)
    program, settings = found.program, found.settings
    print_diagnostics(program.warnings, program.source)
    run_pipeline(program, settings, page_address(settings) if settings.page else None)


def run_pipeline(program: Program, settings: Settings, address: PageAddress | None = None) -> None:
    """Runs a program from sources to sinks, with a page if there is an address. Raises AntelogError."""
    require_java()
    require_pyspark()
    say_what_is_missing(program.plan, settings.inputs, "SOURCE")
    sources = [SOURCES.take(each) for each in (*settings.inputs.values(), *settings.statics.values())]
    sinks = [SINKS.take(each) for each in (*settings.outputs, settings.rejects) if each is not None]
    with nullcontext() if settings.checkpoint is None else locked(settings.checkpoint):
        reach(sources, sinks, settings.conf, master_of(settings.master, settings.conf))
        configuration = settings_of(
            [*sources, *sinks],
            buckets=settings.buckets or (BUCKETS if program.plan.key else 1),
            master=settings.master,
            conf=settings.conf,
            once=[] if settings.stream else sources,
        )
        with libraries("`antelog run`", "spark"):
            from antelog.cli.run.pipeline import run_on_spark  # noqa: PLC0415 - needs PySpark
        run_on_spark(program, settings, configuration, address)
