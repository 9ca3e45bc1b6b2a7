"""antelog/spark/endpoints/{csv_source,sources,text_columns}.py, antelog/spark/endpoints/folders.py: CSV."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog
from antelog.errors import DataError
from antelog.files import WantedColumns
from antelog.files.csv_files import CsvHeader
from antelog.files.naming import Form
from antelog.language.epochs import TICKLESS
from antelog.run.address import Files, Kafka
from antelog.run.reading import wanted_of
from antelog.spark import outputs
from antelog.spark.endpoints.columns import Kind
from antelog.spark.endpoints.csv_source import CsvReading, read_lines
from antelog.spark.endpoints.sources import Reading, frame, from_lines
from antelog.spark.settings import MALFORMED, ROW
from tests.files.reading import rows_of

PROGRAM = "input R(note: text, n: number, time).\nA(X, N, T) :- R(X, N, T).\nquery A(X, N, T).\n"
PLAN = antelog.parse(PROGRAM).plan
WANTED = wanted_of(PLAN, "R")
FOLDER = {
    "a.csv": 'note,n,time\n"note\nEVIL,99,0\n",1,0\nbad,1\n\nx,inf,0\n"never,1,0\nEVIL,99,0\n',
    "b b.csv": 'time;x;n;arrival;note\r\n7;q;3;8;"é\r\nb"\r\n8;q;3;9;""\r\n9;q;four;9;a',
    "c.csv": "u,1,2\nv,1,3",
    "d.csv": "\ufeffnote\tn\ttime\nw\t1.5\t4\n\nz\t2\tsoon\n",
    "e.csv": "",
    "f.csv": "n,time,note\n",
    "g.csv": "mark,count,moment\nyes,1,2\n",
}
DEADLINES = antelog.parse(
    "tick 15 minutes.\nstatic Within(priority, limit <= 4 hours).\n"
    "Late(X, T) :- Asked(X, P, T), Within(P, N), not Answer(X, T..T+N).\nquery Late(X, T).\n"
).plan
Found = tuple[list[tuple[object, ...]], list[tuple[str, str]]]


def lines_of(
    files: Mapping[str, bytes], cuts: random.Random, *, whole: bool = True
) -> Iterator[pa.RecordBatch]:
    """What Spark hands over: lines as they are between line feeds, in batches that end anywhere."""
    rows = [
        (line, f"file:/in/{name.replace(' ', '%20')}", whole)
        for name, content in files.items()
        for line in content.removesuffix(b"\n").split(b"\n")
        if content
    ]
    at = 0
    while at < len(rows):
        end = at + cuts.randint(1, 5)
        values, names, wholes = zip(*rows[at:end], strict=True)
        columns = [pa.array(values, pa.binary()), pa.array(names, pa.string()), pa.array(wholes)]
        yield pa.record_batch(columns, ["value", "file", "whole"])
        at = end


def read_on_spark(
    files: Mapping[str, bytes],
    wanted: WantedColumns = WANTED,
    *,
    seed: int = 0,
    strict: bool = False,
    arrives: bool = True,
) -> Found:
    reading = CsvReading(wanted, arrives, strict)
    batches = read_lines(reading, lines_of(files, random.Random(seed)))
    rows = [row for batch in batches for row in batch.to_pylist()]
    good = [tuple(row.values())[:-3] for row in rows if row[MALFORMED] is None]
    return good, [(row[MALFORMED], row[ROW]) for row in rows if row[MALFORMED] is not None]


@pytest.mark.parametrize("seed", range(5))
def test_files_are_read_as_in_process_each_by_its_own_header(tmp_path: Path, seed: int) -> None:
    files = {name: text.encode() for name, text in FOLDER.items()}
    expected: list[tuple[object, ...]] = []
    said: list[str] = []
    for name, content in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        rows, bad = rows_of(path, PROGRAM, "R")
        expected += rows
        said += [f"{detail} (line {line} of /in/{name})" for line, detail in bad]
    assert len(expected) == 6
    good, bad_rows = read_on_spark(files, seed=seed)
    assert good == expected
    assert [detail for detail, _ in bad_rows] == said


def test_a_row_that_cannot_be_used_is_shown() -> None:
    _, bad = read_on_spark({"a.csv": b"note,n,time\nb\xff,1,2\n"})
    assert bad == [("is not UTF-8 text (line 2 of /in/a.csv)", "b\ufffd,1,2")]


def test_whole_numbers_that_spark_would_round_are_set_aside() -> None:
    numbers = [2**53, 2**53 + 1, -(2**60), 10**30, 1.5]
    content = "note,n,time\n" + "".join(f"a,{number},0\n" for number in numbers)
    good, bad = read_on_spark({"a.csv": content.encode()}, arrives=False)
    assert [row[1] for row in good] == [2**53, 1.5]
    assert [row for _, row in bad] == [f"a,{number},0" for number in numbers[1:4]]
    assert all("has more digits than a number can keep" in said for said, _ in bad)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "note,count,time\na,1,2\n",
            (
                "has no column n for R(note, n, time); it has note, count, time. "
                "Say which column it is, as in --map R.n=count; the file is set aside"
            ),
        ),
        ("note,n,time\na,1,2024-01-01\n", "declare it: `tick 10 minutes.`; the file is set aside"),
        (
            '"note,n,time\na,1,2\n',
            "has a quote that is not closed; it takes the lines up to 2 with it; the file is set aside",
        ),
    ],
)
def test_a_file_of_no_use_is_set_aside_in_a_stream_and_an_error_in_a_batch(content: str, said: str) -> None:
    files = {"a.csv": b"note,n,time\na,1,0\n", "b.csv": content.encode(), "c.csv": b"time,n,note\n0,2,c\n"}
    good, bad = read_on_spark(files)
    assert [row[0] for row in good] == ["a", "c"]
    assert [(detail.endswith(said), row) for detail, row in bad] == [(True, "/in/b.csv")]
    with pytest.raises(DataError, match=r"^/in/b\.csv: "):
        read_on_spark(files, strict=True)


def test_columns_are_found_by_the_names_they_are_said_to_have() -> None:
    wanted = WantedColumns(
        "R", WANTED.columns, WANTED.types, called=(("note", "text"), ("n", "time"), ("time", "n"))
    )
    files = {
        "a.csv": b"n,text,time,note\n7,a,1,x\n",
        "b.csv": b"time,n,text\n2,8,b\n",
        "c.csv": b"note,n,time\nc,1,1\n",
    }
    good, bad = read_on_spark(files, wanted, arrives=False)
    assert good == [("a", 1.0, 7), ("b", 2.0, 8)]
    assert [row for _, row in bad] == ["/in/c.csv"]


def test_a_column_of_arrivals_must_be_there_if_it_was_named() -> None:
    wanted = WantedColumns("R", WANTED.columns, WANTED.types, arrival="came", must_arrive=True)
    files = {"a.csv": b"came,n,time,note\n7,1,6,a\n", "b.csv": b"note,n,time\nb,1,1\n"}
    good, bad = read_on_spark(files, wanted)
    assert good == [("a", 1.0, 6, 7)]
    assert [detail for detail, _ in bad] == [
        "has no column came for the arrivals of R. It has note, n, time; the file is set aside"
    ]


def test_files_that_are_divided_are_refused() -> None:
    lines = lines_of({"a.csv": b"note,n,time\na,1,2\n"}, random.Random(1), whole=False)
    with pytest.raises(DataError, match=r"/in/a\.csv: was divided among tasks.*leave out the settings"):
        list(read_lines(CsvReading(WANTED, False, False), lines))


def test_spark_hands_over_whole_files(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in FOLDER.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "h.csv").write_text(
        "n,time,note\n" + "".join(f"{i},{i},{'x' * 100}\n" for i in range(30_000))
    )
    reading = Reading(
        Files(str(tmp_path), Form.CSV), {}, {}, TICKLESS, csv=CsvReading(WANTED, arrives=False, strict=True)
    )
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    rows = frame(spark, reading, stream=False).collect()
    assert sum(row[MALFORMED] is None for row in rows) == 30_006
    notes = [row.note for row in rows if row[MALFORMED] is None and len(row.note) < 100]
    assert sorted(notes) == sorted(["note\nEVIL,99,0\n", "é\r\nb", "u", "v", "w", "yes"])


def test_a_message_of_csv_is_one_row(spark: SparkSession) -> None:
    reading = Reading(
        Kafka("host", "topic", "csv"),
        {"note": "note", "n": "n", "time": "time"},
        {"note": "text", "n": "number", "time": "time"},
        TICKLESS,
        CsvHeader(",", ("note", "n", "time")),
    )
    rows = {
        "a,1,0": "a",
        '"note\nEVIL,99,0\n",1,0': "note\nEVIL,99,0\n",
        '"say ""x""",1,0': 'say "x"',
        '"\\",1,0': "\\",
    }
    others = ["a,1,0\nEVIL,99,0", '"a,1,0', 'a,1,"0', '"a"b,1,0']
    lines = spark.createDataFrame([(message,) for message in (*rows, *others)], "value string")
    found = [(row.note, row[MALFORMED], row[ROW]) for row in from_lines(lines, reading).collect()]
    assert [note for note, wrong, _ in found if wrong is None] == list(rows.values())
    said = "the message is not one row of CSV: it has several, or a quote that is not closed"
    assert [(wrong, row) for _, wrong, row in found if wrong is not None] == [(said, row) for row in others]


