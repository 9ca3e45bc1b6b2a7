"""antelog/run/sources/postgresql.py: tables as sources, static relations and outputs, on a real server."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antelog.errors import DataError, OutputError
from antelog.program import parse
from antelog.run.door import Url
from antelog.run.reading import wanted_of
from antelog.run.sinks.result import StepResult
from antelog.run.sources.postgresql import PostgresTable, TableRows, TableSink
from antelog.run.sources.source import FactSource, all_of
from antelog.run.values import SettingError
from antelog.testing.sources import PROGRAM, Record, SourceChecks, assert_same, records, taken
from tests.cli.trying import antelog
from tests.processes import started, until
from tests.servers import Postgres, UnavailableError, postgres

psycopg = pytest.importorskip("psycopg")
PASSWORD = "h=u&n/t;e:r# 2%20+"
READINGS = (
    "id bigserial primary key, key text, value double precision, time bigint, at timestamptz default now()"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    try:
        with postgres(PASSWORD, tls=True) as found:
            yield found
    except UnavailableError as error:
        pytest.skip(str(error))


Connect = Callable[[], Any]


@pytest.fixture
def connect(server: Postgres) -> Connect:
    """Connections to the server, which has a new and empty table."""

    def connection() -> Any:
        return psycopg.connect(server.uri, autocommit=True)

    with connection() as made:
        made.execute("drop table if exists readings, changes, answers, antelog_marks")
        made.execute(f"create table readings ({READINGS})")
    return connection


def table(server: Postgres, rest: str) -> PostgresTable:
    return PostgresTable.read(Url.of(f"{server.uri}#{rest}"))


def source(server: Postgres, rest: str, mark: Any = None) -> TableRows:
    return TableRows(table(server, rest), wanted_of(parse(PROGRAM).plan, "Reading"), mark)


def putting(connect: Connect) -> Callable[[Sequence[Record]], None]:
    def put(rows: Sequence[Record]) -> None:
        with connect() as made, made.cursor() as cursor:
            values = [(each["key"], each["value"], each["time"]) for each in rows]
            cursor.executemany("insert into readings (key, value, time) values (%s, %s, %s)", values)

    return put


def checks_of(
    server: Postgres, connect: Connect, rest: str = "readings?order=id&every=100ms"
) -> SourceChecks:
    def odd() -> None:
        with connect() as made:
            made.execute("insert into readings (key, value, time) values ('key 1', null, 3)")

    return SourceChecks(f"{server.uri}#{rest}", putting(connect), odd, server.stop, server.start)


# ---- addresses ----


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ("localhost", "prefer"),
        ("127.0.0.1:5433", "prefer"),
        ("[::1]", "prefer"),
        ("%2Fvar%2Frun%2Fpostgresql", "prefer"),
        ("db.example", "require"),
        ("localhost,10.0.0.7", "require"),
    ],
)
def test_what_leaves_the_machine_is_encrypted(hosts: str, expected: str) -> None:
    found = PostgresTable.read(Url.of(f"postgresql://me@{hosts}/plant#readings"))
    assert found.settings["sslmode"] == expected


def test_an_address_in_its_parts() -> None:
    text = "postgresql://me:hunter2@a:1,b/plant#s.readings?order=id&every=1 minute&sslmode=verify-full&name=x"
    found = PostgresTable.read(Url.of(text))
    assert (found.order, found.every, found.gap, found.mode, found.name) == ("id", 60.0, 30.0, "lines", "x")
    assert found.rows == '"s"."readings"'
    assert {**found.settings} == {
        "host": "a,b", "port": "1,5432", "dbname": "plant", "user": "me", "password": "hunter2",
        "sslmode": "verify-full",
    }  # fmt: skip
    assert "hunter2" not in f"{found} {found!r}"
    assert PostgresTable.read(Url.of("postgresql://a/plant#s.answers")).mode == "answers"
    assert PostgresTable.read(Url.of("postgresql://a/plant#answers?mode=lines")).mode == "lines"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("postgresql://a/plant", "lacks a table"),
        ("postgresql://a#readings", "lacks a table"),
        ("postgresql:///plant#readings", "lacks a host"),
        ("postgresql://a/plant#readings?oder=id", "order"),
        ("postgresql://a/plant#readings?every=often", "wrong every"),
        ("postgresql://a/plant#readings?sslmode=requires", "require"),
        ("postgresql://a/plant#readings?sslrootcert=none.pem", "no such file"),
    ],
)
def test_wrong_addresses(text: str, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        PostgresTable.read(Url.of(text))


# ---- new rows ----


def test_rows_come_once(server: Postgres, connect: Connect) -> None:
    checks = checks_of(server, connect)
    checks.gives_all_rows()


def test_marks_and_odd_rows(server: Postgres, connect: Connect) -> None:
    checks = checks_of(server, connect, "readings?order=at&every=100ms")
    checks.continues_from_marks()
    with connect() as made:
        made.execute("truncate readings")
    checks.sets_odd_records_aside()


def test_it_waits_for_its_server(server: Postgres, connect: Connect) -> None:
    checks_of(server, connect).waits_for_its_server()


INSERT = "insert into readings (key, value, time) values (%s, 1, 1)"


def keys(found: FactSource) -> list[str]:
    """The keys of the rows that are there now."""
    return [each for piece in found.poll() for each in piece.chunk.columns[0].to_pylist()]


@pytest.mark.parametrize("order", ["id", "at"])
def test_a_row_that_is_committed_late_is_waited_for(server: Postgres, connect: Connect, order: str) -> None:
    with closing(source(server, f"readings?order={order}&every=1ms")) as found, connect() as late:
        late.execute("begin")
        late.execute(INSERT, ["first"])
        with connect() as other:
            other.execute(INSERT, ["second"])
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert keys(found) == [] and found.behind
        late.execute("commit")
        given: list[str] = []
        until(lambda: given.extend(keys(found)) or len(given) == 2)
        assert given == ["first", "second"]
        assert not found.notes


def test_a_number_that_was_rolled_back_is_not_waited_for(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1ms")) as found, connect() as other:
        other.execute("begin")
        other.execute(INSERT, ["never"])
        other.execute("rollback")
        other.execute(INSERT, ["second"])
        assert keys(found) == ["second"]


def test_waiting_is_bounded_and_told(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1ms&gap=300ms")) as found, connect() as late:
        late.execute("begin")
        late.execute(INSERT, ["first"])
        with connect() as other:
            other.execute(INSERT, ["second"])
            until(lambda: keys(found) == ["second"])
            assert ["1 transaction that is open for more than 0.3 s" in each for each in found.notes] == [
                True
            ]
            other.execute(INSERT, ["third"])
            until(lambda: keys(found) == ["third"])  # for the same transaction nothing waits again
        assert len(found.notes) == 1
        late.execute("commit")
        assert keys(found) == []


def test_a_page_ends_behind_rows_of_one_value(
    server: Postgres, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antelog.run.sources.postgresql._MOST", 3)
    putting(connect)([*records(2), *records(2), *records(2)])
    with closing(source(server, "readings?order=time&every=1ms")) as found:
        until(lambda: len(keys(found)) == 6)


def test_a_notice_wakes_it(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1 hour&channel=new rows")) as found:
        assert keys(found) == []
        with connect() as other:
            other.execute(INSERT, ["first"])
            assert keys(found) == []
            other.execute('notify "new rows"')
            until(lambda: keys(found) == ["first"])


def test_from_latest(server: Postgres, connect: Connect) -> None:
    putting(connect)(records(3))
    with closing(source(server, "readings?order=id&from=latest&every=1ms")) as found:
        putting(connect)(records(5)[3:])
        assert_same(taken(found, 2), records(5)[3:])


def test_a_view_and_a_query(server: Postgres, connect: Connect) -> None:
    putting(connect)(records(5))
    query = "(select id, key, value, time from readings where key like 'key%' and id %3F 2 = 0)"
    with closing(source(server, query.replace("%3F", "%") + "?order=id")) as found:
        assert_same(taken(found, 2), [records(5)[1], records(5)[3]])
        assert found.mark["read"] == "4"
    wrong = "(delete from readings returning *)"
    with pytest.raises(DataError, match="cannot be read"):
        source(server, f"{wrong}?order=id")


TYPES = """
create table readings (
  id int generated always as identity, key varchar(9), value numeric(9, 3), time timestamp, due timestamptz,
  day date, ok bool, number numeric, word uuid, odd double precision)
