"""`antelog draw`: pictures of answers over time, and of programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import FINE, flags
from antelog.cli.arguments.ready import DRAW, ready, through, tick_given
from antelog.cli.show.terminal import say
from antelog.errors import DataError, UnsupportedError
from antelog.lazily import brought_by
from antelog.pictures.history import of_lines
from antelog.program import load
from antelog.run.options import Arity, file_of, flag, option, text, whole_number, words
from antelog.run.replay import recording_of
from antelog.run.settings import Settings
from antelog.run.sinks.result import Tables

_LOGS = (".jsonl", ".ndjson", ".json")
_STDIN = Path("-")


@dataclass(frozen=True, kw_only=True)
class DrawFlags:
    output: Path = option(None, file_of("picture", ".svg", ".png", ".html"))
    plan: bool = flag(False)
    query: Sequence[str] = option((), text("NAME"), arity=Arity.MANY)
    answer: Mapping[str, str] = option({}, text("X=VALUE"))
    rows: int = option(60, whole_number(1))
    width: int = option(800, whole_number(300, "PIXELS"))
    theme: str = option("auto", words("theme", "auto", "light", "dark"))
    title: str | None = option(None, text("TEXT"))


@click.command("draw", epilog=f"{FINE} Needs Altair: {brought_by('draw')}.")
@click.argument(
    "source", metavar="PROGRAM|LOG", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@flags(DRAW, settings=Settings, more=DrawFlags)
def draw(source: Path, settings: Settings, more: DrawFlags) -> None:
    """Draw answers over time, or (with --plan) the rules of PROGRAM."""
    is_log = source == _STDIN or source.suffix.lower() in _LOGS
    if is_log and more.plan:
        raise click.UsageError("--plan needs a program, and this is a log")
    read = settings.given & {"inputs", "statics", "map", "time_units", "time_zones", "time_formats"}
    if is_log and read:
        hint = "leave out --input, --static, --map and --time-unit, --time-zone, --time-format"
        raise click.UsageError(f"a log has its answers already; {hint}")
    if more.plan and (read or settings.given & {"until", "since"}):
        say("note: --plan draws the rules alone: no facts are read")
    look = {each: getattr(more, each) for each in ("query", "answer", "rows", "width", "theme", "title")}
    try:
        from antelog.pictures import draw  # noqa: PLC0415 - needs Altair
    except ImportError as error:
        raise UnsupportedError(str(error)) from None
    if is_log:
        if source == _STDIN and not sys.stdin:  # None, whatever its type says, if it was closed before
            raise DataError("<stdin>: cannot be read: it is closed")
        log = of_lines(sys.stdin, "<stdin>") if source == _STDIN else source
        first = tick_given("--since", settings.since, None)
        last = tick_given("--until", settings.until, None)
        drawing = draw(log, since=first, until=last, **look)
    elif more.plan:
        drawing = draw(load(source, limits=settings.limits, functions=settings.functions), **look)
    else:
        found = ready(settings.changed({"program": source}), DRAW, more.output)
        tables: list[Tables] = []
        engine = through(found.program, recording_of(found.settings), tables.append)
        drawing = draw(tables, now=engine.now, since=found.settings.first, program=found.program, **look)
    drawing.save(more.output)
