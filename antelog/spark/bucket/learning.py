"""What comes of a bucket of a batch besides changes: what was learned, and how good the chances were.

The driver makes one model of what all buckets have learned, and one table of their scores.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pyarrow as pa

from antelog.forecast.forecasting import model_of, scores_of
from antelog.forecast.scores import scores
from antelog.spark.bucket.batch import batch_of
from antelog.spark.bucket.standing import finish
from antelog.spark.job.job import Job

FOUND = pa.schema([("bucket", pa.int32()), ("content", pa.binary())])
"""What a bucket has learned, or how good its chances were."""


def learner(job: Job) -> Callable[[pa.Table], pa.Table]:
    """What learns from a bucket, for `applyInArrow`: it tells the bytes of a model."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        number, _, standing, batch = batch_of(job, packed)
        standing, _ = finish(job, standing, batch, number)
        assert standing.forecasting is not None
        model = model_of(job.plan, standing.forecasting, standing.now)
        return pa.table([[number], [model.to_bytes()]], FOUND)

    return run


def scorer(job: Job) -> Callable[[pa.Table], pa.Table]:
    """What scores the chances in a bucket, for `applyInArrow`: it tells the sums of each query as JSON."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        number, _, standing, batch = batch_of(job, packed)
        standing, _ = finish(job, standing, batch, number)
        assert standing.forecasting is not None
        found = scores_of(standing.forecasting)
        sums = {name: scores.to_dict(each) for name, each in found.items()}
        return pa.table([[number], [msgspec.json.encode(sums)]], FOUND)

    return run
