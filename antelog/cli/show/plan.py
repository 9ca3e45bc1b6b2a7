"""A plan for a person: what its queries tell and when, what is kept in memory, then the details."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import print_text
from antelog.compile.nodes.plan import Plan
from antelog.compile.rules.statics import evaluate
from antelog.compile.show.explain import DETAIL, PATTERN, TEXT, TITLE, Line, report

_STYLES = {TITLE: "bold", TEXT: "", PATTERN: "cyan", DETAIL: "dim"}


def print_plan(plan: Plan, console: Console) -> None:
    """On a terminal lines are wrapped at its width; elsewhere each is as long as it has to be."""
    rows = {name: len(found) for name, found in evaluate(plan).items()}
    for line in report(plan, rows):
        for text in _wrapped(line, console.width) if console.is_terminal else [str(line)]:
            print_text(console, Text(text, _STYLES[line.role]))


def _wrapped(line: Line, width: int) -> list[str]:
    """The line in parts that fit the width, those after the first indented as it says."""
    first, others = " " * line.indent, " " * line.hanging
    return textwrap.wrap(line.text, width, initial_indent=first, subsequent_indent=others) or [""]
