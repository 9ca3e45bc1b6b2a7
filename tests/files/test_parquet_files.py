"""antelog/files/reading.py: typed columns, and values that are none."""

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog.errors import DataError
from tests.attack.frames import columns
from tests.files.reading import FREE, TEMP, TICKS, mapped_rows, read, rows_of
from tests.tables import cases

COLUMNS = columns()


def write(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet(tmp_path: Path) -> None:
    names = pa.array(["a", "b", None]).dictionary_encode()
    path = write(
        tmp_path / "t.parquet", time=[1, 2, 3], device=names, value=[1.5, None, 3.0], other=[0, 0, 0]
    )
    rows, bad = rows_of(path)
    assert rows == [("a", 1.5, 1, 1)]
    assert bad == [(2, "column value has no value"), (3, "column device has no value")]


@pytest.mark.parametrize("program", [TEMP, FREE])
def test_parquet_floats_that_are_no_numbers(tmp_path: Path, program: str) -> None:
    values = pa.array([1.0, math.inf, -math.inf, math.nan], pa.float32()).dictionary_encode()
    path = write(tmp_path / "t.parquet", device=["a"] * 4, value=values, time=[0] * 4)
    rows, bad = rows_of(path, program)
    assert rows == [("a", 1.0, 0, 0)]
    assert bad == [
        (2, "value `inf` of column value is not a number"),
        (3, "value `-inf` of column value is not a number"),
        (4, "column value has no value"),
    ]


def test_parquet_timestamps(tmp_path: Path) -> None:
    times = pa.array([600_000, None, -1], pa.timestamp("ms", "UTC"))
    path = write(tmp_path / "t.parquet", device=["a"] * 3, value=[1] * 3, time=times)
    rows, bad = rows_of(path, TICKS)
    assert rows == [("a", 1, 1, 1)]
    assert [reason.split("`")[0] for _, reason in bad] == ["the time is missing", "the time "]


def test_parquet_columns_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="column value is of type string, and the program has a number there"):
        rows_of(write(tmp_path / "t.parquet", device=["a"], value=["x"], time=[0]))
    with pytest.raises(DataError, match="column device is of type list"):
        rows_of(write(tmp_path / "t.parquet", device=[["a"]], value=[1], time=[0]))
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read(tmp_path / "t.parquet", "device,value,time\n")


def test_columns_may_be_fields_of_structs(tmp_path: Path) -> None:
    decoded = [{"payload": {"temp": 1.5}}, {"payload": None}, None, {"payload": {"temp": 2.5}}]
    columns = {"decoded": decoded, "device": ["a"] * 4, "time": [0, 1, 2, 3]}
    path = write(tmp_path / "t.parquet", **columns)
    rows, bad = mapped_rows(path, None, {"value": "decoded.payload.temp"})
    assert rows == [("a", 1.5, 0), ("a", 2.5, 3)]
    assert bad == ["column value (decoded.payload.temp) has no value"] * 2
    with pytest.raises(
        DataError, match=r"it has device, time, decoded\.payload\.temp\. Say which column it is"
    ):
        rows_of(path)
    path = write(tmp_path / "u.parquet", **columns, **{"decoded.payload.temp": [7, 8, 9, 10]})
    assert mapped_rows(path, None, {"value": "decoded.payload.temp"})[0][0] == ("a", 7, 0)


@pytest.mark.parametrize("place", ["device", "zzzzzz", "inner"])
def test_a_name_that_is_not_utf_8_is_said(tmp_path: Path, place: str) -> None:
    rows: dict[str, list[object]] = {"device": ["a"], "value": [1], "time": [0], "zzzzzz": [{"inner": 1}]}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(rows), sink, store_schema=False)
    content = sink.getvalue().to_pybytes().replace(place.encode(), b"\xff\xfe" + place[2:].encode())
    with pytest.raises(DataError, match=r"has a column whose name is not UTF-8 text: b'\\xff\\xfe"):
        read(tmp_path / "temp.parquet", content)


def test_columns_by_position_have_fitting_types(tmp_path: Path) -> None:
    assert rows_of(write(tmp_path / "t.parquet", x=["a"], y=[1], z=[0]))[0] == [("a", 1, 0, 0)]
    with pytest.raises(DataError, match=r"has no columns device, value, time .* --map Temp\.device=COLUMN"):
        rows_of(write(tmp_path / "t.parquet", x=[1], y=["a"], z=[0]))
    with pytest.raises(DataError, match=r"has no columns device, value, time"):
        rows_of(write(tmp_path / "t.parquet", x=["a"], y=[1], z=["soon"]))


@cases(__file__, "parquet_values_that_nobody_could_show")
def test_parquet_values_that_nobody_could_show(tmp_path: Path, name: str, said: str) -> None:
    path = write(tmp_path / "t.parquet", device=COLUMNS[name], value=[1, 2, 3], time=[0, 1, 2])
    rows, bad = rows_of(path, FREE)
    assert len(rows) == 1
    assert [detail for _, detail in bad] == [said, said]


@pytest.mark.parametrize("name", ["list", "map", "struct"])
def test_parquet_times_that_can_be_none(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "t.parquet", device=["a"] * 3, value=[1, 2, 3], time=COLUMNS[name])
    with pytest.raises(DataError, match=r"column time is of type [a-z].*; times are whole numbers"):
        rows_of(path)
