"""What a bucket knows between two batches, and what a batch makes of it.

The kernel is told of a fact when the tick it arrived at is finished; until then the fact waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import Counts
from antelog.engine import kernel
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.engine import FinishedStep
from antelog.engine.facts import rejects
from antelog.engine.facts.beyond import beyond
from antelog.engine.facts.counting import total
from antelog.engine.facts.facts import admit
from antelog.engine.facts.history import rows_of
from antelog.engine.facts.ticks import LAST, ticks_of
from antelog.engine.state import State, beginning
from antelog.engine.state import start as begin
from antelog.engine.step.lines import Lines, as_they_stand, knows_open
from antelog.engine.step.query import KINDS, Share
from antelog.engine.values.values import Values
from antelog.run.clock import NOTHING, arrivals
from antelog.run.clock import end as last_tick
from antelog.spark.job.arrivals import with_arrival
from antelog.spark.job.dividing import own_of
from antelog.spark.job.job import ARRIVED, Job

if TYPE_CHECKING:  # without chances nothing of the forecast is loaded
    from antelog.forecast.forecasting import Forecasting

Tables = Mapping[str, pa.Table]

CONFIRMED = "confirmed"


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a bucket stands: the kernel's state, and the rows that wait for their tick to be finished.

    `open` is how many of its answers are open; None if nobody asks for changes that would tell. And what
    is known for forecasts, if there are any.
    """

    state: State
    waiting: Tables
    open: int | None
    forecasting: Forecasting | None = None

    @property
    def now(self) -> int:
        return self.state.now

    @property
    def held(self) -> int:
        return sum(table.num_rows for table in self.waiting.values())

    @property
    def kept(self) -> int:
        return rows_of(self.state.history)


@dataclass(frozen=True, eq=False)
class Told:
    """What came of a batch: the changes of each query, the rows set aside, and what was counted."""

    log: Tables
    rejects: pa.Table
    counts: Counts

    def and_then(self, later: Told) -> Told:
        """This, and what came of the same bucket later."""
        names = {**self.log, **later.log}
        log = {name: [each.log[name] for each in (self, later) if name in each.log] for name in names}
        return Told(
            {name: pa.concat_tables(tables) for name, tables in log.items()},
            pa.concat_tables([self.rejects, later.rejects]),
            self.counts + later.counts,
        )


@dataclass(frozen=True, eq=False)
class Arrived:
    """New rows of an input, with the ticks they arrive at, and those that were set aside at once."""

    rows: pa.Table
    rejects: pa.Table
    counts: Counts


@dataclass(frozen=True, eq=False)
class Batch:
    """All the rows of a batch, the tick of the `last` arrival, and the one at which all buckets end."""

    rows: Mapping[str, Arrived]
    last: int
    agreed: int | None


def start(job: Job, number: int) -> Standing:
    """The bucket of that number before the first row."""
    given = {name: list(rows) for name, rows in job.data.given.items()}
    empty = {
        name: with_arrival(job, name, schema.empty_table(), NOTHING) for name, schema in job.tables.items()
    }
    standing = Standing(begin(job.plan, given), empty, 0 if knows_open(job.only) else None)
    if job.forecasts is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without

        standing = replace(standing, forecasting=forecasting.start(job, number))
    return begun(job, standing, job.span.begin)


def begun(job: Job, standing: Standing, at: int | None) -> Standing:
    """The bucket when it has heard at which tick time begins, if that is known and has not been before."""
    if at is None or standing.state.begin is not None:
        return standing
    return replace(standing, state=beginning(job.plan, standing.state, at))


def beginning_of(standing: Standing, earliest: int | None, latest: int | None = None) -> int | None:
    """The tick at which time begins if the first fact arrives at `earliest`, at the latest at `latest`."""
    if earliest is None:
        return None
    return int(arrivals(np.array([earliest]), standing.now, latest)[0])


