"""antelog/files/remote.py, antelog/run/sources/recorded.py: object stores, in memory and on a real server."""

from __future__ import annotations

import io
import itertools
import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import _registry

import antelog
from antelog.errors import DataError, UnsupportedError
from antelog.files import remote
from antelog.files.reading import chunks_of
from antelog.files.remote import RemotePath
from antelog.run.address import Files, address_of
from antelog.run.sources import recorded
from antelog.run.sources.opening import FOLLOWED, source_of
from antelog.run.sources.source import FactSource, Mark
from antelog.testing.sources import PROGRAM, Record, SourceChecks, records
from tests.run.sources.taking import HEADER, WANTED, devices, taken
from tests.run.sources.taking import PROGRAM as TEMPERATURES
from tests.servers import UnavailableError
from tests.servers.s3proxy import BUCKET, PASSWORD, S3Proxy, s3proxy
from tests.tables import cases


class Kept(MemoryFileSystem):
    """The files of a store in memory, some of which nobody may read."""

    protocol = "s3"
    closed: ClassVar[set[str]] = set()
    listings = 0

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("s3://", "memory://")))

    def ls(self, path: str, **how: Any) -> Any:
        type(self).listings += 1
        return super().ls(path, **how)

    def _open(self, path: str, *given: Any, **how: Any) -> Any:
        if path.rpartition("/")[2] in self.closed:
            raise PermissionError("Forbidden")
        return super()._open(path, *given, **how)

    def put_rows(self, name: str) -> None:
        """Writes a file, whose row has its name."""
        self.pipe_file(f"/plant/{name}", f"{HEADER}{name},1,7,7\n".encode())


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    monkeypatch.setitem(_registry, "s3", Kept)
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


def _source(text: str, mark: Mark | None = None, *, complete: bool = False) -> FactSource:
    return source_of(FOLLOWED.read(text), WANTED, mark, complete=complete)


def _all(text: str) -> list[str]:
    source, found = _source(text, complete=True), list[str]()
    while not source.ended:
        found += devices(source)
    return found


@cases(__file__, "places")
def test_an_address_names_a_file_a_folder_or_a_pattern(text: str, folder: str, name: str) -> None:
    found = address_of(text)
    assert isinstance(found, Files)
    assert found.file_path == RemotePath(folder, name)
    assert str(found) == text.rstrip("/")


def test_each_file_of_a_folder_is_read_once_by_name(store: Kept) -> None:
    source = _source("s3://plant/in/")
    assert devices(source) == []
    assert source.notes == ["s3://plant/in is not there yet; it is read once it is"]
    for name in ("in/b.csv", "in/a.csv", "in/.hidden.csv", "in/deep/d.csv", "in/notes.txt"):
        store.put_rows(name)
    assert [devices(source) for _ in range(3)] == [["in/a.csv"], ["in/b.csv"], []]
    store.put_rows("in/aa.csv")
    assert devices(source) == ["in/aa.csv"]
    assert source.extent.read == source.extent.there > 0
    again = _source("s3://plant/in/", json.loads(json.dumps(source.mark)))
    store.put_rows("in/e.csv")
    assert [devices(again) for _ in range(2)] == [["in/e.csv"], []]


def test_a_store_is_listed_again_after_some_seconds(store: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "_LISTING", 1000.0)
    for name in "abc":
        store.put_rows(f"{name}.csv")
    source = _source("s3://plant/")
    assert [devices(source) for _ in range(5)] == [["a.csv"], ["b.csv"], ["c.csv"], [], []]
    assert store.listings == 1


@cases(__file__, "patterns")
def test_patterns_single_files_and_the_order_of_times(store: Kept, text: str, names: list[str]) -> None:
    for name in ("d2/r1.csv", "d1/r2.csv", "d1/r1.csv", "d1/s1.csv"):
        store.put_rows(name)
    assert _all(text) == names


@cases(__file__, "later")
def test_what_comes_later_is_read_then(store: Kept, text: str, name: str, ends: bool) -> None:
    source = _source(text)
    assert devices(source) == []
    store.put_rows(name)
    assert devices(source) == [name]
    assert source.ended is ends


def test_a_list_of_incidents(store: Kept) -> None:
    store.pipe(
        {"/plant/f.csv": f"{HEADER}a,1,1,1\na,1,8,8\n".encode(), "/plant/i.csv": b"device,time\na,8\n"}
    )
    found = antelog.backtest(TEMPERATURES, {"Temp": "s3://plant/f.csv"}, "s3://plant/i.csv", lead="1..5")
    assert found.incidents.num_rows == 1


