"""Copies the changes that a pipeline wrote to a topic of Kafka into a feed, for the page."""

from __future__ import annotations

import msgspec

from antelog.run.address import Kafka
from antelog.run.sources.kafka import Make, Messages
from antelog.run.store.feed import BatchFeed, record_of


class ChangesPump:
    """Moves changes from a topic to a feed; messages that are not changes are counted in `odd`."""

    def __init__(self, topic: Kafka, feed: BatchFeed, make: Make | None = None) -> None:
        self._messages = Messages(topic, {}, make)
        self._feed = feed
        self._tick = -1
        self.notes = self._messages.notes
        self.odd = 0

    def move(self) -> int:
        """Copies the new changes; returns their number. They are in order within each partition only."""
        lines: list[str] = []
        for _, rows in sorted(self._messages.take().items()):
            for each in rows:
                record = record_of(each.value or b"")
                if record is None or "change" not in record:
                    self.odd += 1
                    continue
                self._tick = max(self._tick, record["tick"])
                lines.append(msgspec.json.encode(record).decode())
        if lines:
            self._feed.write(None, lines, {"tick": self._tick, "inputs": {}})
        return len(lines)

    def close(self) -> None:
        self._messages.close()
