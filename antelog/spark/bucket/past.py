"""What a bucket knows of a history that was read before its first batch.

    yesterday's readings: wt2 was hot at 98 and 99 (99 may go on), and is hot in 12 of 100 ticks

In comes the bucket as the history left it, out goes a row for Spark to carry, and from that row the bucket
with which a batch, or the first micro-batch of a stream, goes on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from antelog.forecast.files.model import Model
from antelog.forecast.query import Learning
from antelog.forecast.swapping import with_model
from antelog.spark.bucket.forecasting import part
from antelog.spark.bucket.standing import Standing
from antelog.spark.bucket.storing import Head, Moment, snapshot, standing_from
from antelog.spark.job.job import Job

PAST = pa.schema(
    [
        ("bucket", pa.int32()),
        ("now", pa.int64()),
        ("begin", pa.int64()),
        ("highest", pa.int64()),
        ("open", pa.int64()),
        ("model", pa.binary()),
        ("parts", pa.list_(pa.binary())),
    ]
)
"""A bucket after a history.

    now         the last finished tick
    begin       where time begins, if it has begun
    highest     the highest tick on the clock
    open        how many answers are open, if that is known
    model       what was learned: by the bucket, and once all are put together, by all of them
    parts       what `snapshot` has of it
"""


@dataclass(frozen=True, eq=False)
class Past:
    """A bucket before its first batch, with the head and the parts that a stream keeps of it."""

    standing: Standing
    head: Head
    parts: list[bytes]

    @property
    def highest(self) -> int:
        return self.head.moment.highest


def row_of(job: Job, number: int, standing: Standing, highest: int, model: Model) -> pa.Table:
    """The row of a bucket, and the model of what it has learned by itself."""
    parts = snapshot(job, standing)
    values = (number, standing.now, standing.state.begin, highest, standing.open, model.to_bytes(), parts)
    return pa.table([[value] for value in values], PAST)


def past_of(job: Job, number: int, row: Mapping[str, Any], wall: int) -> Past:
    """The bucket from its row, at a time of the wall clock, in milliseconds.

    What all keys share stays as the history has it, for no bucket sees the facts of others.
    """
    moment = Moment(row["now"], row["highest"], wall, None, row["begin"])
    parts = [bytes(each) for each in row["parts"]]
    head = Head(os.urandom(12), os.urandom(12), job.identity, moment, open=row["open"])
    standing = standing_from(job, number, head.after(parts, 0, anew=True), parts)
    assert standing.forecasting is not None
    model = Model.from_bytes(bytes(row["model"]))
    learning = Learning(True, model.half_life, model.epoch, shared=False)
    known = with_model(standing.forecasting, part(job, number, model), learning)
    standing = replace(standing, forecasting=known)
    parts = snapshot(job, standing)
    return Past(standing, head.after(parts, standing.held, anew=True), parts)
