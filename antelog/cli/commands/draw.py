"""`antelog draw`: pictures of answers over time, and of programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antelog.cli.arguments.completion import queries_of
from antelog.cli.arguments.maps import map_option
from antelog.cli.arguments.reading import Read, equation
from antelog.cli.arguments.recorded import (
    arrival_option,
    input_option,
    recording_of,
    static_option,
    until_option,
)
from antelog.cli.arguments.ticks import tick_of
from antelog.cli.arguments.units import time_unit_option, with_units
from antelog.cli.replaying import through
from antelog.cli.show.endings import ending_in_words
from antelog.errors import DataError, UnsupportedError
from antelog.pictures.reading import of_lines
from antelog.program import load
from antelog.run.sinks.result import Tables

if TYPE_CHECKING:
    from antelog.pictures import Drawing
    from antelog.pictures.history import Change

_LOGS = (".jsonl", ".ndjson", ".json")
_STDIN = Path("-")


def _picture(_ctx: click.Context, _parameter: click.Parameter, path: Path) -> Path:
    if path.suffix.lower() not in (".svg", ".png", ".html"):
        raise click.BadParameter(
            f"`{path}` has an ending that tells no form of picture; there are .svg, .png and .html"
        )
    return path


@click.command(
    "draw",
    short_help="Draw answers over time, or rules as a graph.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Needs Altair: pip install 'antelog[draw]'.",
)
@click.argument(
    "source", metavar="PROGRAM|LOG", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", required=True,
    callback=_picture, help="The picture: .svg, .png, or .html to point at and to zoom.",
)  # fmt: skip
@click.option("--plan", is_flag=True, help="Draw the program itself: predicates, rules and strata.")
@input_option
@static_option
@map_option()
@click.option(
    "--since", metavar="TICK",
    help="The first tick that is shown, a number or, if the program has a `tick`, a timestamp.",
)  # fmt: skip
@until_option
@arrival_option
@time_unit_option
@click.option(
    "--query", "queries", metavar="NAME", multiple=True, shell_complete=queries_of,
    help="Only the answers of this query.",
)  # fmt: skip
@click.option(
    "--answer", "answers", type=Read("X=VALUE", equation("X=wt2")), metavar="X=VALUE", multiple=True,
    help="Only the answers with this value of a variable.",
)  # fmt: skip
@click.option(
    "--rows", type=click.IntRange(min=1), default=60, show_default=True, metavar="N",
    help="If there are more answers than N, they are counted instead of shown one by one.",
)  # fmt: skip
@click.option(
    "--width",
    type=click.IntRange(min=300),
    default=800,
    show_default=True,
    metavar="PIXELS",
    help="How wide.",
)
@click.option(
    "--theme", type=click.Choice(["auto", "light", "dark"]), default="auto", show_default=True,
    help="auto is light or dark as the reader prefers; a PNG is then light.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="What stands above the picture.")
@click.pass_context
def draw(ctx: click.Context, /, source: Path, output: Path, plan: bool, **given: Any) -> None:
    """Draw answers over time, or (with --plan) the rules of PROGRAM.

    \b
    Examples:
      antelog draw turbines.alog --input Temp=readings.csv --output answers.svg
      antelog draw turbines.alog --input Temp=readings.csv --until 3 --query Malf --output malf.png
      antelog draw turbines.alog --input Temp=readings.csv --answer X=wt2 --output wt2.html
      antelog draw turbines.alog --input Temp=readings.csv --since 2 --output later.svg
      antelog draw turbines.alog --plan --output rules.svg
      antelog try turbines.alog --input Temp=readings.csv | antelog draw - --output answers.html

    The facts are replayed as by `antelog try`. Instead of a program there may be a LOG, the JSON lines
    that it printed: a file that ends in .jsonl, or - for standard input.
    """
    facts = {name: given.pop(name) for name in ("inputs", "statics", "maps", "arrival", "until")}
    since, units = given.pop("since"), given.pop("time_units")
    is_log = source == _STDIN or source.suffix.lower() in _LOGS
    if is_log and plan:
        raise click.UsageError("--plan needs a program, and this is a log")
    read = facts["inputs"] or facts["statics"] or facts["maps"] or units
    leave_out = "leave out --input, --static, --map"
    if is_log and read:
        raise click.UsageError(f"a log has its answers already; {leave_out} and --time-unit")
    if plan and (read or facts["until"] or since):
        raise click.UsageError(f"--plan draws the rules alone; {leave_out}, --time-unit, --since and --until")
    look = {"query": given.pop("queries"), "answer": dict(given.pop("answers")), **given}
    with ending_in_words(ctx):
        draw = _draw()
        if is_log:
            first, last = tick_of(since, None, "--since"), tick_of(facts["until"], None, "--until")
            log = _log_of_stdin() if source == _STDIN else source
            drawing = draw(log, since=first, until=last, **look)
        elif plan:
            drawing = draw(load(source), **look)
        else:
            program = with_units(load(source), units)
            first = tick_of(since, program.plan, "--since")
            tables: list[Tables] = []
            engine = through(program, recording_of(program.plan, facts), tables.append)
            drawing = draw(tables, now=engine.now, since=first, program=program, **look)
        drawing.save(output)


def _log_of_stdin() -> Iterator[Change]:
    if not sys.stdin:  # None, whatever its type says, if it was closed before the command began
        raise DataError("<stdin>: cannot be read: it is closed")
    return of_lines(sys.stdin, "<stdin>")


def _draw() -> Callable[..., Drawing]:
    try:
        from antelog.pictures import draw as found  # noqa: PLC0415 - needs Altair
    except ImportError as error:
        raise UnsupportedError(str(error)) from None
    return found
