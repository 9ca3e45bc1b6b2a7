"""Colours of pictures: light ones, and their counterparts on dark, by a style sheet or in an SVG."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template
from typing import Any

from antelog.theme import DARK as ON_DARK
from antelog.theme import LIGHT, SEVERITIES, SIZE, family

PAPER, INK, MUTED, LINE = (LIGHT[name] for name in ("card", "ink", "muted", "line"))
BAND, GREY = LIGHT["paper"], LIGHT["faint"]  # quieter than the others: rejected answers need no attention
SEVERITY = {name: LIGHT[name] for name in SEVERITIES}  # an answer's outcome is the shape of its mark
RED, ORANGE, BLUE, GREEN = SEVERITY.values()
PURPLE = LIGHT["other"]  # for lines and bars that have nothing to do with a severity

DARK = {
    LIGHT[name]: ON_DARK[name]
    for name in ("card", "ink", "muted", "line", "paper", "faint", "other", *SEVERITIES)
}
"""The counterpart of each colour on dark."""

FONT, MONO = family("sans"), family("mono")

# The text is there to be read as it is; a description of every mark would make pictures twice as large.
CONFIG: dict[str, Any] = json.loads(
    Template(Path(__file__).with_name("config.json").read_text("utf-8")).substitute(LIGHT, **SIZE, font=FONT)
)

LEGENDS: dict[str, Any] = {"bottom": {"anchor": "start", "direction": "vertical", "margin": 8}}
"""Colours and shapes below each other. Vega-Lite hands it on to Vega; Altair does not know it."""


def style_sheet() -> str:
    """CSS that shows a picture in dark colours to readers who prefer these."""
    rules = [
        f'[{what}="{light}"]{{{what}:{dark}}}' for light, dark in DARK.items() for what in ("fill", "stroke")
    ]
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"


def inserted(svg: str, *elements: str) -> str:
    """An SVG with further elements, before all others."""
    return re.sub(r"<svg[^>]*>", lambda start: start[0] + "".join(elements), svg, count=1)
