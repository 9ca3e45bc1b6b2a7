"""A stream of Redis or Valkey, read as a consumer of a group; what no run will read again is acknowledged.

    XADD readings * device wt2 value 51    fields are columns, read as the cells of a CSV file are
    XREADGROUP antelog antelog 0, then >   first what was delivered and not acknowledged, then what is new
    XACK readings antelog 1796020451178-0  once the state has it

The mark has the last entry that was given: what comes again up to there, the state has already. It also has
how many entries were ever added up to that one, so that those are missed that were trimmed before they came.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec

from antelog.files.columns import WantedColumns
from antelog.lazily import brought_by, libraries
from antelog.run.door import SourceAddress, Url
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece
from antelog.run.values import SettingError, whole

_OPTIONS = ("group", "consumer", "field", "from", "db")
_TLS = {"ca": "ssl_ca_certs", "cert": "ssl_certfile", "key": "ssl_keyfile"}
_OURS = "antelog"  # the group and the consumer, unless the address has others
_MOST = 10_000  # entries that are taken, or acknowledged, at a time
_PATIENCE = 5.0  # seconds for the server to answer
_LOOK = 1.0  # seconds between two looks at what is unread
_TIME = "@id"  # the name to which a column is mapped that has the time in the entry's ID
_BEGIN = "0-0"


@dataclass(frozen=True)
class Redis(SourceAddress):
    """A stream of a server, the group that reads it, and how its entries are read."""

    noun: ClassVar[str] = "a stream of Redis or Valkey"
    example: ClassVar[str] = "redis://host:6379/stream?group=antelog"
    package: ClassVar[str] = "redis"
    install: ClassVar[str] = brought_by("redis")
    shown: str
    stream: str
    group: str
    consumer: str
    json: str  # the field with JSON; empty if each field is a column
    latest: bool  # whether a new group begins at the end
    client: Mapping[str, Any] = field(repr=False, compare=False)  # the settings of a client

    @classmethod
    def read(cls, url: Url) -> Redis:
        files = _TLS if url.scheme == "rediss" else {}
        url.only(*_OPTIONS, *files, example=cls.example)
        if not url.path:
            raise SettingError(f"`{url.shown}` lacks a stream", f"Write {cls.example}.")
        host, port = url.host(6379)
        db, given = url.option("db", 0, whole(0)), url.options
        group, consumer = (given.get(name) or _OURS for name in ("group", "consumer"))
        parts = [f"db={db}" if db else "", "" if group == _OURS else f"group={group}"]
        shown = "?".join(filter(None, (url.shown, "&".join(filter(None, parts)))))
        client = {
            "host": host, "port": port, "db": db, "protocol": 2, "retry": None, "ssl": bool(files),
            "username": url.user or None, "password": url.password or None,
            "socket_timeout": _PATIENCE, "socket_connect_timeout": _PATIENCE,
            **{setting: url.file(name) for name, setting in files.items()},
        }  # fmt: skip
        latest = url.one_of("from", "earliest", "latest") == "latest"
        return cls(shown, url.path, group, consumer, given.get("field", ""), latest, client)

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return RedisStream(self, wanted, mark)

    def __str__(self) -> str:
        return self.shown


class RedisStream(ConnectedSource):
    """Reads a stream. `_last` is the last entry that was given, `_number` how many were added up to it."""

    def __init__(self, address: Redis, wanted: WantedColumns, mark: Mark | None) -> None:
        super().__init__(str(address), wanted)
        with libraries("a stream of Redis", "redis"):
            import redis  # noqa: PLC0415 - an extra

        self._library, self._address = redis, address
        self.lost = (redis.RedisError, OSError)
        self._client: Any = None
        self._last: str = (mark or {}).get("last", "")
        self._number: int | None = (mark or {}).get("number")
        self._pending: str | None = None  # behind which entries were delivered before; None: all were read
        self._given: dict[str, None] = {}  # the IDs of entries that are to be acknowledged
        self._gone = self._said = self._count = self._unread = 0
        self._looked = 0.0
        self._dated = any(name == _TIME for _, name in wanted.called)
        self.begin()

    @property
    def mark(self) -> Mark:
        return {"last": self._last, "number": self._number}

    @property
    def extent(self) -> SourceExtent:
        return SourceExtent(self._count, self._count + self._unread, "rows")

    def connect(self) -> None:
        self._client = self._library.Redis(**self._address.client)
        newest, group = self._stream()["last-generated-id"].decode(), self._group()
        if _order(newest) < _order(self._last):
            where = "is read from its start" if group is None else f"is read on from {newest}"
            self.notes.append(f"{self.name}: ends before {self._last}, which was read; it {where}")
            self._last, self._number = (_BEGIN if group is None else newest), None
        if group is None:
            self._last = self._last or (newest if self._address.latest else _BEGIN)
            self._client.xgroup_create(self._address.stream, self._address.group, self._last)
        elif not self._last and (given := group["last-delivered-id"].decode()) != _BEGIN:
            self.notes.append(
                f"{self.name}: the group {self._address.group} has been given what came up to {given}, and "
                "does not get it again; a new one begins at the start: ?group=NAME"
            )
        self._pending = _BEGIN

    def disconnect(self) -> None:
        if self._client is not None:
            self._client.close()

    def is_hopeless(self, error: Exception) -> bool:
        known = self._library.exceptions
        refused = (known.AuthenticationError, known.NoPermissionError)
        return isinstance(error, refused) or str(error).startswith("WRONGTYPE")

    def take(self) -> list[SourcePiece]:
        self._look()
        place, begun = self._address, self._pending
        found = self._client.xreadgroup(
            place.group, place.consumer, {place.stream: begun or ">"}, count=_MOST
        )
        entries = [(key.decode(), fields) for key, fields in found[0][1]] if found else []
        self.behind = begun is not None or len(entries) == _MOST
        if begun is not None:
            self._pending = entries[-1][0] if entries else None
        self._given.update((key, None) for key, _ in entries)
        before = _order(self._last)
        fresh = [each for each in entries if _order(each[0]) > before]
        if not fresh:
            return []
        self._last = fresh[-1][0]
        self._number = None if self._number is None else self._number + len(fresh)
        kept = [each for each in fresh if each[1]]  # pending entries without fields were removed since
        self._miss(len(fresh) - len(kept))
        self._count += len(kept)
        return self._pieces(kept)

    def acknowledge(self) -> None:
        while self._given:  # while the server is away they stay pending
            some = list(self._given)[:_MOST]
            self._client.xack(self._address.stream, self._address.group, *some)
            for each in some:
                del self._given[each]

    def _stream(self) -> dict[str, Any]:
        place = self._address
        try:
            return dict(self._client.xinfo_stream(place.stream))
        except self._library.ResponseError as error:
            if "no such key" not in str(error):
                raise
            how = f"XGROUP CREATE {place.stream} {place.group} 0 MKSTREAM makes one without entries"
            raise self._library.ResponseError(f"there is no stream {place.stream}; {how}") from None

    def _group(self) -> dict[str, Any] | None:
        groups = self._client.xinfo_groups(self._address.stream)
        return next((each for each in groups if each["name"].decode() == self._address.group), None)

    def _look(self) -> None:
        """Counts the entries that are unread, and those that never came. Before Redis 7 nobody knows."""
        if self._pending is not None or time.monotonic() < self._looked + _LOOK:
            return
        self._looked = time.monotonic()
        stream, group = self._stream(), self._group()
        if group is None or "entries-added" not in stream:
            return
        added, first, left = stream["entries-added"], stream["first-entry"], None
        at = _order(group["last-delivered-id"].decode())
        if at >= _order(stream["last-generated-id"].decode()):
            left = 0
        elif first is None or _order(first[0].decode()) > at:
            left = stream["length"]
        if left is not None:
            self._miss(0 if self._number is None else added - left - self._number)
            self._number = added - left
        self._unread = 0 if self._number is None else max(0, added - self._number)

    def _miss(self, count: int) -> None:
        """Notes that entries are gone, again when they are twice as many."""
        self._gone += max(0, count)
        if self._gone and self._gone >= 2 * self._said:
            self._said = self._gone
            self.notes.append(
                f"{self.name}: entries that did not come to this run: {self._gone:,}; they were trimmed or "
                f"deleted before they were read, or others read in the group {self._address.group}"
            )

    def _pieces(self, entries: Iterable[tuple[str, dict[bytes, bytes]]]) -> list[SourcePiece]:
        numbered, odd = list[tuple[int, bytes]](), list[SourcePiece]()
        for key, fields in entries:
            number = _line(key)
            try:
                numbered.append((number, self._object(key, fields)))
            except UnicodeDecodeError:
                odd.append(self.odd(number, "is not UTF-8 text", str(fields)))
            except KeyError:
                odd.append(self.odd(number, f"lacks the field {self._address.json}", str(fields)))
        piece = self.objects(numbered)
        if not self._address.json and any(map(len, piece.chunk.columns)):
            piece = replace(piece, chunk=replace(piece.chunk, written=True))
        return [*odd, piece]

    def _object(self, key: str, fields: Mapping[bytes, bytes]) -> bytes:
        """A JSON object: that of the field that has it, or one of all fields."""
        if self._address.json:
            return fields[self._address.json.encode()]
        values = {name.decode(): value.decode() for name, value in fields.items()}
        if self._dated:
            moment = datetime.fromtimestamp(int(key.partition("-")[0]) / 1000, UTC)
            values[_TIME] = moment.isoformat(timespec="milliseconds")
        return msgspec.json.encode(values)


def _order(key: str) -> int:
    """A number for the place of an ID among others; -1 if there is none."""
    first, _, second = key.partition("-")
    return (int(first) << 64) + int(second) if first else -1


def _line(key: str) -> int:
    """The number of an entry in messages, `1796020451178000005` for 1796020451178-5: each has its own."""
    first, _, second = key.partition("-")
    return (int(first) * 1_000_000 + int(second)) % (1 << 63)
