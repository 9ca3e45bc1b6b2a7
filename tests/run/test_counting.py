"""antelog/run/counting.py: how far behind a run is, which slots are silent, and that unread rows are not."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pyarrow as pa
import pytest

import antelog
from antelog.files.naming import Form
from antelog.run import counting
from antelog.run.address import Files
from antelog.run.clock import Slowest
from antelog.run.counting import FORGOTTEN, Backlog, InputCounts, SlotTimes
from antelog.run.driver import RunTime
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings
from antelog.run.sinks.feed_sink import LISTED_AGAIN, FeedSink, holding
from antelog.run.sinks.result import StepResult
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.kafka import KafkaTopic
from antelog.run.sources.opening import PostedFacts, StandardInput
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, SourceExtent
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from antelog.watch.alerts.groups import SilentInputs
from antelog.watch.board.board import Board
from antelog.watch.web.api import metrics
from antelog.watch.web.live_board import summary
from tests.run.running import ManualTime
from tests.run.sources.taking import WANTED
from tests.watch.lines import status

PROGRAM = antelog.parse(
    """\
tick 1 second.
input Temp(device, level, time) delay 1, one per device, every 2 s.
Hot(X, T) :- Temp(X, high, T).
query Hot(X, T).
"""
)
BEGAN = 1_790_000_000


class Slow(ManualTime):
    """A time, and a sink that takes a minute for each step, while more is written."""

    def __init__(self, more: Callable[[], object]) -> None:
        super().__init__(float(BEGAN))
        self.steps, self._more = 0, more

    def write(self, _: StepResult) -> None:
        self.seconds, self.steps = self.seconds + 60, self.steps + 1
        self._more()

    def mark(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def overloaded(folder: Path, *, more: str) -> tuple[list[dict[str, Any]], float]:
    """The feed of a run whose second step takes a minute, in which more is written; and its last moment."""
    file = folder / "temp.csv"
    rows = [f"{device},high,{BEGAN + at}" for at in range(3) for device in ("a", "b")]
    file.write_text("\n".join(["device,level,time", *rows, ""]), encoding="utf-8")

    def write() -> None:
        with file.open("a") as at_end:
            at_end.write(more)

    with ExitStack() as stack:
        time, store = Slow(write), Store(folder / "s")
        stack.callback(store.close)
        settings = Settings(inputs={"Temp": Files(str(file), Form.CSV)}, state=folder / "s")
        run = FollowedRun(PROGRAM, settings, {}, store, True, lambda _: None, lambda: None, time)
        run.follower(RunOutput(None, lambda _: "", time), stack).run(lambda: time.steps > 1)
        return FeedReader(StoredFeedAt(folder / "s"), 0).read(1_000), time.seconds


def test_while_rows_are_unread_nothing_is_silent(tmp_path: Path) -> None:
    records, now = overloaded(tmp_path, more=f"a,high,{BEGAN + 9}\n" * 1_000)
    board = Board()
    board.take(records)
    fresh = summary(board)["fresh"]["Temp"]
    assert fresh["unread"] > 10_000
    assert fresh["unit"] == "bytes"
    assert 60 <= fresh["behind"] <= 121
    assert fresh["slots"]["silent"] == 0
    (temp,) = board.inputs.each()
    assert temp.pulse.quiet_for(now) is not None
    assert temp.pulse.silent_for(now) is None
    assert [*SilentInputs((), now - 3_600).changes(records, now)] == []
    text = metrics(board, {}).decode()
    assert 'antelog_silent_input{input="Temp"} 0.0' in text
    assert f'antelog_unread{{input="Temp",unit="bytes"}} {fresh["unread"]}.0' in text
    assert f'antelog_behind_seconds{{input="Temp"}} {fresh["behind"]}' in text


def test_metrics_say_by_how_much_time_is_held_back() -> None:
    board = Board()
    for slow, found in ((Slowest("Temp from t[1]", 3, 40), True), (Slowest("Temp", -1, 40), False)):
        board.take([status(7, **holding(slow))])
        line = 'antelog_held_back_ticks{input="Temp",source="Temp from t[1]"} 40.0'
        assert (line in metrics(board, {}).decode()) is found
    assert summary(board)["held"] == {"source": "Temp", "ticks": None}


def test_once_all_is_read_it_is_silent(tmp_path: Path) -> None:
    records, now = overloaded(tmp_path, more="")
    board = Board()
    board.take(records)
    assert summary(board)["fresh"]["Temp"]["unread"] == 0
    (line,) = SilentInputs((), now - 3_600).changes(records, now)
    assert line["change"] == "silent"
    # What was silent before a restart is not heard again because nothing is known yet.
    again = SilentInputs([("Temp", "")], now)  # type: ignore[list-item]
    assert [*again.changes(records, now + 1)] == []


def test_what_is_unread_has_been_there_since_the_last_look_before() -> None:
    backlog = Backlog()
    for wall, read, there in ((0, 0, 0), (1, 5, 5), (2, 5, 9), (3, 5, 20), (4, 9, 30)):
        backlog.look(SourceExtent(read, there), wall * 1_000_000)
    assert backlog.status() == {"unread": 21, "unit": "bytes", "behind": 2.0}  # 9 were there at 2
    for wall in range(5, 9_000):
        backlog.look(SourceExtent(9, 30 + wall), wall * 1_000_000)
    assert backlog.status()["behind"] == 8_999 - 2
    assert len(backlog._looks) <= 2_000
    backlog.look(SourceExtent(9_029, 9_029), 9_000_000_000)
    assert backlog.status() == {"unread": 0, "unit": "bytes", "behind": 0.0}


ROWS = b'{"device": "a", "value": 1, "time": 7}\n'


def _file(path: Path, content: bytes = ROWS) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def left(source: FactSource) -> tuple[int, str]:
    return source.extent.there - source.extent.read, source.extent.unit


def test_a_file_says_how_many_bytes_are_unread(tmp_path: Path) -> None:
    path = _file(tmp_path / "t.jsonl")
    with closing(GrowingFile(path, Form.JSON, WANTED)) as source:
        source.poll()
        assert left(source) == (0, "bytes")
        path.write_bytes(ROWS * 3)
        assert left(source) == (2 * len(ROWS), "bytes")
        path.rename(tmp_path / "t.jsonl.1")
        _file(path, ROWS * 2)
        source.poll()
        source.poll()
        source.poll()
        assert source.extent == SourceExtent(5 * len(ROWS), 5 * len(ROWS))


def test_a_folder_says_how_many_bytes_are_unread(tmp_path: Path) -> None:
    for name in "abc":
        _file(tmp_path / "t" / f"{name}.jsonl")
    source = RecordedFiles(tmp_path / "t", WANTED)
    source.poll()
    assert source.extent == SourceExtent(len(ROWS), 3 * len(ROWS))


def test_a_pipe_says_what_is_in_it() -> None:
    reading, writing = os.pipe()
    os.write(writing, ROWS)
    source = StandardInput(WANTED, descriptor=reading)
    assert left(source) == (len(ROWS), "bytes")
    source.poll()
    assert source.extent == SourceExtent(len(ROWS), len(ROWS))
    for each in (reading, writing):
        os.close(each)


def test_posts_and_topics_say_how_many_rows_are_unread(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s")) as store:
        source = PostedFacts(store.inbox, WANTED)
        post(tmp_path / "s", "Temp", [ROWS.strip()] * 3)
        assert left(source) == (3, "rows")
        source.poll()
        assert left(source) == (0, "rows")
    pytest.importorskip("confluent_kafka")
    from antelog.run.sources.kafka import Kafka  # noqa: PLC0415 - as the client
    from tests.run.sources.brokers import Broker  # noqa: PLC0415

    broker = Broker({0: [ROWS] * 3})
    topic = KafkaTopic(Kafka("b:9092", "temp", values="json"), WANTED, make=broker)
    assert left(topic) == (3, "rows")
    topic.poll()
    assert left(topic) == (0, "rows")


# ---- slots ----


BEATS = antelog.parse(
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
    monkeypatch.setattr(counting, "LISTED", 1)
    assert slots.silent(31) == (3, {"a, 1": 30})
    assert slots.silent(11) == (1, {"b, 1": 10})


def test_a_slot_of_long_ago_is_forgotten_and_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = SlotTimes(["server"])
    slots.hear(beats("a"), 1)
    slots.hear(beats("b"), FORGOTTEN)
    assert slots.silent(FORGOTTEN + 2) == (1, {"b": FORGOTTEN})
    assert len(slots) == 1
    monkeypatch.setattr(counting, "MOST", 2)
    slots.hear(beats("b", "c", "d", "c"), FORGOTTEN + 9)
    assert slots.silent(FORGOTTEN + 10) == (2, {"b": FORGOTTEN + 9, "c": FORGOTTEN + 9})
    many = SlotTimes(["server"])
    monkeypatch.setattr(counting, "MOST", 1_000)
    many.hear(beats(*(f"s{number}" for number in range(500))), 5)
    many.hear(beats("s499"), 6)
    assert many.silent(6)[0] == 499


def slots_of(counts: InputCounts) -> Any:
    return counts.status()["Beat"]["slots"]


def test_a_slot_is_silent_after_the_gap_of_its_input() -> None:
    counts = InputCounts(BEATS.plan)
    counts.look(100 * SECOND)
    counts.hear("Beat", beats("a", "b"), 100 * SECOND)
    counts.look(110 * SECOND)
    counts.hear("Beat", beats("a"), 110 * SECOND)
    assert slots_of(counts) == {
        "of": "server and rack",
        "known": 2,
        "silent": 0,
        "listed": {},
        "again": ["a, 1"],
    }
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
    store, now = Store(tmp_path / "s", temporary=True), [0.0]
    sink = FeedSink(store.feed, antelog.Engine(BEATS), BEATS.source, lambda: now[0])

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
        store = Store(tmp_path / "s")
        run = FollowedRun(BEATS, settings, {}, store, True, lambda _: None, lambda: None, RunTime())
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
