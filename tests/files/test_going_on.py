"""antelog/files/{csv_files,json_files}.py: in what goes on, names decide, record by record."""

from __future__ import annotations

import json
from typing import Any

import pytest

import antelog
from antelog.files.chunks import Chunk, sorted_out
from antelog.files.columns import Advice, WantedColumns
from antelog.files.csv_files import CsvHeader, CsvRows
from antelog.files.json_files import JsonRows
from antelog.run.reading import wanted_of
from tests.files.reading import FREE, TEMP

WANTED = wanted_of(antelog.parse(FREE).plan, "Temp")
TYPED = wanted_of(antelog.parse(TEMP).plan, "Temp")
UNDECLARED = wanted_of(antelog.parse("A(X, T) :- P(X, Y, T).\nquery A(X, T).\n").plan, "P")
Rows = JsonRows | CsvRows
GOOD = b'{"device": "a", "value": 1, "time": 0}\n'


def _taken(
    rows: Rows, *data: bytes, wanted: WantedColumns = WANTED
) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows, each with its line, and the reasons of those that were set aside."""
    chunks: list[Chunk] = [chunk for each in data for chunk in rows.feed(each)]
    chunks += rows.end()
    found: list[tuple[Any, ...]] = []
    wrong = []
    for each in sorted_out(wanted, chunks, "x"):
        found += [tuple(row.values()) for row in each.table.to_pylist()]
        wrong += [str(reject).removeprefix("x:") for reject in each.set_aside]
    return found, wrong


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (b"{}", "lacks device, value, time"),
        (b'{"event": "start"}', "lacks device, value, time"),
        (b'{"x": "a", "y": 1, "z": 0}', "lacks device, value, time"),
        (b'{"device": "a", "time": 0, "levle": 1}', "lacks value"),
        (
            b'{"device": "a", "value": 1, "time": 0, "arival": 7}',
            "Temp has no column arival. Did you mean arrival?",
        ),
        (b"[", "is not JSON: Input data was truncated"),
        (b'{"device": null, "value": 1, "time": 0}', "column device has no value"),
    ],
)
def test_a_first_odd_object_stops_nothing(odd: bytes, reason: str) -> None:
    rows, wrong = _taken(JsonRows("x", Advice(WANTED, [])), odd + b"\n" + GOOD, odd + b"\n" + GOOD)
    assert rows == [("a", 1, 0, 0, 2), ("a", 1, 0, 0, 4)]
    assert wrong == [f"1: {reason}", f"3: {reason}"]


def test_names_that_seem_to_be_others_are_said_once() -> None:
    notes: list[str] = []
    rows = JsonRows("x", Advice(WANTED, notes))
    _taken(rows, b"{}\n", b'{"sensor": 1, "value": 1, "time": 0}\n' * 2)
    (note,) = notes
    assert note.startswith(
        "x: has no column device for Temp(device, value, time); it has sensor, value, time. Say"
    )
    assert note.endswith("--map Temp.device=sensor; records without them are set aside, as line 2")


def test_each_object_says_itself_when_it_arrives() -> None:
    wanted = wanted_of(antelog.parse(FREE).plan, "Temp")
    lines = (
        b'{"device": "a", "value": 1, "time": 3}\n',
        b'{"time": 4, "arrival": 9, "value": 1, "device": "b"}\n',
    )
    chunks = [*JsonRows("x", Advice(wanted, [])).feed(b"".join(lines * 2))]
    (found,) = sorted_out(wanted, chunks, "x")
    assert found.arrives.tolist() == [False, True] * 2
    assert found.table.column("the arrival").to_pylist() == [3, 9, 3, 9]


def test_columns_that_are_not_declared_go_by_position_each_record_by_itself() -> None:
    lines = (
        b"{}\n",
        b'{"x": "a", "y": 1, "z": 0}\n',
        b'{"time": 3, "device": "b", "level": 2}\n',
        b'{"a": 1}\n',
    )
    rows, wrong = _taken(JsonRows("x", Advice(UNDECLARED, [])), *lines, wanted=UNDECLARED)
    assert rows == [("a", 1, 0, 0, 2), ("b", 2, 3, 3, 3)]
    assert wrong == ["1: has 0 values, not 3", "4: has 1 values, not 3"]


# ---- CSV ----


@pytest.mark.parametrize(
    "odd",
    [b"start", b"x,1,2", b"a;b;c", b'"device,value,time', b"device,time", b"\xff,\xff,\xff", b"{}", b"1,2"],
)
def test_what_comes_before_a_header_is_set_aside(odd: bytes) -> None:
    rows, wrong = _taken(CsvRows("x", Advice(WANTED, [])), odd + b"\ntime,device,va", b"lue\n5,a,1\n")
    assert rows == [("a", 1, 5, 5, 3)]
    assert len(wrong) == 1
    assert wrong[0].startswith("1: ")


def test_a_line_with_all_names_is_a_header_wherever_it_stands() -> None:
    lines = (
        b"device,value,time\na,1,5\n",
        b'time,more,device,value\n6,x,b,2\nx\n"device\nvalue\ntime",1,c,3\n',
    )
    rows, wrong = _taken(CsvRows("x", Advice(WANTED, [])), *lines, b"device,value,time,arrival\nd,4,7,9\n")
    assert rows == [("a", 1, 5, 5, 2), ("b", 2, 6, 6, 4), ("d", 4, 7, 9, 10)]
    assert [each.split(":")[0] for each in wrong] == ["5", "6"]


def test_it_goes_on_under_the_header_of_its_mark() -> None:
    header = CsvHeader(";", ("time", "device", "value"))
    assert _taken(CsvRows("x", Advice(WANTED, []), 7, header), b"1;a;2\n") == ([("a", 2, 1, 1, 7)], [])
    # Another file: its first line is a row of that, or a header, or the header is not known any more.
    assert _taken(CsvRows("x", Advice(WANTED, []), 1, header), b"1;a;2\n") == ([("a", 2, 1, 1, 1)], [])
    own = _taken(CsvRows("x", Advice(WANTED, []), 1, header), b"device;time;value\na;1;2\n")
    assert own == ([("a", 2, 1, 1, 2)], [])
    rows, wrong = _taken(CsvRows("x", Advice(WANTED, []), 1, header), b"a;b;c\n1;a;2\n")
    assert (rows, len(wrong)) == ([], 2)


def test_csv_whose_columns_are_not_declared() -> None:
    rows, wrong = _taken(CsvRows("x", Advice(UNDECLARED, [])), b"hello\na,1,0\nb,2,1\n", wanted=UNDECLARED)
    assert (rows, len(wrong)) == ([("a", 1, 0, 0, 2), ("b", 2, 1, 1, 3)], 1)
    named = CsvRows("x", Advice(UNDECLARED, []))
    assert _taken(named, b"p,q,r\na,1,0\n", wanted=UNDECLARED)[0] == [("a", 1, 0, 0, 2)]
    assert named.header == CsvHeader(",", ("p", "q", "r"))


# ---- either ----


@pytest.mark.parametrize("odd", ["", "starting\n", "{}\n", '{"event": 1}\n[]\n', "a,b,c\n", "{,\r\n\n"])
@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_first_record_that_fits_says_what_it_is(odd: str, form: str) -> None:
    whole = b"device,value,time\nb,1,0\nc,1,1\n"
    if form == "json":
        whole = "".join(
            json.dumps({"device": d, "value": 1, "time": t}) + "\n" for d, t in ("b0", "c1")
        ).encode()
    data = odd.encode() + whole
    for cut in range(0, len(data), 5):
        either = CsvRows("x", advice := Advice(WANTED, []), json=JsonRows("x", advice))
        rows, wrong = _taken(either, data[:cut], data[cut:])
        assert [row[0] for row in rows] == ["b", "c"]
        assert len(wrong) == sum(bool(line) for line in odd.split("\n") if line.strip())
