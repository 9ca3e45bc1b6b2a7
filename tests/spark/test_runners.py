"""Recorded facts through a batch and a stream on Spark: the changes are those of `Engine`."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from antelog import Engine
from antelog.files import ARRIVAL
from antelog.spark import Outputs, outputs
from tests.run import cases
from tests.run.cases import Case
from tests.run.runners import (
    Facts,
    arriving,
    between,
    cut,
    dealt,
    in_one_step,
    in_steps,
    named,
    rows_of,
    slowest,
    together,
    without,
)
from tests.spark.comparing import in_order
from tests.spark.streamed import result, run, stream_of

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")
BUCKETS = 2


def compare(spark: SparkSession, case: Case, folder: Path) -> None:
    whole = in_steps(case, [])
    last = (
        min(int(each.column(ARRIVAL).to_numpy().max()) for each in case.facts.values() if each.num_rows) - 1
    )
    assert batch(spark, case, case.facts) == in_order(rows_of(whole))
    ticks = np.unique(case.arrivals).tolist()
    ends = sorted(random.Random(case.name).sample(ticks, min(2, len(ticks))))
    found = streamed(spark, case, cut(case.facts, ends), folder / "cut")
    assert found == in_order(rows_of(whole, last))
    timeless = without(case.facts)
    log = in_one_step(case)
    assert batch(spark, case, timeless) == in_order(rows_of(log))
    expected = in_order(rows_of(log, slowest(case.facts) - 1))
    assert streamed(spark, case, [timeless], folder / "whole") == expected
    compare_parts(spark, case, folder)


def compare_parts(spark: SparkSession, case: Case, folder: Path) -> None:
    """A stream without arrivals in parts: each finishes the tick before that of its slowest input."""
    parts = dealt(case.facts, 3)
    dated: list[Facts] = []
    now = -1
    for part in parts:
        dated.append(arriving(part, now))
        now = max(now, slowest(together(parts[: len(dated)])) - 1)
    log = [Engine(case.program, arrival=ARRIVAL).advance(now, between(together(dated), -1, now))]
    found = streamed(spark, case, [without(part) for part in parts], folder / "parts")
    assert found == in_order(rows_of(log))


def batch(spark: SparkSession, case: Case, facts: Facts) -> list[dict[str, Any]]:
    frames = {name: spark.createDataFrame(table) for name, table in named(facts).items()}
    return _changes(outputs(case.program, frames, buckets=BUCKETS))


def streamed(spark: SparkSession, case: Case, parts: Sequence[Facts], folder: Path) -> list[dict[str, Any]]:
    frames = stream_of(spark, folder / "in", [named(part) for part in parts])
    found = outputs(case.program, frames, buckets=BUCKETS)
    query = run(found, folder / "checkpoint")
    counted = [progress["observedMetrics"]["antelog"] for progress in query.recentProgress]
    given = sum(table.num_rows for part in parts for table in part.values())
    assert (len(counted), sum(each["given"] for each in counted)) == (len(parts), given)
    return _changes(result(spark, found, query))


def _changes(found: Outputs) -> list[dict[str, Any]]:
    return in_order(found.changes.toArrow().to_pylist())


@pytest.mark.long
@pytest.mark.parametrize("name", cases.ON_SPARK)
def test_of_each_example(spark: SparkSession, name: str, tmp_path: Path) -> None:
    compare(spark, cases.example(name), tmp_path)


@pytest.mark.parametrize("name", cases.SAMPLE[:1])
def test_of_the_first_facts_of_streams(spark: SparkSession, name: str, tmp_path: Path) -> None:
    compare(spark, cases.stream(name, tmp_path, cases.MOST), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", cases.STREAMS)
def test_of_each_stream(spark: SparkSession, name: str, tmp_path: Path) -> None:
    compare(spark, cases.stream(name, tmp_path), tmp_path)
