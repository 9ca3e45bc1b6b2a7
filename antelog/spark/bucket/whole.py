"""The buckets of a stream as a savepoint, and a savepoint as what Spark's store has of each bucket."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from antelog.arrow.arrays import from_blob
from antelog.compile.nodes.plan import Plan
from antelog.engine import dividing, saving
from antelog.engine.savepoint import ARRIVAL, OPEN, WAITING, Savepoint
from antelog.engine.saving import SavedEngine
from antelog.engine.sealed import is_sealed
from antelog.engine.step.schema import united
from antelog.engine.values.types import Types, types_of_rows
from antelog.errors import StateError
from antelog.functions import UserFunction
from antelog.run.clock import ClockName, Timing
from antelog.spark.bucket import state
from antelog.spark.bucket.state import BucketState
from antelog.spark.bucket.stream import (
    MOST,
    BucketHead,
    BucketTime,
    SourceTime,
    bucket_from,
    head_from,
    head_to_bytes,
    snapshot,
)
from antelog.spark.job.job import ARRIVED, Data, Job, numbers_of_buckets, sent

if TYPE_CHECKING:  # without chances nothing of the forecast is loaded
    from antelog.forecast.model_file import Model

Stored = Mapping[int, Sequence[bytes]]  # of each bucket: the head, then the parts


def whole(job: Job, stored: Stored) -> Savepoint:
    """The state of all buckets together. Raises StateError if it is damaged, or of another job."""
    heads = {number: head_from(head, job) for number, (head, *_) in stored.items()}
    buckets = [bucket_from(job, n, heads[n], parts) for n, (_, *parts) in stored.items()]
    given, functions = job.data.background, job.data.functions
    parts = {
        job.numbers.index(each.number): SavedEngine(job.plan, each.kernel, given, {}, {}, None)
        for each in buckets
    }
    engine = dividing.merged(parts, len(job.numbers), functions)
    if job.forecasts is not None:
        from antelog.forecast import dividing as forecasts  # noqa: PLC0415 - not loaded without chances
        from antelog.forecast import forecasting  # noqa: PLC0415

        known = [each.forecasting for each in buckets if each.forecasting is not None]
        engine = replace(engine, forecast=forecasting.members(forecasts.merged(job.plan, known)))
    opened = [state.open_answers(job, each) for each in buckets]
    tables = {f"{OPEN}{name}": united([each[name] for each in opened]) for name in opened[0]}
    for name in job.tables:
        rows = pa.concat_tables([each.waiting[name] for each in buckets])
        if rows.num_rows:
            *columns, _ = rows.column_names
            tables[f"{WAITING}{name}"] = rows.rename_columns([*columns, ARRIVAL])
    times = [each.time for each in heads.values()]
    highest = {name: each.highest for time in times for name, each in time.sources.items()}
    progress = {"highest": highest, "heard": max(each.heard for each in times)}
    return Savepoint(engine, tables, {"progress": progress})


def seeds(job: Job, savepoint: Savepoint) -> Stored:
    """The head and the parts of each bucket, as if the stream had come to where the savepoint is."""
    progress = savepoint.run.get("progress", {})
    highest = {name: SourceTime(tick) for name, tick in progress.get("highest", {}).items()}
    engine = savepoint.engine
    if not engine.plan.means(job.plan):
        raise saving.other_rules("the savepoint of the checkpoint", engine.plan, job.plan)
    if {name: {*rows} for name, rows in engine.given.items()} != {
        n: {*rows} for n, rows in job.data.given.items()
    }:
        raise StateError("the savepoint of the checkpoint has other background facts: give them as before")
    if bool(engine.forecast) != (job.forecasts is not None):
        has = "has chances, and this run has none" if engine.forecast else "has no chances, and this run has"
        raise StateError(f"the savepoint of the checkpoint {has}: give --model as before, or leave it out")
    now, heard = engine.state.now, progress.get("heard", 0)
    top = max([now, *(each.highest for each in highest.values())])
    time = BucketTime(now, top, heard, None, engine.state.begin, highest)
    found = {}
    divided = dividing.divided(engine, len(job.numbers), job.data.functions)
    for number, part in zip(job.numbers, divided, strict=True):
        bucket = _bucket(job, number, part, savepoint)
        parts = snapshot(job, bucket)
        head = BucketHead(os.urandom(12), b"", job.identity, time).after(parts, bucket.held, anew=True)
        found[number] = [head_to_bytes(head), *parts]
    return found


def _bucket(job: Job, number: int, part: SavedEngine, savepoint: Savepoint) -> BucketState:
    at, engine = job.numbers.index(number), savepoint.engine
    bucket = replace(state.start(job, number), kernel=part.state, open=None)
    waiting = {name: _waiting(job, name, at, savepoint.waiting(name)) for name in bucket.waiting}
    bucket = replace(bucket, waiting=waiting)
    if job.forecasts is None or not engine.forecast:
        return bucket
    from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

    return replace(bucket, forecasting=forecasting.taken_in(job, number, engine))


def _waiting(job: Job, name: str, at: int, rows: pa.Table | None) -> pa.Table:
    """The rows of an input that wait in a bucket."""
    schema = pa.schema([*(each for each in job.tables[name] if each.name != ARRIVED), (ARRIVED, pa.int64())])
    if rows is None:
        return schema.empty_table()
    try:
        columns = [each.cast(type_) for each, type_ in zip(rows.columns, schema.types, strict=False)]
        table = pa.table(columns, schema)
    except pa.ArrowException as error:
        raise StateError(f"rows of {name} that wait have columns of other types than here: {error}") from None
    column, count = job.key_columns[name], len(job.numbers)
    if count == 1 or column is None:
        return table if at == 0 else table.slice(0, 0)
    return table.filter(pa.array(dividing.parts_of(table.column(column), count) == at))


# ---- the job of a checkpoint ----


def job_of(
    plan: Plan,
    identity: Mapping[str, str],
    stored: Stored,
    functions: Mapping[str, UserFunction],
    model: Model | None = None,
) -> Job:
    """The job that reads the buckets of a checkpoint, as far as it says which that was."""
    if not all(parts and is_sealed(parts[0]) for _, *parts in stored.values()):
        raise StateError("a bucket has no snapshot yet: let the stream go on, and then export it")
    first = next(iter(stored.values()))[1]
    saved = saving.from_bytes(first, "the checkpoint", plan, MOST, functions)
    known = saved.state.observed.types  # in all buckets the same
    types: dict[str, Types] = {
        each.name: (*known[each.name][: len(each.columns) - 1], pa.int64())
        for each in plan.inputs
        if each.name in known
    }
    for table in (from_blob(each) for _, _, *rows in stored.values() for each in rows):
        types[table.schema.metadata[b"input"].decode()] = tuple(table.schema.types[:-1])
    given = {name: tuple(map(tuple, rows)) for name, rows in saved.given.items()}
    data = Data(given, {**types, **types_of_rows(given)}, {*types}, {}, sent(functions))
    job = Job(
        plan,
        data,
        numbers_of_buckets(int(identity["buckets"])),
        Timing(clock=msgspec.convert(identity["clock"], ClockName), timescale=plan.timescale),
        batch=False,
        only=(),
    )
    if not saved.forecast:
        return job
    from antelog.forecast import forecasting  # noqa: PLC0415 - not loaded without chances
    from antelog.spark.job.forecasts import Forecasts  # noqa: PLC0415

    learning = forecasting.resumed(plan, saved.forecast).learning
    if model is None and not learning.on and not plan.declares_chances:
        raise StateError("the checkpoint is of a run with a model, which is not in it: give it with --model")
    content = None if model is None else model.of(plan).to_bytes()
    return replace(job, forecasts=Forecasts(learning, content))
