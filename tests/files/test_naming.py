"""antelog/files/naming.py: how a file is written follows from the ending of its name."""

from pathlib import Path

import pytest

from antelog.files import form_of
from antelog.files.naming import Form


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
