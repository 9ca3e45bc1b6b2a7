"""A bucket whose state is of rules of before: it goes on with those of the job.

Each bucket changes with the first micro-batch that it takes part in. The lines of the change come before
those of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import Counts
from antelog.compile.meaning.versions import Fate, compared
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.facts import rejects
from antelog.engine.state import State
from antelog.engine.step.query import KINDS
from antelog.engine.step.uniting import united
from antelog.engine.transition import QueryChange, Transition, change_of, first_ticks, transition
from antelog.spark.bucket.state import BucketOutput, BucketState, share_of, start
from antelog.spark.job.job import Job
from antelog.spark.job.needed import covers


def changed(job: Job, before: Job, bucket: BucketState) -> tuple[BucketState, BucketOutput]:
    """The bucket with the rules of a job in place of those of another one, and the lines of the change."""
    found = transition(
        before.plan,
        bucket.kernel,
        job.plan,
        job.data.background,
        job.data.functions,
        lacking=lacking(job, before),
        staged=job.forecasts is not None,
        old_share=share_of(before, bucket.number),
        new_share=share_of(job, bucket.number),
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
    log: Mapping[str, pa.Table] = {name: each.log for name, each in found.changes.items()}
    if job.forecasts is not None and bucket.forecasting is not None:
        from antelog.forecast.forecaster import carried, with_lines  # noqa: PLC0415 - not without chances
        from antelog.spark.bucket.forecasting import renewed  # noqa: PLC0415

        known = renewed(job, bucket.number, carried(bucket.forecasting, found))
        known, log = with_lines(known, found, job.forecasts.limits)
        moved = replace(moved, forecasting=known)
    return moved, BucketOutput(_joint(job, before, found, log), rejects.SCHEMA.empty_table(), Counts())


def sentences(job: Job, before: Job) -> Iterator[str]:
    """The prospects of the queries whose rules are changed, in words."""
    begun = start(before, 0).kernel
    for each in prospects(before.plan, begun, job.plan, lacking(job, before)):
        if (found := in_words(each)) is not None:
            yield found


def lacking(job: Job, before: Job) -> frozenset[str]:
    """The inputs of which facts were left out that the new rules need."""
    return frozenset(
        name for name, needs in job.needs.items() if not covers(before.needs.get(name, frozenset()), needs)
    )


def _joint(job: Job, before: Job, found: Transition, log: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The lines of the change that are wanted, by query; those of a query of before are closed first."""
    wanted = pa.array([kind for kind in job.wanted.only if kind in KINDS], pa.string())
    parts: dict[str, list[pa.Table]] = {}
    for tables, of in ((found.closed, before), (log, job)):
        for name, table in tables.items():
            kept = table.filter(pc.is_in(table.column("change"), wanted))
            if kept.num_rows:
                parts.setdefault(name, []).append(typed(of, name, kept))
    return {name: united(each) for name, each in parts.items()}


def typed(job: Job, name: str, table: pa.Table) -> pa.Table:
    """Lines of a query with the types of its job, and without chances where they have none."""
    schema = job.schemas[name]
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def refusal(old: Plan, new: Plan) -> str | None:
    """The reason why a pipeline cannot go on with other rules; None if it can."""
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
"""A tick before which so much has happened that all which could be forgotten is."""


def prospects(
    old: Plan, begun: State, new: Plan, lacking: frozenset[str] = frozenset()
) -> Iterator[QueryChange]:
    """The changes of queries, their ticks counted from that of the change, given a state of the old plan."""
    rules = prepared(old)
    decided = {
        name: replace(each, until=_FAR - 1 - (rules.relations[name].bounds.delay or 0) - rules.lag)
        for name, each in begun.decided.items()
    }
    state = replace(begun, now=_FAR, begin=0, decided=decided)
    known = first_ticks(old, state, new, lacking)
    for each in compared(old, new).queries:
        if each.continues or each.fate is Fate.GONE:
            yield QueryChange(each)
            continue
        found = change_of(each, old, state, new, known)
        since, complete = (None if tick is None else tick - _FAR for tick in (found.since, found.complete))
        yield replace(found, since=since, complete=complete)


def in_words(change: QueryChange) -> str | None:
    """The prospect of a query in a sentence; None if it goes on as before."""
    match change.difference.fate:
        case Fate.GONE:
            return f"{change.name} is gone; its open answers are closed"
        case Fate.SAME if change.continues:
            return None
        case Fate.ADDED:
            what = f"{change.name} is new"
        case _:
            what = f"{change.name} is changed; open answers that it has no more are closed"
    if change.complete is None:
        return f"{what}; it may differ from a run from the start: {change.why}"
    ticks = f"{change.complete:,} tick{'' if change.complete == 1 else 's'}"
    return f"{what}; complete from {ticks} after the change on"
