"""The pages of documentation that an assistant reads, whole or by their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean

LANGUAGE, IDIOMS, DIAGNOSTICS = "language", "idioms", "diagnostics"
SERVED: Mapping[str, str] = {
    LANGUAGE: "The language at a glance, idioms, tests and commands. Read it before writing rules.",
    IDIOMS: "Questions that come up again and again, each with rules, facts and what is often wrong.",
    DIAGNOSTICS: "Each error and warning by its code, with a wrong program and the same one mended.",
}
"""The pages that are resources, each with what it is for."""

_FILES = {LANGUAGE: "llms.txt", IDIOMS: "idioms.md", DIAGNOSTICS: "diagnostics.md"}
# Where topics are looked up, in this order.
_LOOKED_UP = ("language.md", "idioms.md", "diagnostics.md", "testing.md")
_MOST = 20_000  # characters of the sections about a topic


@dataclass(frozen=True)
class Section:
    """A section of a page, with those below it: its heading, and its text from there."""

    heading: str
    text: str


def page(name: str) -> str:
    """The text of a page that is served."""
    return _text(_FILES[name])


@cache
def _text(file: str) -> str:
    carried = Path(str(files("antelog"))) / "pages"  # a wheel has them there; see pyproject.toml
    folder = carried if carried.is_dir() else Path(str(files("antelog"))).parent / "docs"
    return (folder / file).read_text("utf-8")


def explained(topic: str) -> str:
    """The sections about a topic: a code such as E201, or words. Raises DataError if there are none."""
    found = list(sections())
    asked = " ".join(topic.split()).lower()
    by_heading = [each for each in found if asked in each.heading.lower()]
    by_text = [each for each in found if asked in each.text.lower() and each not in by_heading]
    if not by_heading and not by_text:
        headings = [each.heading for each in found]
        hint = did_you_mean(topic, headings) or f"Ask for one of these: {', '.join(headings)}."
        raise DataError(f"no page speaks of {topic}. {hint}")
    text = ""
    for number, each in enumerate([*by_heading, *by_text]):
        if number and len(text) + len(each.text) > _MOST:
            others = [more.heading for more in [*by_heading, *by_text][number:]]
            return f"{text}\n(More about it, to be asked for by these headings: {', '.join(others)}.)\n"
        text += f"{each.text}\n"
    return text


def sections() -> Iterator[Section]:
    """The sections of all pages in which topics are looked up."""
    for file in _LOOKED_UP:
        for text in re.split(r"(?m)^(?=##+ )", _text(file))[1:]:
            yield Section(text.partition("\n")[0].lstrip("# "), text.rstrip() + "\n")
