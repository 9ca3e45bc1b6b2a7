"""Models and scores of recorded facts.

learn(program, inputs)                   a model, merged from those of all buckets
scores(program, inputs, model=model)     how good chances are: a table with a row for each query
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from operator import add

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame

from antelog.errors import DataError, UnsupportedError
from antelog.forecast.forecasting import model_of, scores_of
from antelog.forecast.model_file import Model
from antelog.forecast.parts import merged
from antelog.forecast.scores.scores import from_dict, table, to_dict
from antelog.program import Program
from antelog.run.options import taken, takes
from antelog.spark.bucket.batch import received_by
from antelog.spark.bucket.state import BucketState, finish
from antelog.spark.job.checking import CheckedRun, checked
from antelog.spark.job.forecasts import to_learn
from antelog.spark.job.job import Job
from antelog.spark.job.options import LearnOptions, OutputOptions, ScoreOptions
from antelog.spark.lost import explaining_lost_java
from antelog.spark.running import Run, of_buckets


@explaining_lost_java()
@takes(LearnOptions)
def learn(program: Program, inputs: Mapping[str, DataFrame], options: LearnOptions) -> Model:
    """A model of recorded facts: how often facts come, and what becomes of open answers.

    The options are those of `antelog.spark`: `clock`, `arrival`, `buckets`, `until` and `begin`.
    """
    ready = checked(program, inputs, taken(OutputOptions, options))
    ready = replace(ready, job=replace(ready.job, forecasts=to_learn()))
    return merged([Model.from_bytes(each) for each in _each(ready, learned)])


@explaining_lost_java()
@takes(ScoreOptions)
def scores(program: Program, inputs: Mapping[str, DataFrame], options: ScoreOptions) -> pa.Table:
    """The scores of the chances of a batch, as `Engine.scores` has them.

    The options are those of `antelog.spark`: `clock`, `arrival`, `buckets`, `until`, `begin`, `model` and
    `learn`.
    """
    ready = checked(program, inputs, taken(OutputOptions, options))
    if ready.job.forecasts is None:
        raise UnsupportedError(
            'there are no chances to score: give a model or `model="learn"`, '
            "or declare a `chance` in the program"
        )
    found = [msgspec.json.decode(each) for each in _each(ready, scored)]
    by_query = {name: [from_dict(each[name]) for each in found] for name in found[0]}
    return table({name: reduce(add, each) for name, each in by_query.items()})


def _each(ready: CheckedRun, what: Callable[[Job, BucketState], bytes]) -> list[bytes]:
    """The bytes that each bucket of a batch gives at its end."""
    if not ready.job.batch:
        raise DataError(
            "a stream has no end by which something is learned or scored: use recorded facts, as a batch"
        )
    frame = of_buckets(ready, runner(ready.job, what), _FOUND, agreed=True)
    return [bytes(row.content) for row in frame.orderBy("bucket").collect()]


# ---- in the workers ----

_FOUND = pa.schema([("bucket", pa.int32()), ("content", pa.binary())])
"""The model a bucket has learned, or the scores of its chances."""


def runner(job: Job, what: Callable[[Job, BucketState], bytes]) -> Run:
    """A function for `applyInArrow` that runs a bucket to the end of a batch."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        bucket, batch, _ = received_by(job, packed)
        bucket, _ = finish(job, bucket, batch)
        return pa.table([[bucket.number], [what(job, bucket)]], _FOUND)

    return run


def learned(job: Job, bucket: BucketState) -> bytes:
    """The model that a bucket has learned."""
    assert bucket.forecasting is not None
    return model_of(job.plan, bucket.forecasting, bucket.now).to_bytes()


def scored(_job: Job, bucket: BucketState) -> bytes:
    """The sums of the scores of each query, as JSON."""
    assert bucket.forecasting is not None
    return msgspec.json.encode({name: to_dict(each) for name, each in scores_of(bucket.forecasting).items()})