def arriving(job: Job, name: str, facts: pa.Table, now: int, latest: int | None = None) -> Arrived:
    """New rows of an input with their arrivals, when the tick `now` is finished.

    Rows that arrive at no tick, or at one that is finished, are set aside.
    """
    table = with_arrival(job, name, facts, now, latest)
    time = ticks_of(table.column(job.inputs[name].columns[-1]), job.plan.tick)
    arrival = ticks_of(table.column(ARRIVED), job.plan.tick)
    fine = time.whole & (time.numbers >= 0) & (time.numbers <= LAST)
    fine &= arrival.whole & (arrival.numbers > now) & (arrival.numbers <= LAST)
    if fine.all():
        return Arrived(table, rejects.SCHEMA.empty_table(), Counts())
    faulty = {name: table.filter(pa.array(~fine))}
    # No row can arrive after one tick and up to the same: all are rejected, each for its own reason.
    refused = admit(job.plan, faulty, Values(), now, now, arrival=ARRIVED)
    return Arrived(table.filter(pa.array(fine)), refused.rejects, refused.counts[name])


def advance(
    job: Job, standing: Standing, new: Mapping[str, Arrived], now: int, number: int
) -> tuple[Standing, Told]:
    """The bucket of that number after the tick `now`, given new rows."""
    refused = Told(
        {},
        pa.concat_tables([rejects.SCHEMA.empty_table(), *(each.rejects for each in new.values())]),
        sum((each.counts for each in new.values()), Counts()),
    )
    rows = {name: _joint(table, new.get(name)) for name, table in standing.waiting.items()}
    if now <= standing.now:
        return replace(standing, waiting=rows), refused
    due, waiting = {}, {}
    for name, table in rows.items():
        arrived = ticks_of(table.column(ARRIVED), job.plan.tick).numbers <= now
        due[name], waiting[name] = _apart(table, arrived)
    # Inputs without rows are handed over as well, for the types of their columns.
    state, batch = kernel.admitted(job.plan, standing.state, due, now, arrival=ARRIVED)
    forecasts = standing.forecasting is not None
    only = KINDS if forecasts else tuple(kind for kind in job.only if kind in KINDS)
    after, found = kernel.step(
        job.plan, state, batch.facts, now, only=only, share=_share(job, number), staged=forecasts
    )
    known, log = _log(job, standing, FinishedStep(state, after, batch.facts, found))
    told = Told(
        {name: _told_as(job, name, table) for name, table in log.items()},
        pa.concat_tables([refused.rejects, batch.rejects]),
        sum(batch.counts.values(), refused.counts),
    )
    opened = total(standing.open, *(each.opened for each in found.values()))
    return Standing(after, waiting, opened, known), told


def _log(job: Job, standing: Standing, step: FinishedStep) -> tuple[Forecasting | None, Tables]:
    """What a bucket tells of a step; with chances, and what it knows for them then, if it forecasts."""
    if standing.forecasting is None:
        return None, {name: each.log for name, each in step.changes.items()}
    from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without

    return forecasting.told(job, standing.forecasting, step)


def counted(job: Job, standing: Standing, number: int) -> Standing:
    """The bucket of that number with its open answers counted, if the job asks for them."""
    if not knows_open(job.only):
        return replace(standing, open=None)
    if standing.open is not None:
        return standing
    share = _share(job, number)
    names = [query.name for query in job.plan.queries]
    return replace(
        standing, open=sum(kernel.count_open(job.plan, standing.state, name, share) for name in names)
    )


def finish(job: Job, standing: Standing, batch: Batch, number: int) -> tuple[Standing, Told]:
    """The bucket at the end of a batch.

    Unless the job says where to end, that is when nothing is open any more, in any bucket if they `agreed`.
    """
    standing, told = _last_arrivals(job, standing, batch, number)
    if job.span.until is None:
        end = batch.agreed if batch.agreed is not None else _end(job, standing, number)
        standing, after = advance(job, standing, {}, end, number)
        told = told.and_then(after)
    return standing, told


