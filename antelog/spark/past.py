"""A history that is read on Spark before a batch, or before the first micro-batch of a stream.

    changes(program, {"Temp": live}, learn_from={"Temp": recorded})

In come the DataFrames of the history, out goes one with a row for each bucket: what it knows then. Spark
reads the history when it needs these rows, which a stream does in its first micro-batch and not again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.engine.facts.ticks import is_timestamp
from antelog.engine.values.kinds import kind_of
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.query import Learning
from antelog.process import LEARN
from antelog.program import Program
from antelog.spark.bucket.past import PAST
from antelog.spark.bucket.settling import settler, together
from antelog.spark.job.checking import Checked, checked
from antelog.spark.job.forecasts import Forecasts
from antelog.spark.job.job import Job
from antelog.spark.job.options import Options
from antelog.spark.transport.packing import packed_with_everyone


def with_past(
    program: Program, inputs: Mapping[str, DataFrame], static: Mapping[str, DataFrame], options: Options
) -> Checked:
    """What is to be run, checked, with the history it is to learn from."""
    given, model = options.chances.learn_from, options.chances.model
    if not given:
        raise DataError("`learn_from` has no history: hand over a DataFrame for at least one input")
    if model is not None and not (isinstance(model, str) and model == LEARN):
        raise UnsupportedError(
            "`learn_from` learns while running, and `model` is one that was learned before: leave out one of "
            'them, or say `model="learn"`'
        )
    ready = checked(program, inputs, static, _learning(options))
    past = _history(program, given, static, options, ready.job)
    return replace(ready, past=_settled(past, ready.job))


def _learning(options: Options) -> Options:
    return replace(options, chances=replace(options.chances, model=LEARN))


def _history(
    program: Program,
    given: Mapping[str, DataFrame],
    static: Mapping[str, DataFrame],
    options: Options,
    job: Job,
) -> Checked:
    """The history, checked by itself and against what is to follow."""
    for name, frame in given.items():
        if getattr(frame, "isStreaming", False):
            raise DataError(f"{name} in `learn_from` is a stream; read what is to be learned from as a batch")
    # A history has no wall clock: its facts come at their arrivals, or else at their times.
    clock = "event" if options.times.clock == "event" else None
    times = replace(options.times, clock=clock, idle=None, until=None)
    past = checked(program, given, static, replace(_learning(options), times=times, buckets=1))
    for name in given:
        _compare(name, past.job, job)
    data = replace(
        past.job.data,
        types={**job.data.types, **past.job.data.types},
        own={**{name: each for name, each in job.data.own.items() if name not in given}, **past.job.data.own},
    )
    # All that the history teaches is learned, also what keys share, as it would be in one process.
    forecasts = Forecasts(Learning(True))
    return replace(past, job=replace(past.job, data=data, numbers=job.numbers, forecasts=forecasts))


def _compare(name: str, past: Job, job: Job) -> None:
    if name not in job.data.types:
        raise DataError(f"`learn_from` has facts of {name}, and the inputs have none: hand them over, too")
    columns = zip(job.inputs[name].columns, past.data.types[name], job.data.types[name], strict=True)
    for column, before, after in columns:
        if kind_of(before) is not kind_of(after) or is_timestamp(before) != is_timestamp(after):
            raise DataError(
                f"column {column} of {name} is of type {before} in `learn_from`, and of type {after} in what "
                "follows: cast one of them"
            )


def _settled(past: Checked, job: Job) -> DataFrame:
    """The rows of all buckets after the history."""
    rows, schema = packed_with_everyone(past.job, past.frames), from_arrow_schema(PAST)
    each = rows.groupBy("bucket").applyInArrow(settler(past.job, job), schema)
    return each.groupBy().applyInArrow(together, schema)
