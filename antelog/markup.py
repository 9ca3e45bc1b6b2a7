"""Builds HTML and SVG in which data is escaped, unless it is `Html`, which only this module makes.

tag("a", "<b>", href="?x=1&y", class_="row")    <a href="?x=1&amp;y" class="row">&lt;b&gt;</a>
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from antelog.escaping import in_html


class Html(str):
    """Markup that is escaped already; templates leave it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


Child: TypeAlias = "str | int | Iterable[Child] | None"

_EMPTY = frozenset({"br", "circle", "hr", "img", "input", "line", "link", "meta", "path", "rect", "use"})
_WITHIN_SVG = frozenset({"circle", "line", "path", "rect", "use"})


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. Attributes that are None or False are left out; `class_` means `class`."""
    opened = "".join([f"<{name}", *(_attribute(key, value) for key, value in attributes.items()), ">"])
    if name in _EMPTY and not children:
        return Html(f"{opened[:-1]}/>" if name in _WITHIN_SVG else opened)
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


def picture(
    wide: float, high: float, label: str, parts: Iterable[Child], *, class_: str | None = None
) -> Html:
    """An SVG picture; `label` describes it."""
    box = f"0 0 {number(wide)} {number(high)}"
    return tag("svg", parts, viewbox=box, role="img", aria_label=label, class_=class_)


def number(value: float) -> str:
    """A number as an SVG coordinate."""
    return f"{value:.1f}".removesuffix(".0")


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


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    name = _CAMEL.get(name, name)
    if value is True:
        return f" {name}"
    written = value if isinstance(value, str) else number(value)
    return f' {name}="{in_html(written)}"'


_CAMEL = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}
"""Attributes of SVG with capitals."""
