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
import struct
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from antelog.arrow.grammar import NUMBER
from antelog.errors import DataError, OutputError
from antelog.files.columns import WantedColumns
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.terms import number_of
from antelog.lazily import brought_by, libraries
from antelog.run.door import SinkAddress, SourceAddress, Url
from antelog.run.sinks.result import LinesOfStep, Sink, StepResult
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece, why
from antelog.run.values import SettingError, whole

_MOST = 50_000  # messages that wait in memory
_UNDER_WAY = (_MOST, _MOST, 5_000)  # of QoS 0, 1, 2 without an acknowledgement; brokers are slow at more
_PATIENCE = 4.0  # seconds for a broker to answer
_KEPT = 7 * 86_400  # seconds for which a broker of MQTT 5 keeps messages for a watcher that is not there
_QUIET, _CATCHING_UP = 1.0, 10.0  # seconds without a message, or in all, after which a backlog has come
_AT_ONCE = 1 << 16  # bytes that are read at a time
_PUBACK, _PUBREC, _PUBREL, _PUBCOMP = 0x40, 0x50, 0x62, 0x70  # kinds of packets
_RETAINED, _QOS, _AGAIN = 0x01, 0x06, 0x08  # what a packet with a message may have beside its kind

_Came: TypeAlias = tuple[int, int, str, bytes, float]  # kind, number, topic, payload, when
Answers: TypeAlias = SimpleQueue[tuple[Any, Any]]  # of a broker: flags, if there are any, and a reason


