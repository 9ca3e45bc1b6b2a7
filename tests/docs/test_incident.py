"""scripts/incident.py, scripts/incident_picture.py: the picture of the home page is what antelog reports."""

import re
from pathlib import Path

from scripts.incident import TICKS, TURBINE, story
from scripts.incident_picture import FOLDER, pictures
from scripts.turbine_readings import readings
from tests.docs.pages import ROOT

ANEW = "it is not what the code draws: run `make pictures`, and look at the result"


def test_pictures_are_up_to_date() -> None:
    for name, drawn in pictures():
        assert (FOLDER / name).read_text(encoding="utf-8") == drawn, f"{name}: {ANEW}"


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
    text = Path(ROOT, "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'src(?:set)?="(docs/pictures/incident[^"]+)"', text)
    assert shown == ["docs/pictures/incident-dark.svg", "docs/pictures/incident-light.svg"]
    assert all((ROOT / name).is_file() for name in shown)
