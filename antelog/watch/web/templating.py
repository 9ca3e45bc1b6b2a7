"""The templates of the page, in which all data is escaped, and its other files: styles, scripts and fonts."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from antelog import theme
from antelog.escaping import shown
from antelog.forecast.reports.words import NONE, count, percent
from antelog.language.parser import printed_literal
from antelog.watch.web.rendered import packed

PACKAGE = "antelog.watch.web"
_AS_IT_IS = (Markup, int, float)


def render(name: str, **values: Any) -> Markup:
    return Markup(_ENVIRONMENT.get_template(name).render(**values))


def warm() -> None:
    """Makes all templates, and the parser of literals, so that the first reader does not wait for it."""
    printed_literal("warm(0)")
    for name in _ENVIRONMENT.list_templates(extensions=["html"]):
        _ENVIRONMENT.get_template(name)


def share(found: float | None) -> str:
    """Writes a chance as it is shown: `72 %`, in one piece."""
    if found is None:
        return NONE
    if 0 < found < 0.0005:
        return "< 0.1\xa0%"
    return percent(found).replace(" ", "\xa0")


def number(value: float) -> str:
    """Writes a number as an SVG coordinate."""
    return f"{value:.1f}".removesuffix(".0")


def _visible(value: Any) -> Any:
    if type(value) is not str:
        if isinstance(value, _AS_IT_IS):
            return value
        value = str(value)
    return value if value.isprintable() else shown(value)  # most are, and that is quick to see


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
_ENVIRONMENT.filters |= {"share": share, "xy": number, "counted": count, "zip": zip}


# ---- styles, scripts, fonts ----

VIEWS = {"": "Now"} | {each.lower(): each for each in ("List", "Decided", "Inputs", "Trust", "Plan")}
# The files of the page, in the order in which it loads them.
_STYLES = ("theme.css", "page.css", "moments.css", "uPlot.min.css", "bench.css")
_SCRIPTS = (
    *("theme.js", "idiomorph.min.js", "uPlot.iife.min.js", "access.js", "charts.js", "list.js", "now.js"),
    *("fresh.js", "acts.js", "track.js", "filming.js", "moments.js"),
    *("codemirror.min.js", "editor.js", "sheets.js", "bench.js", "page.js"),
)
_OF_FRAMES = "embed.js"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "woff2": "font/woff2"}
# The sign of a tab, with a mark for the worst that is due.
_SIGNS = {"icon.svg": ""} | {f"icon-{each}.svg": each for each in theme.SEVERITIES[:-1]}
_SERVED = (*_STYLES, *_SCRIPTS, "film.js", _OF_FRAMES, *_SIGNS, *theme.WEB_FONTS)
ASSETS = {name: _TYPES[name.rpartition(".")[2]] for name in _SERVED}
_OF_BENCH = frozenset({"bench.css", "codemirror.min.js", "editor.js", "sheets.js", "bench.js"})
# Those of others, which have their licences beside them.
_OF_OTHERS = frozenset({"uPlot.min.css", "idiomorph.min.js", "uPlot.iife.min.js", "codemirror.min.js"})


@cache
def asset(name: str) -> bytes:
    if name in theme.WEB_FONTS:
        return (theme.FONTS / name).read_bytes()
    if name in ("theme.css", *_SIGNS):
        return (theme.sign(_SIGNS[name]) if name in _SIGNS else theme.style_sheet("")).encode()
    folder = files(PACKAGE).joinpath("vendored" if name in _OF_OTHERS else "assets")
    return folder.joinpath(name).read_bytes()


@cache
def packed_asset(name: str) -> bytes:
    return packed(asset(name))


@cache
def version() -> str:
    found = blake2b(digest_size=8)
    for name in ASSETS:
        found.update(asset(name))
    return found.hexdigest()


def shell(edits: bool, name: str, **values: Any) -> Markup:
    """Renders the page around a view of a name, with the files that it needs; `edits`: with an editor."""
    left_out = frozenset() if edits else _OF_BENCH
    styles, scripts = ([name for name in names if name not in left_out] for names in (_STYLES, _SCRIPTS))
    known = {"version": version(), "views": VIEWS, "styles": styles, "scripts": scripts}
    known["title"] = VIEWS.get(name, "Now")  # where an answer is among the views, too
    return render("shell.html", edits=edits, **known, **values)
