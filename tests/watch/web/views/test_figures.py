"""antelog/watch/web/views/trust.py: scores as a file that needs nothing else, and its pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from antelog.forecast.scores.scores import Scores, result
from antelog.theme import embedded_face
from antelog.watch.web.views.trust import scores_page
from tests.forecast.reports.test_text import EDGES, MINUTES, RIGHT, SURE
from tests.watch.web.views.test_views import Elements


def pictures(scores: Scores, tick: int | None = None) -> list[ElementTree.Element]:
    page = scores_page({"Malf": scores}, tick, "Scores")
    return [ElementTree.fromstring(each) for each in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL)]


def marks(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [each for each in picture.iter() if kind in each.get("class", "").split()]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("tick", [None, MINUTES])
def test_a_page_is_whole_and_its_pictures_stay_in_their_frames(name: str, tick: int | None) -> None:
    page = scores_page({"Malf": EDGES[name]}, tick, "Scores")
    assert "script" not in Elements(page).names
    assert not re.search(r"https?:|@import|\bnan\b|\binf\b", page.replace(embedded_face(), ""))
    for picture in pictures(EDGES[name], tick):
        for each in picture.iter():
            for most, names in ((360, ("x", "cx", "x2")), (326, ("y", "cy", "y2"))):
                assert all(0 <= float(each.get(place, "0")) <= most for place in names)


def test_names_are_text() -> None:
    page = scores_page(
        {"<b>A</b>": RIGHT, "B": EDGES["nothing"]}, None, "{{ title }} <script>alert(1)</script>"
    )
    assert "script" not in Elements(page).names
    assert "<h2>&lt;b&gt;A&lt;/b&gt;</h2>" in page
    assert "{{ title }} &lt;script&gt;" in page
    assert "Nothing to judge yet" in scores_page({"B": EDGES["nothing"]}, None, "Scores")
    assert "There are no chances yet" in scores_page({}, None, "Scores")


def test_bins_are_marks_and_those_outside_diamonds() -> None:
    bins = result(SURE).calibration.bins
    picture, *_ = pictures(SURE)
    assert len(marks(picture, "band")) == len(bins)
    assert len(marks(picture, "wrong")) == sum(each.outside for each in bins) > 0
    assert len(marks(picture, "right")) == sum(not each.outside for each in bins)
    title = r"Of the answers with a chance of .* were confirmed \(95 % range .*\)\. [\d,]+ lines?\."
    assert all(re.fullmatch(title, each.text or "") for each in picture.iter("title"))


def test_columns_go_up_and_down() -> None:
    _, picture, _ = pictures(RIGHT)
    (base,) = marks(picture, "base")
    middle = float(base.get("y1", ""))
    ups, downs = ([e for e in marks(picture, kind) if e.tag == "rect"] for kind in ("yes", "no"))
    assert ups
    assert downs
    assert all(float(each.get("y", "")) <= middle for each in ups)
    assert all(float(each.get("y", "")) == pytest.approx(middle, abs=0.11) for each in downs)


@pytest.mark.parametrize(
    ("tick", "unit"),
    [(None, "ticks"), (1_000_000, "seconds"), (600_000_000, "minutes"), (86_400_000_000, "days")],
)
def test_thresholds_are_marks(tick: int | None, unit: str) -> None:
    *_, picture = pictures(RIGHT, MINUTES)
    assert len(marks(picture, "right")) == 6
    assert [each.text for each in marks(picture, "value")] == ["50 %", "60 %", "70 %", "80 %", "90 %", "95 %"]
    *_, early = pictures(EDGES["one"], tick)
    assert [each.text for each in marks(early, "note")] == ["no alert came true"]
    assert f"lead time, {unit}" in [each.text for each in marks(early, "axis")]
