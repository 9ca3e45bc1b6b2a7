"""A table, view or query of PostgreSQL: new rows in the order of a column. Lines and open answers go to one.

Whoever inserts row 7 may commit after row 8 was. So a row is read once all have ended that were open when it
was first seen:

    seen up to 8, while transaction 3/25 is open     nothing is read yet
    3/25 has ended                                   7, if it is there by now, then 8
"""

from __future__ import annotations

import re
import secrets
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import unquote

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.answers import OPEN, name_in, state_after
from antelog.arrow.arrays import array_of
from antelog.diagnostics import words_of
from antelog.errors import DataError, OutputError
from antelog.files.chunks import Chunk
from antelog.files.columns import WantedColumns
from antelog.files.reading import table_chunks
from antelog.lazily import brought_by, libraries
from antelog.run.door import SinkAddress, SourceAddress, Url
from antelog.run.sinks.result import LinesOfStep, Sink, StepResult
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece, why
from antelog.run.values import ANSWERS, duration, refused

_STATEMENTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_MOST = 10_000  # rows that are read or written at a time
_OPTIONS = ("order", "every", "gap", "channel", "from", "mode", "name", "sslmode")
# Numbers of errors: wrong data, rights, names of databases, tables, columns; and what the server cannot do.
_HOPELESS = ("0A", "22", "23", "25006", "28", "3D", "3F", "42")
_FILES = ("sslrootcert", "sslcert", "sslkey")
_SSL = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


