"""`antelog score`: how good forecasts were on recorded facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antelog.cli.arguments.maps import map_option
from antelog.cli.arguments.models import model_option
from antelog.cli.arguments.recorded import (
    arrival_option,
    input_option,
    recording_of,
    rejects_option,
    static_option,
    until_option,
)
from antelog.cli.arguments.units import time_unit_option, with_units
from antelog.cli.replaying import through
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import tell
from antelog.forecast.reports.page import page_html
from antelog.forecast.reports.text import report_text
from antelog.forecast.scores.scores import report_json
from antelog.process import LEARN, Engine
from antelog.program import Program, load
from antelog.writing import write


def _report(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in (".html", ".json"):
        raise click.BadParameter(
            f"`{path}` has an ending that tells no form of report; there are .html and .json"
        )
    return path


@click.command(
    "score",
    short_help="Say how good forecasts were on recorded facts.",
    epilog="Exit status: 0 fine, 1 the program, the model or the data is wrong, 2 the command is.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@input_option
@static_option
@map_option()
@model_option
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", callback=_report,
    help="Write a page with pictures (.html), or the numbers (.json), instead of printing the report.",
)  # fmt: skip
@until_option
@arrival_option
@time_unit_option
@rejects_option
@click.pass_context
def score(
    ctx: click.Context,
    /,
    program: Path,
    model: str | Path | None,
    output: Path | None,
    rejects: Path | None,
    **given: Any,
) -> None:
    """Say how good the chances were that PROGRAM's answers were told with, now that their ends are known.

    \b
    Examples:
      antelog score turbines.alog --input Temp=today.csv --model turbines.model
      antelog score turbines.alog --input Temp=today.csv --output scores.html

    Without --model the chances are those that the program declares; if it declares none, they are learned
    on the way.
    """
    with ending_in_words(ctx):
        loaded = with_units(load(program), given["time_units"])
        facts = recording_of(loaded.plan, given)
        chosen = LEARN if model is None and not loaded.plan.declares_chances else model
        _tell(loaded, through(loaded, facts, rejects=rejects, model=chosen), output)


def _tell(program: Program, engine: Engine, output: Path | None) -> None:
    scores, tick = engine.scored, program.plan.tick
    if output is None:
        tell(report_text(scores, tick).rstrip())
    elif output.suffix.lower() == ".json":
        write(output, report_json(scores, tick).encode())
    else:
        title = f"How good the forecasts of {Path(program.source.name).name} were"
        write(output, page_html(scores, tick, title).encode())
