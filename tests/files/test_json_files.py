"""antelog/files/json_files.py: JSON lines, their types, and every kind of bad row."""

from pathlib import Path

import pytest

from antelog.errors import DataError
from tests.files.reading import FREE, mapped_rows, read


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


BAD = {
    '{"device": "a", "value": 1, "time": 0': "is not JSON: ",
    "[1, 2]": "is not a JSON object",
    "7": "is not a JSON object",
    '{"device": "a", "time": 0}': "lacks value",
    '{"device": "a", "value": "1", "time": 0}': "value `1` of column value is not a number",
    '{"device": 7, "value": 1, "time": 0}': "value `7` of column device is not a text",
    '{"device": null, "value": 1, "time": 0}': "column device has no value",
    '{"device": {"id": 7}, "value": 1, "time": 0}': "the value of device is an object",
    '{"device": "a", "value": [1], "time": 0}': "the value of value is a list",
    '{"device": "a", "value": 1, "time": 0.5}': "the time `0.5` is not a whole number",
    '{"device": "a", "value": 1, "time": -1}': "the time `-1` is before tick 0",
    '{"device": "a", "value": 1, "time": null}': "the time is missing",
    '{"device": "a", "value": 1, "time": true}': "the time `true` is not a whole number",
}


def test_bad_json_rows(tmp_path: Path) -> None:
    good = '{"device": "a", "value": 1, "time": 0}'
    rows, bad = read(tmp_path / "temp.ndjson", "\n".join([good, *BAD, good]))
    assert rows == [("a", 1, 0, 0)] * 2
    assert [number for number, _ in bad] == list(range(2, len(BAD) + 2))
    assert all(found.startswith(reason) for (_, found), reason in zip(bad, BAD.values(), strict=True))


def test_json_that_is_no_table_of_the_columns(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a JSON list; write each of its objects on a line of its own"):
        read(tmp_path / "temp.json", '[{"device": "a"}]')
    with pytest.raises(DataError, match=r"as in --map Temp\.value=valeu"):
        read(tmp_path / "temp.json", '{"device": "a", "valeu": 1, "time": 0}')
    assert read(tmp_path / "temp.json", "") == ([], [])
    assert read(tmp_path / "temp.json", "nonsense\n")[0] == []


# ---- fields within fields ----


def test_a_column_may_be_a_field_within_fields(tmp_path: Path) -> None:
    content = (
        '{"ids": {"device": "a"}, "device": 7, "decoded": {"payload": {"temp": 1.5}}, "time": 3}\n'
        '{"ids": {"device": "b"}, "decoded": {"payload": {}}, "time": 3}\n'
        '{"ids": {"device": "c"}, "decoded": 5, "time": 3}\n'
        '{"ids": {"device": "d"}, "time": 3}\n'
        '{"ids": {"device": "e"}, "decoded": {"payload": {"temp": "hot"}}, "time": 3}\n'
        '{"ids": {"device": "f"}, "decoded": {"payload": {"temp": null}}, "time": 3}\n'
    )
    rows, bad = mapped_rows(
        tmp_path / "t.jsonl", content, {"Temp.device": "ids.device", "value": "decoded.payload.temp"}
    )
    assert rows == [("a", 1.5, 3)]
    assert bad == [
        *["lacks decoded.payload.temp"] * 3,
        "value `hot` of column value (decoded.payload.temp) is not a number",
        "column value (decoded.payload.temp) has no value",
    ]


def test_a_field_that_has_the_whole_name_goes_before_a_path(tmp_path: Path) -> None:
    content = (
        '{"device": "a", "a.b": 1, "a": {"b": 2}, "time": 0}\n'
        '{"device": "b", "a": {"b": 3}, "time": 0}\n'
        '{"device": "c", "a": {"b": 4}, "a.b": {}, "time": 0}\n'
    )
    rows, bad = mapped_rows(tmp_path / "t.jsonl", content, {"value": "a.b"})
    assert [row[1] for row in rows] == [1, 3]
    assert bad == ["the value of a.b is an object"]
    content = '{"device": "a", "a.b": {"c.d": 5}, "time": 0}'
    assert mapped_rows(tmp_path / "u.jsonl", content, {"value": "a.b.c.d"}) == ([("a", 5, 0)], [])


def test_a_path_that_no_row_has_is_an_error_in_a_whole_file(tmp_path: Path) -> None:
    content = '{"device": "a", "a": {"temp": 1}, "time": 0}\n'
    with pytest.raises(
        DataError, match=r"no column a\.tmp, which value is mapped to\. Did you mean a\.temp\?"
    ):
        mapped_rows(tmp_path / "t.jsonl", content, {"value": "a.tmp"})
    with pytest.raises(DataError, match=r"it has device, time, a\.temp\. .* --map Temp\.value=a\.temp"):
        mapped_rows(tmp_path / "t.jsonl", content, {})


@pytest.mark.parametrize("begun", ["[", '{"a":', "[{", '{"device": "a", "value": 1, "time": ['])
def test_lines_that_are_nested_too_deeply(tmp_path: Path, begun: str) -> None:
    good = '{"device": "a", "value": 1, "time": 0}'
    rows, bad = read(tmp_path / "temp.jsonl", f"{good}\n{(begun * 100_000)[:100_000]}\n{good}\n")
    assert rows == [("a", 1, 0, 0)] * 2
    assert [line for line, _ in bad] == [2]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("9" * 77, "has more than 76 digits"),
        *((each, "") for each in ("9" * 5000, "1e400", "-Infinity", "NaN")),
    ],
)
def test_values_that_are_none(tmp_path: Path, value: str, said: str) -> None:
    lines = [f'{{"device": "a", "value": {each}, "time": 0}}' for each in ("1", value, "2")]
    rows, bad = read(tmp_path / "temp.jsonl", "\n".join(lines))
    assert rows == [("a", 1, 0, 0), ("a", 2, 0, 0)]
    assert [line for line, _ in bad] == [2]
    assert said in bad[0][1]
