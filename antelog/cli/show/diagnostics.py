"""Diagnostics on a terminal: the same text everywhere, coloured where colours are wanted."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import print_text, to_stderr
from antelog.diagnostics import Diagnostic, Severity, Source, errors_of, to_text

_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}


def print_diagnostics(diagnostics: Iterable[Diagnostic], source: Source, console: Console) -> None:
    """Prints diagnostics with blank lines between them, and the number of errors."""
    diagnostics = tuple(diagnostics)
    blocks = []
    for diagnostic in diagnostics:
        text = Text(to_text([diagnostic], source) + "\n")
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


def stderr() -> Console:
    """A console for diagnostics, which does not wrap lines."""
    return to_stderr(soft_wrap=True)
