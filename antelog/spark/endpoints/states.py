"""The states of answers, from their changes.

    tick  change     answer            tick  status     since  answer
    1     possible   {"X": "wt2"}  ->  3     confirmed  1      {"X": "wt2"}
    3     confirmed  {"X": "wt2"}

The state of an answer is its newest line: the last one about it says how it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from antelog.engine.step.query import DECIDED, STILL_OPEN
from antelog.errors import DataError
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.language.moments import TIME, timed
from antelog.spark.job.job import OTHERS
from antelog.spark.lost import explaining_lost_java
from antelog.spark.settings import quoted
from antelog.spark.transport.unpacking import SINCE, STATUS

FIRST = {SINCE: "tick", timed(SINCE): TIME}
"""Columns that are about the first line of an answer, not about its newest."""
_KEY = ("query", "answer", OTHERS)
_NEEDED = ("query", "tick", "change", "answer")
_ALERTS = (LIKELY, UNLIKELY)


def key_of(names: Sequence[str]) -> list[str]:
    """The columns that name an answer, among those of changes or states."""
    return [name for name in _KEY if name in names]


@explaining_lost_java()
def newest(changes: DataFrame, *, columns: Sequence[str] | None = None) -> DataFrame:
    """The state of each answer that a batch of changes is about, a row for each.

    A column `status` stands in place of `change`: `open`, `confirmed`, `rejected` or `closed`. Two are added:
    `since`, the tick of the first line in the batch, and, where ticks have times, `since_time`. In `others`
    there is an empty list in place of null.

    `columns` has the names of the columns where Spark does not tell them, in a declarative pipeline.
    """
    names = changes.columns if columns is None else [*columns]
    if missing := [name for name in _NEEDED if name not in names]:
        raise DataError(
            f"there is no column `{missing[0]}`: give changes, as antelog.spark.changes returns them"
        )
    if columns is None and changes.isStreaming:
        raise DataError(
            "the lines of a stream have no end, so none is the newest. Use its micro-batches: "
            "changes.writeStream.foreachBatch(lambda batch, _: antelog.spark.merge(batch, …))"
        )
    key = key_of(names)
    # Null would have to be compared in a way of its own, which not all databases have.
    rows = changes.withColumn(OTHERS, f.coalesce(OTHERS, f.array())) if OTHERS in names else changes
    line = f.struct(*(f.col(quoted(name)) for name in names if name not in key))
    first = {since: each for since, each in FIRST.items() if each in names}
    # An alert comes after the change of the same tick that it is about.
    place = f.struct("tick", f.col("change").isin(*_ALERTS))
    found = rows.groupBy(*key).agg(
        f.max_by(line, place).alias("line"), *(f.min(each).alias(since) for since, each in first.items())
    )
    return found.select(*(column for name in names for column in _columns(name, key, first)))


def _columns(name: str, key: Sequence[str], first: Iterable[str]) -> Iterator[Column]:
    """The columns of a state in the place of one of a change."""
    if name in key:
        yield f.col(name)
    elif name == "change":
        kind = f.col("line.change")
        yield f.when(kind.isin(*DECIDED), kind).otherwise(STILL_OPEN).alias(STATUS)
        yield from map(f.col, first)
    else:
        yield f.col(f"line.{quoted(name)}").alias(name)