def end_of(job: Job, standing: Standing, batch: Batch, number: int) -> int:
    """The tick at which nothing is open any more in the bucket of that number."""
    plain = replace(job, only=(), forecasts=None)
    standing, _ = _last_arrivals(plain, replace(standing, forecasting=None), batch, number)
    return _end(job, standing, number)


def _end(job: Job, standing: Standing, number: int) -> int:
    return last_tick(standing.now, (lines.table for lines in _open(job, standing, number).values()))


def finish_with_answers(job: Job, standing: Standing, batch: Batch, number: int) -> tuple[Standing, Told]:
    """The bucket after the last arrival of a batch; told are the answers open then, and those confirmed."""
    standing, told = _last_arrivals(job, standing, batch, number)
    found = {}
    for name, table in open_answers(job, standing, number).items():
        still = as_they_stand(table).filter(pc.not_equal(table.column("change"), CONFIRMED))
        log = told.log[name]
        confirmed = log.filter(pc.equal(log.column("change"), CONFIRMED))
        found[name] = pa.concat_tables([still, confirmed])
    return standing, replace(told, log=found)


def _last_arrivals(job: Job, standing: Standing, batch: Batch, number: int) -> tuple[Standing, Told]:
    """The bucket after the last arrivals of a batch. Rows that would arrive later wait for nothing."""
    last = max(batch.last, 0) if job.span.until is None else job.span.until
    standing, told = advance(job, standing, batch.rows, last, number)
    later = beyond(job.plan, standing.waiting, standing.now, arrival=ARRIVED)
    nothing = {name: table.slice(0, 0) for name, table in standing.waiting.items()}
    return replace(standing, waiting=nothing), told.and_then(Told({}, later.rejects, later.counts))


def open_answers(job: Job, standing: Standing, number: int) -> dict[str, pa.Table]:
    """For each query the bucket's answers that are open, and those the last tick has confirmed."""
    found, known = _open(job, standing, number), standing.forecasting
    if known is None or job.forecasts is None:
        return {name: _told_as(job, name, lines.table) for name, lines in found.items()}
    from antelog.forecast.forecasting import with_chances  # noqa: PLC0415 - not loaded without

    limits = job.forecasts.limits
    return {
        name: _told_as(job, name, with_chances(job.plan, known, standing.state, (name, lines), limits))
        for name, lines in found.items()
    }


def _open(job: Job, standing: Standing, number: int) -> dict[str, Lines]:
    share, staged = _share(job, number), standing.forecasting is not None
    names = [query.name for query in job.plan.queries]
    return {name: kernel.open_answers(job.plan, standing.state, name, share, staged=staged) for name in names}


def _told_as(job: Job, name: str, table: pa.Table) -> pa.Table:
    """What is told of a query in the types of the job; to cast a table takes a while, even to its own."""
    schema = job.schemas[name]
    return table if table.schema.equals(schema) else table.cast(schema)


def _joint(waiting: pa.Table, new: Arrived | None) -> pa.Table:
    return waiting if new is None else pa.concat_tables([waiting, new.rows])


def _apart(table: pa.Table, chosen: Mask) -> tuple[pa.Table, pa.Table]:
    """The chosen rows of a table, and the others."""
    if chosen.all():
        return table, table.slice(0, 0)
    return table.filter(pa.array(chosen)), table.filter(pa.array(~chosen))


def _share(job: Job, number: int) -> Share | None:
    """The answers that are this bucket's to tell, if not all that it knows of are: those of its own values.

    A bucket knows nothing of the facts about others' values; so it may take for absent what another bucket
    has. The first bucket tells those of all others.
    """
    own = own_of(job.numbers, number)
    if own is None or not job.talks_by_itself:
        return None

    def share(name: str, answers: Sequence[Column], values: Values) -> Mask:
        return own(answers[job.plan.key[name]], values)

    return share
