"""antelog/files/remote.py, antelog/run/sources/recorded.py: object stores, in memory and on a real server."""

from __future__ import annotations

import io
import itertools
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from antelog.errors import DataError, UnsupportedError
from antelog.files import Form, remote
from antelog.files.reading import chunks_of
from antelog.files.remote import RemotePath
from antelog.run.address import Files, address_of
from antelog.run.sources import recorded
from antelog.run.sources.opening import FOLLOWED, source_of
from antelog.run.sources.source import FactSource, Mark
from antelog.run.values import SettingError
from antelog.spark.endpoints.endpoints import SOURCES
from antelog.testing.sources import PROGRAM, Record, SourceChecks, records
from tests.run.sources.taking import HEADER, WANTED, devices, taken
from tests.servers import UnavailableError
from tests.servers.s3proxy import BUCKET, PASSWORD, S3Proxy, s3proxy

registry = pytest.importorskip("fsspec.registry")
pytest.importorskip("s3fs")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402 - behind the question whether it is there

RULES = "input Temp(device, value, time).\nA(X, T) :- Temp(X, V, T).\nquery A(X, T).\n"


class Kept(MemoryFileSystem):
    """The files of a store in memory; of those that are `closed` one is told that nobody may read them."""

    protocol = "s3"
    closed: ClassVar[set[str]] = set()
    listings = 0

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        stripped: str = super()._strip_protocol(path.replace("s3://", "memory://"))
        return stripped

    def ls(self, path: str, **how: Any) -> Any:
        type(self).listings += 1
        return super().ls(path, **how)

    def _open(self, path: str, *given: Any, **how: Any) -> Any:
        if path.rpartition("/")[2] in self.closed:
            raise PermissionError("Forbidden")
        return super()._open(path, *given, **how)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    monkeypatch.setitem(registry._registry, "s3", Kept)
    monkeypatch.setattr(recorded, "_LISTING", 0.0)
    monkeypatch.setattr(recorded, "_SHARE", 0)
    Kept.store, Kept.pseudo_dirs, Kept.closed, Kept.listings = {}, [""], set(), 0
    _forget()
    kept = Kept()
    kept.mkdir("plant")
    yield kept
    _forget()


def _forget() -> None:
    remote._file_system.cache_clear()
    remote._answered.clear()


def _put(store: Kept, name: str, *names: str) -> None:
    store.pipe_file(f"/plant/{name}", (HEADER + "".join(f"{each},1,7,7\n" for each in names)).encode())


def _source(text: str, mark: Mark | None = None, *, complete: bool = False) -> FactSource:
    place = FOLLOWED.read(text)
    assert isinstance(place, Files)
    return source_of(place, WANTED, mark, complete=complete)


def _all(text: str) -> list[str]:
    source, found = _source(text, complete=True), list[str]()
    while not source.ended:
        found += devices(source)
    return found


def test_an_address_names_a_file_a_folder_or_a_pattern() -> None:
    found = address_of("s3://plant/a/?endpoint=http://h:9&order=time")
    assert found == Files("s3://plant/a", None, options=(("endpoint", "http://h:9"), ("order", "time")))
    for text, folder, name in [
        ("s3://plant/a/b.csv", "s3://plant/a", "b.csv"),
        ("gs://plant/b.csv.gz", "gs://plant", "b.csv.gz"),
        ("s3://plant/", "s3://plant", ""),
        ("s3a://plant/a/b/", "s3a://plant/a/b", ""),
        ("s3://plant/a-*/b/c?.csv", "s3://plant", "a-*/b/c?.csv"),
        ("s3://plant/a/b-*/", "s3://plant/a", "b-*/*"),
        ("abfs://plant@a.dfs.core.windows.net/b.csv", "abfs://plant@a.dfs.core.windows.net", "b.csv"),
    ]:
        found = address_of(text)
        assert isinstance(found, Files)
        assert not found.grows
        assert found.place == RemotePath(folder, name)
        assert str(found) == text.rstrip("/")


