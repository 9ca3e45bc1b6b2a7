"""antelog/forecast/reports: one page with pictures that needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from antelog.forecast.reports import svg
from antelog.forecast.reports.figures import early, histogram, reliability
from antelog.forecast.reports.page import page_html
from antelog.forecast.reports.svg import Spot
from antelog.forecast.scores.scores import Scores, result
from antelog.theme import embedded_face
from tests.forecast.reports.test_text import EDGES, MINUTES, RIGHT, SURE

VOID = {"meta"}


class Nested(HTMLParser):
    """Sees that each element is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # its own
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # its own
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def elements(page: str) -> list[str]:
    nested = Nested()
    nested.feed(page)
    assert nested.open == []
    return nested.seen


def pictures(scores: Scores, tick: int | None = None) -> list[ElementTree.Element]:
    found = result(scores)
    texts = reliability(found.calibration), histogram(found.calibration), early(found.alerts, tick)
    return [ElementTree.fromstring(text) for text in texts]


def marks(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [each for each in picture.iter() if kind in each.get("class", "").split()]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("tick", [None, MINUTES])
def test_a_page_is_whole(name: str, tick: int | None) -> None:
    page = page_html({"Malf": EDGES[name]}, tick)
    seen = elements(page)
    assert "script" not in seen
    assert not re.search(r"https?:|url\(|@import|\bnan\b|\binf\b", page.replace(embedded_face(), ""))


def test_names_are_text() -> None:
    page = page_html({"<b>A</b>": RIGHT, "B": EDGES["nothing"]}, title="$title <script>alert(1)</script>")
    assert "script" not in elements(page)
    assert "<b>" not in page.partition("<footer>")[0]
    assert "<h2>&lt;b&gt;A&lt;/b&gt;</h2>" in page
    assert "$title &lt;script&gt;" in page


def test_each_query_can_be_gone_to() -> None:
    page = page_html({"A": RIGHT, "B": EDGES["nothing"]})
    assert re.findall(r'href="#([\w-]+)"', page) == re.findall(r'<section id="([\w-]+)"', page)
    assert "<nav>" not in page_html({"A": RIGHT})
    assert "No query has chances." in page_html({})


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("tick", [None, MINUTES])
def test_pictures_stay_in_their_frames(name: str, tick: int | None) -> None:
    for picture in pictures(EDGES[name], tick):
        _, _, wide, high = map(float, picture.get("viewBox", "").split())
        for each in picture.iter():
            for where, most in (
                ("x", wide),
                ("cx", wide),
                ("x2", wide),
                ("y", high),
                ("cy", high),
                ("y2", high),
            ):
                assert 0 <= float(each.get(where, "0")) <= most


def test_bins_are_marks_and_those_outside_diamonds() -> None:
    bins = result(SURE).calibration.bins
    picture, *_ = pictures(SURE)
    assert len(marks(picture, "band")) == len(bins)
    assert len(marks(picture, "wrong")) == sum(each.outside for each in bins) > 0
    assert len(marks(picture, "right")) == sum(not each.outside for each in bins)
    titles = [each.text or "" for each in picture.iter("title")]
    assert all(
        re.match(r"Of the answers with a chance of .* were confirmed \(95 % range .*\)\. [\d,]+ lines?\.", t)
        for t in titles
    )


def test_columns_go_up_and_down() -> None:
    _, picture, _ = pictures(RIGHT)
    (base,) = marks(picture, "base")
    middle = float(base.get("y1", ""))
    ups, downs = ([e for e in marks(picture, kind) if e.tag == "rect"] for kind in ("yes", "no"))
    assert ups
    assert downs
    assert all(float(each.get("y", "")) <= middle for each in ups)
    assert all(float(each.get("y", "")) == pytest.approx(middle, abs=0.11) for each in downs)


def test_thresholds_are_marks() -> None:
    *_, picture = pictures(RIGHT, MINUTES)
    assert len(marks(picture, "right")) == 6
    assert [each.text for each in marks(picture, "value")] == ["50 %", "60 %", "70 %", "80 %", "90 %", "95 %"]
    assert any((each.text or "").startswith("lead time, ") for each in marks(picture, "axis"))
    *_, empty = pictures(EDGES["nothing"])
    assert [each.text for each in marks(empty, "note")] == ["no alert came true"]


@pytest.mark.parametrize(
    ("tick", "unit"),
    [(None, "ticks"), (1_000_000, "seconds"), (600_000_000, "minutes"), (86_400_000_000, "days"), (1, "us")],
)
def test_the_unit_of_an_empty_picture_is_that_of_a_tick(tick: int | None, unit: str) -> None:
    *_, empty = pictures(EDGES["nothing"], tick)
    assert f"lead time, {unit}" in [each.text for each in marks(empty, "axis")]


def test_words_in_pictures_are_text() -> None:
    found = svg.words(Spot(1, 2.25), "<b>&", "tick")
    assert found == '<text x="1" y="2.2" class="tick">&lt;b&gt;&amp;</text>'
    assert "&lt;i&gt;" in svg.disc(Spot(1, 2), 3, "right", "<i>")
