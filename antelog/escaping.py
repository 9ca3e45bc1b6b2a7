"""Escapes text from data for a terminal, a page or a spreadsheet, so that none of them obeys it.

shown("a\\x1b[2Jb")           a\\u001b[2Jb: what a terminal would act on, as its number
json_text({"X": "\\x9b"})     the same data, with nothing in it that a terminal acts on
json_in_html(["<script>"])   the same data, with nothing in it that ends or begins a script
cell("=1+1")                 '=1+1: a text for a spreadsheet, too
"""

from __future__ import annotations

import json
import re
from html import escape

# Control characters; what is right to left or turns it on or off; and separators of lines.
_OBEYED = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_ANY = re.compile(f"[{_OBEYED}]")
_BUT_LINES = re.compile(rf"(?![\n\t])[{_OBEYED}]")

COMPUTED = r"^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""The beginning of a cell that a spreadsheet would compute, after any apostrophes. Spark reads it, too."""
NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
"""A cell that a spreadsheet may compute. Spark reads it, too."""
_COMPUTED, _NUMBER = re.compile(COMPUTED), re.compile(NUMBER)


def shown(text: str) -> str:
    """Escapes a text on one line, so that nothing moves a cursor, colours, or turns text around."""
    return _ANY.sub(_number, text)


def shown_lines(text: str) -> str:
    """Escapes a text as `shown` does, but keeps its line ends and tabs."""
    return _BUT_LINES.sub(_number, text)


def json_text(value: object, *, ascii_only: bool = False) -> str:
    """JSON that a terminal shows and does not act on."""
    return _ANY.sub(_number, json.dumps(value, ensure_ascii=ascii_only))


def json_in_html(value: object) -> str:
    """JSON for a script of a page, where `<!--`, `<script` and `</script` would have a meaning."""
    return json_text(value).replace("<", "\\u003c")


def in_html(text: str) -> str:
    """Escapes a text for a page."""
    return escape(shown(text))


def cell(text: str) -> str:
    """A cell of a CSV file, after an apostrophe if a spreadsheet would compute it and it is not a number."""
    return f"'{text}" if _COMPUTED.match(text) and not _NUMBER.match(text) else text


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
