"""antelog/files/json_files.py: JSON lines, their types, and every kind of bad row."""

from pathlib import Path

import pytest

from antelog.errors import DataError
from tests.files.reading import FREE, read


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
