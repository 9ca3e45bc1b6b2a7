"""Explanations on the terminal: trees with colours, wrapped below where each line begins."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import can_show, escaped, print_text, to_stdout
from antelog.theme import TERMINAL
from antelog.why.tree import FALSE, OPEN, PLAIN, TRUE, TreeLine, TreeMarks, WhyAnswer, branch_of, tree_lines

_COLOURS = {TRUE: TERMINAL["evidence"], OPEN: TERMINAL["open"], FALSE: TERMINAL["false"], "fact": "dim"}
_NARROWEST = 30
"""Columns for text, however deep it is."""


def print_tree(why: WhyAnswer, console: Console | None = None, indent: str = "") -> None:
    """Prints an explanation, by default to stdout."""
    console = console or to_stdout()
    marks = TreeMarks() if can_show(console, "●○✗├└│─…") else PLAIN
    for line in tree_lines(branch_of(why), marks):
        for text in _wrapped(line, marks, console, len(indent)):
            print_text(console, Text(indent) + text, soft_wrap=True)


def _wrapped(line: TreeLine, marks: TreeMarks, console: Console, indent: int) -> list[Text]:
    branch = line.branch
    text = Text(f"{marks.of(branch.status)}", style="")
    text.stylize(_COLOURS.get(branch.status, ""))
    style = "dim" if branch.status == "fact" else TERMINAL["false"] if branch.status == FALSE else ""
    text.append(branch.text, style=style if line.prefix else "bold")
    for part in (branch.remark, branch.rule):
        if part:
            text.append(f"   {part}", style="dim")
    text = escaped(text)
    if not console.is_terminal:
        return [Text(line.prefix) + text]
    width = max(_NARROWEST, console.width - indent - len(line.prefix))
    first, *others = text.wrap(console, width)
    below = [Text.assemble((line.following, "dim"), each) for each in others]
    return [Text.assemble((line.prefix, "dim"), first), *below]
