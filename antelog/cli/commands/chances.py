"""`antelog learn` and `antelog score`: models of chances from recorded facts, and how good forecasts were."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from antelog.accounts import Counts
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import LEARN as LEARNING
from antelog.cli.arguments.ready import SCORE, ready, rejects_of, through
from antelog.cli.show.set_aside import say_what_learning_lacks
from antelog.cli.show.terminal import say, tell
from antelog.errors import DataError, OutputError
from antelog.forecast.reports.learned import learned_text
from antelog.forecast.reports.words import report_text
from antelog.forecast.scores.scores import report_json
from antelog.language.moments import tick_in_words
from antelog.lazily import page_libraries
from antelog.process import LEARN, Engine
from antelog.run.checks import Ready
from antelog.run.options import file_of, named_file, option
from antelog.run.replay import recording_of
from antelog.run.settings import Settings
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class LearnFlags:
    output: Path = option(None, named_file("MODEL"))


@click.command("learn")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(LEARNING, settings=Settings, more=LearnFlags)
def learn(settings: Settings, more: LearnFlags) -> None:
    """Learn from recorded facts how likely the answers of PROGRAM are, and write it to a file."""
    output = more.output
    if not output.parent.is_dir():
        raise OutputError(f"{output}: cannot be written: there is no folder {output.parent}")
    found = ready(settings, LEARNING, output)
    engine = _replayed(found, model=LEARN, half_life=None)
    model = engine.model
    used = sum(engine.counts.values(), Counts()).admitted
    if not used:
        name = next((each.name for each in engine.plan.inputs), "P")
        raise DataError(f"there are no facts to learn from; give them with --input {name}=FILE")
    if not model.knows_something:
        until = tick_in_words(engine.now, engine.plan.timescale)
        raise DataError(
            f"{used:,} fact{'' if used == 1 else 's'} up to {until} "
            f"{'is' if used == 1 else 'are'} too little to learn from: no answer was decided"
        )
    model.save(output)
    tell(learned_text(model))
    tell("How good its forecasts would have been, each with what was known by then:\n")
    tell(report_text(engine.scored, found.program.plan.tick).rstrip())
    say_what_learning_lacks(engine)
    say(f"note: the model is in {output}; use it with --model {output}")


def _replayed(found: Ready, **options: Any) -> Engine:
    """Replays recorded facts for their chances alone: no line is made."""
    settings = found.settings
    return through(
        found.program,
        recording_of(settings),
        rejects=rejects_of(settings),
        workers=settings.workers,
        only=(),
        **options,
    )


@dataclass(frozen=True, kw_only=True)
class ScoreFlags:
    output: Path | None = option(None, file_of("report", ".html", ".json"))


@click.command("score")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(SCORE, settings=Settings, more=ScoreFlags)
def score(settings: Settings, more: ScoreFlags) -> None:
    """Say how good the chances of PROGRAM's answers were, now that it is known what became of them."""
    found = ready(settings, SCORE, more.output)
    program, model = found.program, settings.model
    chosen = LEARN if model is None and not program.plan.declares_chances else model
    engine = _replayed(found, model=chosen, half_life=settings.half_life, judges=settings.judges)
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
