"""Timestamps, JSON lines, Parquet, what is set aside, and the order of arrival."""

import json
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from antelog.errors import AntelogError, DataError
from antelog.files import ARRIVAL, LINE, End, Rejects, batches, rejects_to, tables, wanted_of
from tests.files.reading import FREE, HEADER, TEMP, TICKS, read, rows_of

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
        '{"device": "a", "value": 1e999, "time": 0}',
        '{"device": "a", "value": -Infinity, "time": 0}',
        '{"device": "a", "value": 1%s, "time": 0}' % ("0" * 400),
        '{"device": "\\ud800", "value": 1, "time": 0}',
    ]
    rows, bad = read(tmp_path / "temp.ndjson", "\n".join([good, *lines, good]))
    assert rows == [("a", 1, 0, 0)] * 2
    assert [number for number, _ in bad] == list(range(2, len(lines) + 2))
    reasons = [reason for _, reason in bad]
    assert reasons[0].startswith("is not JSON: ")
    assert reasons[1:12] == [
        "is not a JSON object",
        "is not a JSON object",
        "lacks value",
        "value `1` of column value is not a number",
        "value `7` of column device is not a text",
        "column device has no value",
        "the value of device is an object",
        "the value of value is a list",
        "the time `0.5` is not a whole number",
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


def test_floats_of_background_facts_that_are_no_numbers(tmp_path: Path) -> None:
    program = "static S(n: number).\nA(N, T) :- S(N), P(N, T).\nquery A(N, T).\n"
    path = write(tmp_path / "t.parquet", n=[1.0, math.inf, math.nan])
    assert [
        row
        for table in tables(path, wanted_of(antelog.parse(program).plan, "S"), Rejects())
        for row in table.to_pylist()
    ] == [{"n": 1.0}]


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
    with pytest.raises(AntelogError, match=message), rejects_to(tmp_path / name, strict=False):
        pass


# ---- the order of arrival ----


def pieces(arrivals: Sequence[Sequence[int]]) -> Iterator[pa.Table]:
    number = 0
    for each in arrivals:
        numbers = range(number, number + len(each))
        yield pa.table(
            {
                "n": list(map(str, numbers)),
                ARRIVAL: pa.array(each, pa.int64()),
                LINE: pa.array(numbers, pa.int64()),
            }
        )
        number += len(each)


def replayed(
    *sources: Sequence[Sequence[int]], until: int | None = None, **limits: int
) -> list[tuple[int, list[int]]]:
    given = {f"P{i}": pieces(source) for i, source in enumerate(sources)}
    found = []
    for batch in batches(given, End(until), **limits):
        arrivals = sorted(a for table in batch.facts.values() for a in table.column(ARRIVAL).to_pylist())
        for name, table in batch.facts.items():
            assert table.column("n").to_pylist() == list(map(str, batch.lines[name].tolist()))
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
