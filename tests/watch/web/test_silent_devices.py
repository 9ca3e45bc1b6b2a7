"""The page says which devices are silent: in a band, on their rows, in the state and in metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antelog.watch.web.metrics import metrics
from tests.watch.browser import CHROMIUM, Browser
from tests.watch.lines import add, ago, possible, served, status
from tests.watch.web.asking import ask, guarded, sight
from tests.watch.web.test_console import PROGRAM, findings

BAND = "document.getElementById('band').innerText"


def silent(count: int, *listed: str, heard: float = 1) -> Any:
    """A status in which these devices of sixty are silent; of none, they are those that were before."""
    found = status(9, at=ago(0))
    slots: dict[str, Any] = {"of": "device", "known": 60, "silent": count}
    slots |= {"listed": {name: ago(90) for name in listed}} if listed or not count else {}
    found["status"]["inputs"]["Temp"] |= {"heard": ago(heard), "gap": 30.0, "slots": slots}
    return found


def test_the_state_and_metrics_count_silent_devices() -> None:
    live = sight(possible("wt2", 7), silent(2, "wt2", "wt3"), silent(2))
    slots = ask(guarded(live), "/api/state").json["fresh"]["Temp"]["slots"]
    assert (slots["noun"], slots["known"], slots["silent"], [*slots["listed"]]) == (
        "devices", 60, 2, ["wt2", "wt3"],
    )  # fmt: skip
    assert b'antelog_silent_slots{input="Temp"} 2.0' in metrics(live.board, {})
    assert "2 of 60" in ask(guarded(live), "/part/inputs").text
    assert "no Temp since " in ask(guarded(live), "/part/now").text
    live.take([silent(0)])
    assert "no Temp since " not in ask(guarded(live), "/part/now").text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium")
def test_a_silent_device_is_named_and_its_rows_are_grey(chromium: Browser, tmp_path: Path) -> None:
    lines = [possible("wt2", 7, 8), possible("wt4", 7, 8), silent(1, "wt2")]
    with served(tmp_path, lines, PROGRAM) as (page, writer):
        tab = chromium.opened(page.url)
        tab.until(f"{BAND}.includes('No fact of Temp from wt2 (since ')")
        assert tab.run("document.querySelectorAll('.item').length") == 2
        assert tab.run("[...document.querySelectorAll('.item.stale')].map(each => each.dataset.group)") == [
            "wt2"
        ]
        assert findings(tab) == []
        add(writer, silent(12, *(f"wt{number}" for number in range(12))))
        tab.until(f"{BAND}.includes('12 of 60 devices, such as wt0, wt1, wt2; from each')")
        add(writer, silent(12, "wt2", heard=200))  # the whole input: that is one line
        tab.until(f"{BAND}.includes('Temp has been silent for')")
        assert "devices" not in tab.run(BAND)
        add(writer, silent(0))
        tab.until(f"{BAND} === ''")
        assert tab.errors == []
