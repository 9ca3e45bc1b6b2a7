"""The pictures of the documentation, and its notebook, are what the code makes of them now."""

import re
from collections.abc import Mapping
from typing import Any

import nbformat

from scripts import incident_picture
from scripts.incident import TICKS, TURBINE, story
from scripts.notebook import NOTEBOOK, executed
from scripts.pictures import FOLDER, pictures
from scripts.turbine_readings import readings
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


# ---- scripts/incident.py: the picture of the home page is what antelog reports ----


def test_the_incident_is_up_to_date() -> None:
    for name, drawn in incident_picture.pictures():
        assert (incident_picture.FOLDER / name).read_text(encoding="utf-8") == drawn, f"{name}: {ANEW}"


def test_the_story_is_one_of_a_late_reading() -> None:
    told = story()
    assert [each.late for each in told.evidence] == [False, False, True]
    assert 0 < told.likely < told.confirmed < told.decided
    chances = [each.chance for each in told.instants]
    assert chances[0] is not None
    assert chances[told.likely] is not None
    assert chances[0] < told.alert <= (chances[told.likely] or 0)
    assert chances[told.confirmed] is None
    came = [(each.level, each.arrival - each.tick) for each in readings(TICKS) if each.turbine == TURBINE]
    assert {("high", 0), ("high", 1)} <= {*came}


def test_the_readme_shows_it_on_light_and_on_dark() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'src(?:set)?="(docs/pictures/incident[^"]+)"', text)
    assert shown == ["docs/pictures/incident-dark.svg", "docs/pictures/incident-light.svg"]
    assert all((ROOT / name).is_file() for name in shown)
