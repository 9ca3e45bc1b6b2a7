"""A bucket of a history: read up to its last finished tick, of which nothing is told.

    readings up to tick 99, lag 1: ticks 0 to 98 are finished, and those of 99 wait for more of it

In come the packed rows of the history, out goes the row of `antelog.spark.bucket.past`. What all keys
share is put together of what all buckets have learned, so that a new key has the odds of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa

from antelog.engine.facts.ticks import is_timestamp, ticks_of
from antelog.errors import DataError
from antelog.forecast.files.model import Model
from antelog.forecast.files.parts import merged
from antelog.forecast.forecasting import model_of
from antelog.spark.bucket.batch import batch_of
from antelog.spark.bucket.past import PAST, row_of
from antelog.spark.bucket.standing import advance
from antelog.spark.job.arrivals import with_arrival
from antelog.spark.job.job import ARRIVED, Job


def settler(past: Job, job: Job) -> Callable[[pa.Table], pa.Table]:
    """What reads a bucket's history, for `applyInArrow`. The job that goes on may have other types."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        number, new, standing, batch = batch_of(past, packed, None)
        if new.reading is None:
            raise DataError(
                "the history that is to be learned from has no facts: give another one, or start without"
            )
        standing, _ = advance(past, standing, batch.rows, new.reading - past.timing.lag, number)
        assert standing.forecasting is not None
        model = model_of(past.plan, standing.forecasting, standing.now)
        waiting = {name: _typed(job, name, table) for name, table in standing.waiting.items()}
        return row_of(past, number, replace(standing, waiting=waiting), new.reading, model)

    return run


def together(rows: pa.Table) -> pa.Table:
    """The rows of all buckets, each with the model of what all of them have learned."""
    model = merged([Model.from_bytes(each.as_py()) for each in rows.column("model")])
    models = pa.array([model.to_bytes()] * rows.num_rows, pa.binary())
    place = PAST.names.index("model")
    return rows.select(PAST.names).set_column(place, "model", models).cast(PAST)


def _typed(job: Job, name: str, rows: pa.Table) -> pa.Table:
    """Rows that wait, in the types that the job has for them."""
    schema = with_arrival(job, name, job.tables[name].empty_table(), 0, None).schema
    columns = []
    for field in schema:
        column = rows.column(field.name)
        try:
            if field.name == ARRIVED and is_timestamp(field.type) != is_timestamp(column.type):
                column = _arrivals(job, column, field.type)
            columns.append(column.cast(field.type))
        except pa.ArrowInvalid as error:
            raise DataError(
                f"column {field.name} of {name} in what is to be learned from does not go with what is to "
                f"follow: {error}"
            ) from None
    return pa.table(columns, schema=schema)


def _arrivals(job: Job, arrivals: pa.ChunkedArray, type_: pa.DataType) -> pa.Array:
    """Arrivals as ticks, or as the timestamps at which these begin."""
    ticks = pa.array(ticks_of(arrivals, job.plan.tick).numbers, pa.int64())
    if not is_timestamp(type_):
        return ticks
    assert job.plan.tick is not None
    return pa.array(ticks.to_numpy() * job.plan.tick, pa.int64()).cast(pa.timestamp("us", type_.tz))
