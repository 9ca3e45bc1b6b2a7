"""`antelog backtest`: how rules would have done against a list of incidents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import BACKTEST, ready, rejects_of, tick_given
from antelog.cli.show.set_aside import summarized
from antelog.cli.show.terminal import note, print_diagnostics, progress_bar, say_what_is_missing, tell
from antelog.errors import DataError
from antelog.escaping import json_text
from antelog.incidents.asked import LeadWords, asked_queries, lead_of, varied_of
from antelog.incidents.backtest import backtest_of, run
from antelog.incidents.incident_list import Choice, read_incidents
from antelog.incidents.report import text, to_dict
from antelog.program import load
from antelog.run.options import Arity, file_of, flag, named_file, option, plain, words
from antelog.run.options import text as any_text
from antelog.run.replay import recording_of
from antelog.run.settings import Settings
from antelog.run.values import tick


@dataclass(frozen=True, kw_only=True)
class BacktestFlags:
    incidents: Path = option(None, named_file("FILE"), required=True)
    lead: str = option(None, any_text("A..B"), required=True)
    settle: str | None = option(None, any_text("SPAN"))
    within: bool = flag(False)
    key: str | None = option(None, any_text("[X=]COLUMN"))
    where: Mapping[str, str] = option({}, any_text("COLUMN=VALUE"), example="kind=pump")
    query: Sequence[str] = option((), any_text("NAME"), arity=Arity.MANY)
    vary: str | None = option(None, any_text("LIMIT=LO..HI"))
    split: str | int | None = option(None, plain("TIME", tick))
    form: str = option("table", words("format", "table", "json"))
    output: Path | None = option(None, file_of("report", ".html", ".json"))


@click.command("backtest")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(BACKTEST, settings=Settings, more=BacktestFlags)
def backtest(settings: Settings, more: BacktestFlags) -> None:
    """Say how the rules of PROGRAM would have done against a list of incidents."""
    found = ready(settings, BACKTEST, more.output)
    program, plan, settings = found.program, found.program.plan, found.settings
    print_diagnostics(program.warnings, program.source)
    recording = recording_of(settings)
    say_what_is_missing(plan, recording.inputs)
    queries = asked_queries(plan, more.query)
    lead = lead_of(LeadWords(more.lead, more.settle, more.within), plan)
    varied = None if more.vary is None else varied_of(more.vary, program.document)
    listed = read_incidents(more.incidents, plan, Choice(more.key, more.where))
    for each in listed.notes:
        note(each)
    programs = [program]
    if varied is not None:
        assert settings.program is not None
        programs = [
            load(
                settings.program, limits={**settings.limits, varied.name: value}, functions=settings.functions
            )
            for value in varied.values
        ]
    with (
        summarized(rejects_of(settings), plan.timescale) as set_aside,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        runs = run(
            programs, recording, queries, listed, rejects=set_aside, progress=report, note=note,
            workers=settings.workers, model=settings.model,
        )  # fmt: skip
        set_aside.require_use()
    if runs.first is None:
        raise DataError(f"there are no facts; give them with --input {plan.inputs[0].name}=FILE")
    split = tick_given("--split", more.split, plan)
    if split is None and varied is not None:
        split = (runs.first + runs.last + 1) // 2
    result = backtest_of(runs, listed, lead, varied, split)
    if more.form == "json":
        tell(json_text(to_dict(result), ascii_only=True))
    else:
        tell(text(result).rstrip())
