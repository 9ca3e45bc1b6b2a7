"""What the documentation site has besides `docs/*.md`: the notebook and the changelog, as Markdown.

A notebook goes in, its cells come out as a page: rules and Python in blocks, and what they displayed below
them. Nothing is run for that. `elsewhere` says what a built page would load from another site, because the
pages have to work without a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat

from antelog import theme

ROOT = Path(__file__).resolve().parent.parent
RULES = "%%antelog"
_FOREIGN = re.compile(r"^(?:https?:)?//", re.IGNORECASE)
_MOVING = re.compile(r'<img [^>]*src="(?P<file>pictures/incident(?:-narrow)?\.svg)"[^>]*>')
_COLOURS = re.compile(r'<style class="colours">.*?</style>', re.DOTALL)
_IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s;]+)""", re.IGNORECASE)


def notebook_page(notebook: Path) -> tuple[str, dict[str, str]]:
    """A notebook as Markdown, and its pictures by the names under which the page shows them."""
    pictures: dict[str, str] = {}
    parts: list[str] = []
    for cell in nbformat.read(notebook, as_version=4).cells:
        source = cell.source.strip()
        if cell.cell_type == "markdown":
            parts.append(source)
            continue
        parts.append(f"```{'antelog' if source.startswith(RULES) else 'python'}\n{source}\n```")
        for output in cell.get("outputs", ()):
            parts += _shown(output, source, f"{notebook.stem}-{len(pictures) + 1}.svg", pictures)
    return "\n\n".join(parts) + "\n", pictures


def _shown(output: Any, source: str, name: str, pictures: dict[str, str]) -> Iterator[str]:
    """What a cell displayed. A picture is kept under `name`, and described by the call that draws it."""
    data = output.get("data", {})
    if picture := data.get("image/svg+xml"):
        pictures[name] = picture
        yield f"![What {source.splitlines()[-1].translate(_PLAIN)} draws]({name})"
    elif markup := data.get("text/html"):
        yield f'<div class="shown">{markup}</div>'
    elif text := data.get("text/plain") or output.get("text"):
        yield f"```output\n{text.rstrip()}\n```"


_PLAIN = str.maketrans("[]", "()")


def changelog_page(text: str) -> str:
    """The changelog as a page beside the others: its links lead from the root of the project into `docs`."""
    return text.replace("](docs/", "](")


def site_style() -> str:
    """The variables and fonts of `antelog.theme` as CSS, for the light scheme and the dark."""
    return (
        f"{theme.faces('fonts/')}:root {{ {theme.fixed()} }}\n"
        f'[data-md-color-scheme="default"] {{ color-scheme: light; {theme.colours(theme.LIGHT)} }}\n'
        f'[data-md-color-scheme="slate"] {{ color-scheme: dark; {theme.colours(theme.DARK)} }}\n'
    )


def with_moving_pictures(page: str, docs: Path) -> str:
    """The page with its pictures that move within it: there they have its colours, and can be stopped."""
    return _MOVING.sub(lambda found: within((docs / found["file"]).read_text(encoding="utf-8")), page)


def within(picture: str) -> str:
    """A picture without colours of its own, for a page that has them."""
    return _COLOURS.sub("", picture).strip()


def elsewhere(page: str) -> list[str]:
    """What a page in HTML loads from another site by itself; links that a reader may follow do not count."""
    loading = _Loading()
    loading.feed(page)
    return [url for url in loading.found if _FOREIGN.match(url)] + styled(page)


def styled(css: str) -> list[str]:
    """What a style sheet loads from another site."""
    return _IN_STYLE.findall(css)


class _Loading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.found += [given[name] for name in ("src", "poster", "data") if name in given]
        self.found += [each.split()[0] for each in given.get("srcset", "").split(",") if each.strip()]
        if tag == "link" and given.get("rel") not in {"canonical", "prev", "next", "alternate", "author"}:
            self.found.append(given.get("href", ""))
