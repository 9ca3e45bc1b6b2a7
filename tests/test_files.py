"""Reading recorded facts: every form of file, every kind of bad row, and the order of arrival."""

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from antelog.engine.ticks import LAST
from antelog.errors import DataError
from antelog.files import ARRIVAL, Rejects, batches, form_of, rejects_to, tables, wanted_of
from antelog.files.lines import blocks
from antelog.files.naming import Form

TEMP = "input Temp(device: text, value: number, time).\nA(X, T) :- Temp(X, V, T), V > 1.\nquery A(X, T).\n"
FREE = "input Temp(device, value, time).\nA(X, T) :- Temp(X, V, T).\nquery A(X, T).\n"
TICKS = "tick 10 minutes.\n" + TEMP
HEADER = "device,value,time,arrival\n"
Row = tuple[Any, ...]


def read(
    path: Path, content: str | bytes, program: str = TEMP, name: str = "Temp", arrival: str = "arrival"
) -> tuple[list[Row], list[tuple[int | None, str]]]:
    """The rows of a file with this content, and the lines that were set aside with the reasons."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return rows_of(path, program, name, arrival)


def rows_of(
    path: Path, program: str = TEMP, name: str = "Temp", arrival: str = "arrival"
) -> tuple[list[Row], list[tuple[int | None, str]]]:
    with rejects_to(path.with_name("rejects.csv"), strict=False) as rejects:
        found = list(tables(path, wanted_of(antelog.parse(program).plan, name, arrival), rejects))
    with path.with_name("rejects.csv").open(encoding="utf-8", newline="") as file:
        set_aside: list[tuple[int | None, str]] = [
            (int(row["line"]), row["detail"]) for row in csv.DictReader(file)
        ]
    assert rejects.counts.total() == len(set_aside)
    return [tuple(row.values()) for table in found for row in table.to_pylist()], set_aside


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    return tmp_path / "temp.csv"


# ---- forms ----


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", Form.CSV),
        ("a.CSV", Form.CSV),
        ("a.b.csv.gz", Form.CSV),
        ("a.jsonl", Form.JSON),
        ("a.ndjson.gz", Form.JSON),
        ("a.json", Form.JSON),
        ("a.parquet", Form.PARQUET),
        ("a.parquet.gz", None),
        ("a.xlsx", None),
        ("a", None),
        ("csv", None),
        (".gz", None),
    ],
)
def test_the_form_follows_from_the_ending(name: str, form: Form | None) -> None:
    assert form_of(Path(name)) is form


# ---- CSV: columns ----


@pytest.mark.parametrize(
    "content",
    [
        "device,value,time,arrival\nwt2,91,3,4\n",
        "arrival,time,value,device\n4,3,91,wt2\n",
        "note,device, value ,time,arrival\nx,wt2,91,3,4\n",
        "machine,reading,t,came\nwt2,91,3,4\n",
        "machine,reading,time,arrival\nwt2,91,3,4\n",
        "wt2,91,3,4\n",
        "device;value;time;arrival\nwt2;91;3;4\n",
        "device\tvalue\ttime\tarrival\nwt2\t91\t3\t4\n",
        "\n\ndevice,value,time,arrival\n\nwt2,91,3,4\n\n",
        "device,value,time,arrival\r\nwt2,91,3,4\r\n",
        "device,value,time,arrival\rwt2,91,3,4\r",
        "device,value,time,arrival\nwt2,91,3,4",
        '"device","value","time","arrival"\n"wt2","91","3","4"\n',
        "device,value,time,arrival\nwt2, 91 , 3, 4\n",
        "device,value,time,arrival\nwt2,+91.0,3.0,4.\n",
    ],
)
def test_columns_by_name_and_by_position(temp: Path, content: str) -> None:
    assert read(temp, content) == ([("wt2", 91, 3, 4)], [])


def test_without_an_arrival_facts_arrive_at_their_time(temp: Path) -> None:
    assert read(temp, "device,value,time\nwt2,91,3\n") == ([("wt2", 91, 3, 3)], [])
    assert read(temp, "wt2,91,3\n") == ([("wt2", 91, 3, 3)], [])


def test_the_arrival_may_have_another_name(temp: Path) -> None:
    rows, _ = read(temp, "device,seen,value,time\nwt2,4,91,3\n", arrival="seen")
    assert rows == [("wt2", 91, 3, 4)]


def test_an_input_may_have_a_column_called_arrival(temp: Path) -> None:
    program = "input P(arrival, time).\nA(X, T) :- P(X, T).\nquery A(X, T).\n"
    assert read(temp, "arrival,time\nnoon,3\n", program, "P") == ([("noon", 3, 3)], [])


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("device,valeu,time", "Temp has no column valeu. Did you mean value?"),
        ("device,value,time,arival", "Temp has no column arival. Did you mean arrival?"),
        ("device,reading,time", "lacks the column value of Temp; it has device, reading, time"),
        ("device,device,value,time", "has several columns device"),
        ("a,b", "has the columns a, b; Temp has device, value, time. Give them the same names"),
        ("a,b,c,d,e", "Give them the same names or the same number"),
        ('device,"value', "the first line: has a quote that is not closed"),
    ],
)
def test_columns_that_do_not_fit(temp: Path, header: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read(temp, f"{header}\nx,1,2\n")
    assert str(error.value).startswith(f"{temp}: ")
    assert message in str(error.value)


def test_static_files_have_no_times(temp: Path) -> None:
    program = "static Site(device, place: number).\nA(X, T) :- Site(X, N), P(X, T).\nquery A(X, T).\n"
    assert read(temp, "place,device\n7,wt2\n", program, "Site") == ([("wt2", 7)], [])
    assert read(temp, "wt2,7\n", program, "Site") == ([("wt2", 7)], [])


def test_a_first_line_that_may_be_a_row_is_pointed_out(temp: Path) -> None:
    program = "static Site(device).\nA(X, T) :- Site(X), P(X, T).\nquery A(X, T).\n"
    temp.write_text("wt2\nwt4\n")
    rejects = Rejects()
    (table,) = tables(temp, wanted_of(antelog.parse(program).plan, "Site"), rejects)
    assert table.to_pylist() == [{"device": "wt4"}]
    assert rejects.notes == [f"{temp}: its first line is taken for names, none of which Site has"]


# ---- CSV: values ----


def test_texts_stay_as_they_are_in_a_column_of_texts(temp: Path) -> None:
    texts = ["007", "1e3", "NA", "null", " x ", "true", 'a "b" c', "a,b", "ä"]
    quoted = "".join('"{}",1,0,0\n'.format(text.replace('"', '""')) for text in texts)
    assert [row[0] for row in read(temp, HEADER + quoted)[0]] == texts


def test_numbers_in_a_column_of_numbers(temp: Path) -> None:
    given = ["007", "-3", "+5", ".5", "5.", "1e3", "9007199254740993", "73.96732207", " 1 ", "1" + "0" * 20]
    rows, bad = read(temp, HEADER + "".join(f"a,{number},0,0\n" for number in given))
    assert bad == []
    assert [row[1] for row in rows] == [7, -3, 5, 0.5, 5, 1000, 9007199254740993, 73.96732207, 1, 10**20]


def test_a_column_of_no_known_type_is_read_value_by_value(temp: Path) -> None:
    given = ["007", "wt2", "1.5", "n/a", "nan", "0x1F", "1_0", "1e400", "2024-01-01", "12345678901234567890"]
    rows, bad = read(temp, HEADER + "".join(f"{value},1,0,0\n" for value in given), FREE)
    assert bad == []
    values = [row[0] for row in rows]
    assert values == [7, "wt2", 1.5, "n/a", "nan", "0x1F", "1_0", "1e400", "2024-01-01", 12345678901234567890]


def test_quotes(temp: Path) -> None:
    rows, bad = read(temp, HEADER + '"a, b",1,0,0\na"b,1,0,0\n"say ""x""",1,0,0\n')
    assert ([row[0] for row in rows], bad) == (["a, b", 'a"b', 'say "x"'], [])


