"""The pictures of the documentation, and its notebook, are what the code makes of them now."""

import re
from collections.abc import Mapping
from typing import Any

import nbformat

from scripts.notebook import NOTEBOOK, executed
from scripts.pictures import FOLDER, pictures
from tests.docs.pages import PAGES, ROOT
from tests.pictures.looks import colours, texts

ANEW = "it is not what the code draws: run `make pictures`, and look at the result"
LARGEST = 120_000
MEASURED = re.compile(r"growth-.*|performance.*|forecast-.*")
"""Pictures of what was measured are made by `benchmarks`, of results that are kept."""


def test_pictures_are_up_to_date() -> None:
    """Places are not compared, for they depend on the fonts of a machine."""
    made = dict(pictures())
    assert {path.name for path in FOLDER.glob("*.svg") if not MEASURED.fullmatch(path.stem)} == made.keys()
    for name, drawing in made.items():
        kept, now = (FOLDER / name).read_text(encoding="utf-8"), drawing.svg()
        assert texts(kept) == texts(now), ANEW
        assert colours(kept) == colours(now), ANEW
        assert len(kept) < LARGEST


def test_pages_show_pictures_that_exist() -> None:
    shown = [
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(
            r"!\[[^\]]+\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")
        )
    ]
    assert {FOLDER / name for name in ("answers.svg", "many.svg", "rules.svg")} <= {*shown}
    assert all(path.is_file() and path.is_relative_to(ROOT) for path in shown)


def test_the_notebook_shows_what_it_shows_now() -> None:
    kept = nbformat.read(NOTEBOOK, as_version=4)
    now = executed(NOTEBOOK)
    assert [_seen(cell) for cell in kept.cells] == [_seen(cell) for cell in now.cells], ANEW


def _seen(cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a reader sees of a cell's outputs: of pictures their texts."""
    return [
        {
            kind: texts(found) if kind == "image/svg+xml" else found
            for kind, found in each.get("data", {}).items()
        }
        or {"text": each.get("text")}
        for each in cell.get("outputs", ())
    ]
