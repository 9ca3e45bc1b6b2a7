"""The templates of the page: Jinja2, which escapes all data, in HTML and in SVG.

    render("now.html", scene=scene, rows=rows)

What moves a cursor or turns text around is shown as its number, as everywhere. Templates have no values in
scripts, styles and attributes without quotes; a test reads them all.
"""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from antelog import theme
from antelog.escaping import shown
from antelog.forecast.reports.words import NONE, count, percent

PACKAGE = "antelog.watch.web"


def render(name: str, **values: Any) -> Markup:
    """A template filled with values."""
    return Markup(_ENVIRONMENT.get_template(name).render(**values))


def warm() -> None:
    """Compiles all templates, so that the first reader does not wait for it."""
    for name in _ENVIRONMENT.list_templates(extensions=["html"]):
        _ENVIRONMENT.get_template(name)


def share(found: float | None) -> str:
    """A chance as it is shown: `72 %`, in one piece."""
    if found is None:
        return NONE
    if 0 < found < 0.0005:
        return "< 0.1\xa0%"
    return percent(found).replace(" ", "\xa0")


def number(value: float) -> str:
    """A number as an SVG coordinate."""
    return f"{value:.1f}".removesuffix(".0")


def _visible(value: Any) -> Any:
    return value if hasattr(value, "__html__") or isinstance(value, int | float) else shown(str(value))


_ENVIRONMENT = Environment(
    loader=ChoiceLoader(
        [
            PackageLoader(PACKAGE, "templates"),
            PackageLoader(PACKAGE, "assets"),
            DictLoader({"theme.css": theme.style_sheet()}),
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {"share": share, "xy": number, "counted": count}
