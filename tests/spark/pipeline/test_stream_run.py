"""antelog/spark/pipeline/stream_run.py: a stream goes on if the machine was busy, or a file is damaged."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from pyspark.errors import StreamingQueryException

from antelog import DataError
from antelog.spark.failures import Unreadable, shown
from antelog.spark.pipeline.stream_run import StreamRun
from tests.spark.test_unreadable import BROKEN_OFF, REMOTE, failure

BUSY = "terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"


class EndedQuery:
    isActive = False  # noqa: N815 - Spark's name

    def __init__(self, failure: str | None) -> None:
        batch = {"batchId": 0, "durationMs": {"triggerExecution": 500}, "sources": []}
        self.recentProgress = [] if failure else [batch]
        self._failure = failure

    def exception(self) -> StreamingQueryException | None:
        return StreamingQueryException(self._failure) if self._failure else None


def _following(*failures: str | None, leave_out: Callable[[Unreadable], None] | None = None) -> StreamRun:
    queries = [EndedQuery(failure) for failure in failures]
    return StreamRun(lambda: cast(Any, queries.pop(0)), counts={0: {"given": 3}}, leave_out=leave_out)


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


# ---- files that cannot be read ----


def followed(*failures: str | None) -> tuple[list[str], list[int]]:
    """The files that are left out, and the numbers of batches: 0 once a query does not fail."""
    left: list[Unreadable] = []
    done = [each.number for each in _following(*failures, leave_out=left.append).progress(lambda: False)]
    return [shown(file.file) for file in left], done


def test_a_stream_goes_on_without_damaged_files() -> None:
    others = [failure(f"file:///in/{i}.parquet") for i in range(10)]
    names = [f"/in/{i}.parquet" for i in range(10)]
    assert followed(*others, None) == (names, [0])


def test_a_file_that_comes_through_a_network_must_be_damaged_twice() -> None:
    assert followed(failure(REMOTE), None) == ([], [0])
    assert followed(failure(REMOTE), failure(REMOTE), None) == ([REMOTE], [0])


@pytest.mark.parametrize("failures", [[failure(cause=BROKEN_OFF)], [failure(), failure()]])
def test_a_stream_stops_if_a_file_cannot_be_reached_or_to_leave_it_out_is_no_help(
    failures: list[str],
) -> None:
    with pytest.raises(DataError, match=r"^/in/b b\.parquet: cannot be read: "):
        followed(*failures)


def test_a_failure_while_results_are_written_may_be_about_a_file() -> None:
    left: list[Unreadable] = []
    following = _following("the function failed", None, leave_out=left.append)
    following.failures.append(Exception(failure()))
    assert [each.number for each in following.progress(lambda: False)] == [0]
    assert [file.reason for file in left] == ["it is not a Parquet file. Expected magic number at tail"]
