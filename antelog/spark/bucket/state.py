"""The state of a bucket, its steps and its output; a fact waits until the tick of its arrival is finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import FAILED, Counts, total
from antelog.arrow.arrays import to_blob
from antelog.arrow.ticks import ticks_of
from antelog.engine import dividing, kernel
from antelog.engine.facts import rejects
from antelog.engine.facts.admission import admit, arrivals, beyond
from antelog.engine.kernel import FinishedStep
from antelog.engine.state import State, beginning
from antelog.engine.state import start as begin
from antelog.engine.step.lines import Lines, as_they_stand, knows_open
from antelog.engine.step.query import KINDS, LineSelection, Share
from antelog.engine.step.schema import united
from antelog.engine.step.wording import needs_explanations
from antelog.engine.values.values import Values
from antelog.run.clock import NOTHING, Slowest
from antelog.run.clock import end as last_tick
from antelog.spark.bucket.packing import PACKED_NAMES, REJECTS, Received, received
from antelog.spark.job.job import ARRIVED, Job, with_arrival
from antelog.spark.settings import COUNTS

if TYPE_CHECKING:  # without chances nothing of the forecast is loaded
    from antelog.forecast.forecasting import Forecasting

Tables = Mapping[str, pa.Table]

CONFIRMED = "confirmed"


@dataclass(frozen=True, eq=False)
class BucketState:
    """The state of a bucket between two batches."""

    number: int
    kernel: State
    waiting: Tables  # rows of each input whose tick is not finished
    open: int | None  # the number of open answers; None if the wanted changes do not tell
    forecasting: Forecasting | None = None

    @property
    def now(self) -> int:
        return self.kernel.now

    @property
    def held(self) -> int:
        return sum(table.num_rows for table in self.waiting.values())


@dataclass(frozen=True, eq=False)
class BucketOutput:
    """The output of a bucket for a batch: `log` has the changes of each query."""

    log: Tables
    rejects: pa.Table
    counts: Counts

    def and_then(self, later: BucketOutput) -> BucketOutput:
        names = {**self.log, **later.log}
        log = {name: [each.log[name] for each in (self, later) if name in each.log] for name in names}
        return BucketOutput(
            {name: united(tables) for name, tables in log.items()},
            pa.concat_tables([self.rejects, later.rejects]),
            self.counts + later.counts,
        )


@dataclass(frozen=True, eq=False)
class DatedRows:
    """New rows of an input with arrivals, apart from those that are rejected."""

    rows: pa.Table
    rejects: pa.Table
    counts: Counts


def start(job: Job, number: int) -> BucketState:
    """A bucket before the first row."""
    empty = {
        name: with_arrival(job, name, schema.empty_table(), NOTHING) for name, schema in job.tables.items()
    }
    bucket = BucketState(
        number,
        begin(job.plan, job.data.background, functions=job.data.functions),
        empty,
        0 if knows_open(job.only) else None,
    )
    if number != job.numbers[0]:
        bucket.kernel.values.functions.taken()  # calls about background facts fail in every bucket
    if job.forecasts is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without

        bucket = replace(bucket, forecasting=forecasting.start(job, number))
    return begun(job, bucket, job.begin)


def begun(job: Job, bucket: BucketState, at: int | None) -> BucketState:
    """Sets the first tick of a bucket, if that was unknown so far."""
    if at is None or bucket.kernel.begin is not None:
        return bucket
    return replace(bucket, kernel=beginning(job.plan, bucket.kernel, at))


def beginning_of(bucket: BucketState, earliest: int | None, latest: int | None = None) -> int | None:
    """The tick at which time begins, given the arrival of the first fact, bounded by `latest`."""
    if earliest is None:
        return None
    return int(arrivals(np.array([earliest]), bucket.now, latest)[0])


def arriving(job: Job, name: str, facts: pa.Table, now: int, latest: int | None = None) -> DatedRows:
    """Dates new rows of an input; rejects those that do not arrive after the finished tick `now`."""
    table = with_arrival(job, name, facts, now, latest)
    time, arrival = (ticks_of(table.column(each), None) for each in (job.inputs[name].columns[-1], ARRIVED))
    fine = time.natural & arrival.natural & (arrival.numbers > now)
    if fine.all():
        return DatedRows(table, rejects.SCHEMA.empty_table(), Counts())
    faulty = {name: table.filter(pa.array(~fine))}
    # No row can arrive after one tick and up to the same: all are rejected, each for its own reason.
    refused = admit(job.plan, faulty, Values(), now, now, arrival=ARRIVED)
    return DatedRows(table.filter(pa.array(fine)), refused.rejects, refused.counts[name])


def advance(
    job: Job, bucket: BucketState, new: Mapping[str, DatedRows], now: int
) -> tuple[BucketState, BucketOutput]:
    """Moves a bucket on to the end of the tick `now`, with new rows."""
    functions = bucket.kernel.values.functions
    functions.most_failed = job.most_failed
    refused = BucketOutput(
        {},
        pa.concat_tables([rejects.of_calls(functions.taken()), *(each.rejects for each in new.values())]),
        sum((each.counts for each in new.values()), Counts()),
    )
    rows = {
        name: pa.concat_tables([table, new[name].rows]) if name in new else table
        for name, table in bucket.waiting.items()
    }
    if now <= bucket.now:
        return replace(bucket, waiting=rows), refused
    due, waiting = {}, {}
    for name, table in rows.items():
        arrived = pa.array(table.column(ARRIVED).to_numpy() <= now)
        due[name], waiting[name] = table.filter(arrived), table.filter(pc.invert(arrived))
    # Inputs without rows are handed over as well, for the types of their columns.
    state, batch = kernel.admitted(job.plan, bucket.kernel, due, now, arrival=ARRIVED)
    only = KINDS if bucket.forecasting is not None else tuple(k for k in job.only if k in KINDS)
    wanted = replace(_wanted(job, bucket), only=only)
    after, found = kernel.step(job.plan, state, batch.facts, now, wanted)
    known, log = None, {name: each.table for name, each in found.items()}
    if bucket.forecasting is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without

        step = FinishedStep(state, after, batch.facts, found)
        known, log = forecasting.advanced(job, bucket.forecasting, step)
    output = BucketOutput(
        {name: _typed(job, name, table) for name, table in log.items()},
        pa.concat_tables([refused.rejects, batch.rejects, rejects.of_calls(functions.taken())]),
        sum(batch.counts.values(), refused.counts),
    )
    opened = total(bucket.open, *(each.opened for each in found.values()))
    return BucketState(bucket.number, after, waiting, opened, known), output


def counted(job: Job, bucket: BucketState) -> BucketState:
    """Counts the open answers of a bucket, if the wanted changes tell of them."""
    if not knows_open(job.only):
        return replace(bucket, open=None)
    if bucket.open is not None:
        return bucket
    wanted, names = _wanted(job, bucket), [query.name for query in job.plan.queries]
    return replace(
        bucket, open=sum(kernel.count_open(job.plan, bucket.kernel, name, wanted) for name in names)
    )


def finish(job: Job, bucket: BucketState, new: Received) -> tuple[BucketState, BucketOutput]:
    """Runs a bucket to the end of a batch: the job's last tick, or the one after which all is decided."""
    bucket, output = _last_arrivals(job, bucket, new)
    if job.until is None:
        end = new.end if new.end is not None else _end(job, bucket)
        bucket, after = advance(job, bucket, {}, end)
        output = output.and_then(after)
    return bucket, output


