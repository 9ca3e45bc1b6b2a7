"""A topic of Kafka, whose messages are JSON or rows of CSV; nothing is committed. Lines go to one, too."""

from __future__ import annotations

import csv
import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from antelog.errors import DataError, OutputError
from antelog.files.chunks import Chunk, no_rows
from antelog.files.columns import Advice, WantedColumns
from antelog.files.json_files import JsonRows
from antelog.files.naming import Form
from antelog.files.records import Bad, Block, Row, breaks, grammar_of
from antelog.language.checks.suggestions import did_you_mean
from antelog.lazily import brought_by, libraries
from antelog.run.door import SinkAddress, SourceAddress, Url
from antelog.run.sinks.result import LinesOfStep, Sink, StepResult
from antelog.run.sources.source import FactSource, LinesOf, Mark, SourceExtent, SourcePiece
from antelog.run.values import SettingError, refused

_MOST = 50_000  # messages that are taken at a time
_PATIENCE = 15.0  # seconds for a broker to answer

_RETRY, _RETRY_PATIENCE = 2.0, 0.2  # seconds between two questions to a broker that is down, and for answers

Make = Callable[[dict[str, Any]], Any]  # makes a client from its settings


_OPTIONS = ("format", "from", "config")


@dataclass(frozen=True)
class Kafka(SourceAddress, SinkAddress):
    """A topic of Kafka; `options` go to the client, and the file `config` has more of them."""

    noun: ClassVar[str] = "a topic of Kafka"
    example: ClassVar[str] = "kafka://host:9092/topic?format=json"
    package: ClassVar[str] = "confluent_kafka"
    install: ClassVar[str] = brought_by("kafka")
    servers: str
    topic: str
    values: Literal["json", "csv"] = "json"
    starting: Literal["earliest", "latest"] = "earliest"
    options: tuple[tuple[str, str], ...] = ()
    config: Path | None = None

    @classmethod
    def read(cls, url: Url) -> Kafka:
        if not url.hosts or not url.path or "/" in url.path:
            raise refused("no-topic", text=url.shown)
        for name in url.options:
            if name not in _OPTIONS and "." not in name:
                hint = did_you_mean(name, _OPTIONS) or (
                    "There are format, from and config; an option with a full stop in its name goes to Kafka."
                )
                raise SettingError(f"`{url.shown}` has the unknown option {name}", hint)
        return cls(
            ",".join(each if ":" in each else f"{each}:9092" for each in url.hosts),
            url.path,
            url.one_of("format", "json", "csv"),
            url.one_of("from", "earliest", "latest"),
            tuple((name, value) for name, value in url.options.items() if "." in name),
            url.folder / url.options["config"] if "config" in url.options else None,
        )

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return KafkaTopic(self, wanted, mark=mark)

    def sink(self, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> Sink:
        return TopicSink(self, mark, lines)

    def __str__(self) -> str:
        return f"kafka://{self.servers}/{self.topic}"

    __repr__ = __str__


@dataclass(frozen=True)
class Message:
    offset: int
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()


class Messages:
    """Reads all partitions of a topic; `next` is the offset that comes next in each."""

    def __init__(self, topic: Kafka, read: Mapping[int, int], make: Make | None = None) -> None:
        self._topic = topic
        self.notes: list[str] = []
        self.next = dict(read)
        self._at_end: set[int] = set()
        self._paused: set[int] = set()
        self._down_since: float | None = None
        self._library = _library()
        settings = {**client_settings(topic), **_CONSUMER, "error_cb": self._unreachable}
        self._client = make(settings) if make is not None else client("Consumer", settings)
        self._assign()

    @property
    def behind(self) -> list[int]:
        """The partitions with more to be had."""
        return sorted(self.next.keys() - self._at_end)

    def pause(self, numbers: Collection[int]) -> None:
        """Reads these partitions no further, and all others."""
        now, before = set(numbers), self._paused
        for change, do in ((now - before, self._client.pause), (before - now, self._client.resume)):
            if change:
                do([self._library.TopicPartition(self._topic.topic, number) for number in change])
        self._paused = now

    def unread(self) -> int:
        """The messages behind those read, as far as the broker has said."""
        count = 0
        for number in self.next.keys() - self._at_end:
            with suppress(self._library.KafkaException):
                partition = self._library.TopicPartition(self._topic.topic, number)
                _, high = self._client.get_watermark_offsets(partition, cached=True)
                count += max(0, high - self.next[number])
        return count

    @property
    def down(self) -> bool:
        return self._down_since is not None

    def take(self) -> dict[int, list[Message]]:
        """The available messages by partition."""
        errors = self._library.KafkaError
        hopeless = (
            *(errors.OFFSET_OUT_OF_RANGE, errors._AUTO_OFFSET_RESET, errors.UNKNOWN_TOPIC_OR_PART),
            errors.TOPIC_AUTHORIZATION_FAILED,
        )
        found: dict[int, list[Message]] = {}
        if self._down_since is not None and time.monotonic() - self._down_since > _RETRY:
            self._try_again()
        for message in self._client.consume(_MOST, 0):
            number, error = message.partition(), message.error()
            if error is None:
                self._reached()
                read = Message(message.offset(), message.value(), message.headers() or ())
                found.setdefault(number, []).append(read)
                self.next[number] = message.offset() + 1
                self._at_end.discard(number)
            elif error.code() == errors._PARTITION_EOF:
                self._at_end.add(number)
            elif error.fatal() or error.code() in hopeless:
                raise DataError(f"{self._topic}: cannot be read: {error.str()}")
        return found

    def close(self) -> None:
        self._client.close()

    def _unreachable(self, error: Any) -> None:
        """Notes an error of the connection; the client tries again by itself."""
        if error.code() == self._library.KafkaError._ALL_BROKERS_DOWN and self._down_since is None:
            self._down_since = time.monotonic()
            self.notes.append(f"{self._topic}: cannot be reached; it is tried again and again")

    def _reached(self) -> None:
        if self._down_since is not None:
            self._down_since = None
            self.notes.append(f"{self._topic}: can be reached again")

    def _try_again(self) -> None:
        """Asks where partitions end, so that a topic in which nothing comes is seen to be there again."""
        self._down_since = time.monotonic()
        try:
            for number, offset in self.next.items():
                partition = self._library.TopicPartition(self._topic.topic, number)
                _, high = self._client.get_watermark_offsets(partition, _RETRY_PATIENCE)
                if offset < high:
                    self._at_end.discard(number)
        except self._library.KafkaException:
            return
        self._reached()

    def _assign(self) -> None:
        """Begins each partition where it was left, with a note on what the broker has removed."""
        try:
            known = self._client.list_topics(self._topic.topic, _PATIENCE).topics[self._topic.topic]
            if known.error is not None:
                raise DataError(f"{self._topic}: cannot be read: {known.error.str()}")
            for number in known.partitions:
                partition = self._library.TopicPartition(self._topic.topic, number)
                low, high = self._client.get_watermark_offsets(partition, _PATIENCE)
                self._begin(number, low, high)
        except self._library.KafkaException as error:
            raise DataError(f"{self._topic}: cannot be reached: {error.args[0].str()}") from None
        partition = self._library.TopicPartition
        places = [partition(self._topic.topic, number, offset) for number, offset in self.next.items()]
        self._client.assign(places)

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


_CONSUMER = {
    "group.id": "antelog-watch",  # the client wants one; it stays unknown to the broker
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
}


def client_settings(topic: Kafka) -> dict[str, Any]:
    """The settings of a client for a topic: its servers, and those of its address and file."""
    return {
        "bootstrap.servers": topic.servers,
        **dict(_read(topic.config) if topic.config is not None else ()),
        **{name.removeprefix("kafka."): value for name, value in topic.options},
    }


def _read(path: Path) -> Iterable[tuple[str, str]]:
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


def _library() -> Any:
    """The client of Kafka. Raises UnsupportedError if it is not installed."""
    with libraries("a topic of Kafka", "kafka"):
        import confluent_kafka  # noqa: PLC0415 - an extra
    return confluent_kafka


def client(kind: Literal["Consumer", "Producer"], settings: dict[str, Any]) -> Any:
    library, quiet = _library(), logging.getLogger("antelog.kafka")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False  # it would write to stderr what it tries again by itself
    try:
        return getattr(library, kind)(settings, logger=quiet)
    except library.KafkaException as error:
        raise DataError(f"a setting of Kafka's is wrong: {error.args[0].str()}") from None


class KafkaTopic(FactSource):
    """Reads all partitions of a topic."""

    def __init__(
        self, topic: Kafka, wanted: WantedColumns, *, mark: Mark | None = None, make: Make | None = None
    ) -> None:
        super().__init__()
        self._topic, self._wanted = topic, wanted
        mark = mark or {}
        if wanted.called and topic.values == "csv":
            column, name = wanted.called[0]
            raise DataError.of("topics.no-names", topic=topic, name=name, column=column)
        read = {int(number): int(offset) for number, offset in mark.get("next", {}).items()}
        self._messages = Messages(topic, read, make)
        self.notes, self.behind = self._messages.notes, bool(self._messages.behind)
        self._json = JsonRows(str(topic), Advice(wanted, self.notes))

    @property
    def mark(self) -> Mark:
        return {"next": {str(number): offset for number, offset in self._messages.next.items()}}

    @property
    def extent(self) -> SourceExtent:
        read = sum(self._messages.next.values())
        return SourceExtent(read, read + self._messages.unread(), "rows")

    @property
    def unread(self) -> list[str]:
        return [self._part(number) for number in self._messages.behind]

    def poll(self) -> list[SourcePiece]:
        self._messages.pause([number for number in self._messages.behind if self._part(number) in self.ahead])
        found = sorted(self._messages.take().items())
        self.behind, self.reachable = bool(self._messages.behind), not self._messages.down
        return [
            replace(piece, part=self._part(number))
            for number, rows in found
            for piece in self._pieces(number, rows)
        ]

    def close(self) -> None:
        self._messages.close()

    def _part(self, number: int) -> str:
        return f"{self._topic.topic}[{number}]"

    def _pieces(self, number: int, messages: Sequence[Message]) -> Iterable[SourcePiece]:
        file = self._part(number)
        is_json = self._topic.values == "json"
        full: list[tuple[int, bytes]] = []
        bad: list[Bad] = []
        for each in messages:
            offset, value = each.offset, each.value
            if value is None or not value.strip():
                bad.append(Bad(offset, "the message is empty", ""))
            elif not is_json and (lost := _unclosed(value)) is not None:
                bad.append(replace(lost, line=offset))
            else:
                full.append((offset, value))
        if bad:
            yield SourcePiece(no_rows(self._wanted, bad), file)
        if is_json:
            yield SourcePiece(self._json.chunk(full), file)
        else:
            for header, lines in self._with_headers(full).items():
                rows_of = LinesOf(Form.CSV, file, self._wanted, self.notes)
                data = header + b"".join(line for _, line in lines)
                for piece in (*rows_of.feed(data), *rows_of.finish()):
                    yield SourcePiece(_at_offsets(piece.chunk, lines), file)

    def _with_headers(self, messages: Iterable[tuple[int, bytes]]) -> dict[bytes, list[tuple[int, bytes]]]:
        """Groups rows of CSV by the header that fits them: with the arrival, if they have a value more."""
        names = list(self._wanted.columns)
        found: dict[bytes, list[tuple[int, bytes]]] = {}
        for offset, value in messages:
            arrives = _cells(value) == len(names) + 1
            quoted = self._wanted.arrival.replace('"', '""')
            header = ",".join([*names, *([f'"{quoted}"'] if arrives else [])]) + "\n"
            found.setdefault(header.encode(), []).append((offset, value.rstrip(b"\r\n") + b"\n"))
        return found


def _at_offsets(chunk: Chunk, messages: Sequence[tuple[int, bytes]]) -> Chunk:
    """Replaces the lines of a chunk of messages behind a header by their offsets."""
    offsets = np.array([offset for offset, _ in messages])
    first = np.cumsum([2, *(breaks(line) for _, line in messages[:-1])])

    def of(lines: Any) -> Any:
        return offsets.take(np.searchsorted(first, lines, "right") - 1)

    bad = [replace(each, line=int(of(each.line))) for each in chunk.bad]
    return replace(chunk, lines=lambda: of(chunk.lines()), bad=bad)


def _unclosed(message: bytes) -> Bad | None:
    """The fault of a message with a quote that is not closed, which would take the next messages with it."""
    whole = Row(grammar_of(","), message.rstrip(b"\r\n") + b"\n")
    rows = [*whole.grammar.rows(Block(1, whole.data))] if b'"' in message else [whole]
    closed = rows and rows[-1].end == whole.end and all(row.values is not None for row in rows)
    return None if closed else whole.unclosed


def _cells(row: bytes) -> int:
    """The number of values in a row of CSV; 0 if it cannot be read."""
    text = row.decode(errors="replace").translate({10: " ", 13: " "})
    try:
        return len(next(csv.reader([text.strip()])))
    except csv.Error:
        return 0


# ---- outputs ----
# Each line is a message, whose headers have the run, and the number of the line in it. A mark has the number
# of lines sent, and each partition's end. A resumed run looks behind these for more.

_RUN, _LINE = "antelog_run", "antelog_line"

_SENDING = 60.0  # seconds for a broker to take the messages

_PRODUCER = {"enable.idempotence": True, "acks": "all", "linger.ms": 5}
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


class TopicSink:
    """Sends the lines of changes to a topic."""

    def __init__(
        self, topic: Kafka, mark: Mapping[str, Any] | None, lines: LinesOfStep, make: Make | None = None
    ) -> None:
        self._topic, self._lines = topic, lines
        self._run: str = mark["run"] if mark else secrets.token_hex(8)
        self._line = int(mark["lines"]) if mark else 0
        self._error: str | None = None
        # A topic that is read from its end tells the place of each partition's end.
        read = {int(number): offset for number, offset in mark["next"].items()} if mark else {}
        try:
            messages = Messages(replace(topic, starting="latest"), read, make)
            self._sent = self._sent_before(messages) if mark else set()
            self._next = dict(messages.next)
            messages.close()
        except DataError as error:
            raise OutputError(str(error).replace("cannot be read", "cannot be written")) from None
        settings = {**client_settings(topic), **_PRODUCER}
        self._producer = make(settings) if make is not None else client("Producer", settings)

    def write(self, step: StepResult) -> None:
        for line in self._lines(step).splitlines():
            if self._line not in self._sent:
                self._send(line)
            self._line += 1

    def mark(self) -> Mapping[str, Any]:
        end = time.monotonic() + _SENDING
        while self._producer.flush(1.0):
            if self._error or time.monotonic() > end:
                break
        if self._error or len(self._producer):
            reason = self._error or "the broker does not answer"
            raise OutputError(f"{self._topic}: cannot be written: {reason}")
        self._sent = {number for number in self._sent if number >= self._line}
        ends = {str(number): offset for number, offset in self._next.items()}
        return {"run": self._run, "lines": self._line, "next": ends}

    def close(self) -> None:
        self._producer.flush(1.0)

    def _send(self, line: str) -> None:
        change = _DECODER.decode(line)
        key = {name: change[name] for name in ("query", "answer", "others") if name in change}
        headers = {_RUN: self._run.encode(), _LINE: str(self._line).encode()}
        while True:
            try:
                self._producer.produce(
                    self._topic.topic, line.encode(), msgspec.json.encode(key), headers=headers,
                    on_delivery=self._delivered,
                )  # fmt: skip
            except BufferError:  # as many wait as the client takes
                self._producer.poll(0.1)
            else:
                self._producer.poll(0)
                return

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._error = error.str()
        else:
            self._next[message.partition()] = max(
                message.offset() + 1, self._next.get(message.partition(), 0)
            )

    def _sent_before(self, messages: Messages) -> set[int]:
        """The numbers of lines that this run has sent since the mark."""
        found = set()
        end = time.monotonic() + _SENDING
        while messages.behind:
            if time.monotonic() > end:
                raise OutputError(f"{self._topic}: cannot be read to its end, to see what was sent before")
            for rows in messages.take().values():
                for each in rows:
                    headers = dict(each.headers)
                    if headers.get(_RUN) == self._run.encode() and _LINE in headers:
                        found.add(int(headers[_LINE]))
            time.sleep(0.01)
        return found
