"""The empty page around every view: its bar, its links, its style and script, and no data.

It is public and needs no token. Its script then requests the views, with the token in a header.
"""

from __future__ import annotations

from importlib.resources import files

from antelog.markup import Html, ready, tag, text

VIEWS = {"": "Now", "settled": "Decided", "inputs": "Inputs", "trust": "Trust", "plan": "Plan"}
_ICONS = {
    "": "M4 12h4l2-6 4 12 2-6h4",
    "settled": "M4 13l5 5L20 6",
    "inputs": "M12 4v11m-5-5l5 5 5-5M4 20h16",
    "trust": "M4 20V4m0 16h16M7 16L19 6",
    "plan": "M12 8v4m0 0H6v3m6-3h6v3M9 3h6v5H9zM3 15h6v5H3zm12 0h6v5h-6z",
}
_MARK = (
    "M5 19L12 4l5.2 10.6M8 12.8h8"
    "M3.6 19a1.4 1.4 0 102.8 0 1.4 1.4 0 10-2.8 0"
    "M15.8 18.4a2.6 2.6 0 105.2 0 2.6 2.6 0 10-5.2 0"
)
"""As in `icon.svg`: an A with a filled foot, for what is there, and a hollow one, for what is awaited."""
ASSETS = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "paint.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


def asset(name: str) -> bytes:
    """An asset of the page: its style, script or icon."""
    return files("antelog.watch.web").joinpath("assets", name).read_bytes()


def shell(root: str, *, guarded: bool) -> Html:
    """The page, mounted at `root`; `guarded`: its views need a token."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1, viewport-fit=cover"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="robots", content="noindex"),
        tag("title", "antelog"),
        tag("link", rel="icon", href=f"{root}/static/icon.svg"),
        tag("link", rel="stylesheet", href=f"{root}/static/page.css"),
        tag("script", src=f"{root}/static/paint.js", defer=True),
        tag("script", src=f"{root}/static/page.js", defer=True),
    )
    waiting = tag("div", tag("p", "Loading …", class_="title"), class_="empty")
    body = tag(
        "body",
        tag("a", "To the view", href="#view", class_="skip"),
        tag("header", _bar(root), class_="top"),
        tag("main", waiting, id="view", tabindex="-1"),
        tag("div", id="said", class_="hidden", role="status", aria_live="polite"),
        _help(),
        data_root=root,
        data_guarded="yes" if guarded else "no",
    )
    return text(ready("<!doctype html>"), tag("html", head, body, lang="en"))


def _bar(root: str) -> Html:
    links = [
        tag("a", _icon(_ICONS[name]), tag("span", title), href=f"{root}/{name}", data_view=name or "now")
        for name, title in VIEWS.items()
    ]
    brand = tag(
        "a",
        _icon(_MARK, "mark"),
        tag("span", "antelog", class_="name"),
        href=f"{root}/",
        class_="brand",
        aria_label="antelog: to what is open now",
    )
    state = tag(
        "div",
        tag("span", class_="program", id="program"),
        tag(
            "span", tag("i", class_="pulse"), tag("span", "connecting", id="state"), class_="live", id="live"
        ),
        tag("span", class_="tick", id="tick"),
        class_="state",
    )
    menu = tag(
        "details",
        tag(
            "summary",
            _icon("M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 100 7 3.5 3.5 0 000-7"),
            tag("span", "Snapshot", class_="hidden-narrow"),
            aria_label="Snapshot of this view",
        ),
        tag(
            "div",
            tag("button", "Picture (PNG)", type="button", data_snapshot="png"),
            tag("button", "Table (CSV)", type="button", data_snapshot="csv"),
            tag("button", "Page (HTML)", type="button", data_snapshot="html"),
            class_="menu",
        ),
        class_="snapshot",
        id="snapshot",
    )
    return text(brand, state, tag("nav", links, aria_label="Views"), menu)


def _icon(path: str, class_: str = "icon") -> Html:
    return tag("svg", tag("path", d=path), viewbox="0 0 24 24", class_=class_, aria_hidden="true")


def _help() -> Html:
    keys = {
        "1 … 5": "the views, from Now to Plan",
        "/": "find an answer",
        "j and k, or ↓ and ↑": "the next and the previous answer",
        "Enter": "look at it",
        "Esc": "back",
        "?": "this help",
    }
    rows = [(tag("dt", key), tag("dd", said)) for key, said in keys.items()]
    closing = tag("button", "Close", type="button", id="close")
    return tag("dialog", tag("h2", "Keys"), tag("dl", rows), closing, id="help", aria_label="Keys")
