"""Diagnostics of programs on a terminal, coloured where colours are wanted, and inputs without a source."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import print_text, say, to_stderr
from antelog.cli.show.wrapping import wrapped
from antelog.diagnostics import Diagnostic, Severity, Source, errors_of, to_text
from antelog.theme import TERMINAL

if TYPE_CHECKING:
    from antelog.compile.nodes.plan import Plan

_COLOURS = {Severity.ERROR: TERMINAL["error"], Severity.WARNING: TERMINAL["caution"]}


def print_diagnostics(
    diagnostics: Iterable[Diagnostic], source: Source, console: Console | None = None
) -> None:
    """Prints diagnostics with blank lines between them, and the number of errors, to stderr."""
    diagnostics, console = tuple(diagnostics), console or to_stderr(soft_wrap=True)
    blocks = []
    for diagnostic in diagnostics:
        said = to_text([diagnostic], source)
        text = Text((wrapped(said, console.width) if console.is_terminal else said) + "\n")
        text.highlight_words(
            [f"{diagnostic.severity.value} {diagnostic.code}"], _COLOURS[diagnostic.severity]
        )
        text.highlight_regex(r"(?m)^ +\| +\^+$", _COLOURS[diagnostic.severity])
        text.highlight_regex(r"(?m)^ +\d* \|", "dim")
        blocks.append(text)
    # In one go, for a console takes a millisecond to begin.
    if blocks:
        print_text(console, Text("\n").join(blocks))
    errors = len(errors_of(diagnostics))
    if errors:
        print_text(console, Text(f"{errors} error{'' if errors == 1 else 's'}", "bold"))


def say_what_is_missing(plan: Plan, inputs: Collection[str], kind: str = "FILE") -> None:
    """Prints a note for each input without a source; that would be a FILE."""
    for source in plan.inputs:
        if source.name not in inputs:
            say(f"note: {source.name} has no facts; give them with --input {source.name}={kind}")
