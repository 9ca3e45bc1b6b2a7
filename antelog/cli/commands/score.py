"""`antelog score`: how good forecasts were on recorded facts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import SCORE, ready, rejects_of, through
from antelog.cli.show.set_aside import say_what_learning_lacks
from antelog.cli.show.terminal import tell
from antelog.forecast.reports.words import report_text
from antelog.forecast.scores.scores import report_json
from antelog.lazily import page_libraries
from antelog.process import LEARN
from antelog.run.options import file_of, option
from antelog.run.replay import recording_of
from antelog.run.settings import Settings
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class ScoreFlags:
    """The options of `antelog score` alone."""

    output: Path | None = option(
        None, file_of("report", ".html", ".json"),
        "Write a page with pictures (.html), or the numbers (.json), instead of printing the report.",
        short="-o",
    )  # fmt: skip


@click.command(
    "score", epilog="Exit status: 0 fine, 1 the program, the model or the data is wrong, 2 the command is."
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(SCORE, settings=Settings, more=ScoreFlags)
def score(settings: Settings, more: ScoreFlags) -> None:
    """Say how good the chances of PROGRAM's answers were, now that it is known what became of them.

    \b
    Examples:
      antelog score turbines.alog --input Temp=today.csv --model turbines.model
      antelog score turbines.alog --input Temp=today.csv --output scores.html

    Without --model the chances are those that the program declares; if it declares none, they are learned
    on the way.
    """
    found = ready(settings, SCORE, more.output)
    program, model = found.program, settings.model
    chosen = LEARN if model is None and not program.plan.declares_chances else model
    recording = recording_of(found.settings)
    engine = through(
        program,
        recording,
        rejects=rejects_of(settings),
        model=chosen,
        epoch=settings.epoch,
        half_life=settings.half_life,
        judges=settings.judges,
    )
    scores, tick = engine.scored, program.plan.tick
    if more.output is None:
        tell(report_text(scores, tick).rstrip())
    elif more.output.suffix.lower() == ".json":
        write(more.output, report_json(scores, tick).encode())
    else:
        with page_libraries():
            from antelog.watch.web.views.trust import scores_page  # noqa: PLC0415 - needs Jinja2
        title = f"How good the forecasts of {Path(program.source.name).name} were"
        write(more.output, scores_page(scores, tick, title).encode())
    if chosen == LEARN:
        say_what_learning_lacks(engine)
