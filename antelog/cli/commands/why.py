"""`antelog why`: why an answer is there, or why not, as a tree with colours or as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WHY, ready, tick_given
from antelog.cli.show import terminal
from antelog.escaping import shown
from antelog.files import Rejects
from antelog.run.options import option, plain, whole_number, words
from antelog.run.replay import recorded_grounds, recording_of
from antelog.run.settings import Settings
from antelog.run.values import tick
from antelog.theme import TERMINAL
from antelog.why import Detail, explained
from antelog.why.tree import FALSE, OPEN, PLAIN, TRUE, Signs, TreeLine, WhyAnswer, branch_of, tree_lines


@dataclass(frozen=True, kw_only=True)
class WhyFlags:
    at: int | str | date | None = option(None, plain("TICK", tick))
    depth: int = option(Detail().depth, whole_number(1, "LEVELS"))
    most: int = option(Detail().most, whole_number(1))
    form: str = option("tree", words("format", "tree", "json"))


@click.command("why")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("atom")
@flags(WHY, settings=Settings, more=WhyFlags)
def why(atom: str, settings: Settings, more: WhyFlags) -> None:
    """Say why ATOM is an answer of PROGRAM on recorded facts, or why it is none."""
    found = ready(settings, WHY)
    program, plan = found.program, found.program.plan
    recording, rejects = recording_of(found.settings), Rejects()
    terminal.print_diagnostics(program.warnings, program.source)
    terminal.say_what_is_missing(plan, recording.inputs)
    at = tick_given("--at", more.at, plan)
    answer = explained(recorded_grounds(program, recording, at, rejects), atom, Detail(more.depth, more.most))
    for note in (*rejects.notes, *rejects.at_end):
        terminal.say(f"note: {shown(note)}")
    if more.form == "json":
        terminal.tell(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2))
    else:
        print_tree(answer)


# ---- trees: wrapped below where each line begins ----

_COLOURS = {TRUE: TERMINAL["evidence"], OPEN: TERMINAL["open"], FALSE: TERMINAL["false"], "fact": "dim"}
_NARROWEST = 30  # columns for text, however deep it is


def print_tree(why: WhyAnswer, console: Console | None = None, indent: str = "") -> None:
    console = console or terminal.to_stdout()
    marks = Signs() if terminal.can_show(console, "●○✗├└│─…") else PLAIN
    for line in tree_lines(branch_of(why), marks):
        for text in _wrapped(line, marks, console, len(indent)):
            terminal.print_text(console, Text(indent) + text, soft_wrap=True)


def _wrapped(line: TreeLine, marks: Signs, console: Console, indent: int) -> list[Text]:
    branch = line.branch
    text = Text(f"{marks.of(branch.status)}", style="")
    text.stylize(_COLOURS.get(branch.status, ""))
    style = "dim" if branch.status == "fact" else TERMINAL["false"] if branch.status == FALSE else ""
    text.append(branch.text, style=style if line.prefix else "bold")
    for part in (branch.remark, branch.rule):
        if part:
            text.append(f"   {part}", style="dim")
    text = terminal.escaped(text)
    if not console.is_terminal:
        return [Text(line.prefix) + text]
    width = max(_NARROWEST, console.width - indent - len(line.prefix))
    first, *others = text.wrap(console, width)
    below = [Text.assemble((line.following, "dim"), each) for each in others]
    return [Text.assemble((line.prefix, "dim"), first), *below]
