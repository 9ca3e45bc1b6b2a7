"""antelog/run/sources/{recorded,opening}.py: folders, files that cannot grow, and standard input."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog.errors import DataError
from antelog.run.sources.opening import StandardInput
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import Mark
from tests.run.sources.taking import HEADER, WANTED, devices, taken


def _write(path: Path, *names: str) -> None:
    path.write_text(HEADER + "".join(f"{name},1,7,7\n" for name in names), encoding="utf-8")


def test_each_file_of_a_folder_is_read_once_by_name(tmp_path: Path) -> None:
    _write(tmp_path / "b.csv", "b")
    pq.write_table(pa.table({"device": ["p"], "value": [1], "time": [7]}), tmp_path / "a.parquet")
    (tmp_path / "c.jsonl").write_text('{"device": "j", "value": 1, "time": 7}\n', encoding="utf-8")
    (tmp_path / "notes.txt").touch()
    _write(tmp_path / ".d.csv", "hidden")
    source = RecordedFiles(tmp_path, WANTED)
    assert [devices(source) for _ in range(4)] == [["p"], ["b"], ["j"], []]
    assert not source.behind
    _write(tmp_path / "aa.csv", "late")
    assert devices(source) == ["late"]
    assert devices(source) == []
    assert not source.ended


def test_a_reader_goes_on_within_a_file(tmp_path: Path) -> None:
    names = [f"wt{i}" for i in range(900_000)]
    _write(tmp_path / "a.csv", *names)
    _write(tmp_path / "b.csv", "b")
    found: list[str] = []
    mark: Mark | None = None
    for _ in range(5):
        source = RecordedFiles(tmp_path, WANTED, mark=mark)
        found += devices(source)
        mark = json.loads(json.dumps(source.mark))
    assert found == [*names, "b"]


def test_a_file_whose_columns_do_not_fit_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    pq.write_table(pa.table({"what": ["p"], "count": [1], "at": [7]}), tmp_path / "a.parquet")
    (tmp_path / "b.csv.gz").write_bytes(b"no")
    _write(tmp_path / "c.csv", "c")
    source = RecordedFiles(tmp_path, WANTED)
    said = [taken(source.poll())[1] for _ in range(2)]
    assert all(":1: the file cannot be used: " in each for (each,) in said)
    assert "has no columns device, value, time for Temp(device, value, time)" in said[0][0]
    assert "cannot be unpacked" in said[1][0]
    assert devices(source) == ["c"]


def test_a_packed_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    source = RecordedFiles(path, WANTED)
    assert source.poll() == []
    assert source.notes == [f"{path} is not there yet; it is read once it is"]
    path.write_bytes(gzip.compress((HEADER + "a,1,7,7\n").encode()))
    assert devices(source) == ["a"]
    assert source.ended
    path.with_name("b.csv.gz").write_bytes(b"no")
    with pytest.raises(DataError, match="cannot be unpacked"):
        RecordedFiles(path.with_name("b.csv.gz"), WANTED).poll()


def test_names_decide_in_a_folder_record_by_record(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,z\nwt2,1,0\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(
        '{}\n{"x": "a", "y": 1, "z": 0}\n{"device": "b", "value": 1, "time": 7}\n', encoding="utf-8"
    )
    (tmp_path / "c.csv").write_text("# of today\ntime,device,value\n7,c,1\n", encoding="utf-8")
    source = RecordedFiles(tmp_path, WANTED)
    found = [taken(source.poll()) for _ in range(3)]
    assert [rows for rows, _ in found] == [[], [("b", 3)], [("c", 3)]]
    assert [len(wrong) for _, wrong in found] == [2, 2, 1]


# ---- standard input ----


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def test_it_is_read_as_it_comes_and_never_waited_for(pipe: tuple[int, int]) -> None:
    source = StandardInput(WANTED, descriptor=pipe[0])
    assert source.poll() == []
    os.write(pipe[1], (HEADER + "a,1,7,7\nb,").encode())
    assert devices(source) == ["a"]
    os.close(pipe[1])
    assert source.poll() == []
    assert source.ended
    assert taken(source.finish()) == ([], ["<stdin>:3: has 2 values, not 4"])


def test_json_lines_are_known_by_their_brace(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b'{"device": "a", "value": 1, "time": 7}\n')
    assert devices(StandardInput(WANTED, descriptor=pipe[0])) == ["a"]


def test_a_complete_one_is_behind_until_it_ends(pipe: tuple[int, int]) -> None:
    source = StandardInput(WANTED, complete=True, mark={"lines": 5}, descriptor=pipe[0])
    os.write(pipe[1], (HEADER + "a,1,7,7\n").encode())
    assert devices(source) == ["a"]
    behind = [source.behind]
    os.close(pipe[1])
    assert source.poll() == []
    assert [*behind, source.behind] == [True, False]
    assert source.mark == {"lines": 7}
