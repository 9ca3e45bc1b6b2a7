"""antelog/watch/web/freshness.py: what a page says before all else, also while it catches up."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from antelog.watch.web.api import metrics
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.freshness import span
from antelog.watch.web.live_board import LiveBoard, Reader, reader_of
from tests.processes import until_async
from tests.watch.lines import ago, possible, status
from tests.watch.recorded_run import recorded
from tests.watch.web.asking import ADDRESS, TOKEN, Answered, _asked, ask, guarded, sight

WAITING = ("/part/list/rows", "/api/now", "/export/list.csv", "/metrics")


@pytest.fixture
def live(tmp_path: Path) -> LiveBoard:
    return LiveBoard(reader_of(recorded(tmp_path)))


def read(live: LiveBoard) -> LiveBoard:
    while not live.caught_up:
        live.take_some()
    return live


def test_while_a_page_catches_up_it_says_how_far_it_is_and_lists_nothing(live: LiveBoard) -> None:
    app = page_app(live, Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens))

    async def get(path: str) -> Answered:
        scope = {
            "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "",
            "query_string": b"", "scheme": "http", "http_version": "1.1",
            "headers": [(b"host", b"127.0.0.1:8080"), (b"authorization", f"Bearer {TOKEN}".encode())],
        }  # fmt: skip
        return await _asked(app, scope, b"")

    async def asked() -> dict[str, Answered]:
        following = asyncio.create_task(live.follow())
        await asyncio.wait([following], timeout=0)  # the first thousand records
        paths = [*WAITING, "/part/now", "/api/state", "/healthz"]
        found = {path: await get(path) for path in paths}
        await until_async(lambda: not live.catching_up)
        found |= {f"then {path}": await get(path) for path in paths}
        following.cancel()
        return found

    found = asyncio.run(asked())
    assert 'class="item' not in found["/part/now"].text
    assert "Catching up: " in found["/part/now"].text
    for path in WAITING:
        assert (found[path].status, found[path].headers["retry-after"]) == (503, "1")
        assert found[f"then {path}"].status == 200
    assert 0 < found["/api/state"].json["catching_up"] < 1
    assert found["/healthz"].json == {"status": "ok", "caught_up": False}
    assert 'class="fork-card' in found["then /part/now"].text
    assert "catching_up" not in found["then /api/state"].json
    assert found["then /healthz"].json == {"status": "ok", "caught_up": True}


class _Fails(Reader):
    """A reader with an error that nobody foresaw."""

    def read(self, limit: int) -> list[dict[str, Any]]:
        raise OverflowError(f"{limit} is too much")


def test_a_follower_that_ends_fails_the_check_of_health() -> None:
    said: list[str] = []
    live = LiveBoard(_Fails(), say=said.append)
    with pytest.raises(OverflowError):
        asyncio.run(live.follow())
    app = guarded(live)
    assert ask(app, "/healthz").status == 503
    assert "The page cannot read on: OverflowError: 1000 is too much" in ask(app, "/part/now").text
    assert ask(app, "/api/state").json["kind"] == "lost"
    assert said == [f"the page cannot read on: {live.failure}"]


def test_tables_have_times_beside_ticks(live: LiveBoard) -> None:
    app = guarded(read(live))
    length: Callable[[str], datetime] = datetime.fromisoformat
    columns = {"now": ("since", "decided by", "at"), "decided": ("at",), "inputs": ("newest",)}
    lengths = {"decided": "open for", "inputs": "delay", "trust": "lead time, half of them"}
    for view, name in lengths.items():
        rows = list(csv.DictReader(io.StringIO(ask(app, f"/export/{view}.csv").text)))
        known = next(each for each in rows if each[name])
        assert float(known[f"{name} (seconds)"]) == 10 * int(known[name])
    for view, names in columns.items():
        rows = list(csv.DictReader(io.StringIO(ask(app, f"/export/{view}.csv").text)))
        for name in names:
            tick, at = rows[0][name], length(rows[0][f"{name} (time)"])
            assert at.timestamp() == 10 * int(tick)
    now = next(csv.DictReader(io.StringIO(ask(app, "/export/now.csv").text)))
    assert "high, 2026-03-30 00:3" in now["evidence"]
    answer = list(csv.DictReader(io.StringIO(ask(app, f"/export/answer/{now['id']}.csv").text)))
    assert length(answer[0]["tick (time)"]).timestamp() == 10 * int(answer[0]["tick"])


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (61, "1:01 min"), (7_500, "2:05 h"), (-3, "0 s")]
)
def test_durations_are_said_in_short(seconds: float, text: str) -> None:
    assert span(seconds) == text


def silent(count: int, *listed: str, heard: float = 1) -> Any:
    """A status in which these devices of sixty are silent; of none, they are those that were before."""
    found = status(9, at=ago(0))
    again = [f"hall-{number % 3}/wt{number}" for number in range(57)] + ["wt2", "wt3", "wt4"]
    slots: dict[str, Any] = {"of": "device", "known": 60, "silent": count, "again": again}
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
    live.take([possible("wt4", 8, chance=0.9)])
    found = ask(guarded(live), "/part/now").text.partition('id="map"')[2].partition("</section>")[0]
    assert re.findall(r"<h2 [^>]*>(.*?)</h2>", found) == ["hall-0", "hall-1", "hall-2", "wt"]
    assert re.findall(r'class="(?:c )?([^"]*)" title="([^":]*)', found) == [
        ("warning s3 silent", "wt2"), ("silent", "wt3"), ("warning s4 ringed", "wt4"),
    ]  # fmt: skip
    assert found.count("<i title=") == 57, "the others are calm"
    assert "no Temp since " in ask(guarded(live), "/part/list").text
    live.take([silent(0)])
    assert "no Temp since " not in ask(guarded(live), "/part/list").text