def _end(job: Job, bucket: BucketState) -> int:
    return last_tick(bucket.now, (lines.table for lines in _open(job, bucket).values()))


def finish_with_answers(job: Job, bucket: BucketState, new: Received) -> tuple[BucketState, BucketOutput]:
    """Runs a bucket to the last arrival of a batch; the log has the answers open and confirmed then."""
    bucket, output = _last_arrivals(job, bucket, new)
    found = {}
    for name, table in open_answers(job, bucket).items():
        still = as_they_stand(table).filter(pc.not_equal(table.column("change"), CONFIRMED))
        log = output.log[name]
        confirmed = log.filter(pc.equal(log.column("change"), CONFIRMED))
        found[name] = united([still, confirmed])
    return bucket, replace(output, log=found)


def _last_arrivals(job: Job, bucket: BucketState, new: Received) -> tuple[BucketState, BucketOutput]:
    """Runs a bucket to the last arrival of a batch, and rejects rows that arrive later."""
    rows = {name: arriving(job, name, table, bucket.now) for name, table in new.facts.items()}
    last = job.until if job.until is not None else max([0, *new.readings.values()])
    bucket, output = advance(job, bucket, rows, last)
    later = beyond(job.plan, bucket.waiting, bucket.now, arrival=ARRIVED)
    nothing = {name: table.slice(0, 0) for name, table in bucket.waiting.items()}
    counts = sum(later.counts.values(), Counts())
    return replace(bucket, waiting=nothing), output.and_then(BucketOutput({}, later.rejects, counts))


def open_answers(job: Job, bucket: BucketState) -> dict[str, pa.Table]:
    found, known = _open(job, bucket), bucket.forecasting
    if known is None or job.forecasts is None:
        return {name: _typed(job, name, lines.table) for name, lines in found.items()}
    from antelog.forecast.forecasting import with_chances  # noqa: PLC0415 - not loaded without

    tables = with_chances(job.plan, known, bucket.kernel, found, job.forecasts.limits)
    return {name: _typed(job, name, table) for name, table in tables.items()}


def _open(job: Job, bucket: BucketState) -> dict[str, Lines]:
    wanted, names = _wanted(job, bucket), [query.name for query in job.plan.queries]
    return {name: kernel.open_answers(job.plan, bucket.kernel, name, wanted) for name in names}


