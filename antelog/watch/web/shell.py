"""The empty page around every view: its bar, its links, its styles and scripts.

It is public and needs no token, and has no data without one. Its script then requests the views, with the
token in a header. The printed link has the token: its answer has the first view as well.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files

from markupsafe import Markup

from antelog import theme
from antelog.watch.web.freshness import Freshness
from antelog.watch.web.templating import PACKAGE, render

VIEWS = {"": "Now", "decided": "Decided", "inputs": "Inputs", "trust": "Trust", "plan": "Plan"}
_STYLE, _SCRIPT = "text/css", "text/javascript"
ASSETS = {
    "theme.css": _STYLE,
    "page.css": _STYLE,
    "uPlot.min.css": _STYLE,
    "idiomorph.min.js": _SCRIPT,
    "uPlot.iife.min.js": _SCRIPT,
    "access.js": _SCRIPT,
    "charts.js": _SCRIPT,
    "list.js": _SCRIPT,
    "fresh.js": _SCRIPT,
    "acts.js": _SCRIPT,
    "bench.css": _STYLE,
    "codemirror.min.js": _SCRIPT,
    "editor.js": _SCRIPT,
    "sheets.js": _SCRIPT,
    "bench.js": _SCRIPT,
    "page.js": _SCRIPT,
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(theme.WEB_FONTS, "font/woff2"),
}
"""The files of the page. Those of others are in `vendored`, with their licences."""
_OF_BENCH = frozenset({"bench.css", "codemirror.min.js", "editor.js", "sheets.js", "bench.js"})
_OF_THEME = {"theme.css": lambda: theme.style_sheet(""), "icon.svg": theme.sign}
_OF_OTHERS = frozenset({"uPlot.min.css", "idiomorph.min.js", "uPlot.iife.min.js", "codemirror.min.js"})


@cache
def asset(name: str) -> bytes:
    """An asset of the page: its style, script, font or icon."""
    if name in theme.WEB_FONTS:
        return (theme.FONTS / name).read_bytes()
    if name in _OF_THEME:
        return _OF_THEME[name]().encode()
    folder = files(PACKAGE).joinpath("vendored" if name in _OF_OTHERS else "assets")
    return folder.joinpath(name).read_bytes()


@cache
def version() -> str:
    """A hash of all assets, which stands in their addresses."""
    found = blake2b(digest_size=8)
    for name in ASSETS:
        found.update(asset(name))
    return found.hexdigest()


def shell(
    root: str,
    *,
    guarded: bool,
    edits: bool = False,
    fresh: Freshness | None = None,
    view: Markup | None = None,
) -> Markup:
    """The page, mounted at `root`; `guarded`: its views need a token; `edits`: with an editor beside them.

    With how `fresh` it is and its first view for those who may see it.
    """
    names = [name for name in ASSETS if edits or name not in _OF_BENCH]
    return render(
        "shell.html",
        root=root,
        guarded=guarded,
        edits=edits,
        fresh=fresh,
        view=view,
        version=version(),
        views=VIEWS,
        styles=[name for name in names if ASSETS[name] == _STYLE],
        scripts=[name for name in names if ASSETS[name] == _SCRIPT],
    )