# ---- CSV: bad rows ----

BAD: list[tuple[str | bytes, str]] = [
    ("wt2,91", "has 2 values, not 4"),
    ("wt2", "has 1 value, not 4"),
    ("wt2,91,3,4,5", "has 5 values, not 4"),
    ("wt2,hot,3,4", "value `hot` of column value is no number"),
    ("wt2,nan,3,4", "value `nan` of column value is no number"),
    ("wt2,1e400,3,4", "value `1e400` of column value is no number"),
    ("wt2,,3,4", "column value is empty"),
    (",91,3,4", "column device is empty"),
    ("wt2,91,,4", "the time is missing"),
    ("wt2,91,-1,4", "the time `-1` is before tick 0"),
    ("wt2,91,2.5,4", "the time `2.5` is not a whole number"),
    ("wt2,91,soon,4", "the time `soon` is not a whole number"),
    (f"wt2,91,{LAST + 1},4", f"the time `{LAST + 1}` is after tick {LAST}, the last there is"),
    ("wt2,91,123456789012345678901,4", "is not a whole number"),
    ("wt2,91,3,", "the arrival is missing"),
    ("wt2,91,3,-4", "the arrival `-4` is before tick 0"),
    ('wt2,91,3,"4', "has a quote that is not closed"),
    ('"wt2,91,3,4', "has a quote that is not closed"),
    (b"wt\xff,91,3,4", "is not UTF-8 text"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_bad_row_spoils_no_other(temp: Path, line: str | bytes, reason: str) -> None:
    bad = line if isinstance(line, bytes) else line.encode()
    content = HEADER.encode() + b"a,1,0,0\n\n" + bad + b'\nb,2,0,0\n"c",3,0,0\n'
    rows, set_aside = read(temp, content)
    assert rows == [("a", 1, 0, 0), ("b", 2, 0, 0), ("c", 3, 0, 0)]
    assert [number for number, _ in set_aside] == [4]
    assert reason in set_aside[0][1]


def test_all_bad_rows_at_once_in_the_order_of_lines(temp: Path) -> None:
    lines = [line if isinstance(line, bytes) else line.encode() for line, _ in BAD]
    rows, set_aside = read(temp, HEADER.encode() + b"\n".join(lines) + b"\nz,9,9,9\n")
    assert rows == [("z", 9, 9, 9)]
    assert [number for number, _ in set_aside] == list(range(2, len(BAD) + 2))


def test_bad_rows_far_into_a_file_keep_their_lines(temp: Path) -> None:
    lines = [f"wt{i},{i},{i // 100},{i // 100}" for i in range(120_000)]
    lines[5] = lines[70_000] = "broken"
    lines[119_999] = "wt,x,1,1"
    rows, set_aside = read(temp, HEADER + "\n".join(lines))
    assert len(rows) == 119_997
    assert [number for number, _ in set_aside] == [7, 70_002, 120_001]


def test_a_file_without_rows(temp: Path) -> None:
    for content in ["", "\n\n", HEADER, HEADER.strip()]:
        assert read(temp, content) == ([], [])


# ---- CSV: encodings and packing ----


def test_a_byte_order_mark(temp: Path) -> None:
    assert read(temp, b"\xef\xbb\xbf" + HEADER.encode() + b"wt2,91,3,4\n") == ([("wt2", 91, 3, 4)], [])


def test_utf_16_is_refused(temp: Path) -> None:
    with pytest.raises(DataError, match="is UTF-16 text; save it as UTF-8"):
        read(temp, HEADER.encode("utf-16"))


def test_a_header_that_is_no_utf_8_is_refused(temp: Path) -> None:
    with pytest.raises(DataError, match=r"temp\.csv:1: is not UTF-8 text"):
        read(temp, "gerät,value,time\n".encode("latin-1"))


def test_packed_files(tmp_path: Path) -> None:
    content = gzip.compress((HEADER + "wt2,91,3,4\nbroken\n").encode())
    rows, set_aside = read(tmp_path / "temp.csv.gz", content)
    assert rows == [("wt2", 91, 3, 4)]
    assert set_aside == [(3, "has 1 value, not 4")]
    for damaged in (content[:-9], b"no gzip"):
        with pytest.raises(DataError, match="cannot be unpacked"):
            read(tmp_path / "temp.csv.gz", damaged)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.csv: cannot be read: No such file or directory"):
        rows_of(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        rows_of(tmp_path / "folder.csv")
    with pytest.raises(DataError, match=r"the ending tells no form of file; there are \.csv"):
        read(tmp_path / "temp.txt", "")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_blocks_are_whole_lines_with_their_numbers(temp: Path, size: int) -> None:
    temp.write_bytes(b"a\r\nbc\n\nd\r\ne")
    with temp.open("rb") as file:
        found = [(block.first, block.lines()) for block in blocks(file, temp, size)]
    assert [line for _, lines in found for line in lines] == [b"a", b"bc", b"", b"d", b"e"]
    assert all(first == 1 + sum(len(lines) for _, lines in found[:i]) for i, (first, _) in enumerate(found))


# ---- timestamps ----


@pytest.mark.parametrize(
    ("time", "tick"),
    [
        ("1970-01-01", 0),
        ("1970-01-01 00:09:59.999999999", 0),
        ("1970-01-01T00:10", 1),
        ("1970-01-01 00:10:00", 1),
        ("1970-01-01T00:10:00Z", 1),
        ("1970-01-01T00:10:00.5+00:00", 1),
        ("1970-01-01T01:10:00+0100", 1),
        ("1970-01-01T01:10:00+01", 1),
        ("1969-12-31T23:10:00-01:00", 1),
        ("2013-07-04 00:00:00", 2288160),
        ("17", 17),
    ],
)
def test_timestamps_become_ticks(temp: Path, time: str, tick: int) -> None:
    assert read(temp, f"device,value,time\na,1,{time}\n", TICKS) == ([("a", 1, tick, tick)], [])


def test_times_of_many_kinds_in_one_column(temp: Path) -> None:
    times = [
        "1970-01-02",
        "5",
        "1970-01-01T00:20:00Z",
        "1970-02-30",
        "1969-12-31",
        "noon",
        "",
        "1970-01-01 25:00",
    ]
    rows, bad = read(temp, "device,value,time\n" + "".join(f"a,1,{time}\n" for time in times), TICKS)
    assert [row[2] for row in rows] == [144, 5, 2]
    assert [reason for _, reason in bad] == [
        "the time `1970-02-30` is not a whole number or a timestamp",
        "the time `1969-12-31` is before tick 0",
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
        "the time `1970-01-01 25:00` is not a whole number or a timestamp",
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_timestamps_need_a_tick(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"temp.{ending}"
    match ending:
        case "csv":
            path.write_text("device,value,time\na,1,2024-01-01\n")
        case "jsonl":
            path.write_text('{"device": "a", "value": 1, "time": "2024-01-01T00:00:00Z"}\n')
        case _:
            table = pa.table({"device": ["a"], "value": [1], "time": pa.array([0], pa.timestamp("ms"))})
            pq.write_table(table, path)
    with pytest.raises(DataError, match=r"declare it: `tick 10 minutes\.`"):
        rows_of(path)


# ---- JSON lines ----


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "temp.jsonl"
    content = (
        '{"device": "007", "value": 91.5, "time": 3, "arrival": 4}\n\n'
        '{"arrival": 5, "time": 4.0, "value": 12345678901234567890, "device": "wt\\u00e4", "more": [1]}\n'
    )
    rows, bad = read(path, content)
    assert (rows, bad) == ([("007", 91.5, 3, 4), ("wtä", 12345678901234567890, 4, 5)], [])


def test_json_values_keep_their_types(tmp_path: Path) -> None:
    content = "".join(
        f'{{"device": {v}, "value": 1, "time": 0}}\n' for v in ["7", '"7"', "7.5", "true", '"n/a"']
    )
    rows, bad = read(tmp_path / "temp.json", content, FREE)
    assert (rows, bad) == ([(v, 1, 0, 0) for v in (7, "7", 7.5, True, "n/a")], [])


def test_bad_json_rows(tmp_path: Path) -> None:
    good = '{"device": "a", "value": 1, "time": 0}'
    lines = [
        '{"device": "a", "value": 1, "time": 0',
        "[1, 2]",
        "7",
        '{"device": "a", "time": 0}',
        '{"device": "a", "value": "1", "time": 0}',
        '{"device": 7, "value": 1, "time": 0}',
        '{"device": null, "value": 1, "time": 0}',
        '{"device": {"id": 7}, "value": 1, "time": 0}',
        '{"device": "a", "value": [1], "time": 0}',
        '{"device": "a", "value": 1, "time": 0.5}',
        '{"device": "a", "value": 1, "time": -1}',
        '{"device": "a", "value": 1, "time": null}',
        '{"device": "a", "value": 1, "time": true}',
        '{"device": "a", "value": NaN, "time": 0}',
        '{"device": "\\ud800", "value": 1, "time": 0}',
    ]
    rows, bad = read(tmp_path / "temp.ndjson", "\n".join([good, *lines, good]))
    assert rows == [("a", 1, 0, 0)] * 2
    assert [number for number, _ in bad] == list(range(2, len(lines) + 2))
    reasons = [reason for _, reason in bad]
    assert reasons[0].startswith("is no JSON: ")
    assert reasons[1:12] == [
        "is no JSON object",
        "is no JSON object",
        "lacks value",
        "value `1` of column value is no number",
        "value `7` of column device is no text",
        "column device has no value",
        "the value of device is an object",
        "the value of value is a list",
        "the time `0.5` is no whole number",
        "the time `-1` is before tick 0",
        "the time is missing",
    ]


def test_json_lists_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a JSON list; write each of its objects on a line of its own"):
        read(tmp_path / "temp.json", '[{"device": "a"}]')


def test_json_columns_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Did you mean value\?"):
        read(tmp_path / "temp.json", '{"device": "a", "valeu": 1, "time": 0}')


def test_json_without_rows(tmp_path: Path) -> None:
    assert read(tmp_path / "temp.json", "") == ([], [])
    assert read(tmp_path / "temp.json", "nonsense\n")[0] == []


# ---- Parquet ----


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


# ---- setting aside ----


def test_rejects_as_json_lines(temp: Path, tmp_path: Path) -> None:
    temp.write_text(HEADER + "wt2,91\n")
    out = tmp_path / "rejects.jsonl"
    with rejects_to(out, strict=False) as rejects:
        assert list(tables(temp, wanted_of(antelog.parse(TEMP).plan, "Temp"), rejects)) == []
    assert json.loads(out.read_text()) == {
        "file": str(temp),
        "line": 2,
        "predicate": "Temp",
        "reason": "malformed",
        "detail": "has 2 values, not 4",
        "row": "wt2,91",
    }


def test_a_strict_run_stops_at_the_first(temp: Path) -> None:
    temp.write_text(HEADER + "wt2,91\nwt2\n")
    with (
        pytest.raises(DataError, match=r"temp.csv:2: has 2 values, not 4$"),
        rejects_to(None, strict=True) as rejects,
    ):
        list(tables(temp, wanted_of(antelog.parse(TEMP).plan, "Temp"), rejects))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.txt", "ends in .csv or .jsonl"),
        ("out.csv.gz", "ends in .csv or .jsonl"),
        ("no/out.csv", "cannot be written"),
    ],
)
def test_rejects_that_cannot_be_written(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(DataError, match=message), rejects_to(tmp_path / name, strict=False):
        pass


# ---- the order of arrival ----


def pieces(arrivals: Sequence[Sequence[int]]) -> Iterator[pa.Table]:
    number = 0
    for each in arrivals:
        yield pa.table(
            {"n": [f"{number + i}" for i in range(len(each))], ARRIVAL: pa.array(each, pa.int64())}
        )
        number += len(each)


def replayed(
    *sources: Sequence[Sequence[int]], until: int | None = None, **limits: int
) -> list[tuple[int, list[int]]]:
    given = {f"P{i}": pieces(source) for i, source in enumerate(sources)}
    found = []
    for batch in batches(given, until, **limits):
        arrivals = sorted(a for table in batch.facts.values() for a in table.column(ARRIVAL).to_pylist())
        found.append((batch.now, arrivals))
    return found


def test_a_small_stream_is_sorted() -> None:
    assert replayed([[3, 1], [2, 0]], [[2], [9]]) == [(9, [0, 1, 2, 2, 3, 9])]
    assert replayed([]) == []
    assert replayed() == []


def test_batches_end_with_whole_ticks() -> None:
    assert replayed([[0, 0, 0, 1, 1, 2]], step=2) == [(0, [0, 0, 0]), (1, [1, 1]), (2, [2])]


def test_facts_after_the_last_tick_are_left_out() -> None:
    assert replayed([[0, 5], [2, 9]], until=4) == [(2, [0, 2])]


@pytest.mark.parametrize("room", [1, 2, 3, 5, 8, 100])
def test_a_long_sorted_stream_passes_through_a_window(room: int) -> None:
    first, second = [[i, i] for i in range(10)], [[2 * i] for i in range(7)]
    found = replayed(first, second, room=room, step=3)
    assert [tick for tick, _ in found] == sorted({tick for tick, _ in found})
    assert [a for _, arrivals in found for a in arrivals] == sorted(
        a for each in first + second for a in each
    )
    assert all(before < min(arrivals) for (before, _), (_, arrivals) in pairwise(found))


def test_a_long_stream_out_of_order_is_refused() -> None:
    with pytest.raises(DataError, match="the facts of P0 are too many to be sorted, and not in order"):
        replayed([[i] for i in range(10)] + [[0]], room=4)


def test_a_tick_larger_than_the_window() -> None:
    assert replayed([[7]] * 10 + [[8]], room=2) == [(8, [*[7] * 10, 8])]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_columns_of_several_types_are_cut_where_they_should_be(temp: Path, step: int) -> None:
    program = antelog.parse(FREE)
    values = [7, "wt2", "n/a", 8.5, "x", 9, 10]
    found = []
    temp.write_text("device,value,time\n" + "".join(f"{value},0,{i}\n" for i, value in enumerate(values)))
    engine = antelog.Engine(program, arrival=ARRIVAL)
    given = tables(temp, wanted_of(program.plan, "Temp"), Rejects())
    for batch in batches({"Temp": given}, room=2, step=step):
        changes = engine.advance(batch.now, batch.facts)["A"]
        found += [e for line in changes.column("explanations").to_pylist() for e in line[0]["evidence"]]
    texts = ["7", "wt2", '"n/a"', "8.5", "x", "9", "10"]
    assert found == [f"Temp({text}, 0, {i})" for i, text in enumerate(texts)]


def test_columns_of_changing_types(temp: Path) -> None:
    lines = [f"{i},{i},{i // 1000}" for i in range(80_000)] + ["wt2,0.5,90", "7.5,1,91"]
    temp.write_text("device,value,time\n" + "\n".join(lines))
    program = antelog.parse(FREE)
    (batch,) = batches({"Temp": tables(temp, wanted_of(program.plan, "Temp"), Rejects())})
    table = batch.facts["Temp"]
    assert table.num_rows == 80_002
    assert table.column("device").to_pylist()[-3:] == [79_999, "wt2", 7.5]
    changes = antelog.Engine(program, arrival=ARRIVAL).advance(batch.now, batch.facts)
    assert changes["A"].num_rows == 80_002