def test_what_an_address_cannot_be() -> None:
    wrong: list[tuple[Callable[[str], object], str, str]] = [
        (address_of, "s3://plant/a.csv?ordr=time", "has the unknown option ordr. Did you mean order?"),
        (address_of, "s3://plant/a.csv?order=size", "has order=size. Write"),
        (address_of, "s3://plant/a.csv?endpoint=h:9", "has endpoint=h:9. Write ?endpoint=https://"),
        (FOLLOWED.read, "hdfs://head/a.csv", "`antelog watch` does not read hdfs://. Read it on Spark"),
        (SOURCES.read, "s3://plant/a.csv?order=time", "has options, which `antelog run` leaves to Spark"),
        (SOURCES.read, "s3://plant/a/", "does not say the form of its files"),
    ]
    for read, text, reason in wrong:
        with pytest.raises(SettingError) as error:
            read(text)
        assert reason in str(error.value)
    assert SOURCES.read("s3://plant/a.csv") == Files("s3://plant/a.csv", Form.CSV)


def test_each_file_of_a_folder_is_read_once_by_name(store: Kept) -> None:
    source = _source("s3://plant/in/")
    assert devices(source) == []
    assert source.notes == ["s3://plant/in is not there yet; it is read once it is"]
    _put(store, "in/b.csv", "b")
    _put(store, "in/a.csv", "a")
    _put(store, "in/.c.csv", "hidden")
    _put(store, "in/deep/d.csv", "deep")
    store.pipe_file("/plant/in/notes.txt", b"")
    assert [devices(source) for _ in range(3)] == [["a"], ["b"], []]
    _put(store, "in/aa.csv", "late")
    assert devices(source) == ["late"]
    assert source.extent.read == source.extent.there > 0
    again = _source("s3://plant/in/", json.loads(json.dumps(source.mark)))
    _put(store, "in/e.csv", "e")
    assert [devices(again) for _ in range(2)] == [["e"], []]


def test_a_store_is_listed_again_after_some_seconds(store: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "_LISTING", 1000.0)
    for name in "abc":
        _put(store, f"in/{name}.csv", name)
    source = _source("s3://plant/in/")
    assert [devices(source) for _ in range(5)] == [["a"], ["b"], ["c"], [], []]
    assert store.listings == 1


def test_patterns_single_files_and_the_order_of_times(store: Kept) -> None:
    for name in ("d2/r1.csv", "d1/r2.csv", "d1/r1.csv", "d1/s1.csv"):
        _put(store, name, name)
    assert _all("s3://plant/d*/r?.csv") == ["d1/r1.csv", "d1/r2.csv", "d2/r1.csv"]
    assert _all("s3://plant/d?/") == ["d1/r1.csv", "d1/r2.csv", "d1/s1.csv", "d2/r1.csv"]
    assert _all("s3://plant/d*/r*.csv?order=time") == ["d2/r1.csv", "d1/r2.csv", "d1/r1.csv"]
    assert _all("s3://plant/d1/s1.csv") == ["d1/s1.csv"]
    source = _source("s3://plant/d*/q*.csv")
    assert devices(source) == []
    _put(store, "d3/q.csv", "q")
    assert devices(source) == ["q"]
    assert not source.ended
    single = _source("s3://plant/later.csv")
    assert devices(single) == []
    _put(store, "later.csv", "later")
    assert devices(single) == ["later"]
    assert single.ended


def test_a_file_that_cannot_be_read_is_set_aside(store: Kept) -> None:
    for name in ("a.csv", "c.csv", "e.csv"):
        _put(store, f"in/{name}", name)
    store.pipe_file("/plant/in/b.parquet", b"no")
    store.pipe_file("/plant/in/d.csv.gz", b"no")
    store.closed.add("c.csv")
    source = _source("s3://plant/in/")
    found = [taken(source.poll()) for _ in range(5)]
    assert [device for rows, _ in found for device, _ in rows] == ["a.csv", "e.csv"]
    said = [each for _, wrong in found for each in wrong]
    for reason, each in zip(("as Parquet", "Forbidden", "unpacked"), said, strict=True):
        assert "the file cannot be used: cannot be " in each
        assert reason in each


def test_a_replay_tells_what_is_missing(store: Kept) -> None:
    assert store.exists("/plant")
    for text, reason in [
        ("s3://plant/in/", "s3://plant/in: there is no such file"),
        ("s3://plant/in/*.csv", "there is no such file"),
        ("s3://plant/a.csv", "s3://plant/a.csv: cannot be read: there is no such file"),
        ("s3://plan/in/", "s3://plan/in: cannot be reached: there is no bucket plan"),
        ("s3://plan/a.csv", "s3://plan/a.csv: cannot be read: there is no bucket plan"),
    ]:
        with pytest.raises(DataError) as error:
            _all(text)
        assert reason in str(error.value)
    with pytest.raises(DataError, match="there is no bucket plan"):
        _source("s3://plan/in/")


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UnsupportedError, match=r"needs gcsfs, which is not installed: pip install .*\[gs\]"):
        _source("gs://plant/s/")


