"""The functions that users call, and the DataFrames they return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.errors import DataError, UnsupportedError
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program
from antelog.run.options import taken, takes
from antelog.spark.bucket.batch import CHANGES, COUNTED, END, OUTPUT, REJECTED, SHOWN, ender, reasoner
from antelog.spark.bucket.processor import BucketProcessor
from antelog.spark.job.checking import CheckedRun, checked
from antelog.spark.job.job import Job, Predecessor
from antelog.spark.job.options import AnswerOptions, ChangeOptions, OutputOptions, RejectOptions
from antelog.spark.lost import explaining_lost_java
from antelog.spark.settings import COUNTS, OBSERVED, SETTINGS, STANDING
from antelog.spark.transport.packing import REJECTS, Mapper, all_packed, packed_with_everyone, to_everyone
from antelog.spark.transport.unpacking import OutputColumns, columns_of, reject_reader, unpacker

Run: TypeAlias = Callable[[pa.Table], pa.Table]
"""Runs a bucket over its packed rows."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of a program: `frame` has them packed, a few rows for each bucket and micro-batch.

    Each of the others is read from it. So a stream with several sinks writes the frame with
    `foreachBatch` and, for each micro-batch, reads what it needs from `outputs.of(micro_batch)`.
    """

    job: Job
    frame: DataFrame
    change: str = "change"
    ready: CheckedRun | None = None

    def after(self, before: Sequence[Predecessor]) -> Outputs:
        """The outputs of a stream whose state may still be of rules of before."""
        assert self.ready is not None
        if not before:
            return self
        data = replace(self.job.data, before=tuple(before))
        return _found(replace(self.ready, job=replace(self.job, data=data)))

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
        """The counts, a row for each bucket (and micro-batch)."""
        return self.frame.where(f.col("what") == COUNTED).select("bucket", *COUNTS)

    @property
    def clocks(self) -> DataFrame:
        """For each input that has some, how many rows have `local` times, without an offset.

        Of so many the clock showed the time `twice`, as it went back.
        """
        shown = self.frame.where(f.col("what") == SHOWN).groupBy(f.col("query").alias("input"))
        return shown.agg(f.sum("local").alias("local"), f.sum("twice").alias("twice"))

    def of(self, frame: DataFrame) -> Outputs:
        """Outputs read from another packed frame, such as a micro-batch of this one."""
        return replace(self, frame=frame)

    @property
    def columns(self) -> OutputColumns:
        """The columns of the changes of all queries."""
        return columns_of(self.job, change=self.change)

    def handed(self, take: Mapper, schema: pa.Schema) -> DataFrame:
        """The rows that `take` makes of all changes, within the workers that unpack them."""
        unpack = unpacker(self.job.without_model, self.columns)
        return self._packed.mapInArrow(partial(_taken, take, unpack), from_arrow_schema(schema))

    @property
    def _packed(self) -> DataFrame:
        return self.frame.where(f.col("what") == CHANGES).select("query", "payload")

    def _of(self, query: str | None) -> DataFrame:
        columns = columns_of(self.job, query, change=self.change)
        packed = self._packed if query is None else self._packed.where(f.col("query") == query)
        return packed.mapInArrow(
            unpacker(self.job.without_model, columns),
            # By default, a time without a zone is one of UTC in PySpark 4.1 and is left alone in later ones.
            from_arrow_schema(columns.schema, prefer_timestamp_ntz=True),
        )


def _taken(take: Mapper, unpack: Mapper, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return take(unpack(batches))


@explaining_lost_java()
@takes(OutputOptions)
def outputs(program: Program, inputs: Mapping[str, DataFrame], options: OutputOptions) -> Outputs:
    """The outputs of a program over DataFrames: changes, rejects and counts, from one run.

    The options are those of `antelog.spark`: `clock`, `arrival`, `only`, `buckets`, `lag`, `ahead`, `idle`,
    `until`, `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    return _found(checked(program, inputs, taken(OutputOptions, options)))


@explaining_lost_java()
@takes(ChangeOptions)
def changes(program: Program, inputs: Mapping[str, DataFrame], options: ChangeOptions) -> DataFrame:
    """The changes of the answers of a program's queries, or of one `query`.

    The options are those of `antelog.spark`: `clock`, `arrival`, `only`, `buckets`, `lag`, `ahead`, `idle`,
    `until`, `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    found = _found(checked(program, inputs, taken(OutputOptions, options)))
    return found.changes if options.query is None else found.query(options.query)


