"""antelog/run/sources/{growing,source}.py: files that grow, and are replaced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog.errors import DataError
from antelog.files import records
from antelog.files.naming import Form
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.source import Mark
from tests.run.sources.taking import HEADER, WANTED, devices, taken


@pytest.fixture
def opened() -> Iterator[list[GrowingFile]]:
    files: list[GrowingFile] = []
    yield files
    for file in files:
        file.close()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("temp.csv")


class _Files:
    def __init__(self, opened: list[GrowingFile]) -> None:
        self._opened = opened

    def __call__(self, path: Path, form: Form = Form.CSV, mark: Mark | None = None) -> GrowingFile:
        self._opened.append(GrowingFile(path, form, WANTED, mark=mark))
        return self._opened[-1]


@pytest.fixture
def file(opened: list[GrowingFile]) -> _Files:
    return _Files(opened)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as out:
        out.write(text)


def test_lines_are_read_once_they_are_whole(path: Path, file: _Files) -> None:
    source = file(path)
    assert source.poll() == []
    assert source.notes == ["temp.csv is not there yet; it is read once it is"]
    _append(path, HEADER + "a,1,7")
    assert devices(source) == []
    _append(path, ",8\nb,2,8,8\nc,")
    assert taken(source.poll()) == ([("a", 2), ("b", 3)], [])
    assert devices(source) == []
    _append(path, '"3\n",9,9\nd,4,9\n')
    assert taken(source.poll()) == ([("c", 4)], ["temp.csv:6: has 3 values, not 4"])
    _append(path, "e,5,9,9")
    assert devices(source) == []
    assert taken(source.finish()) == ([("e", 7)], [])


@pytest.mark.parametrize("form", [Form.CSV, Form.JSON])
def test_a_reader_goes_on_wherever_it_was_stopped(path: Path, file: _Files, form: Form) -> None:
    names = [f"wt{i}" for i in range(40)]
    if form is Form.CSV:
        lines = ["\ufeff" + HEADER, *(f'"{name}\n",{i},7,7\n' for i, name in enumerate(names))]
        names = [f"{name}\n" for name in names]
    else:
        lines = [json.dumps({"device": n, "value": 1, "time": 7, "new": "ä"}) + "\n" for n in names]
    data = "".join(lines).encode()
    found: list[str] = []
    mark: Mark | None = None
    for end in range(0, len(data) + 7, 7):
        path.write_bytes(b"")  # the same file, a little longer
        path.write_bytes(data[:end])
        source = file(path, form, mark)
        found += devices(source)
        mark = json.loads(json.dumps(source.mark))
        assert source.notes == []
    assert found == names


def test_a_replaced_file_is_read_from_its_start(path: Path, file: _Files) -> None:
    _append(path, HEADER + "a,1,7,7\n")
    source = file(path)
    assert devices(source) == ["a"]
    _append(path, "b,1,7,7\nlast,1,7,7")
    path.rename(path.with_name("temp.csv.1"))
    _append(path, "time,device,value\n8,new,1\n")
    assert devices(source) == ["b", "last"]
    assert source.notes == ["temp.csv was replaced or cut; it is read from its start"]
    assert devices(source) == ["new"]


def test_a_file_that_was_cut_is_read_from_its_start(path: Path, file: _Files) -> None:
    _append(path, HEADER + "a,1,7,7\nb,1,7,7\n")
    source = file(path)
    assert devices(source) == ["a", "b"]
    path.write_text(HEADER + "c,1,8,8\n", encoding="utf-8")
    assert devices(source) == []
    assert devices(source) == ["c"]


def test_a_file_that_was_replaced_meanwhile_is_read_from_its_start(path: Path, file: _Files) -> None:
    _append(path, HEADER + "a,1,7,7\n")
    before = file(path)
    assert devices(before) == ["a"]
    path.write_text("device,value,time\n" + "b,1,8\n" * 30, encoding="utf-8")
    source = file(path, mark=before.mark)
    assert devices(source) == ["b"] * 30
    said = (
        "temp.csv is not the file that was read before; it is read from its start. Of the one before 2 lines "
    )
    assert source.notes == [f"{said}were read; no file beside it has those behind them"]


def test_columns_that_do_not_fit_are_said(path: Path, file: _Files) -> None:
    _append(path, "device,time\na,7\n")
    source = file(path)
    wrong = taken(source.poll())[1]
    assert [each.partition(" before")[0] for each in wrong] == ["temp.csv:1: comes", "temp.csv:2: comes"]
    assert source.notes[0].startswith("temp.csv: has no column value for Temp(")
    _append(path, "device,value,time\nb,1,7\n")
    assert devices(source) == ["b"]


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, file: _Files) -> None:
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        file(tmp_path).poll()


def test_it_says_whether_there_is_more(path: Path, file: _Files) -> None:
    source, behind = file(path), []
    behind.append(source.behind)
    source.poll()
    behind.append(source.behind)
    _append(path, HEADER + "a,1,7,7\n" * 700_000)
    assert len(devices(source)) > 100_000
    behind.append(source.behind)
    assert behind == [True, False, True]


@pytest.mark.parametrize("form", [Form.CSV, Form.JSON])
def test_a_line_that_is_too_long_costs_itself(
    path: Path, file: _Files, form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LONGEST", 1000)
    rows = ["a,1,7,7", "x" * 4000, "b,1,7,7"]
    good = '{"device": "%s", "value": 1, "time": 7}'
    lines = [HEADER.strip(), *rows] if form is Form.CSV else [good % "a", "x" * 4000, good % "b"]
    source = file(path, form)
    found: list[str] = []
    wrong: list[str] = []
    for at in range(0, len(text := "\n".join([*lines, ""])), 500):
        _append(path, text[at : at + 500])
        more = taken(source.poll())
        found, wrong = found + [device for device, _ in more[0]], wrong + more[1]
    assert found == ["a", "b"]
    assert wrong == [f"temp.csv:{2 + (form is Form.CSV)}: the line has more than 64 MiB"]
    assert source.mark["offset"] == path.stat().st_size
