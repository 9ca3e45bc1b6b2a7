"""`antelog learn`: what recorded facts say of how likely answers are, to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antelog.accounts import Counts
from antelog.cli.arguments.maps import map_option
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
from antelog.cli.show.terminal import say, tell
from antelog.errors import DataError, OutputError
from antelog.forecast.model_file import Model
from antelog.forecast.rates.tally import EPOCH
from antelog.forecast.reports.learned import learned_text
from antelog.forecast.reports.text import report_text
from antelog.process import LEARN, Engine
from antelog.program import load


@click.command(
    "learn",
    short_help="Learn from recorded facts how likely answers are.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, or too little to learn from, 2 the "
    "command is.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@input_option
@static_option
@map_option()
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="MODEL", required=True,
    help="The file for what is learned.",
)  # fmt: skip
@click.option(
    "--epoch", type=click.IntRange(min=1), metavar="TICKS", default=EPOCH, show_default=True,
    help="What so many ticks teach is counted together: fewer where much changes within few ticks. With the "
    "model, epochs are that long.",
)  # fmt: skip
@until_option
@arrival_option
@time_unit_option
@rejects_option
@click.pass_context
def learn(
    ctx: click.Context, /, program: Path, output: Path, epoch: int, rejects: Path | None, **given: Any
) -> None:
    """Learn from recorded facts how likely the answers of PROGRAM are, and write it to a file.

    \b
    Examples:
      antelog learn turbines.alog --input Temp=history.parquet --output turbines.model
      antelog try turbines.alog --input Temp=today.csv --model turbines.model --format table

    Prints what was learned: how often facts come and how persistently, how late, for whom that differs; and
    how good its forecasts would have been on these facts, each with what was known by then.
    """
    with ending_in_words(ctx):
        if not output.parent.is_dir():
            raise OutputError(f"{output}: cannot be written: there is no folder {output.parent}")
        loaded = with_units(load(program), given["time_units"])
        facts = recording_of(loaded.plan, given)
        engine = through(loaded, facts, rejects=rejects, model=LEARN, epoch=epoch, half_life=None)
        model = engine.model
        _check(engine, model)
        model.save(output)
        tell(learned_text(model))
        tell("How good its forecasts would have been, each with what was known by then:\n")
        tell(report_text(engine.scored, loaded.plan.tick).rstrip())
        say(f"note: the model is in {output}; use it with --model {output}")


def _check(engine: Engine, model: Model) -> None:
    """Raises DataError if nothing was learned."""
    used = sum(engine.counts.values(), Counts()).admitted
    if not used:
        name = next((each.name for each in engine.plan.inputs), "P")
        raise DataError(f"there are no facts to learn from; give them with --input {name}=FILE")
    if not model.knows_something:
        raise DataError(
            f"{used:,} fact{'' if used == 1 else 's'} up to tick {engine.now} "
            f"{'is' if used == 1 else 'are'} too little to learn from: no answer was decided, and no "
            f"{model.length} ticks are complete"
        )
