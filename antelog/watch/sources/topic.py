"""A topic of Kafka, by a client without a JVM. A message is a JSON object, or a row of CSV without a header.

How far each partition was read is in the state, and nowhere else: the broker is told nothing. So what was
read goes with what was made of it.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from antelog.errors import DataError, UnsupportedError
from antelog.files.chunks import Bad, no_rows
from antelog.files.columns import Wanted
from antelog.files.json_files import JsonRows
from antelog.files.naming import Form
from antelog.watch.sources.lines import LinesOf
from antelog.watch.sources.places import Topic
from antelog.watch.sources.source import Mark, Piece

_MOST = 50_000
"""So many messages are taken at a time."""

_PATIENCE = 15.0
"""Seconds in which a broker has to answer."""


class KafkaTopic:
    """Reads all partitions of a topic; `make` makes the client from its settings."""

    def __init__(
        self, topic: Topic, wanted: Wanted, *, mark: Mark | None = None,
        make: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:  # fmt: skip
        self._topic, self._wanted = topic, wanted
        self.notes: list[str] = []
        mark = mark or {}
        self._next = {int(number): int(offset) for number, offset in mark.get("next", {}).items()}
        self._json = JsonRows(str(topic), wanted, mark.get("names", ()))
        self._at_end: set[int] = set()
        self._down = False
        self._client = (make or _client)({**_settings(topic), "error_cb": self._unreachable})
        self._assign()

    @property
    def behind(self) -> bool:
        return self._at_end < self._next.keys()

    @property
    def ended(self) -> bool:
        return False

    @property
    def mark(self) -> Mark:
        return {
            "next": {str(number): offset for number, offset in self._next.items()},
            "names": self._json.names,
        }

    def poll(self) -> list[Piece]:
        found: dict[int, list[Any]] = {}
        # It waits only where something is to be expected.
        for message in self._client.consume(_MOST, 0.05 if self.behind else 0):
            self._take(message, found)
        return [
            piece for number, messages in sorted(found.items()) for piece in self._pieces(number, messages)
        ]

    def finish(self) -> list[Piece]:
        return []

    def close(self) -> None:
        self._client.close()

    def _take(self, message: Any, found: dict[int, list[Any]]) -> None:
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
            found.setdefault(number, []).append(message)
            self._next[number] = message.offset() + 1
            self._at_end.discard(number)
        elif error.code() == KafkaError._PARTITION_EOF:
            self._at_end.add(number)
        elif error.fatal() or error.code() in hopeless:
            raise DataError(f"{self._topic}: cannot be read: {error.str()}")

    def _pieces(self, number: int, messages: Sequence[Any]) -> Iterable[Piece]:
        file = f"{self._topic.topic}[{number}]"
        rows = [(message.offset(), message.value()) for message in messages]
        empty = [
            Bad(offset, "the message is empty", "") for offset, value in rows if not (value or b"").strip()
        ]
        if empty:
            yield Piece(no_rows(self._wanted, empty), file)
        full = [(offset, value) for offset, value in rows if (value or b"").strip()]
        if self._topic.values == "json":
            yield Piece(self._json.chunk(full), file)
        else:
            for header, lines in self._with_headers([value for _, value in full]).items():
                rows_of = LinesOf(Form.CSV, f"{file} from {rows[0][0]}", self._wanted, self.notes)
                yield from (*rows_of.feed(header + b"".join(lines)), *rows_of.finish())

    def _with_headers(self, values: Iterable[bytes]) -> dict[bytes, list[bytes]]:
        """Rows of CSV by the header that fits them: with the arrival, if they have one value more."""
        names = list(self._wanted.columns)
        found: dict[bytes, list[bytes]] = {}
        for value in values:
            arrives = _cells(value) == len(names) + 1
            header = f"{','.join([*names, *([_quoted(self._wanted.arrival)] if arrives else [])])}\n"
            found.setdefault(header.encode(), []).append(value.rstrip(b"\r\n") + b"\n")
        return found

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
            [TopicPartition(self._topic.topic, number, offset) for number, offset in self._next.items()]
        )

    def _begin(self, number: int, low: int, high: int) -> None:
        start = low if self._topic.starting == "earliest" else high
        wanted = self._next.get(number, start)
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
        self._next[number] = max(wanted, low)


def _cells(row: bytes) -> int:
    """How many values a row of CSV has, as far as that can be told."""
    text = row.decode(errors="replace").translate({10: " ", 13: " "})
    try:
        return len(next(csv.reader([text.strip()])))
    except csv.Error:
        return 0


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
