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


def test_rows_come_once(server: Postgres, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.run.sources.postgresql._MOST", 300)
    checks_of(server, connect).gives_all_rows()


def test_marks_and_odd_rows(server: Postgres, connect: Connect) -> None:
    checks = checks_of(server, connect)
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
            assert keys(found) == []
            assert found.behind
        late.execute("commit")
        assert until(lambda: keys(found)) == ["first", "second"]
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
        until(lambda: len(keys(found)) == 6)  # and not only three


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
    rule = "A(X, T) :- Reading(X, B, C, D, E, F, G, H, T). query A(X, T)."
    plan = parse(f"tick 1 s. input Reading({names}, time). {rule}").plan
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


@pytest.mark.usefixtures("connect")
def test_a_mark_of_another_order(server: Postgres) -> None:
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
    assert chunk.columns[0].to_pylist() == ["a", "b"]
    Path("p.alog").write_text(str(plan.source.text))
    Path("r.csv").write_text("key,time\na,1\nb,1\n")
    address = f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres#limits"
    done = antelog("try", "p.alog", "--input", "R=r.csv", "--static", f"Limit={address}")
    assert [json.loads(line)["answer"] for line in done.stdout.splitlines()] == [{"X": "a", "T": 1}]


# ---- outputs ----


def sink(server: Postgres, rest: str, mark: Any = None) -> TableSink:
    return TableSink(table(server, rest), mark, lambda step: "".join(f"{each}\n" for each in step.tables))


def step(*lines: str) -> StepResult:
    """A step with some lines, which the outputs here write as they are."""
    return StepResult(0, dict.fromkeys(lines))


def line(tick: int, change: str, device: str, **more: Any) -> str:
    about = {"tick": tick, "change": change, "query": "High", "answer": {"X": device, "T": 1}, **more}
    return json.dumps(about)


def stored(connect: Connect, name: str, columns: str, order: str) -> list[Any]:
    with connect() as made:
        return list(made.execute(f"select {columns} from {name} order by {order}").fetchall())


def test_lines_are_rows(server: Postgres, connect: Connect) -> None:
    lines = [line(1, "possible", "a\0b \\"), line(3, "confirmed", "a", time="2026-01-01T00:00:00+00:00")]
    with closing(sink(server, "changes")) as output:
        output.write(step(*lines))
        mark = output.mark()
        output.write(step(line(4, "possible", "c")))  # and the state was not saved after it
    assert mark["lines"] == 2
    with closing(sink(server, "changes", mark)) as output:
        before = stored(connect, "changes", "xmin", "antelog_line")
        output.write(step(line(4, "possible", "c"), line(5, "confirmed", "c")))
    found = stored(connect, "changes", "tick, change, query, answer, line", "antelog_line")
    assert [each[:3] for each in found] == [
        (1, "possible", "High"), (3, "confirmed", "High"), (4, "possible", "High"), (5, "confirmed", "High"),
    ]  # fmt: skip
    assert found[0][3]["X"] == "a\ufffdb \\"
    assert found[1][4] == json.loads(lines[1])
    assert stored(connect, "changes", "xmin", "antelog_line")[:3] == before  # these were not written again
    assert stored(connect, "antelog_marks", "name, lines", "name") == [("changes", 5 - 1)]


def test_open_answers_are_rows(server: Postgres, connect: Connect) -> None:
    silent = {"change": "confirmed", "tick": 9}
    with closing(sink(server, "answers")) as output:
        output.write(step(line(1, "possible", "a", decided_by=9, if_silent=silent), line(1, "possible", "b")))
        output.write(step(line(2, "revised", "a", decided_by=7, if_silent=None), line(3, "rejected", "b")))
        output.write(step(line(4, "possible", "c"), line(5, "confirmed", "c"), line(6, "possible", "b")))
        columns = "answer->>'X', tick, since, decided_by, if_silent"
        expected = [("a", 2, 1, 7, None), ("b", 6, 6, None, None)]
        assert stored(connect, "answers", columns, "answer") == expected
        mark = output.mark()
        output.write(step(line(7, "confirmed", "a"), line(7, "possible", "a")))
    with closing(sink(server, "answers", mark)) as output:
        output.write(step(line(7, "confirmed", "a")))
    assert stored(connect, "answers", "answer->>'X'", "answer") == [("b",)]
    with closing(sink(server, "answers")):  # another run begins with nothing open
        assert stored(connect, "answers", "answer->>'X'", "answer") == []


def test_one_run_has_a_name(server: Postgres, connect: Connect) -> None:
    with closing(sink(server, "changes")) as first, closing(sink(server, "changes?name=other")) as other:
        first.write(step(line(1, "possible", "a")))
        other.write(step(line(1, "possible", "a")))
        mark = {**first.mark(), "lines": 3}
        with pytest.raises(OutputError, match="has 1 lines there, but 3 had been written"):
            sink(server, "changes", mark)
        with closing(sink(server, "changes")):
            with pytest.raises(OutputError, match="another run has begun to write there as `changes`"):
                first.write(step(line(2, "possible", "a")))
            other.write(step(line(2, "possible", "a")))
        with pytest.raises(OutputError, match="another run"):
            sink(server, "changes", mark)
    assert len(stored(connect, "changes", "tick", "tick")) == 3


def test_an_output_outlives_its_server(server: Postgres, connect: Connect) -> None:
    with closing(sink(server, "changes")) as output:
        output.write(step(line(1, "possible", "a")))
        server.stop()
        server.start()
        output.write(step(line(2, "confirmed", "a")))
    assert stored(connect, "changes", "tick", "tick") == [(1,), (2,)]


def test_what_cannot_be_written_to(server: Postgres, connect: Connect) -> None:
    with connect() as made:
        made.execute("create table changes (tick int)")
    with closing(sink(server, "changes")) as output, pytest.raises(OutputError, match="does not exist"):
        output.write(step(line(1, "possible", "a")))
    with pytest.raises(OutputError, match="cannot be written"):
        sink(server, "nowhere.changes")
    with pytest.raises(OutputError, match="is a query"):
        sink(server, "(select 1)")


def test_answers_that_are_open_already(
    server: Postgres, connect: Connect, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DB", PASSWORD)
    Path("p.alog").write_text(PROGRAM)
    Path("r.csv").write_text("key,value,time\na,60,1\nb,60,3\nc,70,9\n")
    common = ("watch", "p.alog", "--input", "Reading=r.csv", "--state", "s", "--once", "--no-page")
    assert antelog(*common, "--output", "lines.jsonl").exit_code == 0
    address = f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres#answers"
    refused = antelog(*common, "--output", address, "--only", "possible")
    assert "rows of open answers would be out of date" in refused.stderr
    assert antelog(*common, "--output", address).exit_code == 0
    assert stored(connect, "answers", "answer->>'X', tick", "1") == [("b", 8)]  # the last tick that is over


# ---- what is wrong, and kills ----


def test_what_is_wrong_is_told(server: Postgres, connect: Connect, monkeypatch: Any) -> None:
    monkeypatch.setenv("DB", PASSWORD)
    there = f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres"
    for address, words in [
        ("postgresql://antelog@127.0.0.1:1/postgres#readings?order=id", "cannot be reached: .*port 1"),
        (f"{there}x#readings?order=id", 'database "postgresx" does not exist'),
        (f"{there}#reading?order=id", 'cannot be read: relation "reading" does not exist'),
        (f"{there}#readings?order=ids", "no column ids .* key, value"),
        (f"{there}#pg_class?order=oid", "key"),
        (f"{there}#readings", "order=COLUMN"),
        (f"{there}#readings?order=id&sslmode=verify-full", "certificate"),
    ]:
        with pytest.raises(DataError, match=words):
            TableRows(PostgresTable.read(Url.of(address)), wanted_of(parse(PROGRAM).plan, "Reading"), None)
    url = f"{there}#readings?order=id&sslmode=verify-full&sslrootcert={server.folder / 'certificate'}"
    with closing(TableRows(PostgresTable.read(Url.of(url)), wanted_of(parse(PROGRAM).plan, "Reading"), None)):
        ((encrypted,),) = stored(
            connect, "pg_stat_ssl join pg_stat_activity using (pid)", "bool_or(ssl)", "1"
        )
        assert encrypted


def test_no_password_is_shown(server: Postgres, connect: Connect, monkeypatch: Any) -> None:
    """The checks see one line, without a traceback; the password is in the address and in the variable."""
    monkeypatch.setenv("WRONG", "hunter2hunter2")
    address = f"postgresql://antelog:${{WRONG}}@127.0.0.1:{server.port}/postgres#readings?order=id"
    checks_of(server, connect).tells_what_is_wrong(
        address, 'password authentication failed for user "antelog"'
    )
    with pytest.raises(DataError) as error:
        TableRows(PostgresTable.read(Url.of(address)), wanted_of(parse(PROGRAM).plan, "Reading"), None)
    assert "hunter2" not in str(error.value)


@pytest.mark.long
def test_a_watcher_outlives_kills(server: Postgres, connect: Connect) -> None:
    checks_of(server, connect).outlives_kills(20)


@pytest.mark.long
@pytest.mark.parametrize("name", ["changes", "answers"])
def test_outputs_outlive_kills(
    server: Postgres, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Rows are those of an unbroken run, however often watcher and server are killed; no file has secrets."""
    monkeypatch.setenv("DB", PASSWORD)
    address = f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres"
    chance, rows, put = random.Random(2), records(21 * 60), putting(connect)
    (tmp_path / "rules.alog").write_text(PROGRAM)
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(dict(each))}\n" for each in rows))
    trying = [sys.executable, "-m", "antelog", "try", "rules.alog", "--input", "Reading=rows.jsonl"]
    last = max(each["time"] for each in rows) - 1  # the lag is 1
    tried = subprocess.run([*trying, "--until", str(last)], cwd=tmp_path, capture_output=True, check=True)
    lines = [json.loads(each) for each in tried.stdout.splitlines()]
    opened = {json.dumps(each["answer"]): each for each in lines if each["change"] in ("possible", "revised")}
    for each in lines:
        if each["change"] in ("confirmed", "rejected"):
            opened.pop(json.dumps(each["answer"]))
    expected = lines if name == "changes" else list(opened.values())
    assert len(expected) > 2
    command = [
        *(sys.executable, "-m", "antelog", "watch", "rules.alog", "--state", "state", "--no-page"),
        *("--input", f"Reading={address}#readings?order=id&every=50ms", "--clock", "event"),
        *("--output", f"{address}#{name}"),
    ]

    def done() -> bool:
        if (name,) not in stored(connect, "pg_tables", "tablename", "1"):
            return False
        order = "antelog_line" if name == "changes" else "tick"
        sides = [[each for (each,) in stored(connect, name, "line", order)], expected]
        texts = [[json.dumps(each, sort_keys=True) for each in side] for side in sides]
        assert len(texts[0]) == len({*texts[0]})
        return texts[0] == texts[1] if name == "changes" else sorted(texts[0]) == sorted(texts[1])

    def written() -> int:
        if ("antelog_marks",) not in stored(connect, "pg_tables", "tablename", "1"):
            return 0
        return max((each for (each,) in stored(connect, "antelog_marks", "lines", "1")), default=0)

    for number in range(21):
        with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
            before = written()
            put(rows[60 * number : 60 * number + 30])
            if number % 4:  # the others are killed while they begin
                until(lambda before=before: written() > before, process)  # type: ignore[misc]  # bound here
            put(rows[60 * number + 30 : 60 * (number + 1)])
            if number == 20:
                until(done, process)
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == 0
                continue
            time.sleep(chance.uniform(0.0, 0.3))  # noqa: TID251 - a kill at any moment
            if number % 4 and chance.random() < 0.5:
                server.stop()
                server.start()
                time.sleep(chance.uniform(0.0, 2.0))  # noqa: TID251 - sometimes it is reached again
            assert process.poll() is None
    assert done()
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert files
    assert [each for each in files if PASSWORD.encode() in each.read_bytes()] == []
