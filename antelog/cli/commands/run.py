"""`antelog run`: a pipeline on Spark, over what is there or over what keeps coming."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antelog.cli.arguments.completion import inputs_of, statics_of
from antelog.cli.arguments.maps import map_option
from antelog.cli.arguments.models import min_chance_option, model_option, most_option
from antelog.cli.arguments.page import address_of, page_options
from antelog.cli.arguments.reading import SECRET_SHOWN, Read, equation, sides
from antelog.cli.arguments.units import time_unit_option
from antelog.cli.run.checks import checked
from antelog.cli.run.config import read_config
from antelog.cli.run.pipeline import run_pipeline
from antelog.cli.run.settings import Settings, clock, duration, master, setting, trigger
from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import say
from antelog.run.values import SettingError, kinds
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, Source


def _pair(text: str) -> tuple[str, Source]:
    # A source may have an equals sign of its own, behind a question mark.
    predicate, source = sides(text)
    if not source or not predicate.isidentifier():
        raise SettingError(f"`{text}` is not of the form P=SOURCE", "Write it like Temp=readings/*.csv.")
    return predicate, SOURCES.read(source)


def _history(text: str) -> tuple[str, Source]:
    """The history of an input, which need not be named if it is the only one."""
    return _pair(text) if sides(text)[0].isidentifier() and "=" in text else ("", SOURCES.read(text))


def _conf(text: str) -> tuple[str, str]:
    return setting(*equation("spark.driver.memory=4g")(text))


@click.command(
    "run",
    short_help="Run a pipeline on Spark, once or as a stream.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to their outputs, everything else to stderr.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option(
    "--input", "inputs", type=Read("P=SOURCE", _pair), metavar="P=SOURCE", multiple=True,
    shell_complete=inputs_of,
    help="Where the facts of an input come from: a path or glob of CSV, JSON lines or Parquet, "
    "kafka://host:9092/topic?format=json, jdbc:…#table, delta:…, iceberg:…, or rate://100 for trying out.",
)  # fmt: skip
@click.option(
    "--static", "statics", type=Read("P=SOURCE", _pair), metavar="P=SOURCE", multiple=True,
    shell_complete=statics_of,
    help="Where facts of a static predicate come from, in addition to those of the program.",
)  # fmt: skip
@map_option("The key of a message is @key, its time @timestamp.")
@click.option(
    "--output", "outputs", type=Read("SINK", SINKS.read), metavar="SINK", multiple=True,
    help="Where the changes go: console, parquet:FOLDER, json:FOLDER, csv:FOLDER, kafka://host:9092/topic, "
    "jdbc:…#table or delta:FOLDER.",
)  # fmt: skip
@click.option(
    "--rejects", type=Read("SINK", SINKS.read), metavar="SINK",
    help="Where rows go that are set aside, each with the reason.",
)  # fmt: skip
@click.option("--only", type=Read("KIND,…", kinds), metavar="KIND,…", help="These kinds of changes only.")
@model_option
@min_chance_option
@most_option(" in a bucket")
@click.option(
    "--learn-from", "learn_from", type=Read("P=SOURCE", _history), metavar="P=SOURCE", multiple=True,
    shell_complete=inputs_of,
    help="The history of an input: it is learned from before anything else is read, and nothing is told of "
    "it. Of the only input SOURCE is enough. Implies --model learn.",
)  # fmt: skip
@click.option(
    "--page", "with_page", is_flag=True,
    help="Serve a page that shows what is open, from the driver; a link to it is printed.",
)  # fmt: skip
@page_options
@click.option("--stream", is_flag=True, help="Follow the inputs, instead of reading what is there once.")
@click.option("--checkpoint", metavar="DIR", help="Where a stream keeps how far it has come.")
@click.option(
    "--trigger", type=Read("WHEN", trigger), metavar="10s|once|available-now",
    help="How often a stream looks for facts; or once; or until it has what is there now. "
    "As often as it can, if not given.",
)  # fmt: skip
@click.option(
    "--clock", type=Read("CLOCK", clock), metavar="arrival|event|processing",
    help="What moves time on: a column with arrivals, the facts' own times, or the wall clock. If not "
    "given: arrivals where there is such a column, else the facts.",
)  # fmt: skip
@click.option("--arrival", metavar="NAME", help="The column with the arrivals of facts.  [default: arrival]")
@time_unit_option
@click.option(
    "--lag", type=click.IntRange(min=0), metavar="TICKS",
    help="A stream finishes the tick that lies this many behind the highest one seen.  [default: 1]",
)  # fmt: skip
@click.option(
    "--idle", type=Read("DURATION", duration), metavar="DURATION",
    help="When nothing came for this long, a stream goes on with the wall clock.",
)  # fmt: skip
@click.option(
    "--until", type=click.IntRange(min=0), metavar="TICK", help="The last tick of what is read once."
)
@click.option(
    "--chunk", type=click.IntRange(min=1), metavar="N",
    help="The most files, or messages, of an input in one batch of a stream.",
)  # fmt: skip
@click.option(
    "--buckets", type=click.IntRange(min=1), metavar="N",
    help="Into how many parts the facts are divided by the program's key.  [default: 8]",
)  # fmt: skip
@click.option(
    "--master", type=Read("URL", master), metavar="URL", help="Spark's master.  [default: local[*]]"
)
@click.option(
    "--conf", type=Read("K=V", _conf), metavar="K=V", multiple=True,
    help="A setting of Spark's.",
)  # fmt: skip
@click.option(
    "--config", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="A TOML file with all of this: settings are called as the options are, PROGRAM is program. "
    "Options win.",
)  # fmt: skip
@click.option(
    "--debug", is_flag=True, envvar="ANTELOG_DEBUG",
    help="After an error, also what Spark's Java said, with its stack. The variable ANTELOG_DEBUG=1 is the "
    "same.",
)  # fmt: skip
@click.pass_context
def run(ctx: click.Context, /, config: Path | None, *, with_page: bool, debug: bool, **given: Any) -> None:
    """Run PROGRAM on Spark over files, topics and tables, once or as a stream.

    \b
    Examples:
      antelog run turbines.alog --input Temp=readings/*.csv --output console
      antelog run turbines.alog --input Temp=readings --stream --checkpoint state --output parquet:changes
      antelog run turbines.alog --input Temp=kafka://localhost:9092/temp --stream --checkpoint state \\
                  --output kafka://localhost:9092/malf --only confirmed --trigger 10s
      antelog run turbines.alog --input Temp=live --learn-from Temp=last-year.parquet --stream \\
                  --checkpoint state --output parquet:changes
      antelog run --config pipeline.toml

    A source's columns are matched by name, as --map says, or else by position. Rows that cannot be used,
    and facts that arrived later than their input allows, are set aside and counted.

    In sources, sinks and settings of Spark's '${NAME}' stands for the variable NAME of the environment:
    so a password is in no list of processes.
    """
    if SECRET_SHOWN in ctx.meta:
        say(
            "warning: whoever may list the processes of this machine can read the password on the command "
            "line; write '${NAME}' in its place and set the variable NAME, or use --config"
        )
    with ending_in_words(ctx, debug=debug):
        read = read_config(config) if config is not None else None
        settings = _merged(read.settings if read else Settings(), given)
        program = checked(settings, read)
        print_diagnostics(program.warnings, program.source, stderr())
        run_pipeline(program, settings, address_of(given, facts=None) if with_page else None)


def _merged(base: Settings, given: dict[str, Any]) -> Settings:
    """The settings of a file, overruled by those of the command line."""
    changed: dict[str, Any] = {}
    for name, option in (("inputs", "--input"), ("statics", "--static"), ("learn_from", "--learn-from")):
        pairs = given.pop(name)
        twice = next((p for i, (p, _) in enumerate(pairs) if p in dict(pairs[:i])), None)
        if twice is not None:
            what = twice or "a history"
            raise click.BadParameter(f"{what} is given twice; it has one source", param_hint=option)
        changed[name] = {**getattr(base.sources, name), **dict(pairs)}
    changed["maps"] = {**base.sources.maps, **dict(given.pop("maps"))}
    changed["time_units"] = {**base.sources.time_units, **dict(given.pop("time_units"))}
    changed["conf"] = {**base.cluster.conf, **dict(given.pop("conf"))}
    # An option that is not given is None, or empty, or a flag that is not set.
    changed |= {name: value for name, value in given.items() if value}
    changed |= {name: given[name] for name in ("lag", "until", "min_chance") if given[name] is not None}
    return base.changed(changed)
