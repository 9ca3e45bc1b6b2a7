"""antelog/files/setting_aside.py: where rows go that cannot be used."""

import json
from pathlib import Path

import pytest

import antelog
from antelog.errors import AntelogError
from antelog.files import rejects_to, tables
from antelog.run.reading import wanted_of
from tests.files.reading import HEADER, TEMP


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
