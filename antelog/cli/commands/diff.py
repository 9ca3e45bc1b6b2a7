"""`antelog diff`: what a new version of a program changes, in meaning and on recorded facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import click
from rich.text import Text

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import DIFF, checked, through
from antelog.cli.show.terminal import print_text, say, tell, to_stdout
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.escaping import json_text
from antelog.language.checks.suggestions import did_you_mean, require_known
from antelog.program import Program, load
from antelog.run.options import flag, option, whole_number, words
from antelog.run.replay import recording_of
from antelog.run.settings import Settings
from antelog.theme import TERMINAL
from antelog.workbench.diff.difference import ConfirmedAnswers, ProgramDifference, difference_of, differences
from antelog.workbench.diff.words import NEW, OLD, TITLE, lines_of

V = TypeVar("V")

_STYLES = {TITLE: "bold", OLD: TERMINAL["old"], NEW: TERMINAL["new"]}


@dataclass(frozen=True, kw_only=True)
class DiffFlags:
    most: int = option(10, whole_number(1))
    form: str = option("text", words("format", "text", "json"))
    check: bool = flag(False)


@click.command()
@click.argument("old", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("new", type=click.Path(dir_okay=False, path_type=Path))
@flags(DIFF, settings=Settings, more=DiffFlags)
@click.pass_context
def diff(ctx: click.Context, /, old: Path, new: Path, settings: Settings, more: DiffFlags) -> None:
    """Say what the program NEW changes, compared with OLD: which queries, and by which rules."""
    programs = _loaded((old, new), settings)
    found = difference_of(programs[0], programs[1])
    if settings.inputs:
        found = _with_answers(found, programs, (old, new), settings)
    if more.form == "json":
        tell(json_text(found.to_dict(), ascii_only=True))
    else:
        console = to_stdout(soft_wrap=True)
        for line, role in lines_of(found, more.most):
            print_text(console, Text(line, _STYLES.get(role, "")))
    if more.check and not found.is_same:
        ctx.exit(1)


def _loaded(paths: Sequence[Path], settings: Settings) -> tuple[Program, Program]:
    plain = [load(path) for path in paths]
    known = [{each.name for each in program.document.limits} for program in plain]
    for name in settings.limits:
        if not any(name in own for own in known):
            hint = did_you_mean(name, sorted(known[0] | known[1]))
            raise DataError(f"neither program has a limit {name}. {hint}".rstrip())
    old, new = (
        load(path, limits=_known(settings.limits, own), functions=settings.functions)
        for path, own in zip(paths, known, strict=True)
    )
    return old, new


def _known(given: Mapping[str, V], names: set[str]) -> dict[str, V]:
    return {name: value for name, value in given.items() if name in names}


def _with_answers(
    found: ProgramDifference, programs: Sequence[Program], paths: Sequence[Path], settings: Settings
) -> ProgramDifference:
    _refuse_unknown([program.plan for program in programs], settings)
    runs = []
    for program, path in zip(programs, paths, strict=True):
        say(f"{path}:")
        answers = ConfirmedAnswers(program.plan)
        limits = {each.name for each in program.document.limits}
        own = settings.changed({"program": path, "limits": _known(settings.limits, limits)})
        own = own.changed(_inputs(program.plan, settings))
        ready = checked(own, DIFF)
        through(ready.program, recording_of(ready.settings), answers.take, only=("confirmed",))
        runs.append(answers)
    names = [(each.name, each.name) for each in found.meaning.queries if each.old and each.new]
    names += [(each.twin, each.name) for each in found.meaning.queries if each.old is None and each.twin]
    names += [(e.name, e.name) for e in found.meaning.queries if not (e.old and e.new) and not e.twin]
    return replace(found, answers=[differences(runs[0], runs[1], *each) for each in names])


def _inputs(plan: Plan, settings: Settings) -> dict[str, object]:
    """The settings about those inputs and static predicates that a program has."""
    inputs, statics = {e.name for e in plan.inputs}, {e.name for e in plan.statics}
    return {
        "inputs": _known(settings.inputs, inputs),
        "statics": _known(settings.statics, statics),
        "map": {
            name: value
            for name, value in settings.map.items()
            if "." not in name or name.split(".")[0] in inputs | statics
        },
        **{
            name: _known(getattr(settings, name), inputs | {""})
            for name in ("time_units", "time_zones", "time_formats")
        },
    }


def _refuse_unknown(plans: Sequence[Plan], settings: Settings) -> None:
    for flag_, what, given, known in (
        ("--input", "an input", settings.inputs, {e.name for plan in plans for e in plan.inputs}),
        ("--static", "a static predicate", settings.statics, {e.name for p in plans for e in p.statics}),
    ):
        for name in given:
            try:
                require_known(name, sorted(known), f"neither program has {what}", "They have")
            except DataError as error:
                raise click.BadParameter(str(error), param_hint=f"'{flag_}'") from None
