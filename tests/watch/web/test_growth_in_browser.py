"""The page holds nothing of views that were left; skipped where there is no Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import until
from tests.watch.browser import CHROMIUM, Browser, Tab
from tests.watch.lines import served
from tests.watch.web.test_console import PROGRAM, plant

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
ROUND = ("inputs", "decided", "plan", "trust", "")


def nodes(tab: Tab) -> int:
    """The nodes of all documents that are in use."""
    for _ in range(3):
        tab.tell("HeapProfiler.collectGarbage")
    found: int = tab.tell("Memory.getDOMCounters")["nodes"]
    return found


def rounds(tab: Tab, count: int) -> int:
    """The nodes in use after so many rounds through all views."""
    for _ in range(count):
        for view in ROUND:
            tab.run(f"go('/{view}')")
            tab.until(f"shown === '{view or 'now'}'")
            if view in ("inputs", "decided"):
                tab.until("document.querySelector('.plot .canvas canvas')")
    return nodes(tab)


def test_a_view_that_was_left_is_gone(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plant(200), PROGRAM) as (page, _):
        tab = chromium.opened(page.url)
        tab.until("document.querySelector('a.row')")
        # A look between two views finds far fewer nodes than one at a view.
        before = max(rounds(tab, 1) for _ in range(3))
        rounds(tab, 21)
        tab.until("charts.size === 0")
        # Twenty-four rounds would hold eight times as much as three; a busy browser collects garbage later.
        until(
            lambda: nodes(tab) < 4 * before, about=lambda: f"{nodes(tab)} nodes, {before} after three rounds"
        )
        assert tab.errors == []
