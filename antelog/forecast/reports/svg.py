"""Elements of an SVG picture, as text; a style sheet gives them their colours, by class.

    text(Spot(8, 20), "72 %", "label")    <text x="8" y="20" class="label">72 %</text>

What a mark stands for is its title: a pointer at rest shows it, and a screen reader says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from antelog.escaping import in_html


class Spot(NamedTuple):
    x: float
    y: float


def picture(size: Spot, label: str, parts: Iterable[str]) -> str:
    """All parts together; `label` says what there is to see."""
    return (
        f'<svg viewBox="0 0 {_n(size.x)} {_n(size.y)}" role="img" aria-label="{in_html(label)}">'
        f"{''.join(parts)}</svg>"
    )


def text(at: Spot, words: str, kind: str = "", anchor: str = "start") -> str:
    turned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{_n(at.x)}" y="{_n(at.y)}" class="{kind}"{turned}>{in_html(words)}</text>'


def line(start: Spot, end: Spot, kind: str) -> str:
    return f'<line x1="{_n(start.x)}" y1="{_n(start.y)}" x2="{_n(end.x)}" y2="{_n(end.y)}" class="{kind}"/>'


def box(corner: Spot, other: Spot, kind: str, title: str = "") -> str:
    """A rectangle between two corners."""
    left, top = min(corner.x, other.x), min(corner.y, other.y)
    wide, high = abs(corner.x - other.x), abs(corner.y - other.y)
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(high)}" class="{kind}">'
        f"{_titled(title)}</rect>"
    )


def disc(middle: Spot, radius: float, kind: str, title: str = "") -> str:
    return (
        f'<circle cx="{_n(middle.x)}" cy="{_n(middle.y)}" r="{_n(radius)}" class="{kind}">'
        f"{_titled(title)}</circle>"
    )


def diamond(middle: Spot, radius: float, kind: str, title: str = "") -> str:
    x, y = middle
    corners = [Spot(x, y - radius), Spot(x + radius, y), Spot(x, y + radius), Spot(x - radius, y)]
    return f'<path d="M{_joined(corners)}Z" class="{kind}">{_titled(title)}</path>'


def trace(spots: Sequence[Spot], kind: str) -> str:
    """A line through all of them."""
    return f'<path d="M{_joined(spots)}" class="{kind}"/>'


def _joined(spots: Iterable[Spot]) -> str:
    return "L".join(f"{_n(spot.x)} {_n(spot.y)}" for spot in spots)


def _titled(title: str) -> str:
    return f"<title>{in_html(title)}</title>" if title else ""


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
