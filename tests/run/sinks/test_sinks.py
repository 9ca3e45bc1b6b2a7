"""antelog/run/sinks/{outputs,feed_sink}.py: where changes are written, each once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from antelog import Engine, parse
from antelog.diagnostics import Source
from antelog.errors import InUseError, OutputError, StateError
from antelog.files import Reject
from antelog.forecast.columns import KINDS
from antelog.run.clock import Slowest
from antelog.run.sinks import feed_sink as feeds
from antelog.run.sinks.feed_sink import FeedSink
from antelog.run.sinks.json_lines import Style, change_lines, with_kinds
from antelog.run.sinks.outputs import OutputFile
from antelog.run.sinks.result import StepResult
from antelog.run.sources.kafka import Kafka, TopicSink
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.store import Store
from tests.run.sources.brokers import Broker, message

PROGRAM = parse("input P(x, time) delay 2.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).")


def _lines(step: StepResult) -> str:
    return change_lines(list(PROGRAM.plan.queries), step, Style())


def _step() -> StepResult:
    return StepResult(9, Engine(PROGRAM).advance(9, {"P": [("ä", 9)]}))


def test_changes_of_some_kinds() -> None:
    step = StepResult(4, Engine(PROGRAM).advance(4, {"P": [("a", 3), ("a", 4)]}))
    assert {json.loads(line)["change"] for line in _lines(step).splitlines()} > {"possible", "confirmed"}
    some = with_kinds(step, ("confirmed",))
    assert {json.loads(line)["change"] for line in _lines(some).splitlines()} == {"confirmed"}
    assert with_kinds(step, KINDS) is step


# ---- a file ----


def test_a_file_is_cut_to_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    first = OutputFile(path, None, _lines)
    first.write(_step())
    mark = first.mark()
    assert mark == {"size": path.stat().st_size}
    first.write(_step())
    first.close()
    again = OutputFile(path, mark, _lines)
    assert path.read_text(encoding="utf-8") == _lines(_step())
    again.write(_step())
    again.close()
    assert path.read_text(encoding="utf-8") == 2 * _lines(_step())


def test_a_file_that_is_shorter_than_its_mark_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("{}\n")
    with pytest.raises(StateError, match="has 3 bytes, but 7 had been written"):
        OutputFile(tmp_path / "out.jsonl", {"size": 7}, _lines)
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        OutputFile(tmp_path / "no" / "out.jsonl", None, _lines)


def test_a_file_has_one_writer_by_whatever_name(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with closing(OutputFile(path, None, _lines)) as first:
        first.write(_step())
        (tmp_path / "soft.jsonl").symlink_to(path)
        (tmp_path / "hard.jsonl").hardlink_to(path)
        for name in ("out.jsonl", "soft.jsonl", "hard.jsonl"):
            with pytest.raises(InUseError, match=f"{name}: another process writes to it"):
                OutputFile(tmp_path / name, None, _lines)
        assert path.read_text(encoding="utf-8") == _lines(_step())


def test_what_was_written_before_the_lock_is_had_is_not_cut_off(tmp_path: Path) -> None:
    """One that waits sees an empty file at first."""
    path = tmp_path / "out.jsonl"
    path.write_text("{}\n")
    with pytest.raises(OutputError, match="is there already, and the state knows nothing of it"):
        OutputFile(path, None, _lines, kept=True)
    assert path.read_text() == "{}\n"
    path.write_text("")
    OutputFile(path, None, _lines, kept=True).close()


def test_a_file_that_is_replaced_while_another_waits_for_it_is_written_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = OutputFile(path, None, _lines)
    found: list[OutputFile] = []
    waiting = Thread(target=lambda: found.append(OutputFile(path, None, _lines, wait=True)))
    waiting.start()
    while len(_descriptors_of(path)) < 2:
        assert waiting.is_alive()
    path.unlink()
    first.close()
    waiting.join(60)
    with closing(found[0]) as second:
        second.write(_step())
    assert path.read_text(encoding="utf-8") == _lines(_step())


def _descriptors_of(path: Path) -> list[int]:
    wanted, found = path.stat(), []
    for number in range(200):
        with suppress(OSError):
            if os.path.samestat(os.fstat(number), wanted):
                found.append(number)
    return found


# ---- a topic ----


@dataclass
class _Broker(Broker):
    """A made-up broker that takes messages, too, and a producer that fails if it is told to."""

    sent: dict[int, list[Any]] = field(default_factory=dict)
    fails: bool = False

    def produce(self, _topic: str, value: bytes, key: bytes, **more: Any) -> None:
        number = key[-3] % 2
        sent = message(number, len(self.messages[number]), value)
        sent.headers, sent.key = lambda: list(more["headers"].items()), lambda: key
        if self.fails:
            more["on_delivery"](SimpleNamespace(str=lambda: "no space"), sent)
            return
        self.messages[number].append(value)
        self.sent.setdefault(number, []).append(sent)
        more["on_delivery"](None, sent)

    def poll(self, _timeout: float) -> int:
        return 0

    def flush(self, _timeout: float) -> int:
        return 0

    def __len__(self) -> int:
        return 0

    def consume(self, most: int, timeout: float) -> list[Any]:
        known = {(n, m.offset()): m for n, each in self.sent.items() for m in each}
        found = super().consume(most, timeout)
        return [known.get((each.partition(), each.offset()), each) for each in found]

    @property
    def lines(self) -> list[str]:
        return sorted(value.decode() for each in self.messages.values() for value in each if value)


@pytest.fixture
def broker() -> _Broker:
    return _Broker({0: [], 1: []})


TOPIC = Kafka("b:9092", "temp")


def _steps() -> list[StepResult]:
    engine = Engine(PROGRAM)
    facts = [("a", 1), ("b", 1), ("a", 2), ("c", 3), ("b", 5)]
    return [
        StepResult(now, engine.advance(now, {"P": [f for f in facts if f[1] == now]})) for now in range(9)
    ]


def test_changes_are_sent_with_keys_of_their_answers(broker: _Broker) -> None:
    sink = TopicSink(TOPIC, None, _lines, broker)
    for step in _steps():
        sink.write(step)
    sink.close()
    assert broker.lines == sorted(line for step in _steps() for line in _lines(step).splitlines())
    keys = {message.key() for each in broker.sent.values() for message in each}
    assert {"query": "Q", "answer": {"X": "a", "T": 0}} in map(json.loads, keys)
    assert broker.settings["enable.idempotence"] is True


@pytest.mark.parametrize("marked", range(8))
@pytest.mark.parametrize("stopped", range(9))
def test_lines_are_sent_once_though_a_run_was_stopped(broker: _Broker, marked: int, stopped: int) -> None:
    steps = _steps()
    sink = TopicSink(TOPIC, None, _lines, broker)
    mark = None
    for number, step in enumerate(steps[: max(stopped, marked + 1)]):
        sink.write(step)
        if number == marked:
            mark = json.loads(json.dumps(sink.mark()))
    broker.messages[0].append(b"of somebody else")
    again = TopicSink(TOPIC, mark, _lines, broker)
    for step in steps[marked + 1 :]:
        again.write(step)
    again.mark()
    broker.messages[0].remove(b"of somebody else")
    assert broker.lines == sorted(line for step in steps for line in _lines(step).splitlines())


def test_a_topic_that_cannot_be_written_is_an_error(broker: _Broker) -> None:
    broker.fails = True
    sink = TopicSink(TOPIC, None, _lines, broker)
    sink.write(_steps()[1])
    with pytest.raises(OutputError, match="kafka://b:9092/temp: cannot be written: no space"):
        sink.mark()
    with pytest.raises(OutputError, match="kafka://b:9092/no: cannot be written: there is no such topic"):
        TopicSink(Kafka("b:9092", "no"), None, _lines, broker)


# ---- a feed ----


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "s", temporary=True)) as opened:
        yield opened


def test_a_feed_has_open_answers_changes_rejects_and_the_status(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MOST_REJECTS", 2)
    engine = Engine(PROGRAM)
    engine.advance(3, {"P": [("a", 3)]})
    feed = FeedSink(store.feed, engine, Source("text", "p.alog"), lambda: 7.0)
    feed.begin()
    step = StepResult(4, engine.advance(4, {"P": [("a", 4)]}))
    feed.write(step)
    feed.rejects([Reject("a.csv", 2, "P", "late", "late", "P(b, 1)")] * 3)
    feed.status({"P": {}}, Slowest("P from t[1]", 2, 7))
    feed.status({"P": {}}, Slowest("P from t[1]", 2, 7))
    feed.flush()
    head, *lines, first, _, status = FeedReader(StoredFeedAt(store.path)).read()
    assert [line["answer"] for line in head["head"].pop("open")] == [{"X": "a", "T": 2}, {"X": "a", "T": 3}]
    assert {"program": "text", "path": "p.alog", "tick": 3}.items() <= head["head"].items()
    assert lines == [json.loads(line) for line in _lines(step).splitlines()]
    assert first == {
        "reject": {"input": "P", "reason": "late", "row": "P(b, 1)", "tick": 4, "detail": "a.csv:2: late"}
    }
    assert status["status"].pop("at").endswith("Z")
    held = {"holding": "P", "held": {"source": "P from t[1]", "ticks": 7}}
    assert status == {"status": {"tick": 4, "open": {"Q": 1}, "seen": 0, "inputs": {"P": {}}, **held}}


def test_a_status_that_has_not_changed_is_written_seldom(store: Store) -> None:
    now = [0.0]
    feed = FeedSink(store.feed, Engine(PROGRAM), Source("text", "p.alog"), lambda: now[0])
    feed.begin()
    for facts in (1, 1, 2, 2):
        now[0] += 1
        feed.status({"P": {"facts": facts}}, None)
    feed.flush()
    read = FeedReader(StoredFeedAt(store.path))
    assert [record["status"]["inputs"]["P"]["facts"] for record in read.read()[1:]] == [1, 2]
    feed.status({"P": {"facts": 2}}, None, at_once=True)
    feed.flush()
    assert len(read.read()) == 1
