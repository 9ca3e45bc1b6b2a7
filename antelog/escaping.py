"""Escapes text from data for a terminal, a page or a spreadsheet, so that none of them obeys it.

shown("a\\x1b[2Jb")           a\\u001b[2Jb: what a terminal would act on, as its number
json_text({"X": "\\x9b"})     the same data, with nothing in it that a terminal acts on
json_in_html(["<script>"])   the same data, with nothing in it that ends or begins a script
cell("=1+1")                 '=1+1: a text for a spreadsheet, too
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

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
    return escape(shown(text))


def cell(text: str) -> str:
    """A cell of a CSV file, after an apostrophe if a spreadsheet would compute it and it is not a number."""
    return f"'{text}" if _COMPUTED.match(text) and not _NUMBER.match(text) else text


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


# ---- markup, in which data is escaped ----


class Html(str):
    """Markup that is escaped already; templates leave it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


Child: TypeAlias = "str | int | Iterable[Child] | None"

_EMPTY = frozenset({"br", "hr", "img", "input", "link", "meta"})


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Html:
    """An element. Attributes that are None or False are left out; `class_` means `class`."""
    opened = "".join([f"<{name}", *(_attribute(key, value) for key, value in attributes.items()), ">"])
    if name in _EMPTY and not children:
        return Html(opened)
    return Html(f"{opened}{text(*children)}</{name}>")


def text(*children: Child) -> Html:
    """Joins children, and escapes those that are not markup."""
    return Html("".join(map(_child, children)))


def ready(markup: str) -> Html:
    """Accepts markup made elsewhere, in which all data is escaped."""
    return Html(markup)


def plain_table(heads: Iterable[str], rows: Iterable[Iterable[Child]]) -> Html:
    """A table that needs no style sheet, for notebooks."""
    left, top = "text-align:left", "text-align:left;vertical-align:top"
    head = tag("tr", [tag("th", each, style=left) for each in heads])
    body = [tag("tr", [tag("td", cell, style=top) for cell in row]) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", body))


def lined(texts: Iterable[Child]) -> Html:
    """Texts below each other."""
    return text([[tag("br"), each] if place else each for place, each in enumerate(texts)])


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return in_html(child)
    if isinstance(child, int):
        return f"{child:,}"
    return text(*child)


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{in_html(value)}"'