def test_of_parquet_only_the_columns_that_are_used_are_fetched(
    store: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, out, fetched = 100_000, io.BytesIO(), list[int]()
    table = pa.table({"device": ["a"] * rows, "value": [1] * rows, "time": range(rows)})
    unused = pa.array([f"{number * 7919 % rows}" * 9 for number in range(rows)])
    pq.write_table(table.append_column("unused", unused), out, row_group_size=rows // 4)
    store.pipe_file("/plant/a.parquet", out.getvalue())
    file = type(store.store["/plant/a.parquet"])

    def read(data: io.BytesIO, size: int = -1) -> bytes:
        fetched.append(size)
        return io.BytesIO.read(data, size)

    monkeypatch.setattr(file, "read", read, raising=False)
    found = chunks_of(RemotePath("s3://plant", "a.parquet"), WANTED, [])
    assert sum(len(chunk.columns[0]) for chunk in found) == rows
    assert min(fetched) > 0
    assert len(fetched) >= 4
    assert sum(fetched) < len(out.getvalue()) / 2


def test_functions_read_them(store: Kept) -> None:
    _put(store, "in/a.csv", "a")
    lines = antelog.replay(antelog.parse(RULES), {"Temp": "s3://plant/in/*.csv"}).lines()
    assert [json.loads(each)["answer"] for each in lines] == [{"X": "a", "T": 7}]


# ---- a real server ----


@pytest.fixture(scope="module")
def server() -> Iterator[S3Proxy]:
    try:
        with s3proxy() as found:
            yield found
    except UnavailableError as error:
        pytest.skip(f"no server that speaks S3 can be had: {error}")


@pytest.fixture
def checks(server: S3Proxy, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> SourceChecks:
    _forget()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    folder, numbers = f"{request.node.name[:20]}", itertools.count()

    def put(rows: Sequence[Record]) -> None:
        server.put(f"{folder}/{next(numbers):06}.jsonl", "".join(f"{json.dumps(each)}\n" for each in rows))

    def odd() -> None:
        server.put(f"{folder}/{next(numbers):06}.csv.gz", b"no")

    return SourceChecks(f"s3://{BUCKET}/{folder}/", put, odd, server.stop, server.start)


def test_rows_come_once_from_a_server(checks: SourceChecks) -> None:
    checks.gives_all_rows()


def test_odd_files_on_a_server(checks: SourceChecks) -> None:
    checks.sets_odd_records_aside()


def test_marks_on_a_server(checks: SourceChecks) -> None:
    checks.continues_from_marks()


def test_a_server_that_is_away(checks: SourceChecks) -> None:
    checks.waits_for_its_server()


@pytest.mark.long
def test_kills_of_watcher_and_server(checks: SourceChecks) -> None:
    checks.outlives_kills(20)


@pytest.mark.long
def test_wrong_addresses_are_told_at_once(checks: SourceChecks, monkeypatch: pytest.MonkeyPatch) -> None:
    checks.put([{"key": "a", "value": 1, "time": 1}])
    checks.tells_what_is_wrong("s3://nothing/in/", "there is no bucket nothing")
    checks.tells_what_is_wrong(f"{checks.address}?endpoint=http://127.0.0.1:9", "Could not connect")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and never answers
        port = silent.getsockname()[1]
        checks.tells_what_is_wrong(f"{checks.address}?endpoint=http://127.0.0.1:{port}", "does not answer")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-of-the-store")
    checks.tells_what_is_wrong(checks.address, "access is denied: Forbidden")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    checks.tells_what_is_wrong(checks.address, "credentials")


def test_commands_read_what_is_there(checks: SourceChecks, tmp_path: Path) -> None:
    rows = records(200)
    checks.put(rows)
    (tmp_path / "here.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    (tmp_path / "r.alog").write_text(PROGRAM, encoding="utf-8")
    there, here = (_tried(tmp_path, each) for each in (checks.address, "here.jsonl"))
    assert there.stdout == here.stdout != ""
    assert PASSWORD not in there.stderr


def _tried(folder: Path, place: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "antelog", "try", "r.alog", "--input", f"Reading={place}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
