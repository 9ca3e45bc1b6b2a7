"""README, tutorial and the pages like it can be followed in one folder, and say what does not end.

A name that a page writes belongs to that page: files it shows, folders it makes, what its commands write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, blocks_of, name_of
from tests.docs.walking import Step, steps

PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/tutorial/*.md")),
    *ROOT.glob("docs/from-csv-to-alert.md"),
]
WRITTEN = ("--output", "--checkpoint", "--rejects", "--state", "--config")
ENDLESS = re.compile(r"until you press Ctrl-C")


def _written(page: Path) -> Iterator[str]:
    """The names a page writes, each as often as a step writes it."""
    for step in steps(blocks_of(page)):
        if isinstance(step, Block):
            assert step.file is not None
            yield step.file
            continue
        words = step.words
        for option, value in pairwise(words):
            if (option in WRITTEN and "://" not in value) or option in (">", ">>", "mkdir"):
                yield value.rpartition(":")[2]
        if words[0] in ("cp", "mv"):
            yield words[-1]


def _endless(page: Path) -> list[Step]:
    walked = [step for step in steps(blocks_of(page)) if isinstance(step, Step)]
    return [
        step
        for step in walked
        if ("--stream" in step.words and "available-now" not in step.words)
        or (step.words[:2] == ("antelog", "watch") and "--once" not in step.words)
    ]


def test_no_page_writes_what_another_page_wrote() -> None:
    owners: dict[str, set[str]] = {}
    for page in PAGES:
        for name in _written(page):
            owners.setdefault(name.split("/")[0], set()).add(name_of(page))
    shared = {name: pages for name, pages in owners.items() if len(pages) > 1 and name != "console"}
    assert shared == {}
    assert {"spoilt.alog", "changes", "plant-state", "turbines", "rooms.state", "late.csv"} <= set(owners)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_does_not_end_is_announced(page: Path) -> None:
    """Just before the block of a command that does not end it is said how to end it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for step in _endless(page):
        line = int(
            step.place.rpartition(":")[2]
        )  # of the fence; the paragraph before it ends two lines above
        paragraph = "\n".join(lines[: line - 1]).rstrip().rpartition("\n\n")[2]
        assert ENDLESS.search(" ".join(paragraph.split())), f"{step.place}: say how to end it"


def test_there_are_such_commands() -> None:
    assert {name_of(page) for page in PAGES if _endless(page)} >= {"README.md", "tutorial/watching.md"}
