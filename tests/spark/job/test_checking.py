"""antelog/spark/job/checking.py: what does not fit is refused before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import DataError, parse
from antelog.spark import changes, outputs
from tests.spark.streamed import stream_of

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def test_data_that_does_not_fit_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    good = spark.createDataFrame([("a", 0)], "x string, time int")
    stream = stream_of(spark, tmp_path, [{"Temp": TABLE}])["Temp"]
    refused: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("Did you mean Temp", {"Tmep": good}, {}),
        ("lack the column time; they have x, tiem. Did you mean tiem", {"Temp": good.toDF("x", "tiem")}, {}),
        ("column x of Temp is of type list", {"Temp": good.selectExpr("array(x) x", "time")}, {}),
        ("does not say how long a tick is", {"Temp": good.selectExpr("x", "current_timestamp() time")}, {}),
        ("at least one input", {}, {}),
        ("hand over a DataFrame of Spark", {"Temp": TABLE}, {}),
        ("Did you mean event", {"Temp": good}, {"clock": "evnt"}),
        ("no input has a column of arrivals", {"Temp": good}, {"clock": "arrival"}),
        ("a batch is not processed", {"Temp": good}, {"clock": "processing"}),
        ("needs the length of a tick", {"Temp": stream}, {"clock": "processing"}),
        ("`until` is for batches", {"Temp": stream}, {"until": 3}),
        ("without it, time begins at 0", {"Temp": good}, {"begin": 3}),
        ("begin is -1", {"Temp": good}, {"begin": -1}),
        ("buckets is 0", {"Temp": good}, {"buckets": 0}),
        ("is not a duration", {"Temp": stream}, {"idle": "soon"}),
    ]
    for why, inputs, options in refused:
        with pytest.raises(DataError, match=why):
            changes(ONE, inputs, **options)


def test_a_program_without_a_key_runs_as_one_bucket(spark: SparkSession) -> None:
    program = parse("input Temp(x: text, time). Hot(T) :- Temp(X, T), Temp(Y, T+1). query Hot(T).")
    frame = spark.createDataFrame([("a", 0), ("b", 1)], "x string, time int")
    with pytest.warns(UserWarning, match="one bucket, on one core: .* no argument"):
        found = outputs(program, {"Temp": frame}, only=("confirmed",))
    assert [row.answer for row in found.changes.collect()] == ['{"T": 0}']
