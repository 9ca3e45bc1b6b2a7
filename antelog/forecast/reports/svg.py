"""Elements of an SVG picture; a style sheet gives them their colours, by class.

    words(Spot(8, 20), "72 %", "label")    <text x="8" y="20" class="label">72 %</text>

What a mark stands for is its title: a pointer at rest shows it, and a screen reader says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from antelog.markup import Html, number, tag


class Spot(NamedTuple):
    x: float
    y: float


def words(at: Spot, said: str, kind: str, anchor: str | None = None) -> Html:
    return tag("text", said, x=at.x, y=at.y, class_=kind, text_anchor=anchor)


def line(start: Spot, end: Spot, kind: str) -> Html:
    return tag("line", x1=start.x, y1=start.y, x2=end.x, y2=end.y, class_=kind)


def box(corner: Spot, other: Spot, kind: str, title: str = "") -> Html:
    """A rectangle between two corners."""
    left, top = min(corner.x, other.x), min(corner.y, other.y)
    wide, high = abs(corner.x - other.x), abs(corner.y - other.y)
    return tag("rect", _titled(title), x=left, y=top, width=wide, height=high, class_=kind)


def disc(middle: Spot, radius: float, kind: str, title: str = "") -> Html:
    return tag("circle", _titled(title), cx=middle.x, cy=middle.y, r=radius, class_=kind)


def diamond(middle: Spot, radius: float, kind: str, title: str = "") -> Html:
    x, y = middle
    corners = [Spot(x, y - radius), Spot(x + radius, y), Spot(x, y + radius), Spot(x - radius, y)]
    return tag("path", _titled(title), d=f"M{_joined(corners)}Z", class_=kind)


def trace(spots: Sequence[Spot], kind: str) -> Html:
    """A line through all of them."""
    return tag("path", d=f"M{_joined(spots)}", class_=kind)


def _joined(spots: Iterable[Spot]) -> str:
    return "L".join(f"{number(spot.x)} {number(spot.y)}" for spot in spots)


def _titled(title: str) -> Html | None:
    return tag("title", title) if title else None
