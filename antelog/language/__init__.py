"""The rule language: text to a checked syntax tree, and back to text."""

from __future__ import annotations

from dataclasses import replace

from antelog.diagnostics import Source, in_source_order
from antelog.language.checks import Checked, check
from antelog.language.parser import parse
from antelog.language.program_files import gathered

__all__ = ["Checked", "check", "parse", "read", "read_whole"]


def read(source: Source) -> Checked:
    """Parses and checks a program; its mistakes are in the diagnostics of the result."""
    return check(parse(source))


def read_whole(source: Source) -> Checked:
    """Reads a program with its included files; if one is missing, without the diagnostics of checks."""
    whole, problems = gathered(source)
    parsed = parse(whole)
    checked = check(parsed)
    if problems:
        return replace(checked, diagnostics=in_source_order([*problems, *parsed.diagnostics]))
    return checked