@dataclass(frozen=True)
class Mqtt(SourceAddress, SinkAddress):
    """Topics of a broker; `columns` are the names of the levels that stand for `+` and `#`."""

    noun: ClassVar[str] = "topics of an MQTT broker"
    example: ClassVar[str] = "mqtt://host:1883/plant/+/temp?qos=1"
    package: ClassVar[str] = "paho"
    install: ClassVar[str] = brought_by("mqtt")
    url: Url
    host: str
    port: int
    qos: int
    columns: tuple[str, ...]
    files: tuple[str | None, ...]  # of authorities, a certificate and its key
    version: Literal["5", "3.1.1"]
    retained: Literal["timed", "yes", "no"]
    retain: bool

    @classmethod
    def read(cls, url: Url) -> Mqtt:
        more = ("group", "columns", "value", "retained", "retain", "ca", "cert", "key")
        url.only("qos", "version", "client", *more, example=cls.example)
        tls, levels = url.scheme == "mqtts", url.path.split("/")
        files = tuple(url.file(each) for each in ("ca", "cert", "key"))
        columns = tuple(filter(None, url.options.get("columns", "").split(",")))
        free, rest = levels.count("+"), levels[-1] == "#"
        mixed = url.fragment or any(len(each) > 1 for each in levels if "+" in each or "#" in each)
        named = len(columns) in (0, free) or (rest and len(columns) > free)
        for wrong, what, hint in (
            (len(url.hosts) > 1, "several brokers", "Name one of them."),
            (not url.path, "no topic", f"Write {cls.example}."),
            (mixed or "#" in levels[:-1], "a wrong topic", "`+` is a whole level, and `#` the last one."),
            (levels[0] in ("$SYS", "$share"), "a topic of the broker's own", "A group is ?group=NAME."),
            (any(files) and not tls, "certificates without TLS", "Write mqtts://…"),
            (not named, f"{len(columns)} columns for {free} levels `+`", "Name each; `_` leaves one out."),
        ):
            if wrong:
                raise SettingError(f"`{url.shown}` has {what}", hint)
        host, port = url.host(8883 if tls else 1883)
        qos, version = url.option("qos", 1, whole(0, 2)), url.one_of("version", "5", "3.1.1")
        retained, retain = url.one_of("retained", "timed", "yes", "no"), url.one_of("retain", "no", "yes")
        return cls(url, host, port, qos, columns, files, version, retained, retain == "yes")

    def option(self, name: str) -> str:
        return self.url.options.get(name, "")

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return MqttTopics(self, wanted, mark)

    def sink(self, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> Sink:
        return MqttSink(self, mark, lines)

    def __str__(self) -> str:
        options = "&".join(f"{each}={self.option(each)}" for each in ("client", "group") if self.option(each))
        place = f"{self.url.scheme}://{self.host}:{self.port}/{self.url.path}"
        return f"{place}?{options}" if options else place


# ---- connections ----

_HOPELESS = (0x84, 0x85, 0x86, 0x87, 0x8E, 0x8F, 0x9E)  # of answers: such as a wrong password
_SAME = "another client has the same name, which ?client=NAME changes"
_ADVICE = {
    "Session taken over": _SAME,
    "Unsupported protocol version": "the broker does not speak it; try ?version=3.1.1",
    "Unspecified error": f"the connection is lost: the broker is away, or {_SAME}",
}


def _client(broker: Mqtt, name: str, *, clean: bool, **settings: Any) -> Any:
    """A client that is not connected. Raises UnsupportedError without the library, or OSError."""
    with libraries("a topic of MQTT", "mqtt"):
        from paho.mqtt import client as library  # noqa: PLC0415 - an extra
        from paho.mqtt import enums  # noqa: PLC0415
    is_5 = broker.version == "5"
    settings["protocol"] = library.MQTTv5 if is_5 else library.MQTTv311
    settings["clean_session"] = None if is_5 else clean
    made: Any = library.Client(enums.CallbackAPIVersion.VERSION2, name, **settings)
    made.connect_timeout = _PATIENCE
    if broker.url.user:
        made.username_pw_set(broker.url.user, broker.url.password or None)
    if broker.url.scheme == "mqtts":
        made.tls_set(*broker.files)
    return made


def _properties(kind: str, **values: object) -> Any:
    from paho.mqtt import packettypes, properties  # noqa: PLC0415 - an extra

    found = properties.Properties(getattr(packettypes.PacketTypes, kind))  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(found, name, value)
    return found


def _answer(said: Answers) -> Any:
    """The flags of an answer. Raises OSError, which is PermissionError where waiting does not help."""
    try:
        flags, reason = said.get(timeout=_PATIENCE)
    except Empty:
        raise TimeoutError("it does not answer as a broker of MQTT does") from None
    if reason.is_failure:
        text = _ADVICE.get(str(reason), str(reason))
        raise (PermissionError if reason.value in _HOPELESS else ConnectionError)(text)
    return flags


def _connected(client: Any, broker: Mqtt, said: Answers, *, clean: bool) -> bool:
    """Connects, and says whether the broker has kept something for the client. Raises OSError."""
    client.on_connect = lambda _client, _data, flags, reason, _more: said.put((flags, reason))
    client.on_subscribe = lambda _client, _data, _number, reasons, _more: said.put((None, reasons[0]))
    client.on_disconnect = lambda _client, _data, _flags, reason, _more: said.put((None, reason))
    more: dict[str, Any] = {}
    if broker.version == "5":
        kept = _properties("CONNECT", SessionExpiryInterval=0 if clean else _KEPT)
        kept.ReceiveMaximum = _UNDER_WAY[broker.qos]
        more = {"clean_start": clean, "properties": kept}
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


def _fill(waiting: deque[_Came], client: Any, *, is_5: bool) -> None:
    """Has a client put what comes into a queue, and read no further while that is full.

    By itself it would acknowledge messages of QoS 2 before anybody has them, and be several times as slow.
    Beside a busy thread each call of the system may wait for milliseconds, so much is read at a time.
    """
    take, data, at = client._sock_recv, b"", 0

    def receive(most: int) -> bytes:
        nonlocal data, at
        if at == len(data):
            data, at = take(_AT_ONCE), 0
        before, at = at, min(at + most, len(data))
        return data[before:at]

    def read(_packets: int = 1) -> Any:
        if len(waiting) >= _MOST:
            time.sleep(0.01)
            return 0
        try:
            done = client._packet_read()
            while done == 0 and at < len(data):
                done = client._packet_read()
        except (LookupError, ValueError, struct.error):
            done = 2  # what came is not MQTT
        return client._loop_rc_handle(done) if done > 0 else 0

    def publish() -> int:
        packet, flags = client._in_packet["packet"], client._in_packet["command"]
        number, end = 0, 2 + int.from_bytes(packet[:2], "big")
        topic = packet[2:end].decode(errors="replace")
        if flags & _QOS:
            number, end = int.from_bytes(packet[end : end + 2], "big"), end + 2
        if is_5:  # properties, behind their length
            length = shift = 0
            while packet[end] > 127:
                length, shift, end = length | (packet[end] & 127) << shift, shift + 7, end + 1
            end += 1 + (length | packet[end] << shift)
        waiting.append((flags, number, topic, bytes(packet[end:]), time.time()))
        return 0

    def release() -> int:
        waiting.append((_PUBREL, int.from_bytes(client._in_packet["packet"][:2], "big"), "", b"", 0.0))
        return 0

    client._sock_recv, client.loop_read = receive, read
    client._handle_publish, client._handle_pubrel = publish, release


# ---- the source ----

_DECODER = msgspec.json.Decoder()


class MqttTopics(ConnectedSource):
    """Reads topics; the thread of the client fills a queue, and waits while that is full."""

    tells_end = False

    def __init__(self, broker: Mqtt, wanted: WantedColumns, mark: Mark | None = None) -> None:
        super().__init__(str(broker), wanted)
        mark = mark or {}
        self._broker = broker
        given = [dict(wanted.called).get(name, name) for name in wanted.columns]
        self._types = dict(zip(given, wanted.types, strict=False))
        for each in {*broker.columns, broker.option("value")} - {"", "_", *given, wanted.arrival}:
            if wanted.declared:
                hint = did_you_mean(each, given) or f"It has {', '.join(given)}."
                raise DataError(f"{self.name}: {wanted.name} has no column {each}. {hint}")
        # A message without a time is about the moment at which it comes, if a clock shows the ticks.
        dated = wanted.timed and wanted.counting.tick is not None and wanted.counting.form is None
        self._time = given[-1] if dated and "." not in given[-1] else ""
        self._known_levels = lru_cache(10_000)(self._levels)
        digest = sha256(f"{broker} {wanted.name}".encode()).hexdigest()
        self._called = broker.option("client") or f"antelog{digest[:16]}"  # all brokers take 23 letters
        self._count = int(mark.get("messages", 0))
        self._held = dict.fromkeys(mark.get("held", ()), 2)  # what is not acknowledged, with its QoS
        self._subscribed = mark.get("qos") == broker.qos
        self._due: list[tuple[int, int]] = []  # acknowledgements, once the state has the rows
        self._client: Any = None
        self.begin()

    @property
    def mark(self) -> Mark:
        held = sorted(number for number, qos in self._held.items() if qos == 2)
        return {"messages": self._count, "qos": self._broker.qos, "held": held}

    @property
    def extent(self) -> SourceExtent:
        return SourceExtent(self._count, self._count + len(self._waiting), "rows")

    def is_hopeless(self, error: Exception) -> bool:
        return isinstance(error, PermissionError | ssl.SSLCertVerificationError)

    def connect(self) -> None:
        broker, clean = self._broker, self._broker.qos == 0
        self._waiting, self._said = deque[_Came](), Answers()
        self._client = _client(broker, self._called, clean=clean, reconnect_on_failure=False)
        _fill(self._waiting, self._client, is_5=broker.version == "5")
        if not _connected(self._client, broker, self._said, clean=clean):
            self._held.clear()
            if self._subscribed and not clean:
                lost = "what was sent while it was not connected is lost"
                self.notes.append(f"{self.name}: the broker has kept nothing for {self._called}; {lost}")
            self._subscribed = False
        if not self._subscribed:
            group = f"$share/{broker.option('group')}/" if broker.option("group") else ""
            self._client.subscribe(group + broker.url.path, broker.qos)
            _answer(self._said)
            self._subscribed = True
        self._since = self._heard = time.monotonic()

    def disconnect(self) -> None:
        client, self._client = self._client, None
        self._due.clear()
        if client is not None:
            _left(client)

    def take(self) -> list[SourcePiece]:
        found = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST))]
        now = time.monotonic()
        if found:
            self._heard = now
        elif not self._said.empty():  # after the connection was made, it says that this is lost
            _answer(self._said)
            raise ConnectionError("the connection is lost")
        catching_up = now < min(self._since + _CATCHING_UP, self._heard + _QUIET)
        self.behind = len(found) == _MOST or catching_up
        return list(self._pieces(found))

    def acknowledge(self) -> None:
        if self._due:
            packets = b"".join(struct.pack("!BBH", kind, 2, number) for kind, number in self._due)
            self._client._packet_queue(_PUBACK, packets, 0, 0)  # all at once: one by one they are slow
            done = {number for kind, number in self._due if kind == _PUBACK}
            self._held = {number: qos for number, qos in self._held.items() if number not in done}
            self._due.clear()

    def _pieces(self, found: Iterable[_Came]) -> Iterable[SourcePiece]:
        objects: list[tuple[int, bytes]] = []
        for kind, number, topic, payload, at in found:
            self._count += 1
            if kind == _PUBREL:
                self._held.pop(number, None)
                self._due.append((_PUBCOMP, number))
                continue
            if qos := (kind & _QOS) >> 1:
                self._due.append((_PUBACK if qos == 1 else _PUBREC, number))
                if kind & _AGAIN and number in self._held:
                    continue  # its rows are there
                self._held[number] = qos
            levels = self._known_levels(topic)
            if levels is None or (kind & _RETAINED and self._broker.retained == "no"):
                continue
            given = self._object(payload.strip(), levels, at, kind & _RETAINED)
            if isinstance(given, str):
                yield self.odd(self._count, given, f"{topic}: {payload.decode(errors='replace')}")
            else:
                objects.append((self._count, given))
        if objects:
            yield self.objects(objects)

    def _object(self, data: bytes, levels: Mapping[str, Any], at: float, retained: int) -> bytes | str:
        """A message as a JSON object with what is known beside it, or why it is none."""
        column, more = self._broker.option("value"), dict(levels)
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
            if retained and self._broker.retained == "timed":
                return "is retained, and has no time, so it may be old; ?retained=yes takes it as new"
            more[self._time] = datetime.fromtimestamp(at, UTC).isoformat()
        if not more:
            return data
        return data[:-1] + (b"," if values else b"") + msgspec.json.encode(more)[1:]

    def _levels(self, topic: str) -> Mapping[str, Any] | None:
        """The columns that levels of a topic are; None if it is not one of those wanted."""
        pattern, levels = self._broker.url.path.split("/"), topic.split("/")
        if pattern[-1] == "#":
            pattern[-1:] = ["+"] * (len(levels) - len(pattern) + 1)
        pairs = [*zip(pattern, levels, strict=False)]
        # A client with a name that was given may have subscribed to others before.
        is_other = len(pattern) != len(levels) or any(want not in ("+", level) for want, level in pairs)
        if is_other or levels[0] == "$SYS":
            return None
        named = zip(self._broker.columns, (level for want, level in pairs if want == "+"), strict=False)
        return {name: self._cell(name, level) for name, level in named if name != "_"}

    def _cell(self, name: str, text: str) -> str | int | float:
        """A text as a cell of CSV: a number if it looks like one, and its column is not of texts."""
        return number_of(text) if self._types.get(name) != "text" and re.match(NUMBER, text) else text


