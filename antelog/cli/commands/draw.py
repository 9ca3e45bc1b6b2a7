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
from antelog.cli.arguments.ticks import tick_of
from antelog.cli.recorded.facts import (
    arrival_option,
    facts_of,
    input_option,
    static_option,
    until_option,
)
from antelog.cli.recorded.through import through
from antelog.cli.show.endings import ending_in_words
from antelog.errors import DataError, UnsupportedError
from antelog.pictures.reading import of_lines
from antelog.program import load
from antelog.telling.shown import Tables

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
    facts = {name: given.pop(name) for name in ("inputs", "statics", "arrival", "until")}
    since = given.pop("since")
    is_log = source == _STDIN or source.suffix.lower() in _LOGS
