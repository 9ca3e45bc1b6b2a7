"""A picture, to be looked at in a notebook or saved to a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any, Literal, TypeAlias

import altair as alt
import vl_convert

from antelog.errors import DataError
from antelog.escaping import json_in_html, shown
from antelog.given import PATH, checked
from antelog.pictures import theme
from antelog.theme import FONTS, embedded_face
from antelog.writing import write

Theme: TypeAlias = Literal["auto", "light", "dark"]
Data: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]  # the lines of the data sets that a chart names
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")
# The font of a PNG, and of what measures texts.
vl_convert.register_font_directory(str(FONTS))

_SHARP = 2  # the dots of a PNG for each pixel, in each direction


@dataclass(frozen=True)
class Drawing:
    """A chart for print, and one to explore (the same, unless there is more to see).

    `theme` is light, dark, or auto: as its reader prefers. A PNG cannot know, and is light.
    """

    chart: alt.TopLevelMixin
    title: str
    theme: Theme = "auto"
    data: Data = field(default_factory=dict)
    explorable: alt.TopLevelMixin | None = None
    explorable_data: Data = field(default_factory=dict)

    def svg(self) -> str:
        svg = vl_convert.vegalite_to_svg(_specification(self.chart, self.data))
        title = f"<title>{escape(self.title)}</title>"
        if self.theme == "auto":
            return theme.inserted(svg, title, f"<style>{theme.style_sheet()}</style>")
        return theme.inserted(self._coloured(svg), title)

    def png(self) -> bytes:
        svg = vl_convert.vegalite_to_svg(_specification(self.chart, self.data))
        return vl_convert.svg_to_png(self._coloured(svg), scale=_SHARP)

    def html(self) -> str:
        """A page that needs nothing else: to point at, to zoom, and as wide as its window."""
        chart = (self.explorable, self.explorable_data) if self.explorable else (self.chart, self.data)
        specification = json_in_html(_specification(*chart))
        page = Template(files("antelog.pictures").joinpath("page.html").read_text(encoding="utf-8"))
        style = theme.style_sheet() if self.theme == "auto" else ""
        return page.substitute(
            title=escape(self.title),
            scheme={"auto": "light dark"}.get(self.theme, self.theme),
            paper=theme.DARK[theme.PAPER] if self.theme == "dark" else theme.PAPER,
            dark_paper=theme.PAPER if self.theme == "light" else theme.DARK[theme.PAPER],
            font=theme.FONT,
            faces=embedded_face(),
            style=style,
            specification=self._coloured(specification),
            vega=_vega(),
        )

    @checked(path=PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file: .svg, .png or .html."""
        path = Path(path)
        match path.suffix.lower():
            case ".svg":
                content = self.svg().encode()
            case ".png":
                content = self.png()
            case ".html":
                content = self.html().encode()
            case ending:
                raise DataError(f"{path}: a picture is .svg, .png or .html, not {ending or 'without ending'}")
        write(path, content)

    def _coloured(self, text: str) -> str:
        """A picture's text, on dark with each colour replaced by its counterpart."""
        counterparts = theme.DARK if self.theme == "dark" else {}
        return re.sub("|".join(theme.DARK), lambda m: counterparts.get(m[0], m[0]), text)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": shown(self.title)}


def _specification(chart: alt.TopLevelMixin, data: Data) -> dict[str, Any]:
    """A chart with its data, which Altair would check line by line, and the layout of legends."""
    specification: dict[str, Any] = chart.to_dict()
    specification["config"]["legend"]["layout"] = theme.LEGENDS
    return specification | {"datasets": specification.get("datasets", {}) | data}


@cache
def _vega() -> str:
    """Vega as a script that a page can hold. Putting it together takes seconds."""
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # it has a default
    return bundle.replace("</script", "<\\/script")