def _wanted(job: Job, bucket: BucketState) -> LineSelection:
    """The choice of lines that the kernel makes, of all kinds of changes."""
    return LineSelection(
        share=share_of(job, bucket.number),
        staged=bucket.forecasting is not None,
        explained=needs_explanations(job.plan, job.explanations),
    )


def _typed(job: Job, name: str, table: pa.Table) -> pa.Table:
    schema = job.schemas[name]
    return table if table.schema.equals(schema) else table.cast(schema)


def share_of(job: Job, number: int) -> Share | None:
    """A mask of the answers that a bucket reports, which has all their facts; None if it reports all."""
    return dividing.share_of(job.plan, job.numbers.index(number), len(job.numbers))


# ---- the output, packed ----

CHANGES, REJECTED, COUNTED, OF_INPUT = "changes", "rejects", "counts", "input"

# `what` says which columns of a row matter; among counts, `query` is the source that holds time back.
OUTPUT = pa.schema(
    [
        ("bucket", pa.int32()),
        ("what", pa.string()),
        ("query", pa.string()),
        ("payload", pa.binary()),
        *((name, pa.int64()) for name in (*COUNTS, "local", "twice")),
    ]
)

PIECE = 100_000

Line = dict[str, object]
_EMPTY: Line = dict.fromkeys(OUTPUT.names)


def lines(
    bucket: BucketState,
    output: BucketOutput,
    new: Received,
    state_bytes: int = 0,
    slow: Slowest | None = None,
) -> Iterator[Line]:
    apart = list(new.set_aside)
    if output.rejects.num_rows:
        no_rows = pa.nulls(output.rejects.num_rows, pa.string())
        apart.append(output.rejects.append_column("row", no_rows).cast(REJECTS))
    counts = asdict(output.counts + new.counts) | {
        # Not the sum of the fates: rows that are held have none yet, and others have theirs only now.
        "given": new.given,
        "held": bucket.held,
        "kept": bucket.kernel.rows,
        "state_bytes": state_bytes,
        "open": bucket.open,
        "changes": sum(table.num_rows for table in output.log.values()),
        FAILED: pc.sum(pc.equal(output.rejects.column("reason"), FAILED)).as_py() or 0,
        "behind": None if slow is None else slow.behind,
        "now": bucket.now if bucket.now >= 0 else None,
    }
    holds = slow.source if slow is not None and slow.behind else None
    yield _EMPTY | counts | {"bucket": bucket.number, "what": COUNTED, "query": holds}
    for name, known in _of_inputs(bucket, apart, new).items():
        yield _EMPTY | known | {"bucket": bucket.number, "what": OF_INPUT, "query": name}
    yield from _payloads(bucket.number, CHANGES, output.log)
    if apart:
        yield from _payloads(bucket.number, REJECTED, {None: pa.concat_tables(apart)})


def _of_inputs(bucket: BucketState, apart: Sequence[pa.Table], new: Received) -> dict[str, dict[str, int]]:
    """The counts of each input that are not 0: rows set aside by reason, rows that wait, and times."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    if apart:
        rows = pa.concat_tables([each.select(["input", "reason"]) for each in apart])
        counted = rows.group_by(["input", "reason"]).aggregate([([], "count_all")])
        for name, reason, count in zip(*(each.to_pylist() for each in counted.columns), strict=True):
            found[name][reason] = count
    held = {name: table.num_rows for name, table in bucket.waiting.items() if table.num_rows}
    for what, counts in (("held", held), ("local", new.local), ("twice", new.twice)):
        for name, count in counts.items():
            found[name][what] = count
    return found


def _payloads(number: int, what: str, tables: Tables | dict[None, pa.Table]) -> Iterator[Line]:
    for query, table in tables.items():
        for first in range(0, table.num_rows, PIECE):
            payload = to_blob(table.slice(first, PIECE).combine_chunks())
            yield _EMPTY | {"bucket": number, "what": what, "query": query, "payload": payload}


END = pa.schema([("end", pa.int64())])  # the tick at which a bucket would end, if all have to agree on one


def reasoner(job: Job, answers: bool) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns a bucket's changes, or its `answers` at the end."""

    def run(packed: pa.Table) -> pa.Table:
        bucket, new = received_by(job, packed)
        bucket, output = (finish_with_answers if answers else finish)(job, bucket, new)
        return pa.Table.from_pylist(list(lines(bucket, output, new)), OUTPUT)

    return run


def ender(job: Job) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns the tick after which a bucket has no open answers."""
    plain = replace(job, only=(), forecasts=None)

    def run(packed: pa.Table) -> pa.Table:
        bucket, new = received_by(job, packed)
        bucket, _ = _last_arrivals(plain, replace(bucket, forecasting=None), new)
        return pa.table([[_end(plain, bucket)]], END)

    return run


def received_by(job: Job, packed: pa.Table) -> tuple[BucketState, Received]:
    columns = (packed.column(name).to_pylist() for name in PACKED_NAMES)
    new = received(zip(*columns, strict=True))
    bucket = start(job, packed.column("bucket")[0].as_py())
    return begun(job, bucket, beginning_of(bucket, new.earliest)), new
