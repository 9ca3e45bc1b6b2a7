"""A plan for a person: what its queries tell and when, what is kept in memory, then the details."""

from __future__ import annotations

from collections.abc import Iterator

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
        for text in _wrapped(line, console) if console.is_terminal else [str(line)]:
            print_text(console, Text(text, _STYLES[line.role]))


def _wrapped(line: Line, console: Console) -> Iterator[str]:
    """The line in parts that fit the width, those after the first indented as it says."""
    room = max(20, console.width - max(line.indent, line.hanging))
    for number, part in enumerate(Text(line.text).wrap(console, room)):
        yield " " * (line.hanging if number else line.indent) + part.plain.rstrip()
    if not line.text:
        yield ""
