"""A feed whose writer is told changes, batch by batch, but not what is open: that is worked out from them.

    feed = BatchFeed(folder, {"program": text, "path": "turbines.alog", "time": None})
    feed.write(Written(17, lines, {"tick": 40, "inputs": {}}))   batch 17, once, however often it comes

A pipeline on Spark has its engines on many machines, and the page is served where its driver is. So the
driver keeps the last line of each open answer. A batch that comes again after a crash is written once:
what follows the last state in the feed is told anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from antelog.watch.feed.reader import FeedReader
from antelog.watch.feed.records import ENDS, status_line
from antelog.watch.feed.writer import FeedWriter

_DECODER = msgspec.json.Decoder(dict[str, Any])

_Open = dict[tuple[str, bytes], str]
"""The last line of each answer that is open, by its query and values."""


@dataclass(frozen=True)
class Written:
    """What a batch has told: lines of changes and rejects, and how things stand after it.

    A batch without a number is the only one.
    """

    number: int | None
    lines: Sequence[str]
    status: Mapping[str, Any]


class BatchFeed:
    """Writes a feed batch by batch, and goes on with one that is there."""

    def __init__(self, folder: Path, about: Mapping[str, object]) -> None:
        self._about = about
        self._open: _Open = {}
        self._tick, self._number = -1, -1
        self._read(folder)
        self.writer = FeedWriter(folder)
        self._begin()

    def write(self, batch: Written) -> None:
        """Write what a batch has told, unless it is there already."""
        if batch.number is not None and batch.number <= self._number:
            return
        for line in batch.lines:
            _fold(self._open, _DECODER.decode(line), line)
        self._tick = max(self._tick, batch.status.get("tick") or -1)
        self._number = self._number if batch.number is None else batch.number
        if self.writer.full:
            self._begin()
        self.writer.write([*batch.lines, self._status(batch.status)])

    def _begin(self) -> None:
        known = {**self._about, "tick": self._tick, "batch": self._number}
        self.writer.head(known, list(self._open.values()))

    def _status(self, given: Mapping[str, Any]) -> str:
        open_ = Counter(query for query, _ in self._open)
        return status_line({"holding": None, **given, "open": open_, "batch": self._number})

    def _read(self, folder: Path) -> None:
        """What was written before: whole batches, each of which ends with how things stand."""
        reader = FeedReader(folder)
        batch: list[dict[str, Any]] = []
        while records := reader.read():
            for record in records:
                if "head" in record:
                    batch, head = [], record["head"]
                    self._open = {}
                    for each in head["open"]:
                        _fold(self._open, each, msgspec.json.encode(each).decode())
                    self._tick, self._number = head["tick"], head.get("batch", -1)
                elif "status" in record:
                    for each in batch:
                        _fold(self._open, each, msgspec.json.encode(each).decode())
                    batch, status = [], record["status"]
                    self._tick, self._number = status["tick"], status.get("batch", -1)
                else:
                    batch.append(record)


def _fold(open_: _Open, record: Mapping[str, Any], line: str) -> None:
    if "change" not in record:
        return
    key = record["query"], msgspec.json.encode([record["answer"], record.get("others")])
    if record["change"] in ENDS:
        open_.pop(key, None)
    else:
        open_[key] = line
