"""What is learned of recorded facts, and how good the chances are that their answers are told with.

learn(program, inputs)                   a model, put together of what all buckets have learned
scores(program, inputs, model=model)     a table with a row for each query
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Unpack

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame

from antelog.errors import DataError, UnsupportedError
from antelog.forecast.model_file import Model
from antelog.forecast.parts import merged
from antelog.forecast.scores.scores import from_dict, table
from antelog.forecast.scores.scores import merged as scores_merged
from antelog.program import Program
from antelog.spark.bucket.learning import FOUND, learner, scorer
from antelog.spark.job.checking import Checked, checked
from antelog.spark.job.forecasts import to_learn
from antelog.spark.job.job import Job
from antelog.spark.job.options import ForModels, ForScores, options_of
from antelog.spark.lost import explaining_lost_java
from antelog.spark.running import Run, of_buckets


@explaining_lost_java()
def learn(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForModels],
) -> Model:
    """What a batch of recorded facts teaches: how often facts come, and what becomes of open answers.

    The options are those of `antelog.spark`: `clock`, `arrival`, `buckets`, `until` and `begin`.
    """
    ready = checked(program, inputs, static or {}, options_of("learn", ForModels, options))
    ready = replace(ready, job=replace(ready.job, forecasts=to_learn()))
    return merged([Model.from_bytes(each) for each in _each(ready, learner)])


@explaining_lost_java()
def scores(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForScores],
) -> pa.Table:
    """How good the chances are that the answers of a batch are told with, as `Engine.scores` says it.

    The options are those of `antelog.spark`: `clock`, `arrival`, `buckets`, `until`, `begin`, `model` and
    `learn`.
    """
    ready = checked(program, inputs, static or {}, options_of("scores", ForScores, options))
    if ready.job.forecasts is None:
        raise UnsupportedError(
            'there are no chances to score: give a model or `model="learn"`, '
            "or declare a `chance` in the program"
        )
    found = [msgspec.json.decode(each) for each in _each(ready, scorer)]
    by_query = {name: [from_dict(each[name]) for each in found] for name in found[0]}
    return table({name: reduce(scores_merged, each) for name, each in by_query.items()})


def _each(ready: Checked, what: Callable[[Job], Run]) -> list[bytes]:
    """What every bucket of a batch has found."""
    if not ready.job.batch:
        raise DataError(
            "a stream has no end by which something is learned or scored: take recorded facts, as a batch"
        )
    frame = of_buckets(ready, what(ready.job), FOUND, agreed=True)
    return [bytes(row.content) for row in frame.orderBy("bucket").collect()]
