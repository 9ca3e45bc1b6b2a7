"""Colours for light and for dark, and style sheets for pictures with both.

The colour-blind can distinguish the colours (after Okabe and Ito), which are darker or lighter for
contrast. Pictures are made with the light ones. Where they are shown on dark, each is replaced by its
counterpart: by a style sheet that asks what the reader prefers, or in the text of an SVG.
"""

from __future__ import annotations

import re
from typing import Any

PAPER, INK, MUTED, LINE, BAND = "#ffffff", "#1f2328", "#59636f", "#d1d9e1", "#f3f5f8"
BLUE, GREEN, ORANGE, PURPLE = "#0072b3", "#008560", "#cc5500", "#8250d0"
RED = "#c8252c"
GREY = "#8a939d"
"""Quieter than the others: what was rejected is there, and does not ask for attention."""

SEVERITY = {"critical": RED, "warning": ORANGE, "info": INK, "good": GREEN}
"""The colours of confirmed answers, by the severity of their query."""

DARK = {
    PAPER: "#0d1117",
    INK: "#f0f6fc",
    MUTED: "#9aa3ad",
    LINE: "#3d444d",
    BAND: "#171d26",
    BLUE: "#5cb3f2",
    GREEN: "#33c491",
    ORANGE: "#ff9045",
    PURPLE: "#c09cff",
    RED: "#ff7b72",
    GREY: "#7d8590",
}
"""What stands for each colour on dark."""

FONT = "Helvetica, Arial, sans-serif"

CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": FONT,
    "view": {"stroke": None},
    # The text is there to be read as it is; a description of every mark would make pictures twice as large.
    "aria": False,
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "titleFontWeight": "normal", "titleFontSize": 12,
        "labelFontSize": 11, "gridColor": LINE, "domainColor": LINE, "tickColor": LINE, "gridOpacity": 0.6,
        "labelOverlap": True,
    },
    "legend": {
        "orient": "bottom", "labelColor": MUTED, "titleColor": MUTED, "labelFontSize": 12, "offset": 12,
        "titleFontWeight": "normal", "titleFontSize": 12, "direction": "horizontal", "columnPadding": 16,
        "symbolSize": 90,
    },
    "title": {
        "anchor": "start", "frame": "bounds", "color": INK, "subtitleColor": MUTED, "fontSize": 16,
        "subtitleFontSize": 12, "offset": 14, "subtitlePadding": 6, "subtitleLineHeight": 16,
    },
}  # fmt: skip


def style_sheet() -> str:
    """CSS that shows a picture in dark colours to readers who prefer these."""
    rules = [
        f'[{what}="{light}"]{{{what}:{dark}}}' for light, dark in DARK.items() for what in ("fill", "stroke")
    ]
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"


def inserted(svg: str, *elements: str) -> str:
    """An SVG with further elements, before all others."""
    return re.sub(r"<svg[^>]*>", lambda start: start[0] + "".join(elements), svg, count=1)


def on_dark(text: str) -> str:
    """A picture's text with each colour replaced by its counterpart on dark."""
    return re.sub("|".join(DARK), lambda m: DARK[m[0]], text)
