"""antelog/files/{cells,columns,csv_files,reading}.py: columns, values, every kind of bad row, encodings."""

import gzip
from pathlib import Path

import pytest

import antelog
from antelog.engine.facts.ticks import LAST
from antelog.errors import DataError
from antelog.files import Rejects, tables, wanted_of
from tests.files.reading import FREE, HEADER, read, rows_of

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
    ("wt2,hot,3,4", "value `hot` of column value is not a number"),
    ("wt2,nan,3,4", "value `nan` of column value is not a number"),
    ("wt2,1e400,3,4", "value `1e400` of column value is not a number"),
    (f"wt2,{10**76},3,4", f"value `{10**76}` of column value is not a number"),
    ("wt2,inf,3,4", "value `inf` of column value is not a number"),
    ("wt2,-Infinity,3,4", "value `-Infinity` of column value is not a number"),
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
