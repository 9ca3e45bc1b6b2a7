"""Topics of an MQTT broker, as a source and as an output.

A message of QoS 1 or 2 is acknowledged once the state has its rows; the broker keeps it until then. QoS 2 has
two acknowledgements, so that nothing comes twice, whatever ends this process between two of these steps:

    PUBLISH 5 comes: the state has its rows, and 5 among what is `held`; then PUBREC 5 is sent
    PUBREL 5 comes:  the state does not have 5 there any more; then PUBCOMP 5 is sent, and 5 may be another's
"""

from __future__ import annotations

import re
import secrets
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from queue import Empty, Queue, SimpleQueue
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from antelog.arrow.grammar import NUMBER
from antelog.errors import DataError, OutputError, UnsupportedError
from antelog.files.columns import WantedColumns
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.terms import number_of
from antelog.lazily import brought_by
from antelog.run.door import SinkAddress, SourceAddress, Url
from antelog.run.sinks.result import LinesOfStep, Sink, StepResult
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece, why
from antelog.run.values import SettingError, whole

_MOST = 50_000  # messages that wait in memory, and those of QoS 1 and 2 that are not acknowledged
_PATIENCE = 4.0  # seconds for a broker to answer
_KEPT = 7 * 86_400  # seconds for which a broker of MQTT 5 keeps messages for a watcher that is not there
_QUIET, _CATCHING_UP = 1.0, 10.0  # seconds without a message, or in all, after which a backlog has come
_PUBACK, _PUBREC, _PUBCOMP = 1, 0, 2  # acknowledgements: what the client calls by 1 and 2, and what it lacks

Answers: TypeAlias = SimpleQueue[tuple[Any, Any]]  # of a broker: flags, if there are any, and a reason

_OPTIONS = (
    *("qos", "version", "client", "group", "columns", "value", "retained", "retain"),
    *("ca", "cert", "key"),
)


