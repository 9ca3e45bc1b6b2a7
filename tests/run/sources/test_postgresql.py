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
from antelog.testing.sources import PROGRAM, Record, SourceChecks, assert_same, records, taken
from tests.cli.trying import antelog
from tests.processes import ROOT, started, until
from tests.servers import Postgres, UnavailableError, postgres

psycopg = pytest.importorskip("psycopg")
PASSWORD = "h=u&n/t;e:r# 2%20+"
READINGS = (
    "id bigserial primary key, key text, value double precision, time bigint, at timestamptz default now()"
)
INSERT = "insert into readings (key, value, time) values (%s, %s, %s)"
Connect = Callable[[], Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    try:
        with postgres(PASSWORD, tls=True) as found:
            found.query("create role reader login password 'reader'; grant pg_read_all_data to reader")
            yield found
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def connect(server: Postgres, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Connect:
    """Connections to the server, which has a new and empty table."""

    def connection() -> Any:
        return psycopg.connect(server.uri, autocommit=True)

    monkeypatch.setenv("DB", PASSWORD)
    monkeypatch.chdir(tmp_path)
    with connection() as made:
        made.execute("drop table if exists readings, changes, answers, antelog_marks")
        made.execute(f"create table readings ({READINGS})")
    return connection


def address(server: Postgres, rest: str) -> str:
    return f"postgresql://antelog:${{DB}}@127.0.0.1:{server.port}/postgres#{rest}"


def table(server: Postgres, rest: str) -> PostgresTable:
    return PostgresTable.read(Url.of(address(server, rest)))


def source(server: Postgres, rest: str, mark: Any = None) -> TableRows:
    return TableRows(table(server, rest), wanted_of(parse(PROGRAM).plan, "Reading"), mark)


def put(connect: Connect, rows: Sequence[Record]) -> None:
    with connect() as made, made.cursor() as cursor:
        cursor.executemany(INSERT, [(each["key"], each["value"], each["time"]) for each in rows])


def add(connection: Any, key: str) -> None:
    connection.execute(INSERT, [key, 1, 1])


def keys(found: FactSource) -> list[str]:
    """The keys of the rows that are there now."""
    return [each for piece in found.poll() for each in piece.chunk.columns[0].to_pylist()]


def stored(connect: Connect, name: str, columns: str, order: str = "1") -> list[Any]:
    with connect() as made:
        return list(made.execute(f"select {columns} from {name} order by {order}").fetchall())


def checks_of(server: Postgres, connect: Connect) -> SourceChecks:
    def odd() -> None:
        with connect() as made:
            made.execute(INSERT, ["key 1", None, 3])

    url = f"{server.uri}#readings?order=id&every=100ms"
    return SourceChecks(url, lambda rows: put(connect, rows), odd, server.stop, server.start)


# ---- addresses ----


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ("localhost", "prefer"),
        ("127.0.0.1:5433,[::1]", "prefer"),
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
    assert (found.order, found.every, found.mode, found.name) == ("id", 60_000_000, "lines", "x")
    assert found.rows == '"s"."readings"'
    assert {**found.settings} == {
        "host": "a,b", "port": "1,5432", "dbname": "plant", "user": "me", "password": "hunter2",
        "sslmode": "verify-full",
    }  # fmt: skip
    assert "hunter2" not in f"{found} {found!r}"
    modes = {"s.answers": "answers", "answers?mode=lines": "lines", "changes?mode=answers": "answers"}
    for rest, mode in modes.items():
        assert PostgresTable.read(Url.of(f"postgresql://a/plant#{rest}")).mode == mode


# ---- new rows ----


def test_rows_come_once(server: Postgres, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.run.sources.postgresql._MOST", 300)
    checks = checks_of(server, connect)
    checks.gives_all_rows()
    for check in (checks.continues_from_marks, checks.sets_odd_records_aside, checks.waits_for_its_server):
        with connect() as made:
            made.execute("truncate readings")
        check()


@pytest.mark.parametrize("order", ["id", "at"])
def test_a_row_that_is_committed_late_is_waited_for(server: Postgres, connect: Connect, order: str) -> None:
    """Also for a reader who may not see what others do."""
    place = Url.of(
        address(server, f"readings?order={order}&every=1ms").replace("antelog:${DB}", "reader:reader")
    )
    wanted = wanted_of(parse(PROGRAM).plan, "Reading")
    with closing(TableRows(PostgresTable.read(place), wanted, None)) as found, connect() as late:
        late.execute("begin")
        add(late, "first")
        with connect() as other:
            add(other, "second")
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
        add(other, "never")
        other.execute("rollback")
        add(other, "second")
        assert keys(found) == ["second"]


def test_waiting_is_bounded_and_told(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1ms&gap=300ms")) as found, connect() as late:
        late.execute("begin")
        add(late, "first")
        with connect() as other:
            for each in ("second", "third"):  # for the third nothing waits again
                add(other, each)
                until(lambda: keys(found))
                assert ["a transaction that is open for more than 0.3 s" in note for note in found.notes] == [
                    True
                ]
        late.execute("commit")
        assert keys(found) == []


def test_a_standby_waits(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1ms&gap=300ms")) as found, connect() as other:
        found._standby = True  # where no transactions are seen
        add(other, "first")
        assert keys(found) == []
        assert until(lambda: keys(found)) == ["first"]
        assert not found.notes


def test_rows_of_one_value_are_read_together(
    server: Postgres, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antelog.run.sources.postgresql._MOST", 3)
    put(connect, [*records(2), *records(2), *records(7)])
    with closing(source(server, "readings?order=time&every=1ms")) as found:
        assert [len(until(lambda: keys(found))) for _ in range(2)] == [9, 2]


def test_a_notice_wakes_it(server: Postgres, connect: Connect) -> None:
    with closing(source(server, "readings?order=id&every=1 hour&channel=new rows")) as found:
        assert keys(found) == []
        with connect() as other:
            add(other, "first")
            assert keys(found) == []
            other.execute('notify "new rows"')
            assert until(lambda: keys(found)) == ["first"]


def test_where_it_begins(server: Postgres, connect: Connect) -> None:
    put(connect, records(3))
    with closing(source(server, "readings?order=id&from=latest&every=1ms")) as found:
        put(connect, records(5)[3:])
        assert_same(taken(found, 2), records(5)[3:])
        mark = found.mark
    with connect() as made:
        made.execute("truncate readings restart identity")
    with closing(source(server, "readings?order=id", mark)) as found:
        assert "has no row any more with id 5" in found.notes[0]
    with pytest.raises(DataError, match="in the order of id"):
        source(server, "readings?order=at", mark)


def test_a_query(server: Postgres, connect: Connect) -> None:
    put(connect, records(5))
    query = "(select id, key, value, time from readings where key like 'key%' and id % 2 = 0)"
    with closing(source(server, f"{query}?order=id")) as found:
        assert_same(taken(found, 2), [records(5)[1], records(5)[3]])
        assert found.mark["read"] == "4"
    with pytest.raises(DataError, match="read-only"):
        source(server, "(select *, setval('readings_id_seq', 9) from readings)?order=id").poll()


TYPES = """
drop table readings; create table readings (
  id int generated always as identity, key varchar(9), value numeric(9, 3), time timestamp, due timestamptz,
  day date, ok bool, number numeric, word uuid, odd double precision);
insert into readings (key, value, time, due, day, ok, number, word, odd) values
  ('a', 1.5, '2026-01-01 00:00:01.5', '2026-01-01 01:00+01', '2026-01-02', true, 12345678901234567890,
   '00000000-0000-0000-0000-00000000000a', 0.1),
  ('b', null, 'infinity', '-infinity', 'infinity', null, 'nan', null, 'nan');
"""


def test_types(server: Postgres, connect: Connect) -> None:
    with connect() as made:
        made.execute(TYPES)
    names = "key, value, due, day, ok, number, word, odd, time"
    rule = "A(X, T) :- Reading(X, B, C, D, E, F, G, H, T). query A(X, T)."
    plan = parse(f"tick 1 s. input Reading({names}). {rule}").plan
    with closing(TableRows(table(server, "readings?order=id"), wanted_of(plan, "Reading"), None)) as found:
        (piece,) = found.poll()
    columns = dict(zip(names.split(", "), piece.chunk.columns, strict=True))
    assert {name: str(column[0].as_py()) for name, column in columns.items()} == {
        "key": "a", "value": "1.500", "due": "2026-01-01 00:00:00+00:00", "day": "2026-01-02", "ok": "True",
        "number": "12345678901234567890", "word": "00000000-0000-0000-0000-00000000000a", "odd": "0.1",
        "time": "2026-01-01 00:00:01.500000",
    }  # fmt: skip
    assert [columns[name][1].as_py() for name in ("value", "due", "day", "time")] == [None] * 4


def test_static_facts(server: Postgres, connect: Connect) -> None:
    with connect() as made:
        made.execute("drop table if exists limits; create table limits (key text, top numeric)")
        made.execute("insert into limits values ('a', 3), ('b', 4.5)")
    text = "static Limit(key, top). input R(key, time). A(X, T) :- R(X, T), Limit(X, 3). query A(X, T)."
    (chunk,) = all_of(table(server, "limits").source(wanted_of(parse(text).plan, "Limit"), None), [])
    assert chunk.columns[0].to_pylist() == ["a", "b"]
    Path("p.alog").write_text(text)
    Path("r.csv").write_text("key,time\na,1\nb,1\n")
    done = antelog("try", "p.alog", "--input", "R=r.csv", "--static", f"Limit={address(server, 'limits')}")
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


def test_lines_are_rows(server: Postgres, connect: Connect) -> None:
    lines = [line(1, "possible", "a\0b \\"), line(3, "confirmed", "a", time="2026-01-01T00:00:00+00:00")]
    with closing(sink(server, "changes")) as output:
        output.write(step(*lines))
        mark = output.mark()
        output.write(step(line(4, "possible", "c")))  # and the state was not saved after it
    with closing(sink(server, "changes", mark)) as output:
        before = stored(connect, "changes", "xmin", "antelog_line")
        server.stop()
        server.start()
        output.write(step(line(4, "possible", "c"), line(5, "confirmed", "c")))
    found = stored(connect, "changes", "tick, change, query, answer, line", "antelog_line")
    changes = [(1, "possible"), (3, "confirmed"), (4, "possible"), (5, "confirmed")]
    assert [each[:3] for each in found] == [(*each, "High") for each in changes]
    assert found[0][3]["X"] == "a\ufffdb \\"
    assert found[1][4] == json.loads(lines[1])
    assert stored(connect, "changes", "xmin", "antelog_line")[:3] == before  # these were not written again
    assert stored(connect, "antelog_marks", "name, lines") == [("changes", 4)]


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
        output.write(step(line(7, "confirmed", "a")))  # and the state was not saved after it
    with closing(sink(server, "answers", mark)) as output:
        output.write(step(line(7, "confirmed", "a")))
    assert stored(connect, "answers", "answer->>'X'") == [("b",)]
    with closing(sink(server, "answers")):  # another run begins with nothing open
        assert stored(connect, "answers", "answer->>'X'") == []


def test_one_run_has_a_name(server: Postgres, connect: Connect) -> None:
    with closing(sink(server, "changes")) as first, closing(sink(server, "changes?name=other")) as other:
        first.write(step(line(1, "possible", "a")))
        mark = {**first.mark(), "lines": 3}
        with pytest.raises(OutputError, match="has 1 lines there, but 3 had been written"):
            sink(server, "changes", mark)
        with closing(sink(server, "changes")):
            with pytest.raises(OutputError, match="another run has begun to write there as `changes`"):
                first.write(step(line(2, "possible", "a")))
            other.write(step(line(2, "possible", "a")))
        with pytest.raises(OutputError, match="another run"):
            sink(server, "changes", mark)
    assert len(stored(connect, "changes", "tick")) == 2


def test_what_cannot_be_written_to(server: Postgres, connect: Connect) -> None:
    with connect() as made:
        made.execute("create table changes (tick int)")
    with closing(sink(server, "changes")) as output, pytest.raises(OutputError, match="does not exist"):
        output.write(step(line(1, "possible", "a")))
    for rest, words in (("nowhere.changes", "cannot be written"), ("(select 1)", "is a query")):
        with pytest.raises(OutputError, match=words):
            sink(server, rest)


def test_answers_that_are_open_already(server: Postgres, connect: Connect) -> None:
    Path("p.alog").write_text(PROGRAM)
    Path("r.csv").write_text("key,value,time\na,60,1\nb,60,3\nc,70,9\n")
    common = ("watch", "p.alog", "--input", "Reading=r.csv", "--state", "s", "--once", "--no-page")
    assert antelog(*common, "--output", "lines.jsonl").exit_code == 0
    refused = antelog(*common, "--output", address(server, "answers"), "--only", "possible")
    assert "rows of open answers would be out of date" in refused.stderr
    assert antelog(*common, "--output", address(server, "answers")).exit_code == 0
    assert stored(connect, "answers", "answer->>'X', tick") == [("b", 8)]  # the last tick that is over


def test_the_page_has_the_tables(server: Postgres, connect: Connect) -> None:
    (sql,) = (ROOT / "docs/sources/postgresql.md").read_text("utf-8").split("```sql\n")[1:2]
    with connect() as made:
        made.execute(sql.partition("```")[0])
    for name in ("changes", "answers"):
        with closing(sink(server, name)) as output:
            output.write(step(line(1, "possible", "a")))
        assert len(stored(connect, name, "tick")) == 1


# ---- what is wrong, and kills ----


def test_what_is_wrong_is_told(server: Postgres, connect: Connect) -> None:
    for rest, words in [
        ("reading?order=id", 'cannot be read: relation "reading" does not exist'),
        ("readings?order=ids", "no column ids .* key, value"),
        ("pg_class?order=oid", "key"),
        ("readings", "order=COLUMN"),
        ("readings?order=id&sslmode=verify-full", "certificate"),
    ]:
        with pytest.raises(DataError, match=words):
            source(server, rest)
    for wrong in ("postgresql://antelog@127.0.0.1:1/x", address(server, "").replace("/postgres#", "/x")):
        url = Url.of(f"{wrong}#readings?order=id")
        with pytest.raises(DataError, match=r'cannot be reached: .*(port 1 |database "x" does not exist)'):
            TableRows(PostgresTable.read(url), wanted_of(parse(PROGRAM).plan, "Reading"), None)
    trusted = f"sslmode=verify-full&sslrootcert={server.folder / 'certificate'}"
    with closing(source(server, f"readings?order=id&{trusted}")) as found:
        assert found.notes == []
        assert stored(connect, "pg_stat_ssl", "count(*) filter (where version like 'TLS%')") > [(0,)]


def test_no_password_is_shown(server: Postgres, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB", "hunter2hunter2")
    place = address(server, "readings?order=id")
    checks_of(server, connect).tells_what_is_wrong(place, 'authentication failed for user "antelog"')
    with pytest.raises(DataError) as error:
        source(server, "readings?order=id")
    assert "hunter2" not in str(error.value)


@pytest.mark.long
def test_a_watcher_outlives_kills(server: Postgres, connect: Connect) -> None:
    checks_of(server, connect).outlives_kills(20)


@pytest.mark.long
@pytest.mark.parametrize("name", ["changes", "answers"])
def test_outputs_outlive_kills(server: Postgres, connect: Connect, tmp_path: Path, name: str) -> None:
    """Rows are those of an unbroken run, however often watcher and server are killed; no file has secrets."""
    chance, rows = random.Random(2), records(21 * 60)
    Path("rules.alog").write_text(PROGRAM)
    Path("rows.jsonl").write_text("".join(f"{json.dumps(dict(each))}\n" for each in rows))
    last = max(each["time"] for each in rows) - 1  # the lag is 1
    tried = antelog("try", "rules.alog", "--input", "Reading=rows.jsonl", "--until", last)
    lines = [json.loads(each) for each in tried.stdout.splitlines()]
    opened: dict[str, Any] = {}
    for each in lines:
        opened[json.dumps(each["answer"])] = each if each["change"] in ("possible", "revised") else None
    expected = lines if name == "changes" else [each for each in opened.values() if each is not None]
    assert len(expected) > 2
    command = [
        *(sys.executable, "-m", "antelog", "watch", "rules.alog", "--state", "state", "--no-page"),
        *("--input", f"Reading={address(server, 'readings?order=id&every=50ms')}", "--clock", "event"),
        *("--output", address(server, name)),
    ]

    def done() -> bool:
        order = "antelog_line" if name == "changes" else "tick"
        sides = [[each for (each,) in stored(connect, name, "line", order)], expected]
        texts = [[json.dumps(each, sort_keys=True) for each in side] for side in sides]
        assert len(texts[0]) == len({*texts[0]})
        return texts[0] == texts[1] if name == "changes" else sorted(texts[0]) == sorted(texts[1])

    def written() -> int:
        if ("antelog_marks",) not in stored(connect, "pg_tables", "tablename"):
            return 0
        return sum(each for (each,) in stored(connect, "antelog_marks", "lines"))

    for number in range(21):
        with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
            before = written()
            put(connect, rows[60 * number : 60 * number + 30])
            if number % 4:  # the others are killed while they begin
                until(lambda before=before: written() > before, process)  # type: ignore[misc]  # bound here
            put(connect, rows[60 * number + 30 : 60 * (number + 1)])
            if number == 20:
                until(lambda before=before: written() > before and done(), process)  # type: ignore[misc]
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
    assert [each for each in files if PASSWORD.encode() in each.read_bytes()] == []
    assert len(files) > 2
