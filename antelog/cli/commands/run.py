"""`antelog run`: a pipeline on Spark, as a batch or a stream."""

from __future__ import annotations

from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import RUN, ready
from antelog.cli.run.pipeline import run_pipeline
from antelog.cli.serving import page_address
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import print_diagnostics
from antelog.run.settings import Settings


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
