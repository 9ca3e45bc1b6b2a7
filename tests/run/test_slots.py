"""antelog/run/counting.py: slots; the counts, feed and store of a run that have what it says."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pyarrow as pa
import pytest

import antelog
from antelog.files.naming import Form
from antelog.run import counting as module
from antelog.run.address import Files
from antelog.run.counting import FORGOTTEN, InputCounts, SlotTimes
from antelog.run.driver import RunTime
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings
from antelog.run.sinks.feed_sink import LISTED_AGAIN, FeedSink
from antelog.run.store.store import Store

PROGRAM = antelog.parse(
    "tick 1 second. input Beat(server, rack: number, time) one per server and rack, every 10 s.\n"
    "Heard(X, T) :- Beat(X, _, T). query Heard(X, T)."
)
SECOND = 1_000_000


def beats(*servers: str | None) -> pa.Table:
    count = len(servers)
    return pa.table({"server": pa.array(servers, pa.string()), "rack": [1] * count, "time": [0] * count})


def test_the_silent_ones_are_listed_the_latest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = SlotTimes(["server", "rack"])
    slots.hear(beats("a", "b", "a", None), 10)
    slots.hear(beats("c"), 20)
    assert slots.silent(10) == (0, {})
    assert slots.silent(11) == (2, {"a, 1": 10, "b, 1": 10})
    slots.hear(beats("a"), 30)
    assert slots.silent(30) == (2, {"c, 1": 20, "b, 1": 10})
    monkeypatch.setattr(module, "LISTED", 1)
    assert slots.silent(31) == (3, {"a, 1": 30})
    assert slots.silent(11) == (1, {"b, 1": 10})


def test_a_slot_of_long_ago_is_forgotten_and_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = SlotTimes(["server"])
    slots.hear(beats("a"), 1)
    slots.hear(beats("b"), FORGOTTEN)
    assert slots.silent(FORGOTTEN + 2) == (1, {"b": FORGOTTEN})
    assert len(slots) == 1
    monkeypatch.setattr(module, "MOST", 2)
    slots.hear(beats("b", "c", "d", "c"), FORGOTTEN + 9)
    assert slots.silent(FORGOTTEN + 10) == (2, {"b": FORGOTTEN + 9, "c": FORGOTTEN + 9})
    many = SlotTimes(["server"])
    monkeypatch.setattr(module, "MOST", 1_000)
    many.hear(beats(*(f"s{number}" for number in range(500))), 5)
    many.hear(beats("s499"), 6)
    assert many.silent(6)[0] == 499


def slots_of(counts: InputCounts) -> Any:
    return counts.status()["Beat"]["slots"]


def test_a_slot_is_silent_after_the_gap_of_its_input() -> None:
    counts = InputCounts(PROGRAM.plan)
    counts.look(100 * SECOND)
    counts.hear("Beat", beats("a", "b"), 100 * SECOND)
    counts.look(110 * SECOND)
    counts.hear("Beat", beats("a"), 110 * SECOND)
    assert slots_of(counts) == {"of": "server and rack", "known": 2, "silent": 0, "listed": {}}
    counts.look(117 * SECOND)
    assert slots_of(counts)["silent"] == 0  # half as long again, and two seconds
    counts.look(118 * SECOND)
    assert slots_of(counts)["listed"] == {"b, 1": "1970-01-01T00:01:40.000Z"}
    # All were silent: when the first is heard again, the others have their time.
    counts.hear("Beat", beats("a"), 200 * SECOND)
    counts.look(217 * SECOND)
    assert slots_of(counts)["silent"] == 0
    counts.look(218 * SECOND)
    assert slots_of(counts)["silent"] == 2


def test_without_slots_or_a_gap_nothing_is_looked_at() -> None:
    for declared in ("one per server", "every 10 s", "one per tick, every 10 s"):
        text = f"tick 1 second. input Beat(server, time) delay 1, {declared}. "
        text += "H(X, T) :- Beat(X, T). query H(X, T)."
        counts = InputCounts(antelog.parse(text).plan)
        counts.hear("Beat", beats("a"), 5)
        assert "slots" not in counts.status()["Beat"]


def test_a_feed_lists_silent_slots_where_they_have_changed(tmp_path: Path) -> None:
    store, now = Store.open(tmp_path / "s", temporary=True), [0.0]
    sink = FeedSink(store.feed, antelog.Engine(PROGRAM), PROGRAM.source, lambda: now[0])

    def listed(**slots: str) -> Any:
        now[0] += 1
        given = {"of": "server", "known": 2, "silent": len(slots), "listed": slots}
        sink.status({"Beat": {"slots": given}}, None, at_once=True)
        return msgspec.json.decode(sink._lines.pop())["status"]["inputs"]["Beat"]["slots"].get("listed")

    sink.begin()
    assert listed(a="x") == {"a": "x"}
    assert listed(a="x") is None
    assert listed() == {}
    assert listed() is None
    now[0] += LISTED_AGAIN
    assert listed() == {}
    sink.begin()
    assert listed() == {}
    store.close()


def test_slots_are_known_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("server,rack,time\na,1,2026-01-01T00:00:00Z\nb,1,2026-01-01T00:00:00Z\n")
    settings = Settings(
        inputs={"Beat": Files(str(tmp_path / "b.csv"), Form.CSV, False)}, state=tmp_path / "s", once=True
    )
    for known in (0, 2):
        store = Store.open(tmp_path / "s")
        run = FollowedRun(PROGRAM, settings, {}, store, True, lambda _: None, lambda: None, RunTime())
        with ExitStack() as stack:
            stack.callback(store.close)
            follower = run.follower(RunOutput(None, lambda _: "", Mock()), stack)
            counts = follower.driver.reader.counts
            assert len(counts.slots["Beat"]) == known
            if not known:
                counts.hear("Beat", beats("a", "b"), 5)
                slots = {name: each.saved() for name, each in counts.slots.items()}
                store.keep_slots(msgspec.json.encode(slots))
            follower.run(lambda: False)
