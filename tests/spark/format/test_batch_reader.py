"""antelog/spark/format: request.py, facts.py and batch_reader.py, without a Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from antelog.errors import AntelogError, UnsupportedError
from antelog.spark import register_source
from tests.run import cases
from tests.spark.format.comparing import batch_reader, expected, options_of, read_here, source

MESSAGES = Path(__file__).with_name("wrong_options.txt")
MALF = """
    tick 10 minutes.
    limit high = 80.
    input Temp(device, degrees: number, place, time) delay 1.
    Malf(X, P, T) :- Temp(X, V, P, T), V > high, Temp(X, W, _, T+1), W > high.
    query Malf(X, P, T).
    Hot(X, V, T) :- Temp(X, V, _, T), V > high.
    query Hot(X, V, T).
"""
READINGS = "device,degrees,place,time\nwt1,90,007,1\nwt1,91,007,2\nwt2,95.5,x,2\nwt3,85,x,4\nwt3,99,y,5\n"
ALONE = ("earthquakes", "frost", "machine", "outbreak", "turbines")
"""The examples without a key, or with answers that need no fact, or chances."""


@pytest.fixture
def readings(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "readings.csv"
    file.write_text(READINGS, encoding="utf-8")
    return {"program": MALF, "input.Temp": str(file)}


@pytest.mark.parametrize("name", cases.EXAMPLES)
def test_lines_are_those_of_an_engine(name: str) -> None:
    case = cases.example(name)
    options = options_of(case)
    assert read_here({**options, "numPartitions": "3"}) == expected(case)
    until = {"until": str(case.last)}
    assert read_here({**options, **until, "numPartitions": "1"}) == expected(case, case.last)
    tasks = 1 if name in ALONE else 3
    assert len(batch_reader({**options, "numPartitions": "3"}).partitions()) == tasks


def test_a_query_has_its_own_columns(readings: dict[str, str]) -> None:
    whole = read_here({**readings, "numPartitions": "2"})
    for query in ("Malf", "Hot"):
        found = read_here({**readings, "query": query})
        assert found
        columns = {name for row in found for name in row}
        assert found == [
            {name: value for name, value in row.items() if name in columns}
            for row in whole
            if row["query"] == query
        ]
    assert "P" not in source({**readings, "query": "Hot"}).schema().names


def test_columns_without_a_type_are_texts(readings: dict[str, str]) -> None:
    found = read_here({**readings, "only": "confirmed"})
    assert {row["P"] for row in found if row["query"] == "Malf"} == {"007", "x"}
    assert {row["V"] for row in found if row["query"] == "Hot"} == {90, 91, 95.5, 85, 99}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_forms_of_files_agree(readings: dict[str, str], tmp_path: Path, form: str) -> None:
    rows = [line.split(",") for line in READINGS.splitlines()[1:]]
    file = tmp_path / f"readings.{form}"
    if form == "jsonl":
        lines = [f'{{"device": "{d}", "degrees": {v}, "place": "{p}", "time": {t}}}\n' for d, v, p, t in rows]
        file.write_text("".join(lines), encoding="utf-8")
    else:
        device, degrees, place, time = zip(*rows, strict=True)
        columns = {
            "device": device,
            "degrees": pa.array(map(float, degrees)),
            "place": place,
            "time": pa.array(map(int, time)),
        }
        pq.write_table(pa.table(columns), file)
    assert read_here({**readings, "input.temp": str(file)}) == read_here(readings)


def test_values_of_json_are_texts_where_there_is_no_type(readings: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "readings.jsonl"
    places = ["7", "true", '"7"', "1.5", '"north"']
    lines = [
        f'{{"device": "{n}", "degrees": 90, "place": {p}, "time": {t}}}\n'
        for n, p in enumerate(places)
        for t in (1, 2)
    ]
    file.write_text("".join(lines), encoding="utf-8")
    found = read_here({**readings, "input.temp": str(file), "only": "confirmed", "query": "Malf"})
    assert {row["X"]: row["P"] for row in found} == {
        "0": "7",
        "1": "true",
        "2": "7",
        "3": "1.5",
        "4": "north",
    }


def test_types_of_parquet_are_its_own(readings: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    table = pa.table({"device": [1, 1], "degrees": [90, 91], "place": [None, 5], "time": [1, 2]})
    pq.write_table(table, folder / "a.parquet")
    pq.write_table(table.set_column(0, "device", pa.array(["x", "x"])), folder / "b.parquet")
    options = {**readings, "input.temp": str(folder)}
    assert source(options).schema()["X"].dataType.simpleString() == "bigint"
    with pytest.raises(AntelogError, match="column device of Temp is of type int64 in the first file"):
        read_here(options)


def test_names_have_no_case(readings: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "others.csv"
    file.write_text(READINGS.replace("place", "Site").replace("device", "Thing"), encoding="utf-8")
    options = {"program": MALF, "INPUT.TEMP": str(file), "map.Temp.place": "Site", "map.device": "Thing"}
    assert read_here({**options, "SET.High": "80"}) == read_here(readings)
    assert len(read_here({**options, "set.high": "97"})) < len(read_here(readings))


def test_time_begins_where_it_is_said(readings: dict[str, str]) -> None:
    program = MALF + "Calm(T) :- not Temp(_, _, _, T). query Calm(T)."
    found = read_here({**readings, "program": program, "since": "3", "until": "9", "query": "Calm"})
    assert {row["T"] for row in found} >= {3, 6, 7}
    assert min(row["T"] for row in found) == 3


WRONG: dict[str, tuple[str | None, dict[str, str]]] = {
    "no program": (None, {"input.Temp": "a.csv"}),
    "no such option": (MALF, {"qery": "Malf"}),
    "no such option with a name": (MALF, {"inptu.Temp": "a.csv"}),
    "a name is missing": (MALF, {"input": "Temp=a.csv"}),
    "a name too much": (MALF, {"until.Temp": "7"}),
    "twice": (MALF, {"path": "malf.alog", "input.Temp": "a.csv"}),
    "no input": (MALF, {}),
    "no such input": (MALF, {"input.Tmp": "a.csv"}),
    "no such query": (MALF, {"query": "Malv", "input.Temp": "a.csv"}),
    "no such column": (MALF, {"map.devise": "x", "input.Temp": "a.csv"}),
    "no such limit": (MALF, {"set.hihg": "3", "input.Temp": "a.csv"}),
    "no number": (MALF, {"numPartitions": "many", "input.Temp": "a.csv"}),
    "no time": (MALF, {"until": "soon", "input.Temp": "a.csv"}),
    "no beginning": (MALF, {"since": "soon", "input.Temp": "a.csv"}),
    "no kind": (MALF, {"only": "confirm", "input.Temp": "a.csv"}),
    "the wall clock": (MALF, {"clock": "processing", "input.Temp": "a.csv"}),
    "a chance without chances": (MALF, {"min_chance": "0.5", "input.Temp": "a.csv"}),
    "a table of a catalog": (MALF, {"input.Temp": "delta:plant.readings"}),
    "a table in a folder": (MALF, {"input.Temp": "iceberg:/data/readings"}),
    "a table of a database": (MALF, {"input.Temp": "jdbc:postgresql://host/plant?password=x#readings"}),
    "standard input": (MALF, {"input.Temp": "-"}),
    "made-up facts": (MALF, {"input.Temp": "rate://10"}),
    "no form": (MALF, {"input.Temp": "readings.dat"}),
    "a wrong program": ("Malf(X, T) :- Temp(X, T)", {}),
    "a program that is wrong": (MALF.replace("V > high", "U > high"), {"input.Temp": "a.csv"}),
    "a program that is not there": ("none.alog", {"input.Temp": "a.csv"}),
    "names that differ in their case": (
        "input A(x, time). input a(x, time). Q(X, T) :- A(X, T), a(X, T). query Q(X, T).",
        {"input.A": "a.csv"},
    ),
}


def test_wrong_options(record: bool) -> None:
    found = "".join(f"# {case}\n{_message(*WRONG[case])}\n\n" for case in WRONG)
    if record:
        MESSAGES.write_text(found, encoding="utf-8")
    assert found == MESSAGES.read_text(encoding="utf-8")


def _message(program: str | None, options: dict[str, str]) -> str:
    given = options if program is None else {"program": program, **options}
    with pytest.raises(AntelogError) as caught:
        source(given).schema()
    return str(caught.value)


def test_an_old_spark_is_refused() -> None:
    session = SimpleNamespace(version="4.0.2", dataSource=None)
    with pytest.raises(UnsupportedError, match="the data source of antelog needs"):
        register_source(cast("SparkSession", session))
