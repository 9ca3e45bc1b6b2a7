"""antelog/spark/bucket/caching.py: only the very version that is in the store counts."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import antelog
from antelog.spark.bucket import caching
from antelog.spark.bucket.standing import Standing, start
from tests.spark.comparing import job_of

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."


@pytest.fixture
def standing() -> Iterator[Standing]:
    caching.forget()
    table = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})
    yield start(job_of(antelog.parse(RULES).plan, {"Temp": table}, 1), 0)
    caching.forget()


def test_an_older_version_is_not_taken_for_the_one_in_the_store(standing: Standing) -> None:
    caching.remember(b"bucket", b"1", standing)
    assert caching.recall(b"bucket", b"1") is standing
    assert caching.recall(b"bucket", b"2") is None
    assert caching.recall(b"another", b"1") is None


def test_those_not_used_for_the_longest_time_are_forgotten(
    standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "_LIMIT", 2)
    for lineage in (b"a", b"b", b"a", b"c"):
        caching.remember(lineage, b"1", standing)
    known = [lineage for lineage in (b"a", b"b", b"c") if caching.recall(lineage, b"1") is not None]
    assert known == [b"a", b"c"]