# ---- the output ----
# Each line is a message. A mark has the number of lines that the broker has; what was sent after it is sent
# again by a resumed run. By MQTT 5 a message says which line of which run it is.

_SENDING = 60.0  # seconds for a broker to take the messages
_UNANSWERED = 10_000  # messages that wait for the broker, at most


class MqttSink:
    """Sends the lines of changes to a topic."""

    def __init__(self, broker: Mqtt, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> None:
        self._broker, self._lines = broker, lines
        self._run: str = mark["run"] if mark else secrets.token_hex(8)
        self._line = int(mark["lines"]) if mark else 0
        self._sent = self._done = 0
        self._error = ""
        if {"+", "#"} & {*broker.url.path.split("/")}:
            raise OutputError(f"{broker}: lines go to one topic, without `+` and `#`")
        self._client: Any = None
        try:
            self._client = _client(broker, broker.option("client"), clean=True)
            self._client.on_publish = self._published
            _connected(self._client, broker, Answers(), clean=True)
        except OSError as error:
            if self._client is not None:
                _left(self._client)
            raise OutputError(f"{broker}: cannot be reached: {why(error)}") from None

    def write(self, step: StepResult) -> None:
        topic, qos, retain = self._broker.url.path, self._broker.qos, self._broker.retain
        for line in self._lines(step).splitlines():
            told = None
            if self._broker.version == "5":
                named = [("antelog_run", self._run), ("antelog_line", str(self._line))]
                told = _properties("PUBLISH", UserProperty=named)
            self._sent += qos > 0
            self._client.publish(topic, line.encode(), qos, retain, told)
            self._line += 1
            if self._sent - self._done >= _UNANSWERED:
                self._wait(_UNANSWERED // 2)

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
