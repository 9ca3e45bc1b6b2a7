"""antelog/spark/pipeline/stream_run.py: a stream whose Python did not start in time is started again."""

from typing import Any, cast

import pytest
from pyspark.errors import StreamingQueryException

from antelog import DataError
from antelog.spark.pipeline.stream_run import StreamRun

BUSY = "terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"


class EndedQuery:
    isActive = False  # noqa: N815 - Spark's name

    def __init__(self, failure: str | None) -> None:
        batch = {"batchId": 0, "durationMs": {"triggerExecution": 500}, "sources": []}
        self.recentProgress = [] if failure else [batch]
        self._failure = failure

    def exception(self) -> StreamingQueryException | None:
        return StreamingQueryException(self._failure) if self._failure else None


def _following(*failures: str | None) -> StreamRun:
    queries = [EndedQuery(failure) for failure in failures]
    return StreamRun(lambda: cast(Any, queries.pop(0)), counts={0: {"given": 3}})


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.spark.pipeline.stream_run._PAUSE", 0)


def test_a_stream_starts_again_if_the_machine_was_busy() -> None:
    (done,) = _following(BUSY, BUSY, None).progress(lambda: False)
    assert (done.number, done.counts) == (0, {"given": 3})


def test_it_does_so_a_few_times_only() -> None:
    with pytest.raises(DataError, match="failed to connect back"):
        list(_following(*[BUSY] * 5).progress(lambda: False))


@pytest.mark.parametrize("failure", ["no such file", "the table is gone"])
def test_other_failures_are_told_at_once(failure: str) -> None:
    with pytest.raises(DataError, match=failure):
        list(_following(failure).progress(lambda: False))
