"""antelog/cli/serving.py: changes in a topic are put into a feed, in order, and each once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antelog.cli.serving import ChangesPump
from antelog.run.address import address_of
from antelog.run.sources.kafka import Kafka
from antelog.run.store.feed import BatchFeed, FeedReader, FolderFeed
from tests.run.sources.brokers import Broker


def change(kind: str, tick: int, *, spark: bool = False) -> bytes:
    """A change; Spark writes answers as text."""
    answer: Any = {"X": "wt2", "T": 0}
    said = {"tick": tick, "change": kind, "query": "Malf", "answer": json.dumps(answer) if spark else answer}
    return json.dumps(said).encode()


def pumping(folder: Path, broker: Broker) -> ChangesPump:
    topic = address_of("kafka://b/temp")
    assert isinstance(topic, Kafka)
    return ChangesPump(
        topic, BatchFeed(FolderFeed(folder), {"program": "", "path": str(topic), "time": None}), broker
    )


def test_changes_of_a_topic_are_in_the_feed_once(tmp_path: Path) -> None:
    broker = Broker({0: [change("possible", 3), change("revised", 4, spark=True)]})
    pump = pumping(tmp_path, broker)
    assert pump.move() == 2
    assert pump.move() == 0
    broker.messages[0].append(change("confirmed", 5))
    assert pump.move() == 1
    records = FeedReader(FolderFeed(tmp_path)).read()
    changes = [record for record in records if "change" in record]
    assert [(record["tick"], record["change"]) for record in changes] == [
        (3, "possible"), (4, "revised"), (5, "confirmed"),
    ]  # fmt: skip
    assert {tuple(record["answer"].items()) for record in changes} == {(("X", "wt2"), ("T", 0))}
    assert records[-1]["status"]["tick"] == 5
    assert records[-1]["status"]["open"] == {}


def test_what_is_no_change_is_counted_and_left_out(tmp_path: Path) -> None:
    odd = [b"{nonsense", None, b"", b'{"status": {"tick": 9}}', b"[1]", b'{"tick": 3}']
    pump = pumping(tmp_path, Broker({0: [*odd, change("possible", 3)], 1: [change("possible", 2)]}))
    assert pump.move() == 2
    assert pump.odd == len(odd)
