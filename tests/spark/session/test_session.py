"""antelog/spark/session/session.py: failures in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import DataError
from antelog.spark.session.session import plain, plainly


def test_a_stream_that_failed_is_not_shown_with_its_plans() -> None:
    said = "The table was emptied.\n=== Streaming Query ===\nIdentifier: [id = 1]\nLogical Plan:\n Project"
    assert plain(RuntimeError(said)) == "The table was emptied"


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (ModuleNotFoundError("No module named 'antelog'"), "Python has no antelog. .* PYSPARK_PYTHON names"),
        (ValueError("they differ"), "^they differ$"),
    ],
)
def test_a_worker_that_fails_is_shown_without_its_stack(
    spark: SparkSession, raised: Exception, why: str
) -> None:
    def fails(_: object) -> Iterator[pa.RecordBatch]:
        raise raised

    with pytest.raises(DataError, match=why), plainly():
        spark.range(1).mapInArrow(fails, "id long").collect()
