"""A made-up client of Kafka, and its messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

confluent_kafka = pytest.importorskip("confluent_kafka")


@dataclass
class Broker:
    """Messages by partition, from an offset on; and the client itself."""

    messages: dict[int, list[bytes | None]]
    low: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    most: dict[int, int] = field(default_factory=dict)  # the messages of a partition that come at a time
    paused: set[int] = field(default_factory=set)

    def __call__(self, settings: dict[str, Any]) -> Broker:
        self.settings = settings
        return self

    def list_topics(self, topic: str, _timeout: float) -> Any:
        error = None if topic == "temp" else SimpleNamespace(str=lambda: "there is no such topic")
        return SimpleNamespace(topics={topic: SimpleNamespace(error=error, partitions=self.messages)})

    def get_watermark_offsets(
        self, partition: Any, _timeout: float | None = None, *, cached: bool = False
    ) -> tuple[int, int]:
        assert cached or _timeout
        return self.low, self.low + len(self.messages[partition.partition])

    def assign(self, partitions: list[Any]) -> None:
        self.places = {each.partition: each.offset for each in partitions}

    def consume(self, _most: int, _timeout: float) -> list[Any]:
        found = []
        for number, offset in self.places.items():
            if number in self.paused:
                continue
            values = self.messages[number][offset - self.low :][: self.most.get(number)]
            found += [message(number, offset + i, value) for i, value in enumerate(values)]
            self.places[number] = offset + len(values)
            if self.places[number] < self.low + len(self.messages[number]):
                continue
            end = SimpleNamespace(code=lambda: confluent_kafka.KafkaError._PARTITION_EOF)
            found.append(message(number, offset + len(values), None, end))
        return found

    def pause(self, partitions: list[Any]) -> None:
        self.paused |= {each.partition for each in partitions}

    def resume(self, partitions: list[Any]) -> None:
        self.paused -= {each.partition for each in partitions}

    def close(self) -> None:
        pass


def message(number: int, offset: int, value: bytes | None, error: Any = None) -> Any:
    return SimpleNamespace(
        partition=lambda: number,
        offset=lambda: offset,
        value=lambda: value,
        error=lambda: error,
        headers=lambda: None,
    )