def test_a_file_that_cannot_be_read_is_set_aside(store: Kept) -> None:
    for name in ("a.csv", "c.csv", "e.csv"):
        store.put_rows(name)
    store.pipe({"/plant/b.parquet": b"no", "/plant/d.csv.gz": b"no"})
    store.closed.add("c.csv")
    source = _source("s3://plant/")
    found = [taken(source.poll()) for _ in range(5)]
    assert [device for rows, _ in found for device, _ in rows] == ["a.csv", "e.csv"]
    said = [each for _, wrong in found for each in wrong]
    for reason, each in zip(("as Parquet", "access is denied: Forbidden", "unpacked"), said, strict=True):
        assert "the file cannot be used: cannot be " in each
        assert reason in each


@cases(__file__, "missing")
@pytest.mark.usefixtures("store")
def test_a_replay_tells_what_is_missing(text: str, reason: str) -> None:
    with pytest.raises(DataError) as error:
        _all(text)
    assert reason in str(error.value)


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UnsupportedError, match=r"needs gcsfs, which is not installed: pip install .*\[gs\]"):
        _source("gs://plant/s/")


def test_of_parquet_only_what_is_used_is_fetched(store: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, out, fetched = 100_000, io.BytesIO(), list[int]()
    unused = [f"{number * 7919 % rows}" * 9 for number in range(rows)]
    table = pa.table({"device": ["a"] * rows, "value": [1] * rows, "time": range(rows), "unused": unused})
    pq.write_table(table, out, row_group_size=rows // 4)
    store.pipe_file("/plant/a.parquet", out.getvalue())

    def read(data: io.BytesIO, size: int = -1) -> bytes:
        fetched.append(size)
        return io.BytesIO.read(data, size)

    monkeypatch.setattr(type(store.store["/plant/a.parquet"]), "read", read, raising=False)
    found = chunks_of(RemotePath("s3://plant", "a.parquet"), WANTED, [])
    assert sum(len(chunk.columns[0]) for chunk in found) == rows
    assert min(fetched) > 0
    assert sum(fetched) < len(out.getvalue()) / 2


def test_functions_read_them(store: Kept) -> None:
    store.put_rows("a.csv")
    lines = antelog.replay(TEMPERATURES, {"Temp": "s3://plant/*.csv"}).lines()
    assert [json.loads(each)["answer"] for each in lines] == [{"X": "a.csv", "T": 7}]


# ---- a real server ----

_FOLDERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[S3Proxy]:
    try:
        with s3proxy() as found:
            yield found
    except UnavailableError as error:
        pytest.skip(f"no server that speaks S3 can be had: {error}")


@pytest.fixture
def checks(server: S3Proxy, monkeypatch: pytest.MonkeyPatch) -> SourceChecks:
    _forget()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    folder, numbers = f"in-{next(_FOLDERS)}", itertools.count()

    def put(rows: Sequence[Record]) -> None:
        server.put(f"{folder}/{next(numbers):06}.jsonl", _lines(rows))

    def odd() -> None:
        server.put(f"{folder}/{next(numbers):06}.csv.gz", b"no")

    return SourceChecks(f"s3://{BUCKET}/{folder}/", put, odd, server.stop, server.start)


def _lines(rows: Sequence[Record]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in rows)


@pytest.mark.parametrize("check", [SourceChecks.gives_all_rows, SourceChecks.continues_from_marks])
def test_rows_come_once_from_a_server(checks: SourceChecks, check: Any) -> None:
    check(checks)


@pytest.mark.parametrize("check", [SourceChecks.sets_odd_records_aside, SourceChecks.waits_for_its_server])
def test_odd_files_and_a_server_that_is_away(checks: SourceChecks, check: Any) -> None:
    check(checks)


@pytest.mark.long
def test_kills_of_watcher_and_server(checks: SourceChecks) -> None:
    checks.outlives_kills(20)


@pytest.mark.long
def test_wrong_addresses_are_told_at_once(checks: SourceChecks, monkeypatch: pytest.MonkeyPatch) -> None:
    checks.put(records(1))
    checks.tells_what_is_wrong("s3://nothing/in/", "there is no bucket nothing")
    checks.tells_what_is_wrong(f"{checks.address}?endpoint=http://127.0.0.1:9", "Could not connect")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and never answers
        place = f"{checks.address}?endpoint=http://127.0.0.1:{silent.getsockname()[1]}"
        checks.tells_what_is_wrong(place, "it does not answer")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-of-the-store")
    checks.tells_what_is_wrong(checks.address, "access is denied: Forbidden")


def test_commands_read_what_is_there(checks: SourceChecks, tmp_path: Path) -> None:
    checks.put(records(200))
    (tmp_path / "here.jsonl").write_text(_lines(records(200)), encoding="utf-8")
    (tmp_path / "r.alog").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "antelog", "try", "r.alog", "--input"]
    there, here = (
        subprocess.run(
            [*command, f"Reading={each}"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        for each in (checks.address, "here.jsonl")
    )
    assert there.stdout == here.stdout != ""
    assert PASSWORD not in there.stderr