@dataclass(frozen=True)
class Mqtt(SourceAddress, SinkAddress):
    """Topics of a broker; `columns` are the names of the levels that stand for `+` and `#`."""

    noun: ClassVar[str] = "topics of an MQTT broker"
    example: ClassVar[str] = "mqtt://host:1883/plant/+/temp?qos=1"
    package: ClassVar[str] = "paho"
    install: ClassVar[str] = brought_by("mqtt")
    host: str
    port: int
    topic: str
    tls: bool = False
    qos: int = 1
    version: Literal["5", "3.1.1"] = "5"
    client: str = ""
    group: str = ""
    columns: tuple[str, ...] = ()
    value: str = ""  # the column of plain values, which are no objects
    retained: Literal["timed", "yes", "no"] = "timed"
    retain: bool = False
    files: tuple[str | None, ...] = ()  # of authorities, a certificate and its key
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, url: Url) -> Mqtt:
        url.only(*_OPTIONS, example=cls.example)
        tls, levels = url.scheme == "mqtts", url.path.split("/")
        host, port = url.host(8883 if tls else 1883)
        files = tuple(url.file(each) for each in ("ca", "cert", "key"))
        columns = tuple(filter(None, url.options.get("columns", "").split(",")))
        free, rest = levels.count("+"), levels[-1] == "#"
        mixed = url.fragment or any(len(each) > 1 for each in levels if "+" in each or "#" in each)
        for wrong, what, hint in (
            (len(url.hosts) > 1, "several brokers", "Name one of them."),
            (not url.path, "no topic", f"Write {cls.example}."),
            (mixed or "#" in levels[:-1], "a wrong topic", "`+` is a whole level, and `#` the last one."),
            (levels[0] == "$SYS", "no facts in $SYS", "Name other topics."),
            (levels[0] == "$share", "a group in its topic", "Write ?group=NAME."),
            (any(files) and not tls, "certificates without TLS", "Write mqtts://…"),
            (
                len(columns) not in (0, free) and not (rest and len(columns) > free),
                f"{len(columns)} columns for {free} levels `+`",
                "Name a column for each in their order, and `_` for one that is left out.",
            ),
        ):
            if wrong:
                raise SettingError(f"`{url.shown}` has {what}", hint)
        return cls(
            host, port, url.path, tls, url.option("qos", 1, whole(0, 2)), url.one_of("version", "5", "3.1.1"),
            url.options.get("client", ""), url.options.get("group", ""), columns,
            url.options.get("value", ""), url.one_of("retained", "timed", "yes", "no"),
            url.one_of("retain", "no", "yes") == "yes", files, url.user, url.password,
        )  # fmt: skip

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return MqttTopics(self, wanted, mark)

    def sink(self, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> Sink:
        return MqttSink(self, mark, lines)

    def __str__(self) -> str:
        named = {"client": self.client, "group": self.group}
        options = "&".join(f"{name}={value}" for name, value in named.items() if value)
        place = f"mqtt{'s' if self.tls else ''}://{self.host}:{self.port}/{self.topic}"
        return f"{place}?{options}" if options else place


# ---- connections ----

_ADVICE = {
    "Session taken over": "another client has the same name; give each a name of its own, with ?client=NAME",
    "Unsupported protocol version": "the broker does not speak this version of MQTT; try ?version=3.1.1",
    "Unspecified error": "the connection is lost: the broker is away, or another client has the same name, "
    "which ?client=NAME changes",
}
_HOPELESS = (
    *("Not authorized", "Bad user name or password", "Client identifier not valid", "Session taken over"),
    *("Unsupported protocol version", "Topic filter invalid", "Shared subscriptions not supported"),
)


def _client(broker: Mqtt, name: str, *, clean: bool, **settings: Any) -> Any:
    """A client that is not connected. Raises UnsupportedError without the library, or OSError."""
    try:
        from paho.mqtt import client as library  # noqa: PLC0415 - an extra
        from paho.mqtt import enums
    except ImportError:
        raise UnsupportedError(f"topics of MQTT need its client: {brought_by('mqtt')}") from None
    is_5 = broker.version == "5"
    settings["protocol"] = library.MQTTv5 if is_5 else library.MQTTv311
    settings["clean_session"] = None if is_5 else clean
    made: Any = library.Client(enums.CallbackAPIVersion.VERSION2, name, **settings)
    made.connect_timeout = _PATIENCE
    if broker.user:
        made.username_pw_set(broker.user, broker.password or None)
    if broker.tls:
        made.tls_set(*broker.files)
    return made


def _properties(kind: str, **values: object) -> Any:
    from paho.mqtt import packettypes, properties  # noqa: PLC0415 - an extra

    found = properties.Properties(getattr(packettypes.PacketTypes, kind))  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(found, name, value)
    return found


def _answer(said: Answers) -> Any:
    """What a broker answers. Raises OSError, which is PermissionError where waiting does not help."""
    try:
        flags, reason = said.get(timeout=_PATIENCE)
    except Empty:
        raise TimeoutError("it does not answer as a broker of MQTT does") from None
    if reason.is_failure:
        text = str(reason)
        raise (PermissionError if text in _HOPELESS else ConnectionError)(_ADVICE.get(text, text))
    return flags


def _connected(client: Any, broker: Mqtt, said: Answers, *, clean: bool) -> bool:
    """Connects, and says whether the broker has kept something for the client. Raises OSError."""
    client.on_connect = lambda _client, _data, flags, reason, _more: said.put((flags, reason))
    client.on_subscribe = lambda _client, _data, _number, reasons, _more: said.put((None, reasons[0]))
    client.on_disconnect = lambda _client, _data, _flags, reason, _more: said.put((None, reason))
    more: dict[str, Any] = {}
    if broker.version == "5":
        kept = 0 if clean else _KEPT
        more = {"properties": _properties("CONNECT", ReceiveMaximum=_MOST, SessionExpiryInterval=kept)}
        more["clean_start"] = clean
    client.connect(broker.host, broker.port, **more)
    client.loop_start()
    return bool(_answer(said).session_present)


def _left(client: Any) -> None:
    """Leaves a broker once it has read all that was sent, if it is there."""
    done: SimpleQueue[object] = SimpleQueue()
    client.on_unsubscribe = client.on_disconnect = lambda *_: done.put(None)
    with suppress(Empty):
        if client.is_connected():
            client.unsubscribe("antelog")  # answers come in order: this one says that all before was read
            done.get(timeout=_PATIENCE)
            client.disconnect()
            done.get(timeout=_PATIENCE)
    client.disconnect()


def _kept_back(client: Any, came: Callable[[Any], None]) -> Callable[[int], object]:
    """Has a client acknowledge nothing of QoS 2: it would do so before anybody has the message.

    `came` gets each message, and its number when the broker releases it. Returns what sends PUBREC.
    """
    receive, send = client._handle_publish, client._send_pubrec

    def publish() -> Any:
        done = receive()
        while client._in_messages:  # where the client keeps messages until they are released
            came(client._in_messages.popitem(last=False)[1])
        return done

    def release() -> int:
        came(int.from_bytes(client._in_packet["packet"][:2], "big"))
        return 0

    client._send_pubrec, client._handle_publish, client._handle_pubrel = lambda _: 0, publish, release
    acknowledge: Callable[[int], object] = send
    return acknowledge


# ---- the source ----

_DECODER = msgspec.json.Decoder()


class MqttTopics(ConnectedSource):
    """Reads topics; the thread of the client fills a queue, and waits while that is full."""

    tells_end = False

    def __init__(self, broker: Mqtt, wanted: WantedColumns, mark: Mark | None = None) -> None:
        super().__init__(str(broker), wanted)
        mark = mark or {}
        self._broker, self._keeps = broker, broker.qos > 0
        given = [dict(wanted.called).get(name, name) for name in wanted.columns]
        self._types = dict(zip(given, wanted.types, strict=False))
        for each in {*broker.columns, broker.value} - {"", "_", *given, wanted.arrival}:
            if wanted.declared:
                hint = did_you_mean(each, given) or f"It has {', '.join(given)}."
                raise DataError(f"{self.name}: {wanted.name} has no column {each}. {hint}")
        # A message without a time is about the moment at which it comes, if a clock shows the ticks.
        dated = wanted.timed and wanted.counting.tick is not None and wanted.counting.form is None
        self._time = given[-1] if dated and "." not in given[-1] else ""
        self._known_levels = lru_cache(10_000)(self._levels)
        digest = sha256(f"{broker} {wanted.name}".encode()).hexdigest()
        self._called = broker.client or f"antelog{digest[:16]}"  # all brokers take 23 letters
        self._count = int(mark.get("messages", 0))
        self._held = dict.fromkeys(mark.get("held", ()), 2)  # what is not acknowledged, with its QoS
        self._subscribed = mark.get("qos") == broker.qos
        self._due: list[tuple[int, int]] = []  # acknowledgements, once the state has the rows
        self._client: Any = None
        self._told_of_old = False
        self.begin()

    @property
    def mark(self) -> Mark:
        held = sorted(number for number, qos in self._held.items() if qos == 2)
        return {"messages": self._count, "qos": self._broker.qos, "held": held}

    @property
    def extent(self) -> SourceExtent:
        return SourceExtent(self._count, self._count + self._queue.qsize(), "rows")

    def is_hopeless(self, error: Exception) -> bool:
        return isinstance(error, PermissionError | ssl.SSLCertVerificationError)

    def connect(self) -> None:
        broker, clean = self._broker, not self._keeps
        queue: Queue[tuple[Any, int]] = Queue(_MOST)
        self._queue, self._said = queue, Answers()

        def came(message: Any) -> None:
            queue.put((message, time.time_ns()))

        self._client = _client(broker, self._called, clean=clean, manual_ack=True, reconnect_on_failure=False)
        self._acknowledge_first = _kept_back(self._client, came)
        self._client.on_message = lambda _client, _data, message: came(message)
        if not _connected(self._client, broker, self._said, clean=clean):
            self._held.clear()
            if self._keeps and self._subscribed:
                lost = "what was sent while it was not connected is lost"
                self.notes.append(f"{self.name}: the broker has kept nothing for {self._called}; {lost}")
            self._subscribed = False
        if not self._subscribed:
            group = f"$share/{broker.group}/" if broker.group else ""
            self._client.subscribe(group + broker.topic, broker.qos)
            _answer(self._said)
            self._subscribed = True
        self._since = self._heard = time.monotonic()

    def disconnect(self) -> None:
        client, self._client = self._client, None
        self._due.clear()
        if client is not None:
            client.on_message = None
            with suppress(Empty):  # its thread may wait for room
                while True:
                    self._queue.get_nowait()
            _left(client)

    def take(self) -> list[SourcePiece]:
        found: list[tuple[Any, int]] = []
        with suppress(Empty):
            while len(found) < _MOST:
                found.append(self._queue.get_nowait())
        now = time.monotonic()
        if found:
            self._heard = now
        elif not self._client.is_connected():
            _answer(self._said)
            raise ConnectionError("the connection is lost")
        catching_up = now < min(self._since + _CATCHING_UP, self._heard + _QUIET)
        self.behind = len(found) == _MOST or catching_up
        return list(self._pieces(found))

    def saved(self) -> None:
        for number, kind in self._due:
            if kind == _PUBREC:
                self._acknowledge_first(number)
            else:
                self._client.ack(number, kind)
            if kind == _PUBACK:
                self._held.pop(number, None)
        self._due.clear()

    def _pieces(self, found: Iterable[tuple[Any, int]]) -> Iterable[SourcePiece]:
        objects: list[tuple[int, bytes]] = []
        for came, at in found:
            self._count += 1
            if isinstance(came, int):  # it is released
                self._held.pop(came, None)
                self._due.append((came, _PUBCOMP))
                continue
            if came.qos:
                self._due.append((came.mid, _PUBACK if came.qos == 1 else _PUBREC))
                if came.dup and came.mid in self._held:
                    continue  # its rows are there
                self._held[came.mid] = came.qos
            levels = self._known_levels(came.topic)
            if levels is None or (came.retain and self._broker.retained == "no"):
                continue
            given = self._object(came, levels, at)
            if isinstance(given, str):
                text = bytes(came.payload).decode(errors="replace")
                yield self.odd(self._count, given, f"{came.topic}: {text}")
            elif given:
                objects.append((self._count, given))
        if objects:
            yield self.objects(objects)

    def _object(self, message: Any, levels: Mapping[str, Any], at: int) -> bytes | str:
        """A message as a JSON object with what is known beside it, or why it is none; empty if left out."""
        data, column, more = bytes(message.payload).strip(), self._broker.value, dict(levels)
        if not data:
            return "the message is empty"
        values = None
        with suppress(ValueError, RecursionError):
            values = _DECODER.decode(data)
        if not isinstance(values, dict):
            if not column or isinstance(values, list):
                return "is not a JSON object" + ("" if column else "; ?value=COLUMN reads plain values")
            text = values if isinstance(values, str) else data.decode(errors="replace")
            more[column] = self._cell(column, text)
            values, data = {}, b"{}"
        if self._time and self._time not in values and self._time not in more:
            if message.retain and self._broker.retained == "timed":
                if not self._told_of_old:
                    note = "retained messages without a time are left out, for they may be old"
                    self.notes.append(f"{self.name}: {note}; ?retained=yes takes them as new")
                self._told_of_old = True
                return b""
            more[self._time] = datetime.fromtimestamp(at / 1e9, UTC).isoformat()
        if not more:
            return data
        return data[:-1] + (b"," if values else b"") + msgspec.json.encode(more)[1:]

    def _levels(self, topic: str) -> Mapping[str, Any] | None:
        """The columns that levels of a topic are; None if it is not one of those wanted."""
        pattern, levels = self._broker.topic.split("/"), topic.split("/")
        count = len(pattern) - (pattern[-1] == "#")
        fits = len(levels) == count or (len(levels) > count and pattern[-1] == "#")
        pairs = [*zip(pattern[:count], levels, strict=False)]
        # A client with a name that was given may have subscribed to others before.
        if not fits or any(want not in ("+", level) for want, level in pairs) or levels[0] == "$SYS":
            return None
        free = [*(level for want, level in pairs if want == "+"), *levels[count:]]
        named = zip(self._broker.columns, free, strict=False)
        return {name: self._cell(name, level) for name, level in named if name != "_"}

    def _cell(self, name: str, text: str) -> str | int | float:
        """A text as a cell of CSV: a number if it looks like one, and its column is not of texts."""
        return number_of(text) if self._types.get(name) != "text" and re.match(NUMBER, text) else text


# ---- the output ----
# Each line is a message. A mark has the number of lines that the broker has; what was sent after it is sent
# again by a resumed run. By MQTT 5 a message says which line of which run it is.

_SENDING = 60.0  # seconds for a broker to take the messages
_UNDER_WAY = 10_000  # messages that wait for the broker, at most


class MqttSink:
    """Sends the lines of changes to a topic."""

    def __init__(self, broker: Mqtt, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> None:
        self._broker, self._lines = broker, lines
        self._run: str = mark["run"] if mark else secrets.token_hex(8)
        self._line = int(mark["lines"]) if mark else 0
        self._sent = self._done = 0
        self._error = ""
        if {"+", "#"} & {*broker.topic.split("/")}:
            raise OutputError(f"{broker}: lines go to one topic, without `+` and `#`")
        self._client: Any = None
        try:
            self._client = _client(broker, broker.client, clean=True)
            self._client.on_publish = self._published
            _connected(self._client, broker, Answers(), clean=True)
        except OSError as error:
            if self._client is not None:
                _left(self._client)
            raise OutputError(f"{broker}: cannot be reached: {why(error)}") from None

    def write(self, step: StepResult) -> None:
        topic, qos, retain = self._broker.topic, self._broker.qos, self._broker.retain
        for line in self._lines(step).splitlines():
            told = None
            if self._broker.version == "5":
                named = [("antelog_run", self._run), ("antelog_line", str(self._line))]
                told = _properties("PUBLISH", UserProperty=named)
            self._sent += qos > 0
            self._client.publish(topic, line.encode(), qos, retain, told)
            self._line += 1
            if self._sent - self._done >= _UNDER_WAY:
                self._wait(_UNDER_WAY // 2)

    def mark(self) -> Mapping[str, Any]:
        self._wait(0)
        return {"run": self._run, "lines": self._line}

    def close(self) -> None:
        _left(self._client)

    def _published(self, _client: Any, _data: Any, _number: int, reason: Any, _more: Any) -> None:
        self._done += self._broker.qos > 0
        if reason.is_failure:
            self._error = str(reason)

    def _wait(self, most: int) -> None:
        """Waits until at most so many messages are under way. Raises OutputError."""
        end = time.monotonic() + _SENDING
        while self._sent - self._done > most and not self._error:
            if time.monotonic() > end:
                self._error = "the broker does not answer"
            time.sleep(0.002)
        if self._error:
            raise OutputError(f"{self._broker}: cannot be written: {self._error}")
