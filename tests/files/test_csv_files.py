"""antelog/files/{cells,columns,csv_files,reading}.py: columns, values, every kind of bad row, encodings."""

import gzip
from pathlib import Path

import pytest

import antelog
from antelog.arrow.ticks import LAST
from antelog.errors import DataError
from antelog.files import Rejects, tables
from antelog.files.columns import arrivals_of, has, no_columns
from antelog.run.reading import wanted_of
from tests.files.reading import FREE, HEADER, mapped_rows, read, rows_of
from tests.tables import cases

# ---- CSV: columns ----


@cases(__file__, "columns_by_name_and_by_position")
def test_columns_by_name_and_by_position(temp: Path, content: str) -> None:
    assert read(temp, content) == ([("wt2", 91, 3, 4)], [])


def test_arrivals_may_lack_or_have_another_name(temp: Path) -> None:
    assert read(temp, "device,value,time\nwt2,91,3\n") == ([("wt2", 91, 3, 3)], [])
    assert read(temp, "wt2,91,3\n") == ([("wt2", 91, 3, 3)], [])
    rows, _ = read(temp, "device,seen,value,time\nwt2,4,91,3\n", arrival="seen")
    assert rows == [("wt2", 91, 3, 4)]
    program = "input P(arrival, time).\nA(X, T) :- P(X, T).\nquery A(X, T).\n"
    assert read(temp, "arrival,time\nnoon,3\n", program, "P") == ([("noon", 3, 3)], [])


