"""The rule language: text to a checked syntax tree, and back to text.

`read` is the way in. Nothing here knows how programs are compiled or run.
"""

from __future__ import annotations

from antelog.diagnostics import Source
from antelog.language.checks import Checked, check
from antelog.language.parser import parse

__all__ = ["Checked", "check", "parse", "read"]


def read(source: Source) -> Checked:
    """Parse and check a program; its mistakes are in the result's diagnostics."""
    return check(parse(source))
