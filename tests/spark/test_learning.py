"""antelog/spark/job/forecasts.py: chances, models and scores on Spark itself."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import antelog.spark
from antelog.errors import DataError, StateError, UnsupportedError
from antelog.forecast.rates.learning import Learning
from antelog.process import Engine
from antelog.spark.job.forecasts import forecasts_of
from tests.engine.replay import frames
from tests.spark.bucket.test_forecasting import (
    PLAN,
    PROGRAM,
    TICKS,
    forecasts,
    history,
    in_process,
    readings,
    streamed,
)
from tests.spark.comparing import closing, cut, tables_of
from tests.spark.comparing import in_order as comparable
from tests.spark.streamed import frames_of, named, result, run, stream_of


def test_a_batch(spark: SparkSession, tmp_path: Path) -> None:
    """It learns from one stream, and tells another with these chances; then these are scored."""
    model = antelog.spark.learn(PROGRAM, frames_of(spark, PROGRAM, readings(7)), buckets=3)
    model.save(tmp_path / "model")
    inputs = frames_of(spark, PROGRAM, readings(0))
    changes = antelog.spark.changes(PROGRAM, inputs, buckets=3, model=tmp_path / "model", until=TICKS + 5)
    rows = comparable(row.asDict(recursive=True) for row in changes.collect())
    assert rows == in_process(PROGRAM, model, readings(0))
    engine = Engine(PROGRAM, model=model)
    engine.advance(TICKS + 5, frames(readings(0), PLAN, -1, TICKS + 5))
    found = antelog.spark.scores(PROGRAM, inputs, buckets=3, model=model, until=TICKS + 5)
    assert found.equals(engine.scores())


@pytest.mark.long
def test_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    parts = [*cut(readings(0), [150, 333]), closing(PLAN, TICKS + 5)]
    tables = [{name: named(table) for name, table in tables_of(PLAN, part).items()} for part in parts]
    inputs = stream_of(spark, tmp_path / "in", tables)
    found = antelog.spark.outputs(PROGRAM, inputs, buckets=3, model=history(), learn=True)
    seen = result(spark, found, run(found, tmp_path / "checkpoint"))
    reported = comparable(row.asDict(recursive=True) for row in seen.changes.collect())
    assert reported == streamed(forecasts(history(), learn=True), 1, [])
    assert any(row["change"] == "likely" for row in reported)


def test_without_chances_nothing_can_be_left_out(spark: SparkSession) -> None:
    inputs = frames_of(spark, PROGRAM, readings(0)[:4])
    for limits in ({"min_chance": 0.1}, {"most": 5}):
        with pytest.raises(UnsupportedError, match="min_chance and most need chances: give a model"):
            antelog.spark.changes(PROGRAM, inputs, **limits)
    with pytest.raises(DataError, match="most is 0, but at least one answer has to be shown"):
        antelog.spark.changes(PROGRAM, inputs, model=history(), most=0)
    with pytest.raises(TypeError, match="no option most"):
        antelog.spark.scores(PROGRAM, inputs, model=history(), most=3)  # type: ignore[call-arg]


@pytest.mark.long
def test_a_stream_is_not_learned_from_to_its_end(spark: SparkSession, tmp_path: Path) -> None:
    tables = {name: named(table) for name, table in tables_of(PLAN, readings(0)[:4]).items()}
    with pytest.raises(DataError, match="a stream has no end"):
        antelog.spark.learn(PROGRAM, stream_of(spark, tmp_path, [tables]))


def test_the_model_of_another_program_is_refused() -> None:
    other = antelog.parse("input Temp(x: text, time). Hot(X, T) :- Temp(X, T). query Hot(X, T).")
    with pytest.raises(StateError, match="the model was learned for another program"):
        forecasts_of(other.plan, history(), Learning(False))
