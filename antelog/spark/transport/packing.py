"""Packs rows for the buckets: divided by the key, whole Arrow tables in one value each.

Each task sends its time to every bucket, also to those without facts, so all buckets finish the same ticks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.accounts import Counts
from antelog.arrow.arrays import from_blob, to_blob
from antelog.arrow.ticks import LAST, LOCAL, TWICE, ticks_of
from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts import rejects
from antelog.engine.facts.rejects import EARLY
from antelog.engine.values.values import Values
from antelog.language.moments import Timescale
from antelog.run.clock import far_ahead
from antelog.spark.job.dividing import parts_of
from antelog.spark.job.job import ARRIVED, WALL, Job, earliest
from antelog.spark.job.needed import EVERYTHING, in_order, of_use
from antelog.spark.settings import CLOCK, MALFORMED, ROW, spare

CHUNK = 250_000
"""The rows that are packed at once."""

PACKED = pa.schema(
    [
        ("bucket", pa.int32()),
        ("input", pa.string()),
        ("reading", pa.int64()),
        ("earliest", pa.int64()),
        ("end", pa.int64()),
        ("unneeded", pa.int64()),
        ("after_until", pa.int64()),
        ("local", pa.int64()),
        ("twice", pa.int64()),
        ("facts", pa.binary()),
        ("rejects", pa.binary()),
    ]
)
"""The rows a task makes for a bucket: facts of an input, or none, and the time that all buckets have to know.

    reading     the highest tick on the input's clock, if any
    earliest    when the first fact arrives, if that is where time may begin
    end         the tick at which all buckets end, which no task knows: it is added later

The first bucket also gets the rows that go to none: those set aside already, and the numbers of those that
the program has no use for, or that arrive after the end; and how many had times without an offset, and how
many of these times the clock showed twice.
"""

REJECTS = pa.schema([*rejects.SCHEMA, ("row", pa.string())])

Mapper = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def packer(job: Job, name: str) -> Mapper:
    """A function for `mapInArrow` that packs the rows of an input."""
    return partial(_pack, job, name)


def all_packed(job: Job, frames: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of all inputs, packed."""
    schema = from_arrow_schema(PACKED)
    parts = [frame.mapInArrow(packer(job.without_model, name), schema) for name, frame in frames.items()]
    return reduce(DataFrame.unionAll, parts)


