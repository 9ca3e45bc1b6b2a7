"""antelog/spark/endpoints/columns.py: fields within fields, of lines of JSON and of structs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from antelog import AntelogError, parse
from antelog.arrow.ticks import InTicks
from antelog.cli.run.columns import Wish, reading_of
from antelog.errors import DataError
from antelog.files.naming import Form
from antelog.language.epochs import TICKLESS
from antelog.run.address import Files, Kafka, Table, TableForm
from antelog.spark.endpoints.columns import Kind, fields, paths
from antelog.spark.endpoints.endpoints import SOURCES, Source
from antelog.spark.endpoints.failures import plainly
from antelog.spark.endpoints.sinks import require
from antelog.spark.endpoints.sources import Reading, frame, from_lines
from antelog.spark.endpoints.sources import frame as read
from antelog.spark.running import outputs
from antelog.spark.settings import MALFORMED

HOT = "input Temp(device: text, value: number, time). Hot(X, T) :- Temp(X, V, T), V > 1. query Hot(X, T)."
PLAN = parse(HOT).plan
MAPS = {"device": "ids.device", "Temp.value": "decoded.payload.temp"}
LINES = [
    '{"ids": {"device": "a"}, "decoded": {"payload": {"temp": 1.5}}, "time": 3}',
    '{"ids": {"device": "b"}, "decoded": {"payload": null}, "time": 3}',
    '{"ids": {"device": "c"}, "time": 3}',
    '{"ids": {"device": "d"}, "decoded.payload.temp": 4, "decoded": {"payload": {"temp": 5}}, "time": 3}',
    '{"ids": {"device": "e"}, "decoded": {"payload.temp": 6}, "time": 3}',
]
GOOD = [("a", 1.5), ("d", 4.0), ("e", 6.0)]


def test_a_name_with_full_stops_is_a_field_or_a_path() -> None:
    schema = fields({"temp": "double", "a.b": "string"})
    assert schema.simpleString() == "struct<temp:double,a.b:string,a:struct<b:string>>"
    assert [path for path, _ in paths(schema)] == ["a.b"]
    for names in ("a", "a.b"), ("a.b", "a"), ("a.b.c", "a.b"):
        with pytest.raises(DataError, match="is the value of another column"):
            fields(dict.fromkeys(names, "string"))


LOCAL = ["2026-10-25 02:30", "2026-10-25 02:10", "2026-10-25 03:10"]
"""Two of these times come twice where clocks go back at three."""


@pytest.mark.parametrize("form", [Form.JSON, Form.CSV, Form.PARQUET])
def test_times_without_an_offset_are_counted(spark: SparkSession, form: Form, tmp_path: Path) -> None:
    path = tmp_path / f"temp.{form.value}"
    if form is Form.JSON:
        lines = (f'{{"device": "a", "value": 2, "time": "{time}"}}\n' for time in LOCAL)
        path.write_text("".join(lines), encoding="utf-8")
    elif form is Form.CSV:
        path.write_text(
            "".join(["device,value,time\n", *(f"a,2,{time}\n" for time in LOCAL)]), encoding="utf-8"
        )
    else:
        times = pa.array(map(datetime.fromisoformat, LOCAL), pa.timestamp("us"))
        pq.write_table(pa.table({"device": ["a"] * 3, "value": [2.0] * 3, "time": times}), path)
    program = parse(f'tick 1 minute. zone "Europe/Berlin". {HOT}')
    reading = reading_of(spark, program.plan, Wish("Temp", Files(str(path), form), {}))
    seen = outputs(program, {"Temp": frame(spark, reading, stream=False)}, arrival=InTicks("arrival"))
    ((name, local, twice),) = seen.clocks.collect()
    assert (name, local > 0, twice) == ("Temp", True, 2)


@pytest.mark.parametrize("source", [Kafka("b:9092", "t", "json"), Files("readings", Form.JSON)])
def test_lines_are_read_as_in_process(
    spark: SparkSession, source: Kafka | Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if isinstance(source, Files):
        Path("readings").mkdir()
        Path("readings", "a.jsonl").write_text("\n".join(LINES), encoding="utf-8")
        source = Files(str(tmp_path / "readings"), Form.JSON)
    reading = reading_of(spark, PLAN, Wish("Temp", source, MAPS))
    rows = from_lines(spark.createDataFrame([(line,) for line in LINES], "value string"), reading).collect()
    assert [(row.device, row.value) for row in rows if row[MALFORMED] is None] == GOOD
    assert [row[MALFORMED] for row in rows if row[MALFORMED]] == ["lacks decoded.payload.temp"] * 2
    if isinstance(source, Files):
        with pytest.raises(DataError, match=r"has no column ids\.devise, .* Did you mean ids\.device\?"):
            reading_of(spark, PLAN, Wish("Temp", source, MAPS | {"device": "ids.devise"}))


def test_columns_may_be_structs(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("\n".join(LINES[:3]), encoding="utf-8")
    schema = "ids struct<device: string>, decoded struct<payload: struct<temp: double>>, time bigint"
    spark.read.schema(schema).json(str(tmp_path / "t.jsonl")).write.parquet(str(tmp_path / "t"))
    source = Files(str(tmp_path / "t"), Form.PARQUET)
    rows = frame(spark, reading_of(spark, PLAN, Wish("Temp", source, MAPS)), stream=False).collect()
    assert sorted((row.device, row.value) for row in rows if row.value is not None) == [("a", 1.5)]
    with pytest.raises(
        DataError, match=r"--map Temp\.device=ids\.device --map Temp\.value=decoded\.payload\.t"
    ):
        reading_of(spark, PLAN, Wish("Temp", source, {}))


def test_columns_by_position_have_fitting_types(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("select 1 as x, 'a' as y, 0 as z").write.parquet(str(tmp_path / "t"))
    with pytest.raises(DataError, match="has no columns device, value, time for Temp"):
        reading_of(spark, PLAN, Wish("Temp", Files(str(tmp_path / "t"), Form.PARQUET), {}))
    (tmp_path / "t.jsonl").write_text('{"x": 1, "y": "a", "z": 0}', encoding="utf-8")
    with pytest.raises(DataError, match="has no columns device, value, time for Temp"):
        reading_of(spark, PLAN, Wish("Temp", Files(str(tmp_path / "t.jsonl"), Form.JSON), {}))


RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("gone.csv", "gone.csv"),
        ("json:gone/*.x", "gone"),
        ("parquet:gone", "gone"),
        ("jdbc:h2:mem:x#t", r"Spark has no org.h2.Driver; bring the jar"),
        ("delta:table", "Delta tables need Delta's jar"),
        ("iceberg:catalog.table", "Iceberg tables need Iceberg's jar"),
    ],
)
def test_sources_that_are_not_there(spark: SparkSession, source: str, why: str) -> None:
    with pytest.raises(AntelogError, match=why):
        _look_at(spark, SOURCES.read(source))


def _look_at(spark: SparkSession, source: Source) -> None:
    """What `antelog run` does with a source before it reads it."""
    with plainly():
        require(spark, [source])
        reading_of(spark, ONE.plan, Wish("Temp", source, {}))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_is_found_by_its_name(spark: SparkSession, form: TableForm, stream: bool) -> None:
    frame = spark.readStream.format("rate").load() if stream else spark.range(1)
    frame.createOrReplaceTempView("known")
    columns = {name: name for name in frame.columns}
    kinds: dict[str, Kind] = dict.fromkeys(columns, "number")
    found = read(spark, Reading(Table(form, "known"), columns, kinds, TICKLESS), stream=stream)
    with pytest.raises(AnalysisException, match="`unknown` cannot be found"):
        read(spark, Reading(Table(form, "unknown"), columns, kinds, TICKLESS), stream=stream)
    assert found.columns == frame.columns
    assert found.isStreaming == stream
