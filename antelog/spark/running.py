"""The functions that users call, and the DataFrames, models and scores they return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add

import msgspec
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.errors import DataError, UnsupportedError
from antelog.forecast.forecasting import model_of, scores_of
from antelog.forecast.model_file import Model, merged
from antelog.forecast.scores.scores import from_dict, table, to_dict
from antelog.language.checks.suggestions import require_known
from antelog.program import Program
from antelog.run.options import takes
from antelog.spark.bucket import state
from antelog.spark.bucket.packing import REJECTS, Mapper, all_packed, to_everyone
from antelog.spark.bucket.processor import BucketProcessor
from antelog.spark.bucket.unpacking import OutputColumns, columns_of, reject_reader, unpacked
from antelog.spark.failures import explaining_lost_java
from antelog.spark.job import checking
from antelog.spark.job.forecasts import to_learn
from antelog.spark.job.job import Job, Predecessor
from antelog.spark.settings import ALIKE, COUNTS, HOLDING, OBSERVED, OF_INPUTS, SETTINGS, STANDING, TICK, ZONE


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of a program: `frame` has them packed, a few rows for each bucket and micro-batch.

    The others are read from it. A stream with several sinks writes the frame with `foreachBatch`, and reads
    what it needs of a micro-batch from `outputs.of(micro_batch)`.
    """

    job: Job
    frames: Mapping[str, DataFrame]
    frame: DataFrame
    change: str = "change"

    def after(self, before: Sequence[Predecessor]) -> Outputs:
        """The outputs of a stream whose state may still be of earlier rules."""
        if not before:
            return self
        data = replace(self.job.data, before=tuple(before))
        return found_of(replace(self.job, data=data), self.frames)

    @property
    def changes(self) -> DataFrame:
        """The changes of all queries."""
        return self._of(None)

    def query(self, name: str) -> DataFrame:
        """The changes of one query, with its own variables only."""
        names = [query.name for query in self.job.plan.queries]
        require_known(name, names, "the program has no query", "The queries are")
        return self._of(name)

    @property
    def rejects(self) -> DataFrame:
        """The facts that were set aside, with the reasons."""
        packed = self.frame.where(f.col("what") == state.REJECTED).select("payload")
        return packed.mapInArrow(reject_reader, from_arrow_schema(REJECTS))

    @property
    def counts(self) -> DataFrame:
        """The counts, a row for each bucket and micro-batch."""
        counted = self.frame.where(f.col("what") == state.COUNTED)
        return counted.select("bucket", *COUNTS, f.col("query").alias(HOLDING))

    @property
    def clocks(self) -> DataFrame:
        """How many rows of each input have `local` times, without an offset; some came `twice`."""
        shown = self.frame.where((f.col("what") == state.OF_INPUT) & (f.col("local") > 0)).groupBy(
            f.col("query").alias("input")
        )
        return shown.agg(*(f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in ("local", "twice")))

    def of(self, frame: DataFrame) -> Outputs:
        """Outputs read from another packed frame, such as a micro-batch of this one."""
        return replace(self, frame=frame)

    @property
    def columns(self) -> OutputColumns:
        return columns_of(self.job, change=self.change)

    def handed(self, read: Mapper, schema: pa.Schema) -> DataFrame:
        """The rows that workers read from the packed changes."""
        return self._packed.mapInArrow(read, from_arrow_schema(schema))

    @property
    def _packed(self) -> DataFrame:
        return self.frame.where(f.col("what") == state.CHANGES).select("query", "payload")

    def _of(self, query: str | None) -> DataFrame:
        columns = columns_of(self.job, query, change=self.change)
        packed = self._packed if query is None else self._packed.where(f.col("query") == query)
        return packed.mapInArrow(
            partial(unpacked, self.job.without_model, columns),
            # By default, a time without a zone is one of UTC in PySpark 4.1 and is left alone in later ones.
            from_arrow_schema(columns.schema, prefer_timestamp_ntz=True),
        )


@explaining_lost_java()
@takes(checking.RejectOptions)
def rejects(program: Program, inputs: Mapping[str, DataFrame], options: checking.RejectOptions) -> DataFrame:
    """The facts that are late, early, conflicting or malformed, each with the reason.

    It has the options of `antelog.spark` but for `only` and those about chances.
    """
    job, frames = checking.checked(program, inputs, options, only=())
    return found_of(replace(job, forecasts=None), frames).rejects


@explaining_lost_java()
@takes(checking.AnswerOptions)
def answers(program: Program, inputs: Mapping[str, DataFrame], options: checking.AnswerOptions) -> DataFrame:
    """The answers that are open at the end of a batch, and all that were confirmed.

    In place of `change` there is a column `status`: `open` or `confirmed`. The end is the last arrival, or
    `until`. It has the other options of `antelog.spark`, too, but for `only` and those of streams.
    """
    job, frames = checking.checked(program, inputs, options, only=("confirmed",))
    if not job.batch:
        raise DataError(
            "a stream has no end at which answers are open; use its changes, and keep the last one "
            "of each (query, answer)"
        )
    frame = _of_buckets(job, frames, state.reasoner(job, True), state.OUTPUT, agreed=False)
    found = Outputs(job, frames, frame, change="status")
    return found.changes if options.query is None else found.query(options.query)


def found_of(job: Job, frames: Mapping[str, DataFrame]) -> Outputs:
    """The outputs of a job: a batch, or a stream."""
    if job.batch:
        return Outputs(job, frames, _of_buckets(job, frames, state.reasoner(job, False), state.OUTPUT))
    prepare_for_streams(next(iter(frames.values())).sparkSession)
    mode = "ProcessingTime" if job.timing.clock == "processing" or job.timing.idle is not None else "None"
    packed = (
        all_packed(job, frames)
        .groupBy("bucket")
        .transformWithState(BucketProcessor(job), from_arrow_schema(state.OUTPUT), "Append", mode)
    )
    return Outputs(job, frames, packed.observe(OBSERVED, *_observed(job)))