def packed_with_everyone(job: Job, frames: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of all inputs, packed, and an empty one for each bucket, as some buckets have no facts."""
    return all_packed(job, frames).unionAll(to_everyone(job, frames))


def to_everyone(job: Job, frames: Mapping[str, DataFrame]) -> DataFrame:
    """An empty row for each bucket."""
    spark = next(iter(frames.values())).sparkSession
    count = len(job.numbers)
    nothing = [pa.nulls(count, type_) for type_ in PACKED.types[1:]]
    # Of a table Spark makes rows by itself; a list of tuples would be a job's work, in a worker.
    return spark.createDataFrame(pa.table([pa.array(job.numbers, PACKED.types[0]), *nothing], schema=PACKED))


def _pack(job: Job, name: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    spare()
    for table in _chunks(batches):
        possible, aside = _sorted_out(job, name, table)
        needed, passed_over = _needed(job, name, possible)
        known: dict[str, object] = {
            "input": name,
            "reading": _reading(job, name, possible),
            "earliest": earliest(job, name, possible) if job.begins_together else None,
        }
        first = {
            "unneeded": passed_over.unneeded,
            "after_until": passed_over.after_until,
            **_by_clock(table),
            "rejects": to_blob(aside) if aside.num_rows else None,
        }
        rows = [known | {"bucket": number} for number in job.numbers]
        rows[0] |= first
        for row, part in zip(rows, _divided(job, name, needed), strict=True):
            row["facts"] = None if part is None else to_blob(part.combine_chunks())
        yield pa.RecordBatch.from_pylist(rows, PACKED)


def _by_clock(table: pa.Table) -> dict[str, int]:
    """How many rows of use have times without an offset, and how many of these the clock showed twice."""
    if CLOCK not in table.column_names:
        return {}
    shown = table.column(CLOCK)
    shown = shown.filter(table.column(MALFORMED).is_null()) if MALFORMED in table.column_names else shown
    counts = {"local": LOCAL, "twice": TWICE}
    return {name: pc.sum(pc.greater_equal(shown, how)).as_py() or 0 for name, how in counts.items()}


def _chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= CHUNK:
            yield pa.Table.from_batches(waiting)
            waiting, count = [], 0
    if count:
        yield pa.Table.from_batches(waiting)


def _sorted_out(job: Job, name: str, table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Splits rows: facts in the types of the job, and rejects, which are malformed or too far ahead."""
    source, schema = job.inputs[name], job.tables[name]
    facts = table.select(schema.names).cast(schema)
    wrong, far = np.zeros((2, facts.num_rows), np.bool_)
    if MALFORMED in table.column_names:
        wrong = pc.is_valid(table.column(MALFORMED)).to_numpy()
    if WALL in table.column_names:
        far = ~wrong & _far(job, name, facts, table.column(WALL))
    aside = [
        _set_aside(source, facts.filter(rows), table.filter(rows), job.plan.timescale, reason)
        for rows, reason in ((pa.array(wrong), rejects.MALFORMED), (pa.array(far), rejects.EARLY))
        if pc.any(rows).as_py()
    ]
    if not aside:
        return facts, REJECTS.empty_table()
    return facts.filter(pa.array(~(wrong | far))), pa.concat_tables(aside)


def _far(job: Job, name: str, facts: pa.Table, wall: pa.ChunkedArray) -> Mask:
    """Which rows are about times too long after the time of their micro-batch, or arrived there."""
    far: Mask = np.zeros(facts.num_rows, np.bool_)
    if not facts.num_rows:
        return far
    now = wall[0].cast(pa.timestamp("us", "UTC")).value
    for column in (job.inputs[name].columns[-1], *([ARRIVED] if name in job.data.own else [])):
        ticks = ticks_of(facts.column(column), job.plan.timescale)
        far |= ticks.whole & far_ahead(job.timing, ticks.numbers, now)
    return far


_FAR = "about a time long after the clock of this machine; if it is right, give a longer `ahead`"


def _set_aside(
    source: Input, faulty: pa.Table, given: pa.Table, timescale: Timescale | None, reason: str
) -> pa.Table:
    """Rows as rejects of the engine: the source found them malformed, or they are far ahead."""
    values = Values()
    cells = [values.encode(faulty.column(name)) for name in source.columns[:-1]]
    count = faulty.num_rows
    nothing = pa.nulls(count, pa.int64())
    if reason == rejects.MALFORMED:
        time, said = nothing, given.column(MALFORMED).cast(pa.string())
    else:
        ticks = ticks_of(faulty.column(source.columns[-1]), timescale)
        time, said = pa.array(ticks.numbers, mask=~ticks.whole), pa.array([_FAR] * count, pa.string())
    rows = given.column(ROW).cast(pa.string()) if ROW in given.column_names else pa.nulls(count, pa.string())
    return pa.table(
        [
            pa.array([source.name] * count, pa.string()),
            rejects.json_rows(cells, count, values),
            time,
            nothing,
            pa.array([reason] * count, pa.string()),
            said,
            rows,
        ],
        schema=REJECTS,
    )


def _reading(job: Job, name: str, facts: pa.Table) -> int | None:
    """The highest tick of an input on the clock; None if no row has one."""
    if job.timing.clock == "processing":
        return None
    column = ARRIVED if name in job.data.own else job.inputs[name].columns[-1]
    ticks = ticks_of(facts.column(column), job.plan.timescale)
    fine = ticks.whole & (ticks.numbers >= 0) & (ticks.numbers <= LAST)
    return int(ticks.numbers[fine].max()) if fine.any() else None


def _needed(job: Job, name: str, facts: pa.Table) -> tuple[pa.Table, Counts]:
    """The rows that the program may need, and the counts of the others.

    Rows without arrivals of their own are all passed on, as they may be late.
    """
    needs = job.needs[name]
    if name not in job.data.own or (needs == EVERYTHING and job.span.until is None):
        return facts, Counts()
    orderly = in_order(job.plan, name, facts, ARRIVED)
    arrived = ticks_of(facts.column(ARRIVED), job.plan.timescale).numbers
    after = np.zeros(len(arrived), np.bool_) if job.span.until is None else arrived > job.span.until
    kept = (of_use(needs, facts) & ~after) | ~orderly
    later = int(np.count_nonzero(after & ~kept))
    passed_over = Counts(unneeded=int(np.count_nonzero(~kept)) - later, after_until=later)
    return facts if kept.all() else facts.filter(pa.array(kept)), passed_over


def _divided(job: Job, name: str, facts: pa.Table) -> list[pa.Table | None]:
    """The rows of each bucket."""
    count = len(job.numbers)
    if count == 1:
        return [facts if facts.num_rows else None]
    column = job.key_columns[name]
    if column is None:
        return [facts if facts.num_rows else None, *[None] * (count - 1)]
    part = parts_of(facts.column(column), count)
    order = np.argsort(part.astype(np.int16), kind="stable")
    ends = np.searchsorted(part[order], np.arange(count + 1))
    ordered = facts.take(pa.array(order))
    return [_slice(ordered, ends, i) for i in range(count)]


def _slice(table: pa.Table, ends: Column, i: int) -> pa.Table | None:
    start, end = int(ends[i]), int(ends[i + 1])
    return table.slice(start, end - start) if end > start else None


# ---- packets of a bucket ----

# Spark hands Python's stateful operators their rows one by one. So rows are packed before they are shuffled,
# and the operator gets a few values, each with thousands of rows in it.


Number = int | None
Packed = tuple[str | None, Number, Number, Number, Number, Number, Number, Number, bytes | None, bytes | None]
"""A packed row, in the order of these names; `packing.PACKED` has the meanings."""

PACKED_NAMES = tuple(PACKED.names[1:])


@dataclass(frozen=True, eq=False)
class Received:
    """The rows of each input, the rejects among them, and their time.

    reading     the highest tick on the clock, if any
    earliest    the arrival of the first fact of any bucket, if any, and if needed
    end         the tick at which all buckets end, if they have to agree

    `counts` has the rows with known fates. `local` are the numbers of rows of each input whose times have no
    offset, `twice` those of which the clock showed the times twice.
    """

    reading: int | None
    earliest: int | None
    end: int | None
    facts: Mapping[str, pa.Table]
    set_aside: tuple[pa.Table, ...]
    counts: Counts
    local: Mapping[str, int] = field(default_factory=dict)
    twice: Mapping[str, int] = field(default_factory=dict)

    @property
    def given(self) -> int:
        """The number of rows that came."""
        return _rows(self.facts.values()) + self.counts.given


def received(rows: Iterable[Packed]) -> Received:
    readings, arrivals, ends = list[int](), list[int](), list[int]()
    facts: dict[str, list[pa.Table]] = {}
    set_aside = []
    passed_over, local, twice = Counts(), Counter[str](), Counter[str]()
    for name, reading, came, end, unneeded, after_until, of_zone, again, blob, rejected in rows:
        local[name or ""] += of_zone or 0
        twice[name or ""] += again or 0
        passed_over += Counts(unneeded=unneeded or 0, after_until=after_until or 0)
        for heard, tick in ((readings, reading), (arrivals, came), (ends, end)):
            if tick is not None:
                heard.append(tick)
        if name is not None and blob is not None:
            facts.setdefault(name, []).append(from_blob(blob))
        if rejected is not None:
            set_aside.append(from_blob(rejected))
    joint = {name: pa.concat_tables(tables) for name, tables in facts.items()}
    early = sum(pc.sum(pc.equal(each.column("reason"), EARLY)).as_py() for each in set_aside)
    counts = passed_over + Counts(malformed=_rows(set_aside) - early, early=early)
    times = max(readings, default=None), min(arrivals, default=None), max(ends, default=None)
    return Received(*times, joint, tuple(set_aside), counts, +local, +twice)


def _rows(tables: Iterable[pa.Table]) -> int:
    return sum(int(table.num_rows) for table in tables)
