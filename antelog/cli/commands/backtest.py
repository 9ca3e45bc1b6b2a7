"""`antelog backtest`: how rules would have done against a list of incidents."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import BACKTEST, SUGGEST, ready, rejects_of
from antelog.cli.show.set_aside import summarized
from antelog.cli.show.terminal import note, print_diagnostics, progress_bar, say_what_is_missing, tell
from antelog.escaping import json_text
from antelog.incidents.backtesting import judge
from antelog.incidents.report import text, to_dict
from antelog.lazily import libraries
from antelog.run.checks import Ready
from antelog.run.options import LIST, Arity, file_of, option, options_of, words
from antelog.run.replay import recording_of
from antelog.run.settings import BacktestOptions, JudgingOptions, Settings
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class BacktestFlags(BacktestOptions):
    incidents: Path | str = option(None, LIST, required=True)
    form: str = option("table", words("format", "table", "json"))
    output: Path | None = option(None, file_of("page", ".html"))


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
    with (
        summarized(rejects_of(settings), plan.timescale) as rejects,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        how = {"progress": report, "note": note, "static": {}}
        result = judge(found, more, more.incidents, recording, rejects, **how)
    if more.output is not None:
        with libraries():
            from antelog.watch.web.views.incidents import backtest_page  # noqa: PLC0415 - needs Jinja2
        write(more.output, backtest_page(result, Path(program.source.name).name).encode())
    if more.form == "json":
        tell(json_text(to_dict(result), ascii_only=True))
    else:
        tell(text(result))
        tell(f"\nTo tune its limits and conditions: {_to_suggest(found, more)}")


def _to_suggest(found: Ready, more: BacktestFlags) -> str:
    """The line that has the program improved by the same facts and incidents."""
    given = [str(found.settings.program), "--incidents", str(more.incidents)]
    options = [(each, getattr(found.settings, each.attribute)) for each in options_of(Settings, SUGGEST.name)]
    options += [(each, getattr(more, each.attribute)) for each in options_of(JudgingOptions)]
    for each, value in options:
        if each.arity is Arity.FLAG:
            given += [each.flag] if value else []
        elif each.arity is not Arity.ARGUMENT and value != each.default:
            named = value.items() if isinstance(value, Mapping) else [("", value)]
            texts = [f"{name}={text}" if name else str(text) for name, text in named]
            given += [word for text in texts for word in (each.flag, text)]
    return shlex.join(["antelog", "suggest", *given])