@explaining_lost_java()
@takes(RejectOptions)
def rejects(program: Program, inputs: Mapping[str, DataFrame], options: RejectOptions) -> DataFrame:
    """The facts that are late, early, conflicting or malformed, each with the reason.

    The options are those of `antelog.spark`: all but `only` and those about chances.
    """
    ready = checked(program, inputs, taken(OutputOptions, options, only=()))
    return _found(replace(ready, job=replace(ready.job, forecasts=None))).rejects


@explaining_lost_java()
@takes(AnswerOptions)
def answers(program: Program, inputs: Mapping[str, DataFrame], options: AnswerOptions) -> DataFrame:
    """The answers that are open at the end of a batch, and all that were confirmed.

    Instead of `change` there is a column `status`: `open` or `confirmed`. The end is the last
    arrival, unless `until` says otherwise. The options are those of `antelog.spark`: `clock`, `arrival`,
    `buckets`, `until`, `begin`, `model`, `learn`, `min_chance` and `most`.
    """
    ready = checked(program, inputs, taken(OutputOptions, options, only=("confirmed",)))
    if not ready.job.batch:
        raise DataError(
            "a stream has no end at which answers are open; use its changes, and keep the last one "
            "of each (query, answer)"
        )
    found = Outputs(ready.job, _batch(ready, answers=True), change="status")
    return found.changes if options.query is None else found.query(options.query)


def _found(ready: CheckedRun) -> Outputs:
    frame = _batch(ready, answers=False) if ready.job.batch else _stream(ready)
    return Outputs(ready.job, frame, ready=ready)


def _batch(ready: CheckedRun, *, answers: bool) -> DataFrame:
    return of_buckets(ready, reasoner(ready.job, answers), OUTPUT, agreed=not answers)


def of_buckets(ready: CheckedRun, run: Run, schema: pa.Schema, *, agreed: bool) -> DataFrame:
    """The rows of all buckets of a batch; with `agreed` they end at one tick, if that matters."""
    packed = packed_with_everyone(ready.job, ready.frames)
    if ready.job.ends_together and agreed:
        # All rows are read twice: the last tick has to be known before any bucket goes on to it.
        plain = ender(ready.job.without_model)
        each = packed.groupBy("bucket").applyInArrow(plain, from_arrow_schema(END))
        ends = each.agg(f.max("end").alias("end"))
        everyone = to_everyone(ready.job, ready.frames)
        packed = packed.unionByName(ends.crossJoin(everyone.drop("end")))
    return packed.groupBy("bucket").applyInArrow(run, from_arrow_schema(schema))


def _stream(ready: CheckedRun) -> DataFrame:
    job = ready.job
    prepare_for_streams(next(iter(ready.frames.values())).sparkSession)
    mode = "ProcessingTime" if job.timing.clock == "processing" or job.timing.idle is not None else "None"
    packed = (
        all_packed(job, ready.frames)
        .groupBy("bucket")
        .transformWithState(BucketProcessor(job), from_arrow_schema(OUTPUT), "Append", mode)
    )
    # A micro-batch without rows has no counts: sums are 0, the others stay unknown.
    sums = [f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in COUNTS if name not in STANDING]
    standing = [f.sum(name).alias(name) for name in STANDING if name != "now"]
    return packed.observe(OBSERVED, *sums, *standing, f.max("now").alias("now"))


PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def prepare_for_streams(spark: SparkSession) -> None:
    """Sets RocksDB as the store of states. Raises UnsupportedError if another one was chosen."""
    chosen = spark.conf.get(PROVIDER, None)
    if chosen is None:
        _set(spark, PROVIDER, SETTINGS[PROVIDER])
    elif not chosen.endswith("RocksDBStateStoreProvider"):
        raise UnsupportedError(
            f"this session keeps states of streams in {chosen.rpartition('.')[2]}, and antelog needs "
            f"RocksDB: leave {PROVIDER} out, or set it as antelog.spark.SETTINGS has it"
        )


def _set(spark: SparkSession, name: str, value: str) -> None:
    try:
        spark.conf.set(name, value)
    except PySparkException as error:
        if not (error.getCondition() or "").startswith("SESSION_MUTATION_IN_DECLARATIVE_PIPELINE"):
            raise
        raise UnsupportedError(
            f"in a declarative pipeline nothing may be set but in its spec. Add to `configuration` there: "
            f"{name}: {value}"
        ) from None