@cases(__file__, "columns_that_do_not_fit")
def test_columns_that_do_not_fit(temp: Path, header: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read(temp, f"{header}\nx,1,2\n")
    assert str(error.value).startswith(f"{temp}: ")
    assert message in str(error.value)


def test_columns_by_position_have_fitting_values(temp: Path) -> None:
    with pytest.raises(
        DataError, match=r"has no columns device, value, time .* as in --map Temp\.device=COLUMN"
    ):
        read(temp, "reading,sensor,t\n91,wt2,3\n92,wt2,soon\n")
    # A row or two that are of no use are set aside, here as elsewhere.
    rows, bad = read(temp, "sensor,reading,t\nwt2,91,3\nwt2,92,4\nwt2,n/a,5\n")
    assert ([row[1] for row in rows], len(bad)) == ([91, 92], 1)


def test_columns_may_be_mapped(temp: Path) -> None:
    content = "temp.c,device,t,id\n5,x,0,a\nnone,x,1,b\n"
    assert mapped_rows(temp, content, {"Temp.device": "id", "value": "temp.c", "time": "t"}) == (
        [("a", 5, 0)], ["value `none` of column value (temp.c) is not a number"]
    )  # fmt: skip
    # What two columns are called may be the other way round.
    assert mapped_rows(temp, "value,device,time\na,5,0\n", {"device": "value", "value": "device"})[0] == [
        ("a", 5, 0)
    ]


def test_static_files_have_no_times(temp: Path) -> None:
    program = "static Site(device, place: number).\nA(X, T) :- Site(X, N), P(X, T).\nquery A(X, T).\n"
    assert read(temp, "place,device\n7,wt2\n", program, "Site") == ([("wt2", 7)], [])
    assert read(temp, "wt2,7\n", program, "Site") == ([("wt2", 7)], [])


DEADLINES = """
static Within(priority, limit <= 4 hours).
Late(X, T) :- Asked(X, P, T), Within(P, N), not Answer(X, T..T+N).
query Late(X, T).
"""


def test_columns_of_ticks_may_have_durations(temp: Path) -> None:
    content = "priority,limit\nhigh,30 minutes\nlow,1.5 h\nnone,3\nodd,20 minutes\nnever,soon\nno,\n"
    assert read(temp, content, "tick 15 minutes." + DEADLINES, "Within") == (
        [("high", 2), ("low", 6), ("none", 3)],
        [
            (5, "value `20 minutes` of column limit is not a number of ticks; a tick is 15 minutes"),
            (6, "value `soon` of column limit is not a number of ticks; a tick is 15 minutes"),
            (7, "column limit is empty"),
        ],
    )
    assert read(temp, "high,30 minutes\nlow,1 h\n", "tick 15 minutes." + DEADLINES, "Within") == (
        [("high", 2), ("low", 4)],
        [],
    )


def test_without_a_length_of_ticks_durations_are_no_numbers(temp: Path) -> None:
    program = DEADLINES.replace("4 hours", "16")
    assert read(temp, "priority,limit\nhigh,2\nlow,1 h\n", program, "Within") == (
        [("high", 2)],
        [(3, "value `1 h` of column limit is not a number")],
    )


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

RULES = "input Temp(x: text, n: number, time). static Site(x: text, n: number).\n"
PLAN = antelog.parse(RULES + "Hot(X, T) :- Temp(X, N, T), Site(X, N). query Hot(X, T).").plan


def test_the_first_fault_of_a_row_is_shown_and_rows_of_inputs_are_counted(temp: Path) -> None:
    temp.write_text("x,n,time\na,1,0\nb,many,never\n,2,0\n", encoding="utf-8")
    rejects = Rejects()
    (table,) = tables(temp, wanted_of(PLAN, "Temp"), rejects)
    assert table.column("x").to_pylist() == ["a"]
    assert [(each.line, each.detail) for each in rejects.first] == [
        (3, "value `many` of column n is not a number"),
        (4, "column x is empty"),
    ]
    assert rejects.tally == {"malformed": 2}
    temp.write_text("x,n\na,1\nb,many\n", encoding="utf-8")
    rejects = Rejects()
    (table,) = tables(temp, wanted_of(PLAN, "Site"), rejects)
    assert (table.num_rows, rejects.counts.total(), rejects.tally.total()) == (1, 1, 0)


def test_columns_that_are_taken_in_their_order_are_noted(temp: Path) -> None:
    temp.write_text("degrees,battery,when\n9,98,0\n", encoding="utf-8")  # their values fit, and are others
    rejects = Rejects()
    list(tables(temp, wanted_of(PLAN, "Temp"), rejects))
    (note,) = rejects.notes
    assert note.endswith(
        "none of its columns has a name of Temp(x, n, time), so they are taken in that order; "
        "--map says which is which"
    )


BAD: list[tuple[str | bytes, str]] = [
    ("wt2,91", "has 2 values, not 4"),
    ("wt2,91,3,4,5", "has 5 values, not 4"),
    ("wt2,hot,3,4", "value `hot` of column value is not a number"),
    ("wt2,nan,3,4", "value `nan` of column value is not a number"),
    ("wt2,1e400,3,4", "value `1e400` of column value is not a number"),
    (f"wt2,{10**76},3,4", f"value `{10**76}` of column value is not a number"),
    ("wt2,inf,3,4", "value `inf` of column value is not a number"),
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


def test_bad_rows_spoil_no_others_and_are_in_the_order_of_lines(temp: Path) -> None:
    lines = [line if isinstance(line, bytes) else line.encode() for line, _ in BAD]
    content = HEADER.encode() + b'a,1,0,0\n\n"c",3,0,0\n' + b"\n".join(lines) + b"\nz,9,9,9\n"
    rows, set_aside = read(temp, content)
    assert rows == [("a", 1, 0, 0), ("c", 3, 0, 0), ("z", 9, 9, 9)]
    assert [number for number, _ in set_aside] == list(range(5, len(BAD) + 5))
    assert all(reason in found for (_, found), (_, reason) in zip(set_aside, BAD, strict=True))


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


def test_a_byte_order_mark_within_a_file_is_part_of_a_value(temp: Path) -> None:
    first, mark = HEADER.encode() + b"wt2,91,3,4\n", b"\xef\xbb\xbf"
    assert read(temp, mark + first) == ([("wt2", 91, 3, 4)], [])
    assert read(temp, first + mark) == ([("wt2", 91, 3, 4)], [(3, "has 1 value, not 4")])
    assert read(temp, HEADER.encode() + mark) == ([], [(2, "has 1 value, not 4")])


def test_other_encodings_are_refused(temp: Path) -> None:
    with pytest.raises(DataError, match="is UTF-16 text; save it as UTF-8"):
        read(temp, HEADER.encode("utf-16"))
    with pytest.raises(DataError, match=r"temp\.csv:1: is not UTF-8 text"):
        read(temp, "gerät,value,time\n".encode("latin-1"))


def test_packed_files(tmp_path: Path) -> None:
    content = gzip.compress((HEADER + "wt2,91,3,4\nbroken\n").encode())
    rows, set_aside = read(tmp_path / "temp.csv.gz", content)
    assert rows == [("wt2", 91, 3, 4)]
    assert set_aside == [(3, "has 1 value, not 4")]
    for damaged in (content[:-9], b"no gzip", content[:40] + b"x" + content[41:], content + b"more"):
        with pytest.raises(DataError, match="cannot be unpacked"):
            read(tmp_path / "temp.csv.gz", damaged)
    with pytest.raises(DataError, match="it ends too early; a packed file has to be complete"):
        read(tmp_path / "temp.csv.gz", content[:-9])
    with pytest.raises(DataError, match=r"temp\.csv: is packed with gzip; give its name the ending \.gz"):
        read(tmp_path / "temp.csv", content)


@pytest.mark.parametrize("name", ["temp.jsonl.gz", "temp.json.gz", "temp.NDJSON.GZ", "a.b.json.gz"])
def test_packed_files_of_json(tmp_path: Path, name: str) -> None:
    content = gzip.compress(b'{"device": "wt2", "value": 91, "time": 3}\n')
    assert read(tmp_path / name, content)[0] == [("wt2", 91, 3, 3)]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.csv: cannot be read: No such file or directory"):
        rows_of(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        rows_of(tmp_path / "folder.csv")
    for name in ("temp.txt", "temp.parquet.gz", "csv", ".gz"):
        with pytest.raises(DataError, match=r"the ending names no form of file; there are \.csv"):
            read(tmp_path / name, "")


def test_an_odd_row_that_is_not_utf8(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "temp.csv"
    path.write_bytes(b"device,value,time\na,1,0\n\xff,7\nb,2,1\n")
    rows, bad = rows_of(path)
    assert rows == [("a", 1, 0, 0), ("b", 2, 1, 1)]
    assert bad == [(3, "has 2 values, not 3")]
    assert capfd.readouterr().err == ""  # Arrow shows a traceback if it has to hand over such a row


# ---- columns that are missing, and the `--map` that can be pasted as it is ----

COLUMNS = ("device", "temp", "time")


@cases(__file__, "the_likeliest_columns_are_in_the_remedy")
def test_the_likeliest_columns_are_in_the_remedy(names: list[str], missing: list[str], maps: str) -> None:
    said = no_columns("Temp", COLUMNS, missing, names, ())
    assert f"{', '.join(missing)} for Temp(device, temp, time); it has {', '.join(names)}. Say" in said
    assert maps in said


def test_fields_within_fields_are_shown_and_suggested() -> None:
    inner = ["ids.device_id", "decoded.payload.temp", "decoded.payload", "ids.device_id"]
    said = no_columns("Temp", COLUMNS, ["device", "temp"], ["ids", "decoded", "time"], iter(inner))
    assert "it has time, ids.device_id, decoded.payload.temp. Say which columns they are" in said
    assert said.endswith("--map Temp.device=ids.device_id --map Temp.temp=decoded.payload.temp")


def test_of_many_names_some_are_shown() -> None:
    assert has([f"n{i}" for i in range(21)]) == ", ".join(f"n{i}" for i in range(20)) + ", …"


def test_a_column_of_arrivals_is_told_by_its_name() -> None:
    assert arrivals_of(["sent", "received_at"], ()) == "received_at"
    assert arrivals_of(["meta"], ["meta.S.received.ms"]) == "meta.S.received.ms"
    assert arrivals_of(["sent", "unseen", "departure"], ()) is None
