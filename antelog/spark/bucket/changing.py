"""Moves buckets of a stream from earlier rules to those of the job, each with its first micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import Counts
from antelog.compile.meanings import Fate, compared
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.facts import rejects
from antelog.engine.step.query import KINDS
from antelog.engine.step.schema import united
from antelog.engine.transition import Shares, Transition, change_of, first_ticks, transition
from antelog.spark.bucket.state import BucketOutput, BucketState, share_of, start
from antelog.spark.job.job import Job
from antelog.spark.job.needed import covers


def changed(job: Job, before: Job, bucket: BucketState) -> tuple[BucketState, BucketOutput]:
    """Moves a bucket to the rules of another job; returns the lines of that change, too."""
    found = transition(
        before.plan,
        bucket.kernel,
        job.plan,
        job.data.background,
        job.data.functions,
        lacking=lacking(job, before),
        staged=job.forecasts is not None,
        shares=Shares(share_of(before, bucket.number), share_of(job, bucket.number)),
    )
    moved = start(job, bucket.number)
    # The columns of the rows that wait may be called otherwise.
    waiting = {
        name: bucket.waiting[name].rename_columns(table.column_names).cast(table.schema)
        if name in bucket.waiting
        else table
        for name, table in moved.waiting.items()
    }
    moved = replace(moved, kernel=found.state, waiting=waiting, open=None)
    log: Mapping[str, pa.Table] = {name: each.table for name, each in found.changes.items()}
    if job.forecasts is not None and bucket.forecasting is not None:
        from antelog.forecast.forecaster import carried, with_lines  # noqa: PLC0415 - not without chances
        from antelog.spark.bucket.forecasting import renewed  # noqa: PLC0415

        known = renewed(job, bucket.number, carried(bucket.forecasting, found))
        known, log = with_lines(known, found, job.forecasts.limits)
        moved = replace(moved, forecasting=known)
    return moved, BucketOutput(_joint(job, before, found, log), rejects.SCHEMA.empty_table(), Counts())


def lacking(job: Job, before: Job) -> frozenset[str]:
    return frozenset(
        name for name, needs in job.needs.items() if not covers(before.needs.get(name, frozenset()), needs)
    )


def _joint(job: Job, before: Job, found: Transition, log: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The wanted lines of a change, by query; first those that close answers of earlier rules."""
    wanted = pa.array([kind for kind in job.only if kind in KINDS], pa.string())
    parts: dict[str, list[pa.Table]] = {}
    for tables, of in ((found.closed, before), (log, job)):
        for name, table in tables.items():
            kept = table.filter(pc.is_in(table.column("change"), wanted))
            if kept.num_rows:
                parts.setdefault(name, []).append(typed(of, name, kept))
    return {name: united(each) for name, each in parts.items()}


def typed(job: Job, name: str, table: pa.Table) -> pa.Table:
    """Casts lines of a query to the types of its job, with nulls for columns that they lack."""
    schema = job.schemas[name]
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def refusal(old: Plan, new: Plan) -> str | None:
    before, after = ({each.name: each for each in plan.inputs} for plan in (old, new))
    if before.keys() != after.keys():
        names = sorted(before.keys() ^ after.keys())
        return f"the checkpoint has no place for other inputs ({', '.join(names)})"
    if any(len(before[name].columns) != len(after[name].columns) for name in before):
        return "an input has another number of columns"
    if bool(old.key) != bool(new.key):
        return "the work is divided otherwise"
    keys = [
        {each.name: each.position for each in plan.key.positions if each.name in after} for plan in (old, new)
    ]
    if any(keys[0].get(name, at) != at for name, at in keys[1].items()) or keys[0].keys() - keys[1].keys():
        return "the work is divided by another column"
    return None


_FAR = 1_000_000_000
"""A tick so late that the state at it has forgotten all that it may forget."""


def sentences(job: Job, before: Job) -> Iterator[str]:
    """Says of each query whose rules are changed what becomes of it."""
    old, begun = before.plan, start(before, 0).kernel
    rules = prepared(old)
    decided = {
        name: replace(each, until=_FAR - 1 - (rules.relations[name].bounds.delay or 0) - rules.lag)
        for name, each in begun.decided.items()
    }
    state = replace(begun, now=_FAR, begin=0, decided=decided)
    known = first_ticks(old, state, job.plan, lacking(job, before))
    for each in compared(old, job.plan).queries:
        if each.fate is Fate.GONE:
            yield f"{each.name} is gone; its open answers are closed"
        elif not each.continues:
            altered = "changed; open answers that it has no more are closed"
            what = f"{each.name} is {'new' if each.fate is Fate.ADDED else altered}"
            found = change_of(each, old, state, job.plan, known)
            if found.complete is None:
                yield f"{what}; it may differ from a run from the start: {found.why}"
            else:
                ticks = found.complete - _FAR
                many = f"{ticks:,} tick{'' if ticks == 1 else 's'}"
                yield f"{what}; complete from {many} after the change on"