def test_floats_of_json_that_are_no_numbers_are_set_aside(spark: SparkSession) -> None:
    columns = {"note": "note", "n": "n", "time": "time"}
    kinds: dict[str, Kind] = {"note": "text", "n": "number", "time": "time"}
    reading = Reading(Files("x", Form.JSON), columns, kinds, TICKLESS)
    numbers = ["1", "1e999", "-1e999", '"Infinity"', "NaN"]
    texts = [(f'{{"note": "a", "n": {number}, "time": 0}}',) for number in numbers]
    facts = from_lines(spark.createDataFrame(texts, "value string"), reading)
    found = outputs(antelog.parse(PROGRAM), {"R": facts})
    assert sorted(row.detail for row in found.rejects.collect()) == [
        "column n has no value",
        "value `-inf` of column n is not a number",
        "value `inf` of column n is not a number",
        "value `inf` of column n is not a number",
    ]
    assert [row.N for row in found.changes.collect()] == [1.0]


def test_columns_of_ticks_may_have_durations() -> None:
    content = b"priority,limit\nhigh,30 minutes\nnone,3\nodd,20 minutes\n"
    good, bad = read_on_spark({"w.csv": content}, wanted_of(DEADLINES, "Within"), arrives=False)
    assert good == [("high", 2.0), ("none", 3.0)]
    ((why, _),) = bad
    assert why.startswith("value `20 minutes` of column limit is not a number of ticks")
