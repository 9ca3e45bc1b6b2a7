"""Make the lessons of `antelog play` from the pages of the tutorial: part of `make pictures`.

    python -m scripts.lessons

A lesson is the first program of a page that is replayed there with `antelog try`, and its facts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from antelog.watch.web.export import Draft
from antelog.workbench.play.running import sheet_of

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "antelog" / "workbench" / "play" / "lessons.json"
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# (?:\d+\. )?(.+)$", re.MULTILINE)


def pages() -> Iterator[Path]:
    """The pages of the tutorial, in its order."""
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    yield from (ROOT / "docs" / path for path in re.findall(r": (tutorial/[\w-]+\.md)$", site, re.MULTILINE))


def lesson(text: str) -> Draft | None:
    """The first program of a page that is replayed there; None if there is none."""
    blocks = [(kind, name, body) for kind, name, body in _BLOCK.findall(text)]
    files = {name: body for _, name, body in blocks if name}
    for kind, _, body in blocks:
        if kind != "sh":
            continue
        for line in body.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:2] == ["antelog", "try"] and words[2] in files:
                tables = {}
                for flag, given in pairwise(words):
                    name, _, path = given.partition("=")
                    if flag in ("--input", "--static") and path in files:
                        tables[name] = sheet_of(files[path], path)
                if tables:
                    return Draft(files[words[2]], tables)
    return None


def lessons() -> dict[str, Draft]:
    """The lessons by the titles of their pages."""
    found = {}
    for path in pages():
        text = path.read_text(encoding="utf-8")
        draft, title = lesson(text), _TITLE.search(text)
        if draft is not None and title is not None:
            found[title[1]] = draft
    return found


def content() -> bytes:
    """The content of lessons.json."""
    return msgspec.json.format(msgspec.json.encode(lessons()), indent=1) + b"\n"


if __name__ == "__main__":
    LESSONS.write_bytes(content())
