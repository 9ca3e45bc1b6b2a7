"""antelog/spark/endpoints/{line_rows,sources}.py: files and messages of texts."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog
from antelog.errors import DataError
from antelog.files import WantedColumns
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.run.reading import wanted_of
from antelog.run.sources.kafka import Kafka
from antelog.spark.endpoints.line_rows import RowReading, read_files, read_lines, read_messages
from antelog.spark.endpoints.sources import Reading, frame, reading_of
from antelog.spark.settings import CLOCK, MALFORMED, ROW, SOURCE
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
    reading = RowReading(wanted, (*wanted.columns, *["arrival"] * arrives), strict=strict)
    return sorted_out(read_files(reading, lines_of(files, random.Random(seed))))


def sorted_out(batches: Iterable[pa.RecordBatch]) -> Found:
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


def test_files_that_are_divided_are_refused() -> None:
    lines = lines_of({"a.csv": b"note,n,time\na,1,2\n"}, random.Random(1), whole=False)
    with pytest.raises(DataError, match=r"/in/a\.csv: was divided among tasks.*leave out the settings"):
        list(read_files(RowReading(WANTED, WANTED.columns, False), lines))


def test_spark_hands_over_whole_files(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in FOLDER.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "h.csv").write_text(
        "n,time,note\n" + "".join(f"{i},{i},{'x' * 100}\n" for i in range(30_000))
    )
    reading = Reading(Files(str(tmp_path), Form.CSV), RowReading(WANTED, WANTED.columns))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    rows = frame(spark, reading, stream=False).collect()
    assert sum(row[MALFORMED] is None for row in rows) == 30_006
    notes = [row.note for row in rows if row[MALFORMED] is None and len(row.note) < 100]
    assert sorted(notes) == sorted(["note\nEVIL,99,0\n", "é\r\nb", "u", "v", "w", "yes"])


# ---- JSON lines and messages ----


def reading(source: Files | Kafka, plan: Any = PLAN, **maps: str) -> RowReading:
    nobody: Any = None
    return reading_of(nobody, plan, "R", source, maps).rows


def lines(*texts: str) -> list[pa.RecordBatch]:
    return [pa.record_batch({"value": pa.array([text.encode() for text in texts], pa.binary())})]


def test_lines_of_json_are_read_as_in_process(tmp_path: Path) -> None:
    texts = [
        *('{"note": "a", "n": 1, "time": 0}', "", "[1]", "{", '{"note": "a", "n": 1e999, "time": 0}'),
        *('{"n": 1, "time": 0}', '{"note": 7, "n": 1, "time": 0}', '{"note": "a", "n": "1", "time": 0}'),
        '{"note": "a", "n": 1.5, "time": "7"}',
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(texts), encoding="utf-8")
    expected, bad = rows_of(path, PROGRAM, "R")
    good, wrong = sorted_out(read_lines(RowReading(WANTED, WANTED.columns), lines(*texts)))
    assert good == [tuple(row)[:3] for row in expected] == [("a", 1.0, 0), ("a", 1.5, 7)]
    assert wrong == [(detail, texts[int(line or 0) - 1]) for line, detail in bad]


PATHS = {"note": "ids.device", "R.n": "decoded.payload.temp"}
NESTED = [
    '{"ids": {"device": "a"}, "decoded": {"payload": {"temp": 1.5}}, "time": 3}',
    '{"ids": {"device": "b"}, "decoded": {"payload": null}, "time": 3}',
    '{"ids": {"device": "d"}, "decoded.payload.temp": 4, "decoded": {"payload": {"temp": 5}}, "time": 3}',
    '{"ids": {"device": "e"}, "decoded": {"payload.temp": 6}, "time": 3}',
]


@pytest.mark.parametrize("source", [Kafka("b:9092", "t", "json"), Files("", Form.JSON)])
def test_fields_within_fields_go_by_their_paths(
    spark: SparkSession, source: Kafka | Files, tmp_path: Path
) -> None:
    if isinstance(source, Files):
        source = Files(str(tmp_path / "a.jsonl"), Form.JSON)
        Path(source.path).write_text("\n".join(NESTED), encoding="utf-8")
        with pytest.raises(DataError, match=r"has no column ids\.devise, .* Did you mean ids\.device\?"):
            reading_of(spark, PLAN, "R", source, PATHS | {"note": "ids.devise"})
    found = reading_of(spark, PLAN, "R", source, PATHS)
    rows = frame(spark, found, stream=False).collect() if isinstance(source, Files) else []
    good, bad = sorted_out(read_lines(found.rows, lines(*NESTED)))
    assert good == [("a", 1.5, 3), ("d", 4.0, 3), ("e", 6.0, 3)]
    assert [why for why, _ in bad] == ["lacks decoded.payload.temp"]
    assert len(rows) in (0, len(NESTED))


def test_values_without_a_type_are_texts() -> None:
    plan = antelog.parse("input R(note, n, time). A(X, N, T) :- R(X, N, T). query A(X, N, T).").plan
    read = RowReading(wanted_of(plan, "R"), ("note", "n", "time"))
    texts = ['{"note": "a", "n": 1, "time": 0}', '{"note": true, "n": 2.5, "time": 0}']
    assert sorted_out(read_lines(read, lines(*texts)))[0] == [("a", "1", 0), ("true", "2.5", 0)]


def messages(values: Sequence[str | None], **besides: Sequence[object]) -> list[pa.RecordBatch]:
    content = [None if value is None else value.encode() for value in values]
    named = {f"@{name}": pa.array(cells) for name, cells in besides.items()}
    return [pa.record_batch({"value": pa.array(content, pa.binary()), **named})]


def test_a_message_has_more_than_its_value() -> None:
    at = [datetime(1970, 1, 1, 0, minute, tzinfo=UTC) for minute in (1, 2, 3)]
    plan = antelog.parse(f"tick 1 minute. {PROGRAM}").plan
    for form, values in (("json", ['{"n": 1}', '{"n": "x"}', ""]), ("csv", ["-,1,-", "-,x,-", ""])):
        topic = Kafka("b:9092", "t", form)  # type: ignore[arg-type]  # one of two words
        read = reading(topic, plan, note="@key", time="@timestamp")
        batches = messages(values, key=["a", "b", "c"], timestamp=at)
        good, bad = sorted_out(read_messages(read, form, batches))
        assert good == [("a", 1.0, 1)]
        assert [why for why, _ in bad] == ["value `x` of column n is not a number", "the message is empty"]
    read = reading(Kafka("b:9092", "t", "json"), note="@row", n="@key")
    batches = messages(['{"time": 3}', '{"time": 3}'], key=["7", "x"], row=["t[0]:1", "t[0]:2"])
    good, bad = sorted_out(read_messages(read, "json", batches))
    assert good == [("t[0]:1", 7.0, 3)]
    assert [why for why, _ in bad] == ["value `x` of column n (@key) is not a number"]
    read = reading(Kafka("b:9092", "t", "json"), n="@offset")
    batches = messages(['{"note": "a", "time": 3}', '{"note": "a", "time": 3}'], offset=[7, 8])
    assert sorted_out(read_messages(read, "json", batches))[0] == [("a", 7, 3), ("a", 8, 3)]
    with pytest.raises(DataError, match=r"has no column @kee; topics have @key, @timestamp"):
        reading(Kafka("b:9092", "t", "json"), note="@kee")
    with pytest.raises(
        DataError, match="its messages are rows of CSV without names, with the values of note"
    ):
        reading(Kafka("b:9092", "t", "csv"), note="text")


@pytest.mark.parametrize(("form", "text"), [("json", '{"note": "a", "n": 1, "time": 3}'), ("csv", "a,1,3")])
def test_each_partition_of_a_stream_is_a_source(form: Literal["json", "csv"], text: str) -> None:
    nobody: Any = None
    found = reading_of(nobody, PLAN, "R", Kafka("b:9092", "t", form), {}, stream=True)
    batches = messages([text, text], **{"of a partition": ["partition 0", "partition 7"]})
    (batch,) = read_messages(found.rows, form, batches)
    rows = [tuple(row[name] for name in (SOURCE, "note", "n", "time")) for row in batch.to_pylist()]
    assert rows == [("partition 0", "a", 1.0, 3), ("partition 7", "a", 1.0, 3)]


def test_a_message_of_csv_is_one_row() -> None:
    rows = {
        "a,1,0": "a",
        '"note\nEVIL,99,0\n",1,0': "note\nEVIL,99,0\n",
        '"say ""x""",1,0': 'say "x"',
        '"\\",1,0': "\\",
    }
    others = ["a,1,0\nEVIL,99,0", '"a,1,0', 'a,1,"0', '"a"b,1,0']
    read = reading(Kafka("b:9092", "t", "csv"))
    good, bad = sorted_out(read_messages(read, "csv", messages([*rows, *others, "a,1"])))
    assert [note for note, *_ in good] == list(rows.values())
    why = "the message is not one row of CSV: it has several, or a quote that is not closed"
    assert bad == [*((why, row) for row in others), ("the line has not 3 values", "a,1")]


def test_times_that_a_clock_shows_twice_are_counted() -> None:
    plan = antelog.parse(f'tick 1 minute. zone "Europe/Berlin". {PROGRAM}').plan
    read = RowReading(wanted_of(plan, "R"), WANTED.columns)
    times = ("2026-10-25 02:30", "2026-10-25 02:10", "2026-10-25 03:10")
    texts = [f'{{"note": "a", "n": 2, "time": "{time}"}}' for time in times]
    (batch,) = read_lines(read, lines(*texts))
    assert sorted(batch.column(CLOCK).to_pylist()) == [0, 2, 2]


def test_columns_of_ticks_may_have_durations() -> None:
    content = b"priority,limit\nhigh,30 minutes\nnone,3\nodd,20 minutes\n"
    good, bad = read_on_spark({"w.csv": content}, wanted_of(DEADLINES, "Within"), arrives=False)
    assert good == [("high", 2.0), ("none", 3.0)]
    ((why, _),) = bad
    assert why.startswith("value `20 minutes` of column limit is not a number of ticks")
