"""antelog/watch/web/views/plan.py: what flows, and labels that do not meet, for all example programs."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from antelog.pictures.marks import LABEL, RULE
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.plan import PlanDrawing, _graph
from tests.watch.lines import confirmed, head, possible, status
from tests.watch.web.asking import ask, guarded, sight

ROOT = Path(__file__).parents[4]
PROGRAMS = sorted((ROOT / "examples").rglob("*.alog"))


def drawing(text: str) -> PlanDrawing:
    record = head(program=text)
    live = sight(record, status(7))
    program = live.board.head.program
    assert program is not None
    scene = ViewContext(live.board)
    return _graph(scene, program)


def rectangles(found: PlanDrawing) -> list[tuple[str, float, float, float, float]]:
    return [
        (each.text, each.x - each.wide / 2, each.y - half, each.x + each.wide / 2, each.y + half)
        for half, marks in ((21, found.marks.of()), (12, found.marks.of(RULE)), (9, found.marks.of(LABEL)))
        for each in marks
    ]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_labels_boxes_and_rules_do_not_meet(path: Path) -> None:
    text = path.read_text("utf-8")
    if re.search(r"^include|^function", text, re.MULTILINE):
        pytest.skip("needs other files")
    found = drawing(text)
    assert found.marks.of()
    for one, other in combinations(rectangles(found), 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)
    for _, left, top, right, bottom in rectangles(found):
        assert found.left <= left
        assert right <= found.left + found.wide
        assert top >= 0
        assert bottom <= found.high


def flowing(seconds: int, facts: int) -> Any:
    return status(9, facts, f"2026-11-25T09:{seconds // 60:02}:{seconds % 60:02}.000Z")


def test_what_flows_is_on_edges_and_nodes() -> None:
    live = sight(flowing(0, 100), *(possible(f"d{n}", 7) for n in range(60)), flowing(20, 340))
    words = " ".join(re.sub(r"<[^>]*>", " ", ask(guarded(live), "/part/plan").text).split())
    assert "340 facts · 12/s" in words
    assert "3/s new · 0/s confirmed" in words
    live.take([confirmed("d1", 7, 9), flowing(30, 340), flowing(90, 340)])
    words = " ".join(re.sub(r"<[^>]*>", " ", ask(guarded(live), "/part/plan").text).split())
    assert "340 facts · 0/s" in words
    assert "0/s new" in words
    live.take([*(confirmed(f"d{n}", 7, 9) for n in range(2, 5)), flowing(120, 400)])
    found = ask(guarded(live), "/api/plan").json["rates"]
    assert found["facts"]["Temp"] == pytest.approx(2)  # 60 in the last half minute; before that is a gap
    assert found["changes"]["Malf"]["confirmed"] == pytest.approx(0.1)


def test_nothing_moves_while_numbers_change() -> None:
    lines = [possible(f"d{n}", 7) for n in range(3)]
    few, more = sight(*lines, flowing(0, 100)), sight(*lines, flowing(0, 100), *lines, flowing(20, 900))
    shape = re.compile(r'<(?:rect|text) x="([^"]+)" y="([^"]+)"[^>]*class="(?:box|on-edge)"')
    spots = [shape.findall(ask(guarded(each), "/part/plan").text) for each in (few, more)]
    assert spots[0] == spots[1]
    assert spots[0]
