"""tests/attack/on_spark.py: a few sequences of files whose types change, on Spark itself."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.attack import on_spark
from tests.attack.findings import all_of, report


@pytest.mark.filterwarnings("ignore")  # libraries warn of what is odd
@pytest.mark.parametrize("count", [1, pytest.param(60, marks=pytest.mark.long)])
def test_types_that_change_are_the_same_in_streams_and_batches(spark: SparkSession, count: int) -> None:
    _, found = all_of(on_spark.attempts_in(spark, count, 7))
    assert not found, "\n".join(report(len(found), found))
