"""The messages of a topic of Kafka, by a client without a JVM: each once, from where a mark says.

    messages = Messages(topic, {0: 17})
    messages.take()     {0: [(17, b'{"device": "wt2", …}'), (18, None)]}, by partition and offset

How far each partition was read is known here and to who keeps `next`, and to nobody else: the broker is told
nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from antelog.errors import DataError, UnsupportedError
from antelog.watch.sources.places import Topic

_MOST = 50_000
"""So many messages are taken at a time."""

_PATIENCE = 15.0
"""Seconds in which a broker has to answer."""

Make = Callable[[dict[str, Any]], Any]
"""Makes the client from its settings."""


class Messages:
    """Reads all partitions of a topic; `next` is the offset that comes next in each."""

    def __init__(self, topic: Topic, read: Mapping[int, int], make: Make | None = None) -> None:
        self._topic = topic
        self.notes: list[str] = []
        self.next = dict(read)
        self._at_end: set[int] = set()
        self._down = False
        self._client = (make or _client)({**_settings(topic), "error_cb": self._unreachable})
        self._assign()

    @property
    def behind(self) -> bool:
        return self._at_end < self.next.keys()

    def take(self) -> dict[int, list[tuple[int, bytes | None]]]:
        """What is there, by partition; it waits only where something is to be expected."""
        found: dict[int, list[tuple[int, bytes | None]]] = {}
        for message in self._client.consume(_MOST, 0.05 if self.behind else 0):
            self._take(message, found)
        return found

    def close(self) -> None:
        self._client.close()

    def _take(self, message: Any, found: dict[int, list[tuple[int, bytes | None]]]) -> None:
        from confluent_kafka import KafkaError  # noqa: PLC0415 - see `_client`

        hopeless = (
            KafkaError.OFFSET_OUT_OF_RANGE,
            KafkaError._AUTO_OFFSET_RESET,
            KafkaError.UNKNOWN_TOPIC_OR_PART,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        )
        number, error = message.partition(), message.error()
        if error is None:
            if self._down:
                self._down = False
                self.notes.append(f"{self._topic}: can be reached again")
            found.setdefault(number, []).append((message.offset(), message.value()))
            self.next[number] = message.offset() + 1
            self._at_end.discard(number)
        elif error.code() == KafkaError._PARTITION_EOF:
            self._at_end.add(number)
        elif error.fatal() or error.code() in hopeless:
            raise DataError(f"{self._topic}: cannot be read: {error.str()}")

    def _unreachable(self, error: Any) -> None:
        """What the client says of its connections; it tries again by itself."""
        from confluent_kafka import KafkaError  # noqa: PLC0415 - see `_client`

        if error.code() == KafkaError._ALL_BROKERS_DOWN and not self._down:
            self._down = True
            self.notes.append(f"{self._topic}: cannot be reached; it is tried again and again")

    def _assign(self) -> None:
        """Begin each partition where it was left; what the broker has no more of is said."""
        from confluent_kafka import KafkaException, TopicPartition  # noqa: PLC0415 - see `_client`

        try:
            known = self._client.list_topics(self._topic.topic, _PATIENCE).topics[self._topic.topic]
            if known.error is not None:
                raise DataError(f"{self._topic}: cannot be read: {known.error.str()}")
            for number in known.partitions:
                partition = TopicPartition(self._topic.topic, number)
                low, high = self._client.get_watermark_offsets(partition, _PATIENCE)
                self._begin(number, low, high)
        except KafkaException as error:
            raise DataError(f"{self._topic}: cannot be reached: {error.args[0].str()}") from None
        self._client.assign(
            [TopicPartition(self._topic.topic, number, offset) for number, offset in self.next.items()]
        )

    def _begin(self, number: int, low: int, high: int) -> None:
        start = low if self._topic.starting == "earliest" else high
        wanted = self.next.get(number, start)
        if wanted < low:
            self.notes.append(
                f"{self._topic}: {low - wanted:,} messages of partition {number} are gone: the broker has "
                "removed them before they were read"
            )
        elif wanted > high:
            self.notes.append(
                f"{self._topic}: partition {number} is not the one that was read; it is read from its start"
            )
            wanted = low
        self.next[number] = max(wanted, low)


def _settings(topic: Topic) -> dict[str, Any]:
    return {
        "bootstrap.servers": topic.servers,
        "group.id": "antelog-watch",  # the client wants one; it stays unknown to the broker
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "error",
        **dict(_read(topic.file) if topic.file is not None else ()),
        **{name.removeprefix("kafka."): value for name, value in topic.options},
    }


def _read(path: Path) -> Iterable[tuple[str, str]]:
    """The settings of a file, a `name=value` in each line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None
    for number, line in enumerate(lines, 1):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not name or name.startswith("#"):
            continue
        if not equals:
            raise DataError(f"{path}:{number}: is not of the form name=value")
        yield name, value


def _client(settings: dict[str, Any]) -> Any:
    try:
        from confluent_kafka import Consumer, KafkaException  # noqa: PLC0415 - an extra
    except ImportError:
        raise UnsupportedError("topics need the client of Kafka: pip install 'antelog[kafka]'") from None
    quiet = logging.getLogger("antelog.kafka")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False  # it would write to stderr what it tries again by itself
    try:
        return Consumer(settings, logger=quiet)
    except KafkaException as error:
        raise DataError(f"a setting of Kafka's is wrong: {error.args[0].str()}") from None
