"""A feed of a pipeline on Spark, written batch by batch by its driver, which keeps the open answers.

A batch that comes again after a crash is written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from antelog.answers import OPEN, state_after
from antelog.run.store.feed import FeedReader, WritableFeed
from antelog.run.store.records import status_line

_DECODER = msgspec.json.Decoder(dict[str, Any])

_OpenLines = dict[tuple[str, bytes], str]
"""The last line of each open answer, by its query and values."""


@dataclass(frozen=True)
class FeedBatch:
    """The lines of a batch, and the status after it; without a number it is the only one."""

    number: int | None
    lines: Sequence[str]
    status: Mapping[str, Any]


class BatchFeed:
    """Writes a feed batch by batch, after what is there from the head at `since`.

    If it is `about` a `run`, it goes on only with what was written for that one.
    """

    def __init__(self, feed: WritableFeed, about: Mapping[str, object], since: int = 0) -> None:
        self.feed, self._about = feed, about
        self._open: _OpenLines = {}
        self._tick, self._number = -1, -1
        self._run: object = None
        partial = self._read(since)
        other = self._run != about.get("run")
        if other:
            self._open, self._tick, self._number = {}, -1, -1
        if partial or other or feed.full:
            self._begin()

    def write(self, batch: FeedBatch) -> None:
        """Writes the lines of a batch, unless they are there already."""
        if batch.number is not None and batch.number <= self._number:
            return
        for line in batch.lines:
            _fold(self._open, _DECODER.decode(line), line)
        self._tick = max(self._tick, batch.status.get("tick") or -1)
        self._number = self._number if batch.number is None else batch.number
        if self.feed.full:
            self._begin()
        status = {"holding": None, **batch.status, "open": Counter(query for query, _ in self._open)}
        self.feed.append([*batch.lines, status_line({**status, "batch": self._number})])

    def _begin(self) -> None:
        known = {**self._about, "tick": self._tick, "batch": self._number}
        self.feed.begin(known, list(self._open.values()))

    def _read(self, since: int) -> bool:
        """Reads the whole batches that were written before; True if the last one is not whole."""
        reader = FeedReader(self.feed, since)
        batch: list[dict[str, Any]] = []
        while records := reader.read():
            for record in records:
                if "head" in record:
                    batch, head = [], record["head"]
                    self._open = {}
                    self._fold_all(head["open"])
                    self._tick, self._number = head["tick"], head.get("batch", -1)
                    self._run = head.get("run")
                elif "status" in record:
                    self._fold_all(batch)
                    batch, status = [], record["status"]
                    self._tick, self._number = status["tick"], status.get("batch", -1)
                else:
                    batch.append(record)
        return bool(batch)

    def _fold_all(self, records: Sequence[Mapping[str, Any]]) -> None:
        for each in records:
            _fold(self._open, each, msgspec.json.encode(each).decode())


def _fold(open_: _OpenLines, record: Mapping[str, Any], line: str) -> None:
    if "change" not in record:
        return
    key = record["query"], msgspec.json.encode([record["answer"], record.get("others")])
    if state_after(record) == OPEN:
        open_[key] = line
    else:
        open_.pop(key, None)