"""


def test_types(server: Postgres, connect: Connect) -> None:
    with connect() as made:
        made.execute("drop table readings")
        made.execute(TYPES)
        made.execute(
            "insert into readings (key, value, time, due, day, ok, number, word, odd) values "
            "('a', 1.5, '2026-01-01 00:00:01.5', '2026-01-01 01:00+01', '2026-01-02', true, "
            "12345678901234567890, '00000000-0000-0000-0000-00000000000a', 0.1), "
            "('b', null, 'infinity', '-infinity', 'infinity', null, 'nan', null, 'nan')"
        )
    names = "key, value, due, day, ok, number, word, odd"
    plan = parse(f"tick 1 s. input Reading({names}, time). A(X, T) :- Reading(X, .., T). query A(X, T).").plan
    with closing(TableRows(table(server, "readings?order=id"), wanted_of(plan, "Reading"), None)) as found:
        (piece,) = found.poll()
    columns = dict(zip(f"{names}, time".split(", "), piece.chunk.columns, strict=True))
    first = {name: str(column[0].as_py()) for name, column in columns.items()}
    assert first == {
        "key": "a", "value": "1.500", "due": "2026-01-01 00:00:00+00:00", "day": "2026-01-02", "ok": "True",
        "number": "12345678901234567890", "word": "00000000-0000-0000-0000-00000000000a", "odd": "0.1",
        "time": "2026-01-01 00:00:01.500000",
    }  # fmt: skip
    assert [columns[name][1].as_py() for name in ("value", "due", "day", "time")] == [None] * 4


def test_a_mark_of_another_order(server: Postgres, connect: Connect) -> None:
    assert connect
    with pytest.raises(DataError, match="in the order of at"):
        source(server, "readings?order=id", {"order": "at", "read": "2026-01-01", "count": 3})


# ---- static relations ----


def test_static_facts(server: Postgres, connect: Connect, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DB", PASSWORD)
    with connect() as made:
        made.execute("drop table if exists limits")
        made.execute("create table limits (key text, top numeric)")
        made.execute("insert into limits values ('a', 3), ('b', 4.5)")
    plan = parse(
        "static Limit(key, top). input R(key, time). A(X, T) :- R(X, T), Limit(X, 3). query A(X, T)."
    )
    place = table(server, "limits")
    (chunk,) = all_of(place.source(wanted_of(plan.plan, "Limit"), None), [])
    assert [column.to_pylist() for column in chunk.columns][0] == ["a", "b"]
    Path("p.alog").write_text(str(plan.source.text))
    Path("r.csv").write_text("key,time\na,1\nb,1\n")
    address = f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres#limits"
    done = antelog("try", "p.alog", "--input", "R=r.csv", "--static", f"Limit={address}")
    assert [json.loads(line)["answer"] for line in done.stdout.splitlines()] == [{"X": "a", "T": 1}]