@dataclass(frozen=True)
class PostgresTable(SourceAddress, SinkAddress):
    """A table, a view or a query in parentheses; as an output a table."""

    noun: ClassVar[str] = "a table of PostgreSQL"
    example: ClassVar[str] = "postgresql://host/db#readings?order=id"
    package: ClassVar[str] = "psycopg"
    install: ClassVar[str] = brought_by("postgresql")
    lists: ClassVar[bool] = True
    shown: str
    table: str
    order: str | None = None  # the column that new rows have greater values in
    every: int = 2_000_000  # microseconds between two looks
    gap: int = 30_000_000  # microseconds for which a transaction that may insert earlier rows is waited for
    channel: str | None = None  # where a NOTIFY says that there are new rows
    starting: Literal["earliest", "latest"] = "earliest"
    mode: Literal["lines", "answers"] = "lines"
    name: str = ""  # what a run that writes is called in the table of marks
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, hash=False)

    @classmethod
    def read(cls, url: Url) -> PostgresTable:
        url.only(*_OPTIONS, *_FILES, example=cls.example)
        if not url.path or not url.fragment:
            raise refused("no-table", address=url.shown.partition("#")[0], example=cls.example)
        places = [
            (each, 5432) if each.startswith("/") else replace(url, hosts=(each,)).host(5432)
            for each in map(unquote, url.hosts)
        ]
        hosts = [name for name, _ in places]
        usual = "prefer" if all(map(_is_local, hosts)) else "require"
        known = {
            "host": ",".join(hosts),
            "port": ",".join(str(port) for _, port in places),
            "dbname": url.path,
            "user": url.user,
            "password": url.password,
            "sslmode": url.one_of("sslmode", *dict.fromkeys((usual, *_SSL))),
            **{name: url.file(name) for name in _FILES},
        }
        modes = sorted(("answers", "lines"), reverse=url.fragment.rpartition(".")[2] != ANSWERS)
        return cls(
            url.shown,
            url.fragment,
            url.options.get("order"),
            url.option("every", cls.every, duration),
            url.option("gap", cls.gap, duration),
            url.options.get("channel"),
            url.one_of("from", "earliest", "latest"),
            url.one_of("mode", *modes),
            url.options.get("name", url.fragment),
            {name: value for name, value in known.items() if value},
        )

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return TableRows(self, wanted, mark)

    def sink(self, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> Sink:
        return TableSink(self, mark, lines)

    @property
    def needs_all(self) -> bool:
        return self.mode == ANSWERS

    @property
    def rows(self) -> str:
        """The table or the query, as it stands behind FROM."""
        if self.table.startswith("("):
            return self.table.replace("%", "%%")
        return _quoted(*self.table.split("."))

    def __str__(self) -> str:
        return self.shown

    __repr__ = __str__


def _is_local(host: str) -> bool:
    """Whether a host is this machine, where nobody listens in on the way; a path is that of a socket."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.startswith("/")


# ---- connections ----


class ServerError(Exception):
    """The server refuses, or cannot be reached; `hopeless`: and no waiting mends that."""

    def __init__(self, error: Any) -> None:
        state = getattr(error, "sqlstate", None) or ""
        self.hopeless = state.startswith(_HOPELESS) or not hasattr(error, "diag")
        said = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
        said = said.partition("\nMultiple connection")[0].removeprefix("connection failed: ")
        if "SSL was required" in said:
            said += ". Without encryption, where the network is safe: sslmode=prefer"
        super().__init__(said)


def _library() -> Any:
    """The client of PostgreSQL. Raises UnsupportedError if it is not installed."""
    with libraries("PostgreSQL", "postgresql"):
        import psycopg  # noqa: PLC0415 - an extra

        return psycopg


@contextmanager
def _asking() -> Iterator[None]:
    """Raises ServerError in place of the library's errors, and of texts that are not in its encoding."""
    try:
        yield
    except (_library().Error, UnicodeDecodeError) as error:
        raise ServerError(error) from None


def _connected(table: PostgresTable, *, reads: bool) -> Any:
    usual = {**_STATEMENTS["connection"], "target_session_attrs": "any" if reads else "read-write"}
    # Between it and the server may be a pool, which would mix prepared statements up.
    connection = _library().connect(**table.settings, **usual, autocommit=True, prepare_threshold=None)
    connection.execute(_STATEMENTS["settings"], ["on" if reads else "off"])
    return connection


def _quoted(*names: str) -> str:
    """A name in SQL, in which % would be taken for a parameter."""
    return ".".join('"' + each.replace('"', '""').replace("%", "%%") + '"' for each in names)


# ---- columns ----

_TYPES: dict[int, pa.DataType] = {  # by the numbers that PostgreSQL has for its types
    **dict.fromkeys((20, 21, 23, 26), pa.int64()),
    **dict.fromkeys((700, 701), pa.float64()),
    16: pa.bool_(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
    1700: pa.decimal128(38, 9),
}


def _selected(column: pa.Field) -> str:
    """A column as it is asked for: times as counts since 1970, and what Arrow has no type for as text."""
    name = _quoted(column.name)
    if is_a.is_timestamp(column.type):
        return f"case when isfinite({name}) then (extract(epoch from {name}) * 1000000)::bigint end"
    if is_a.is_date(column.type):
        return f"case when isfinite({name}) then {name} - date '1970-01-01' end"
    return f"{name}::text" if is_a.is_string(column.type) else name


def _array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    if is_a.is_timestamp(type_):
        return pa.array(values, pa.int64()).cast(type_)
    if is_a.is_date(type_):
        return pa.array(values, pa.int32()).cast(type_)
    if not is_a.is_decimal(type_):
        return pa.array(values, type_)
    try:
        return array_of(values)
    except pa.ArrowException:  # more digits than a column can have
        return pa.array([None if each is None else float(each) for each in values], pa.float64())


def _numbered(chunk: Chunk, numbers: NDArray[np.int64]) -> Chunk:
    """The chunk with numbers for its rows, in place of 1, 2, 3 …"""
    bad = [replace(each, line=int(numbers[each.line - 1])) for each in chunk.bad]
    return replace(chunk, lines=lambda: numbers.take(chunk.lines() - 1), bad=bad)


# ---- rows ----

_BEGINNING = 1.0  # seconds from the time that a transaction takes for its own until others surely see it


class TableRows(ConnectedSource):
    """Reads the rows that are new by a column; of static facts all rows, once."""

    lost = (ServerError,)

    def __init__(self, table: PostgresTable, wanted: WantedColumns, mark: Mark | None) -> None:
        super().__init__(str(table), wanted)
        mark = mark or {}
        self._table, self._order = table, table.order
        self._static = not wanted.timed and wanted.time_of_rows is None
        if not self._static and self._order is None:
            raise DataError.of("postgresql.no-order", table=table)
        if mark.get("order", self._order) != self._order:
            raise DataError.of("postgresql.other-order", table=table, before=mark["order"], order=self._order)
        self._read: str | None = mark.get("read")  # the value of the last row that was read
        self._count = self._begun = int(mark.get("count", 0))
        self._end: str | None = None  # the newest value that was seen; rows up to it are still to be read
        self._seen = self._due = 0.0  # when it was seen, and when the next look is due
        self._running: set[str] | None = None  # the transactions that were open then; None: not asked yet
        self._given_up: set[str] = set()
        self._gap = table.gap / 1_000_000
        self._connection: Any = None
        self._skips = table.starting == "latest" and not mark and not self._static
        self.begin()

    @property
    def mark(self) -> Mark:
        return {"order": self._order, "read": self._read, "count": self._count}

    @property
    def extent(self) -> SourceExtent:
        read, rest = self._count - self._begun, int(self._end is not None)
        if self._end is not None and self._read is not None and self._numbers:
            rest = int(self._end) - int(self._read)
        return SourceExtent(read, read + rest, "rows")

    def connect(self) -> None:
        with _asking():
            self._connection = _connected(self._table, reads=True)
            found = self._asked(f"select * from {self._table.rows} as source limit 0").description
            self._schema = pa.schema([(each.name, _TYPES.get(each.type_code, pa.string())) for each in found])
            if self._order is not None and self._order not in self._schema.names:
                said = {"table": self._table, "order": self._order, "names": ", ".join(self._schema.names)}
                raise DataError.of("postgresql.unknown-order", **said)
            ((self._standby,),) = self._asked("select pg_is_in_recovery()").fetchall()
            if self._table.channel is not None:
                self._asked(f"listen {_quoted(self._table.channel)}")
            if self._skips:
                self._read, self._skips = self._newest(), False
            elif self._read is not None and self._newest(">=") is None:
                said = {"name": self.name, "order": self._order, "read": self._read}
                self.notes.append(words_of("postgresql.restarted")["message"].format(**said))
        self._types = dict(zip(self._schema.names, self._schema.types, strict=True))
        self._chunks(lambda used: pa.record_batch([pa.array([], self._types[each]) for each in used], used))
        self._end, self._running, self._due = None, None, 0.0
        self._given_up.clear()

    def disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def is_hopeless(self, error: Exception) -> bool:
        return isinstance(error, ServerError) and error.hopeless

    def take(self) -> list[SourcePiece]:
        with _asking():
            if self._static:
                self.behind, self.ended = False, True
                return self._page("" if self._order is None else f" order by {self._ordered}", [])
            if self._table.channel is not None and [*self._connection.notifies(timeout=0)]:
                self._due = 0.0
            now = time.monotonic()
            if self._end is None and now >= self._due:
                self._end, self._running, self._seen = self._newest(), None, now
                self._due = now + self._table.every / 1_000_000
            self.behind = self._end is not None
            if self._end is None or not self._is_complete(now):
                return []
            return self._new()

    def _asked(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(statement.encode(), values)

    @property
    def _numbers(self) -> bool:
        """Whether new rows have greater whole numbers, as a sequence gives them."""
        return not self._static and self._order is not None and is_a.is_integer(self._types[self._order])

    @property
    def _ordered(self) -> str:
        """The column in SQL, where its name alone could mean one that is asked for as text."""
        return f"source.{_quoted(self._order or '')}"

    def _newest(self, behind: str = ">") -> str | None:
        """The newest value of the column behind those that were read."""
        order, read = self._ordered, self._read
        where = f"{order} is not null" if read is None else f"{order} {behind} %s"
        found = self._asked(
            f"select {order}::text from {self._table.rows} as source where {where} "
            f"order by {order} desc limit 1",
            [] if read is None else [read],
        ).fetchone()
        return None if found is None else str(found[0])

    def _is_complete(self, now: float) -> bool:
        """Whether no transaction can insert rows any more that come before the newest that was seen.

        All that could were open then. A number of a sequence is taken within a transaction; a time may be
        taken just before it. A standby does not know of the transactions of its primary, so it waits.
        """
        wait = self._gap if self._standby else 0.0 if self._numbers else _BEGINNING
        if self._running is None and now < self._seen + wait:
            return False
        running = {each for (each,) in self._asked(_STATEMENTS["running"]).fetchall()}
        self._given_up &= running
        if self._running is None:
            self._running = running - self._given_up
        self._running &= running
        if self._running and now >= self._seen + self._gap:
            said = {"name": self.name, "gap": self._gap, "order": self._order, "end": self._end}
            self.notes.append(words_of("postgresql.given-up")["message"].format(**said))
            self._given_up |= self._running
            self._running = set()
        return not self._running

    def _new(self) -> list[SourcePiece]:
        order, before = self._ordered, self._count
        values = [self._end] if self._read is None else [self._end, self._read]
        after = "" if self._read is None else f" and {order} > %s"
        # Rows with the same value come together, for the mark says no more than the value.
        rest = f" where {order} <= %s{after} order by {order} fetch first {_MOST} rows with ties"
        pieces = self._page(rest, values)
        if self._count - before < _MOST:
            self._read, self._end, self.behind = self._end, None, False
        return pieces

    def _page(self, rest: str, values: Sequence[Any]) -> list[SourcePiece]:
        """Some rows; sets the mark to the last of them."""
        orders: list[str] = []

        def batch(used: list[str]) -> pa.RecordBatch:
            value = f"{self._ordered}::text" if self._order is not None else "null"
            columns = ", ".join([*(_selected(self._schema.field(each)) for each in used), value])
            rows = self._asked(f"select {columns} from {self._table.rows} as source{rest}", values).fetchall()
            *found, texts = zip(*rows, strict=True) if rows else [()] * (len(used) + 1)
            orders.extend(texts)
            arrays = [_array(each, self._types[name]) for each, name in zip(found, used, strict=True)]
            return pa.record_batch(arrays, used)

        chunks = self._chunks(batch)
        if not orders:
            return []
        self._read, self._count = orders[-1], self._count + len(orders)
        counted = np.arange(self._count - len(orders), self._count) + 1
        numbers = np.array(orders, np.int64) if self._numbers else counted
        return [SourcePiece(_numbered(each, numbers), self.name) for each in chunks]

    def _chunks(self, batch: Callable[[list[str]], pa.RecordBatch]) -> list[Chunk]:
        """The rows of a batch. Raises DataError if there are not the wanted columns."""
        wanted, whole = self.wanted, self._static
        return [*table_chunks(self._schema, lambda used: [batch(used)], self.name, wanted, whole=whole)]


# ---- outputs ----
# Each run writes under a name, which has a row with the run and the number of its lines: in the transaction
# of the lines themselves. A resumed run finds there what it had written after its state, and writes it again:
# rows that are the same do not change.

_RETRY, _LONGEST = 0.5, 60.0  # seconds between two attempts to write, and for all of them
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # the character that no text of PostgreSQL can have


class TableSink:
    """Writes the lines of changes to a table, or keeps a row there for each open answer."""

    def __init__(self, table: PostgresTable, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> None:
        self._table, self._lines = table, lines
        self._run: str = mark["run"] if mark else secrets.token_hex(8)
        self._line = int(mark["lines"]) if mark else 0
        self._names = {"table": table.rows, "marks": _quoted(*table.table.split(".")[:-1], "antelog_marks")}
        self._said = {"table": table, "name": table.name}
        self._connection: Any = None
        if table.table.startswith("("):
            raise OutputError.of("postgresql.query", table=table)
        try:
            with _asking():
                self._begin(resumed=mark is not None)
        except (OutputError, ServerError) as error:
            self.close()
            raise self._failed(error) from None

    def write(self, step: StepResult) -> None:
        lines = [_NUL.sub(r"\1\\ufffd", each) for each in self._lines(step).splitlines()]
        end = time.monotonic() + _LONGEST
        while lines:
            try:
                with _asking():
                    self._write(lines)
                break
            except ServerError as error:
                self.close()
                if error.hopeless or time.monotonic() > end:
                    raise self._failed(error) from None
                time.sleep(_RETRY)
        self._line += len(lines)

    def _failed(self, error: Exception) -> OutputError:
        if isinstance(error, OutputError):
            return error
        return OutputError(f"{self._table}: cannot be written: {why(error)}")

    def mark(self) -> Mapping[str, Any]:
        return {"run": self._run, "lines": self._line}

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _asked(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(statement.format(**self._names).encode(), values)

    def _begin(self, *, resumed: bool) -> None:
        """Makes the tables if they are missing, and takes the name; a resumed run has it."""
        self._connection, tables = _connected(self._table, reads=False), _STATEMENTS["tables"]
        for name, statement in (("table", tables[self._table.mode]), ("marks", tables["marks"])):
            ((found,),) = self._asked("select to_regclass(%s)", [self._names[name].replace("%%", "%")])
            if found is None:
                self._asked(statement)
        if resumed:
            row = self._asked("select run, lines from {marks} where name = %s", [self._table.name]).fetchone()
            if row is None or row[0] != self._run:
                raise OutputError.of("postgresql.other-run", **self._said)
            if row[1] < self._line:
                raise OutputError.of("postgresql.fewer-lines", **self._said, there=row[1], lines=self._line)
            return
        with self._connection.transaction():
            self._asked(_STATEMENTS["begin"], [self._table.name, self._run])
            if self._table.mode == ANSWERS:
                self._asked("delete from {table} where antelog_name = %s", [self._table.name])

    def _write(self, lines: Sequence[str]) -> None:
        self._connection = self._connection or _connected(self._table, reads=False)
        with self._connection.transaction():
            marked = self._asked(
                "update {marks} set lines = %s where name = %s and run = %s",
                [self._line + len(lines), self._table.name, self._run],
            )
            if not marked.rowcount:
                raise OutputError.of("postgresql.other-run", **self._said)
            if self._table.mode == ANSWERS:
                self._write_answers(lines)
                return
            for at in range(0, len(lines), _MOST):
                self._asked(_STATEMENTS["insert"], [self._run, self._line + at, [*lines[at : at + _MOST]]])

    def _write_answers(self, lines: Sequence[str]) -> None:
        newest: dict[str, str] = {}
        first: dict[str, str] = {}
        closed: set[str] = set()
        for text in lines:
            line = msgspec.json.decode(text)
            name = name_in(line)
            if state_after(line) == OPEN:
                newest[name] = text
                first.setdefault(name, text)
            else:
                closed.add(name)
                first.pop(name, None)
        self._asked(
            "delete from {table} where antelog_name = %s and antelog_answer = any(%s)",
            [self._table.name, [*closed]],
        )
        names = [*first]
        for at in range(0, len(names), _MOST):
            some = names[at : at + _MOST]
            texts = [[each[name] for name in some] for each in (newest, first)]
            self._asked(_STATEMENTS["upsert"], [self._table.name, some, *texts])
