"""antelog.run.sources.places.py: what stands behind `P=`."""

from __future__ import annotations

from pathlib import Path

import pytest

from antelog.errors import DataError
from antelog.files.naming import Form
from antelog.run.sources.places import FileAt, Place, Posted, Standard, Topic, WholeAt, place_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("-", Standard()),
        ("http:", Posted()),
        ("a.csv", FileAt(Path("a.csv"), Form.CSV)),
        ("a.jsonl", FileAt(Path("a.jsonl"), Form.JSON)),
        ("a.csv.gz", WholeAt(Path("a.csv.gz"))),
        ("a.parquet", WholeAt(Path("a.parquet"))),
        ("later/", WholeAt(Path("later"))),
        ("kafka://host/temp", Topic("host:9092", "temp")),
        (
            "kafka://a:1,b/temp?format=csv&from=latest&security.protocol=SSL&config=secret.txt",
            Topic("a:1,b:9092", "temp", "csv", "latest", (("security.protocol", "SSL"),), Path("secret.txt")),
        ),
    ],
)
def test_a_text_names_a_place(text: str, place: Place) -> None:
    assert place_of(text) == place


def test_a_folder_is_known_without_a_slash(tmp_path: Path) -> None:
    assert place_of(str(tmp_path)) == WholeAt(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a.txt", "ending that tells no form of file"),
        ("kafka://host", "lacks a server or a topic"),
        ("kafka://host/t?form=csv", "unknown option form. Did you mean format?"),
        ("kafka://host/t?format=xml", "there are json and csv"),
        ("kafka://host/t?from=now", "earliest and latest"),
        ("kafka://host/t?sasl.password=x", r"list of processes.*\?config=FILE"),
    ],
)
def test_what_names_none_is_said(text: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        place_of(text)
