"""The functions a user calls, and the DataFrames they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program
from antelog.spark.bucket.batch import END, ender, reasoner
from antelog.spark.bucket.operator import Keeper
from antelog.spark.bucket.telling import CHANGES, COUNTED, REJECTED, TOLD
from antelog.spark.job.checking import Checked, checked
from antelog.spark.job.job import Job
from antelog.spark.job.options import ForAnswers, ForChanges, ForRejects, options_of
from antelog.spark.lost import explaining_lost_java
from antelog.spark.preparing import prepare_for_streams
from antelog.spark.settings import COUNTS, OBSERVED, STANDING
from antelog.spark.transport.packing import REJECTS, all_packed, packed_with_everyone, to_everyone
from antelog.spark.transport.unpacking import Columns, Mapper, columns_of, reject_reader, unpacker

Run: TypeAlias = Callable[[pa.Table], pa.Table]
"""Runs a bucket over its packed rows."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """All that comes of a program: `frame` has it packed, a few rows for each bucket and micro-batch.

    Each of the others is read from it. So a stream with several sinks writes the frame with
    `foreachBatch` and, for each micro-batch, reads what it needs from `outcomes.of(micro_batch)`.
    """

    job: Job
    frame: DataFrame
    told: str = "change"

    @property
    def changes(self) -> DataFrame:
        """The changes of all queries."""
        return self._of(None)

    def query(self, name: str) -> DataFrame:
        """The changes of one query, with its own variables only."""
        names = [query.name for query in self.job.plan.queries]
        if name not in names:
            hint = did_you_mean(name, names) or f"The queries are {', '.join(names)}."
            raise DataError(f"the program has no query {name}. {hint}")
        return self._of(name)

    @property
    def rejects(self) -> DataFrame:
        """The facts that were set aside, with the reasons."""
        packed = self.frame.where(f.col("what") == REJECTED).select("payload")
        return packed.mapInArrow(reject_reader, from_arrow_schema(REJECTS))

    @property
    def counts(self) -> DataFrame:
        """What was counted, a row for each bucket (and micro-batch)."""
        return self.frame.where(f.col("what") == COUNTED).select("bucket", *COUNTS)

    def of(self, frame: DataFrame) -> Outcomes:
        """The same read from another packed frame, such as a micro-batch of this one."""
        return replace(self, frame=frame)

    @property
    def columns(self) -> Columns:
        """Those of the changes of all queries."""
        return columns_of(self.job, change=self.told)

    def handed(self, take: Mapper, schema: pa.Schema) -> DataFrame:
        """What `take` makes of all changes in the workers that unpack them; Spark does not see these."""
        unpack = unpacker(self.job.without_model, self.columns)
        return self._packed.mapInArrow(partial(_taken, take, unpack), from_arrow_schema(schema))

    @property
    def _packed(self) -> DataFrame:
        return self.frame.where(f.col("what") == CHANGES).select("query", "payload")

    def _of(self, query: str | None) -> DataFrame:
        columns = columns_of(self.job, query, change=self.told)
        packed = self._packed if query is None else self._packed.where(f.col("query") == query)
        return packed.mapInArrow(
            unpacker(self.job.without_model, columns),
            # By default, a time without a zone is one of UTC in PySpark 4.1 and is left alone in later ones.
            from_arrow_schema(columns.schema, prefer_timestamp_ntz=True),
        )


def _taken(take: Mapper, unpack: Mapper, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return take(unpack(batches))


@explaining_lost_java()
def outcomes(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForChanges],
) -> Outcomes:
    """All that comes of a program over DataFrames: changes, rejects and counts, from one run.

    The options are those of `antelog.spark`: `clock`, `arrival`, `only`, `buckets`, `lag`, `idle`, `until`,
    `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    return _found(checked(program, inputs, static or {}, options_of("outcomes", ForChanges, options)))


@explaining_lost_java()
def changes(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    query: str | None = None,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForChanges],
) -> DataFrame:
    """What happens to the answers of a program's queries, or of one `query`.

    The options are those of `antelog.spark`: `clock`, `arrival`, `only`, `buckets`, `lag`, `idle`, `until`,
    `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    found = _found(checked(program, inputs, static or {}, options_of("changes", ForChanges, options)))
    return found.changes if query is None else found.query(query)


@explaining_lost_java()
def rejects(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForRejects],
) -> DataFrame:
    """The facts that are late, early, conflicting or malformed, each with the reason.

    The options are those of `antelog.spark`: all but `only` and those about chances.
    """
    asked = replace(options_of("rejects", ForRejects, options), only=())
    ready = checked(program, inputs, static or {}, asked)
    return _found(replace(ready, job=replace(ready.job, forecasts=None))).rejects


@explaining_lost_java()
def answers(
    program: Program,
    inputs: Mapping[str, DataFrame],
    *,
    query: str | None = None,
    static: Mapping[str, DataFrame] | None = None,
    **options: Unpack[ForAnswers],
) -> DataFrame:
    """The answers that are open at the end of a batch, and all that were confirmed.

    In place of `change` there is a column `status`: `open` or `confirmed`. The end is the last
    arrival, unless `until` says otherwise. The options are those of `antelog.spark`: `clock`, `arrival`,
    `buckets`, `until`, `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    asked = replace(options_of("answers", ForAnswers, options), only=("confirmed",))
    ready = checked(program, inputs, static or {}, asked)
    if not ready.job.batch:
        raise DataError(
            "a stream has no end at which answers are open; take its changes, and keep the last one "
            "of each (query, answer)"
        )
    found = Outcomes(ready.job, _batch(ready, answers=True), told="status")
    return found.changes if query is None else found.query(query)


def _found(ready: Checked) -> Outcomes:
    return Outcomes(ready.job, _batch(ready, answers=False) if ready.job.batch else _stream(ready))


def _batch(ready: Checked, *, answers: bool) -> DataFrame:
    return of_buckets(ready, reasoner(ready.job, answers), TOLD, agreed=not answers)


def of_buckets(ready: Checked, run: Run, schema: pa.Schema, *, agreed: bool) -> DataFrame:
    """What comes of running each bucket of a batch; where they have to agree on the end, if it matters."""
    packed = packed_with_everyone(ready.job, ready.frames)
    if ready.job.ends_together and agreed:
        # All rows are read twice: where to end has to be known before any bucket goes on to there.
        plain = ender(ready.job.without_model)
        each = packed.groupBy("bucket").applyInArrow(plain, from_arrow_schema(END))
        ends = each.agg(f.max("end").alias("end"))
        everyone = to_everyone(ready.job, ready.frames)
        packed = packed.unionByName(ends.crossJoin(everyone.drop("end")))
    return packed.groupBy("bucket").applyInArrow(run, from_arrow_schema(schema))


def _stream(ready: Checked) -> DataFrame:
    job = ready.job
    prepare_for_streams(next(iter(ready.frames.values())).sparkSession)
    mode = "ProcessingTime" if job.timing.clock == "processing" or job.timing.idle is not None else "None"
    told = (
        all_packed(job, ready.frames)
        .groupBy("bucket")
        .transformWithState(Keeper(job), from_arrow_schema(TOLD), "Append", mode)
    )
    # In a micro-batch without rows nobody tells how much there is; but surely nothing has come.
    sums = [f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in COUNTS if name not in STANDING]
    standing = [f.sum(name).alias(name) for name in STANDING if name != "now"]
    return told.observe(OBSERVED, *sums, *standing, f.max("now").alias("now"))