def _observed(job: Job) -> Iterator[Column]:
    """The counts of all buckets. A micro-batch without rows has none: sums are 0, others stay unknown."""
    counted = f.col("what") == state.COUNTED
    for name in COUNTS:
        count = f.when(counted, f.col(name))
        found = f.max(count) if name in ALIKE else f.sum(count)
        yield (found if name in STANDING else f.coalesce(found, f.lit(0))).alias(name)
    yield f.max(f.when(counted, f.col("query"))).alias(HOLDING)
    for source in job.plan.inputs:
        of_it = (f.col("what") == state.OF_INPUT) & (f.col("query") == source.name)
        for what in OF_INPUTS:
            yield f.sum(f.when(of_it, f.col(what))).alias(f"{source.name}.{what}")
    scale = job.plan.timescale
    yield f.max(f.lit(None if scale is None else scale.length).cast("bigint")).alias(TICK)
    yield f.max(f.lit(None if scale is None else scale.zone).cast("string")).alias(ZONE)


def _of_buckets(
    job: Job,
    frames: Mapping[str, DataFrame],
    run: Callable[[pa.Table], pa.Table],
    schema: pa.Schema,
    *,
    agreed: bool = True,
) -> DataFrame:
    """Runs all buckets of a batch; with `agreed` they end at one tick, if that matters."""
    everyone = to_everyone(job, frames)  # as some buckets have no facts
    packed = all_packed(job, frames).unionAll(everyone)
    if job.ends_together and agreed:
        # All rows are read twice: the last tick has to be known before any bucket goes on to it.
        plain = state.ender(job.without_model)
        each = packed.groupBy("bucket").applyInArrow(plain, from_arrow_schema(state.END))
        ends = each.agg(f.max("end").alias("end"))
        packed = packed.unionByName(ends.crossJoin(everyone.drop("end")))
    return packed.groupBy("bucket").applyInArrow(run, from_arrow_schema(schema))


PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def prepare_for_streams(spark: SparkSession) -> None:
    """Sets RocksDB as the store of states. Raises UnsupportedError if another store is chosen."""
    chosen = spark.conf.get(PROVIDER, None)
    if chosen is None:
        value = SETTINGS[PROVIDER]
        try:
            spark.conf.set(PROVIDER, value)
        except PySparkException as error:
            if not (error.getCondition() or "").startswith("SESSION_MUTATION_IN_DECLARATIVE_PIPELINE"):
                raise
            raise UnsupportedError(
                "in a declarative pipeline nothing may be set but in its spec. Add to `configuration` there: "
                f"{PROVIDER}: {value}"
            ) from None
    elif not chosen.endswith("RocksDBStateStoreProvider"):
        raise UnsupportedError(
            f"this session keeps states of streams in {chosen.rpartition('.')[2]}, and antelog needs "
            f"RocksDB: leave {PROVIDER} out, or set it as antelog.spark.SETTINGS has it"
        )


# ---- models and scores of recorded facts ----


@explaining_lost_java()
@takes(checking.LearnOptions)
def learn(program: Program, inputs: Mapping[str, DataFrame], options: checking.LearnOptions) -> Model:
    """Learns a model from recorded facts, with `clock`, `arrival`, `buckets`, `until` and `begin`."""
    job, frames = checking.checked(program, inputs, options)
    found = _each(replace(job, forecasts=to_learn()), frames, learned)
    return merged([Model.from_bytes(each) for each in found])


@explaining_lost_java()
@takes(checking.ScoreOptions)
def scores(program: Program, inputs: Mapping[str, DataFrame], options: checking.ScoreOptions) -> pa.Table:
    """Scores chances as `Engine.scores` does. It has the options of `learn`, and those about chances."""
    job, frames = checking.checked(program, inputs, options)
    if job.forecasts is None:
        raise UnsupportedError(
            'there are no chances to score: give a model or `model="learn"`, '
            "or declare a `chance` in the program"
        )
    found = [msgspec.json.decode(each) for each in _each(job, frames, scored)]
    by_query = {name: [from_dict(each[name]) for each in found] for name in found[0]}
    return table({name: reduce(add, each) for name, each in by_query.items()})


def _each(
    job: Job, frames: Mapping[str, DataFrame], what: Callable[[Job, state.BucketState], bytes]
) -> list[bytes]:
    """Runs a batch to its end, and collects bytes of each bucket."""
    if not job.batch:
        raise DataError(
            "a stream has no end by which something is learned or scored: use recorded facts, as a batch"
        )
    frame = _of_buckets(job, frames, runner(job, what), _FOUND)
    return [bytes(row.content) for row in frame.orderBy("bucket").collect()]


_FOUND = pa.schema([("bucket", pa.int32()), ("content", pa.binary())])


def runner(job: Job, what: Callable[[Job, state.BucketState], bytes]) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that runs a bucket to the end of a batch, for `what` it has then."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        bucket, _ = state.finish(job, *state.received_by(job, packed))
        return pa.table([[bucket.number], [what(job, bucket)]], _FOUND)

    return run


def learned(job: Job, bucket: state.BucketState) -> bytes:
    assert bucket.forecasting is not None
    return model_of(job.plan, bucket.forecasting, bucket.now).to_bytes()


def scored(_job: Job, bucket: state.BucketState) -> bytes:
    assert bucket.forecasting is not None
    return msgspec.json.encode({name: to_dict(each) for name, each in scores_of(bucket.forecasting).items()})
