"""`antelog suggest`: proposes rules from facts and a list of incidents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import SUGGEST, ready, rejects_of
from antelog.cli.show.set_aside import summarized
from antelog.cli.show.terminal import note, print_diagnostics, progress_bar, say, tell
from antelog.errors import OutputError
from antelog.incidents.suggest.declaring import declared, with_a_query
from antelog.incidents.suggest.library import Suggestion, suggested
from antelog.language.program_files import read_text
from antelog.program import parse
from antelog.run.checks import Ready, resolved
from antelog.run.options import LIST, file_of, option
from antelog.run.replay import files_of, recording_of
from antelog.run.settings import Settings, SuggestOptions
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class SuggestFlags(SuggestOptions):
    incidents: Path | str = option(None, LIST, required=True)
    output: Path | None = option(None, file_of("program", ".alog"))


@click.command("suggest")
@click.argument("program", required=False, type=click.Path(dir_okay=False, path_type=Path))
@flags(SUGGEST, settings=Settings, more=SuggestFlags)
def suggest(settings: Settings, more: SuggestFlags) -> None:
    """Propose rules that incidents have in common."""
    for path in () if more.output is None else (more.output, more.output.with_suffix(".test.yaml")):
        if path.exists():
            raise OutputError(f"{path}: is there already. Give another name; nothing is written over it")
    found, declarations = _given(settings, more)
    plan, recording = found.program.plan, recording_of(found.settings)
    with (
        summarized(rejects_of(found.settings), plan.timescale) as rejects,
        progress_bar("search", 1, results=False) as report,
    ):
        how: dict[str, Any] = {"declarations": declarations, "progress": lambda _: None, "note": note}
        result = suggested(found, more, more.incidents, recording, rejects, searching=report, **how)
    _show(result, more)


def _given(settings: Settings, more: SuggestFlags) -> tuple[Ready, str]:
    """The program with its settings; without one inputs are declared as their files have them."""
    if settings.program is not None:
        text = read_text(settings.program)
        if with_a_query(text) == text:
            found = ready(settings, SUGGEST, more.output)
            print_diagnostics(found.program.warnings, found.program.source)
            return found, ""
        program = parse(with_a_query(text), name=str(settings.program), limits=settings.limits)
        return resolved(program, settings), ""
    guessed, maps = declared(files_of(settings.inputs), more.key, more.incidents)
    note(f"inputs, as the files have them:\n{guessed}")
    program = parse(with_a_query(guessed), name="inputs")
    return resolved(program, replace(settings, map={**maps, **settings.map})), guessed


def _show(result: Suggestion, more: SuggestFlags) -> None:
    for change in result.rows if result.improves else ():
        say(f"{change['rule']}: {change['limits']}")
    if not result.text:
        tell(str(result))
    elif more.output is None:
        tell(result.text.rstrip())
    else:
        write(more.output, result.text.encode())
        if result.tests:
            write(more.output.with_suffix(".test.yaml"), result.tests.encode())
        beside = ", with tests beside it" if result.tests else ""
        number, what = len(result.rows), "change" if result.improves else "rule"
        say(f"done: {number} {what}{'s' * (number != 1)} in {more.output}{beside}")
