"""The checks that every source has to pass, on the simplest one: a file that grows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from antelog.testing.sources import Record, SourceChecks


@pytest.fixture
def checks(tmp_path: Path) -> SourceChecks:
    path = tmp_path / "readings.jsonl"

    def put(records: Sequence[Record]) -> None:
        with path.open("a") as file:
            file.writelines(f"{json.dumps(dict(each))}\n" for each in records)

    def odd() -> None:
        with path.open("a") as file:
            file.write("nothing\n")

    return SourceChecks(str(path), put, odd)


def test_rows_come_once_and_in_order(checks: SourceChecks) -> None:
    checks.gives_all_rows()


def test_marks(checks: SourceChecks) -> None:
    checks.continues_from_marks()


def test_odd_records(checks: SourceChecks) -> None:
    checks.sets_odd_records_aside()


def test_kills(checks: SourceChecks) -> None:
    checks.outlives_kills(3)


def test_rows_that_are_missing_are_noticed(tmp_path: Path) -> None:
    deaf = SourceChecks(str(tmp_path / "other.jsonl"), lambda _: None)
    (tmp_path / "other.jsonl").write_text('{"key": "key 0", "value": 1, "time": 0}\n')
    with pytest.raises(AssertionError, match="the rows of key 0 are others"):
        deaf.gives_all_rows(1)
