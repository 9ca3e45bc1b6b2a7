"""antelog/run/counting.py: how far behind a run is, and that nothing is silent while its rows are unread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.run.counting import Backlog
from antelog.run.driver import RunTime
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings
from antelog.run.sinks.result import StepResult
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.kafka import KafkaTopic
from antelog.run.sources.opening import PostedFacts
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, SourceExtent
from antelog.run.store import FeedReader, Store, StoredFeedAt, post
from antelog.watch.alerts.groups import SilentInputs
from antelog.watch.board.board import Board
from antelog.watch.web.api import metrics
from antelog.watch.web.live_board import summary
from tests.run.sources.taking import WANTED

PROGRAM = antelog.parse(
    """\
tick 1 second.
input Temp(device, level, time) delay 1, one per device, every 2 s.
Hot(X, T) :- Temp(X, high, T).
query Hot(X, T).
"""
)
BEGAN = 1_790_000_000


class Slow(RunTime):
    """A time that goes on by a minute with each step, while more is written."""

    def __init__(self, more: Callable[[], object]) -> None:
        self.at, self.steps, self._more = float(BEGAN), 0, more

    def wall(self) -> int:
        return int(self.at * 1_000_000)

    def monotonic(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds

    def write(self, _: StepResult) -> None:
        self.at, self.steps = self.at + 60, self.steps + 1
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
        time, store = Slow(write), Store.open(folder / "s")
        stack.callback(store.close)
        settings = Settings(inputs={"Temp": Files(str(file), Form.CSV)}, state=folder / "s")
        run = FollowedRun(PROGRAM, settings, {}, store, True, lambda _: None, lambda: None, time)
        run.follower(RunOutput(None, lambda _: "", time), stack).run(lambda: time.steps > 1)
        return FeedReader(StoredFeedAt(folder / "s"), 0).read(1_000), time.at


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


def test_posts_and_topics_say_how_many_rows_are_unread(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "s")) as store:
        source = PostedFacts(store.inbox, WANTED)
        post(tmp_path / "s", "Temp", [ROWS.strip()] * 3)
        assert left(source) == (3, "rows")
        source.poll()
        assert left(source) == (0, "rows")
    pytest.importorskip("confluent_kafka")
    from antelog.run.address import Kafka  # noqa: PLC0415 - as the client
    from tests.run.sources.brokers import Broker  # noqa: PLC0415

    broker = Broker({0: [ROWS] * 3})
    topic = KafkaTopic(Kafka("b:9092", "temp", values="json"), WANTED, make=broker)
    assert left(topic) == (3, "rows")
    topic.poll()
    assert left(topic) == (0, "rows")
