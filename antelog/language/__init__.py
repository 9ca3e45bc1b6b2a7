"""The rule language: text to a checked syntax tree, and back to text.

`read` is the way in, `read_whole` the one that reads included files as well. Nothing here knows how programs
are compiled or run.
"""

from __future__ import annotations

from dataclasses import replace

from antelog.diagnostics import Source, in_source_order
from antelog.language.checks import Checked, check
from antelog.language.parser import parse
from antelog.language.program_files import gathered

__all__ = ["Checked", "check", "parse", "read", "read_whole"]


def read(source: Source) -> Checked:
    """Parse and check a program; its mistakes are in the result's diagnostics."""
    return check(parse(source))


def read_whole(source: Source) -> Checked:
    """Read a program with the files it includes; if one is missing, its mistakes but for those of checks."""
    whole, problems = gathered(source)
    parsed = parse(whole)
    checked = check(parsed)
    if problems:
        return replace(checked, diagnostics=in_source_order([*problems, *parsed.diagnostics]))
    return checked
