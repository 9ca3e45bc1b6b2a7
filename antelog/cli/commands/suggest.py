"""`antelog suggest`: proposes rules from facts and a list of incidents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import SUGGEST, rejects_of
from antelog.cli.show.set_aside import summarized
from antelog.cli.show.terminal import note, progress_bar, say, tell
from antelog.errors import OutputError
from antelog.incidents.suggest.declaring import columns_of, declared, with_a_query
from antelog.incidents.suggest.library import Suggestion, Wanted, suggested
from antelog.language.program_files import read_text
from antelog.program import parse
from antelog.run.checks import resolved
from antelog.run.options import file_of, named_file, option, plain, whole_number
from antelog.run.replay import files_of, recording_of
from antelog.run.settings import BacktestOptions, Settings
from antelog.run.values import rate_a_day
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class SuggestFlags(BacktestOptions):
    incidents: Path = option(None, named_file("FILE"), required=True)
    most: int = option(5, whole_number(1))
    false_alarms: float = option(0.1, plain("N/day", rate_a_day))
    output: Path | None = option(None, file_of("program", ".alog"))


@click.command("suggest")
@click.argument("program", required=False, type=click.Path(dir_okay=False, path_type=Path))
@flags(SUGGEST, settings=Settings, more=SuggestFlags)
def suggest(settings: Settings, more: SuggestFlags) -> None:
    """Propose rules that incidents have in common."""
    if more.output is not None and more.output.exists():
        raise OutputError(f"{more.output}: is there already. Give another name; nothing is written over it")
    if settings.program is None:
        column = (more.key or "").rpartition("=")[2] or None
        text = declared(files_of(settings.inputs), column, columns_of(more.incidents))
        note(f"inputs, as the files have them:\n{text}")
    else:
        text = read_text(settings.program)
    name = "inputs" if settings.program is None else str(settings.program)
    program = parse(with_a_query(text), name=name, limits=settings.limits)
    found = resolved(program, settings)
    plan, recording = found.program.plan, recording_of(found.settings)
    with (
        summarized(rejects_of(settings), plan.timescale) as rejects,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        how = {"progress": report, "note": note, "static": {}}
        wanted = Wanted(more.most, more.false_alarms)
        result = suggested(found, more, more.incidents, recording, rejects, wanted, text, **how)
    _show(result, more)


def _show(result: Suggestion, more: SuggestFlags) -> None:
    if not result.text:
        tell(
            "Nothing that comes before these incidents is better than alarms at random; no rule is proposed."
        )
    elif more.output is None:
        tell(result.text.rstrip())
    else:
        write(more.output, result.text.encode())
        write(more.output.with_suffix(".test.yaml"), result.tests.encode())
        say(f"done: {len(result.proposals)} rules in {more.output}, with tests beside it")
