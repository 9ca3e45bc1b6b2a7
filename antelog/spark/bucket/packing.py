"""Packs rows for the buckets: times as ticks, divided by the key, a whole Arrow table in one value.

Spark hands Python's stateful operators their rows one by one, so a row has thousands of facts in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.accounts import Counts
from antelog.arrow.arrays import from_blob, mask_of, to_blob
from antelog.arrow.ticks import LOCAL, TWICE, ticks_of, times_of
from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Mask
from antelog.engine.dividing import parts_of
from antelog.engine.facts import rejects
from antelog.engine.facts.rejects import EARLY, about_time
from antelog.engine.values.values import Values
from antelog.run.clock import far_ahead
from antelog.spark.job.job import ARRIVED, WALL, Job, earliest
from antelog.spark.job.needed import EVERYTHING, in_order, of_use
from antelog.spark.settings import CLOCK, MALFORMED, ROW, SOURCE, spare

CHUNK = 250_000

PACKED = pa.schema(
    [
        ("bucket", pa.int32()),
        ("input", pa.string()),
        ("readings", pa.string()),  # the highest tick on the clock of each source, as JSON
        ("earliest", pa.int64()),  # when the first fact arrives, if that is where time may begin
        ("end", pa.int64()),  # the tick at which all buckets end, which no task knows: it is added later
        # For the first bucket alone: rows that the program does not need, those that arrive after the end,
        # those with times without an offset, and how many of these the clock showed twice.
        *((name, pa.int64()) for name in ("unneeded", "after_until", "local", "twice")),
        *((name, pa.binary()) for name in ("facts", "rejects")),
    ]
)
"""The rows that a task makes for every bucket, also without facts: so all buckets finish the same ticks."""

REJECTS = pa.schema([*rejects.SCHEMA, ("row", pa.string())])

Mapper = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def all_packed(job: Job, frames: Mapping[str, DataFrame]) -> DataFrame:
    schema = from_arrow_schema(PACKED)
    packers = {name: partial(packed, job.without_model, name) for name in frames}
    return reduce(DataFrame.unionAll, (frame.mapInArrow(packers[n], schema) for n, frame in frames.items()))


def to_everyone(job: Job, frames: Mapping[str, DataFrame]) -> DataFrame:
    """An empty row for each bucket."""
    spark = next(iter(frames.values())).sparkSession
    count = len(job.numbers)
    nothing = [pa.nulls(count, type_) for type_ in PACKED.types[1:]]
    # Spark makes rows of a table by itself; a list of tuples would take a job in a worker.
    return spark.createDataFrame(pa.table([pa.array(job.numbers, PACKED.types[0]), *nothing], schema=PACKED))


def packed(job: Job, name: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Packs the rows of an input, for `mapInArrow`."""
    spare()
    for given in chunks(batches):
        table = _in_ticks(job, name, given)
        possible, aside = _sorted_out(job, name, table)
        readings, possible = _readings(job, name, possible), possible.select(job.tables[name].names)
        needed, passed_over = _needed(job, name, possible)
        clock = table.column(CLOCK)
        if MALFORMED in table.column_names:
            clock = clock.filter(table.column(MALFORMED).is_null())
        shown = {"local": pc.greater_equal(clock, LOCAL), "twice": pc.greater_equal(clock, TWICE)}
        clocks = {how: pc.sum(rows).as_py() or 0 for how, rows in shown.items()}
        known: dict[str, object] = {
            "input": name,
            "readings": msgspec.json.encode(readings).decode(),
            "earliest": earliest(job, name, possible) if job.begins_together else None,
        }
        first = {
            "unneeded": passed_over.unneeded,
            "after_until": passed_over.after_until,
            **clocks,
            "rejects": to_blob(aside) if aside.num_rows else None,
        }
        rows = [known | {"bucket": number} for number in job.numbers]
        rows[0] |= first
        for row, part in zip(rows, _divided(job, name, needed), strict=True):
            row["facts"] = None if part is None else to_blob(part.combine_chunks())
        yield pa.RecordBatch.from_pylist(rows, PACKED)


def _in_ticks(job: Job, name: str, table: pa.Table) -> pa.Table:
    """Makes ticks of times, with how the clock showed them; a wrong time makes its row malformed."""
    if CLOCK in table.column_names:  # the reader of the rows has done it
        return table
    counting = job.data.countings[name]
    columns = {each: table.column(each) for each in table.column_names}
    wrong = [columns[MALFORMED].cast(pa.string())] if MALFORMED in columns else []
    clock = np.zeros(table.num_rows, np.int8)
    for column, word in ((job.inputs[name].columns[-1], "time"), (ARRIVED, "arrival")):
        if column in columns:
            times = times_of(columns[column].combine_chunks(), counting)
            columns[column] = pa.chunked_array([pa.array(times.numbers, mask=~times.whole)])
            clock = clock if times.local is None else np.maximum(clock, times.local)
            bad = np.flatnonzero(~times.whole & mask_of(times.given.is_valid()))
            if len(bad):
                why = np.full(table.num_rows, None, object)
                why[bad] = about_time(word, times, bad, counting).to_pylist()
                wrong.append(pa.array(why.tolist(), pa.string()))
    if wrong:
        columns[MALFORMED] = pc.coalesce(*wrong)
    return pa.table(columns | {CLOCK: pa.array(clock)})


def chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Joins batches into tables of many rows."""
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
    """Splits rows into facts, in the types of the job, and rejects, which are malformed or too far ahead."""
    source, schema = job.inputs[name], job.tables[name]
    facts = table.select(schema.names).cast(schema)
    if SOURCE in table.column_names:
        facts = facts.append_column(SOURCE, table.column(SOURCE).cast(pa.string()))
    wrong, far = np.zeros((2, facts.num_rows), np.bool_)
    if MALFORMED in table.column_names:
        wrong = pc.is_valid(table.column(MALFORMED)).to_numpy()
    if WALL in table.column_names:
        far = ~wrong & _far(job, name, facts, table.column(WALL))
    aside = [
        _set_aside(source, facts.filter(rows), table.filter(rows), reason)
        for rows, reason in ((pa.array(wrong), rejects.MALFORMED), (pa.array(far), rejects.EARLY))
        if pc.any(rows).as_py()
    ]
    if not aside:
        return facts, REJECTS.empty_table()
    return facts.filter(pa.array(~(wrong | far))), pa.concat_tables(aside)


def _far(job: Job, name: str, facts: pa.Table, wall: pa.ChunkedArray) -> Mask:
    """Which rows are about times too long after the time of their micro-batch, or arrived then."""
    far: Mask = np.zeros(facts.num_rows, np.bool_)
    if not facts.num_rows:
        return far
    now = wall[0].cast(pa.timestamp("us", "UTC")).value
    for column in (job.inputs[name].columns[-1], *([ARRIVED] if name in job.data.arriving else [])):
        ticks = ticks_of(facts.column(column), None)
        far |= ticks.whole & far_ahead(job.timing, ticks.numbers, now)
    return far


_FAR = "about a time long after the clock of this machine; if it is right, give a longer `ahead`"


def _set_aside(source: Input, faulty: pa.Table, given: pa.Table, reason: str) -> pa.Table:
    """Makes rejects of rows that their source found malformed, or that are far ahead."""
    values = Values()
    cells = [values.encode(faulty.column(name)) for name in source.columns[:-1]]
    count = faulty.num_rows
    nothing = pa.nulls(count, pa.int64())
    if reason == rejects.MALFORMED:
        time, why = nothing, given.column(MALFORMED).cast(pa.string())
    else:
        time, why = faulty.column(source.columns[-1]), pa.array([_FAR] * count, pa.string())
    rows = given.column(ROW).cast(pa.string()) if ROW in given.column_names else pa.nulls(count, pa.string())
    return pa.table(
        [
            pa.array([source.name] * count, pa.string()),
            rejects.json_rows(cells, count, values),
            time,
            nothing,
            pa.array([reason] * count, pa.string()),
            why,
            rows,
        ],
        schema=REJECTS,
    )


def _readings(job: Job, name: str, facts: pa.Table) -> dict[str, int]:
    """The highest tick on the clock of each source: the input, or what its rows name."""
    if job.timing.clock == "processing":
        return {}
    column = ARRIVED if name in job.data.arriving else job.inputs[name].columns[-1]
    ticks = ticks_of(facts.column(column), None)
    if SOURCE not in facts.column_names:
        return {name: int(ticks.numbers[ticks.natural].max())} if ticks.natural.any() else {}
    rows = pa.table({"part": facts.column(SOURCE), "tick": ticks.numbers}).filter(pa.array(ticks.natural))
    highest = rows.group_by("part").aggregate([("tick", "max")]).select(["part", "tick_max"])
    return {
        part or name: tick
        for part, tick in zip(*(column.to_pylist() for column in highest.columns), strict=True)
    }


def _needed(job: Job, name: str, facts: pa.Table) -> tuple[pa.Table, Counts]:
    """The rows that the program may need, as all without arrivals may be late; counts of the others."""
    needs = job.needs[name]
    if name not in job.data.arriving or (needs == EVERYTHING and job.until is None):
        return facts, Counts()
    orderly = in_order(job.inputs[name], facts, ARRIVED)
    arrived = ticks_of(facts.column(ARRIVED), None).numbers
    after = np.zeros(len(arrived), np.bool_) if job.until is None else arrived > job.until
    kept = (of_use(needs, facts) & ~after) | ~orderly
    later = int(np.count_nonzero(after & ~kept))
    passed_over = Counts(unneeded=int(np.count_nonzero(~kept)) - later, after_until=later)
    return facts if kept.all() else facts.filter(pa.array(kept)), passed_over


def _divided(job: Job, name: str, facts: pa.Table) -> list[pa.Table | None]:
    """The rows of each bucket; None for a bucket without any."""
    count, column = len(job.numbers), job.key_columns[name]
    if count == 1 or column is None:
        ends = np.repeat([0, facts.num_rows], [1, count])
    else:
        part = parts_of(facts.column(column), count)
        facts = facts.take(pa.array(np.argsort(part.astype(np.int16), kind="stable")))
        ends = np.append(0, np.cumsum(np.bincount(part, minlength=count)))
    return [
        facts.slice(start, end - start) if end > start else None for start, end in pairwise(ends.tolist())
    ]


# ---- what a bucket receives ----

PACKED_NAMES = tuple(PACKED.names[1:])


@dataclass(frozen=True, eq=False)
class Received:
    """The rows of a bucket, with the fields of `PACKED`; `counts` has the rows whose fates are known."""

    readings: Mapping[str, int]
    earliest: int | None
    end: int | None
    facts: Mapping[str, pa.Table]
    set_aside: tuple[pa.Table, ...]
    counts: Counts
    local: Mapping[str, int]
    twice: Mapping[str, int]

    @property
    def given(self) -> int:
        return _rows(self.facts.values()) + self.counts.given


def received(rows: Iterable[Sequence[Any]]) -> Received:
    packets = [dict(zip(PACKED_NAMES, row, strict=True)) for row in rows]
    known: dict[str, list[Any]] = {
        name: [each[name] for each in packets if each[name] is not None] for name in PACKED_NAMES
    }
    facts: dict[str, list[pa.Table]] = {}
    local, twice = Counter[str](), Counter[str]()
    for each in packets:
        if each["facts"] is not None:
            facts.setdefault(each["input"], []).append(from_blob(each["facts"]))
        local[each["input"]] += each["local"] or 0
        twice[each["input"]] += each["twice"] or 0
    set_aside = tuple(map(from_blob, known["rejects"]))
    readings: dict[str, int] = {}
    for text in known["readings"]:
        for source, tick in msgspec.json.decode(text, type=dict[str, int]).items():
            readings[source] = max(tick, readings.get(source, tick))
    early = sum(pc.sum(pc.equal(each.column("reason"), EARLY)).as_py() for each in set_aside)
    counts = Counts(
        malformed=_rows(set_aside) - early,
        early=early,
        unneeded=sum(known["unneeded"]),
        after_until=sum(known["after_until"]),
    )
    return Received(
        readings,
        min(known["earliest"], default=None),
        max(known["end"], default=None),
        {name: pa.concat_tables(tables) for name, tables in facts.items()},
        set_aside,
        counts,
        +local,
        +twice,
    )


def _rows(tables: Iterable[pa.Table]) -> int:
    return sum(int(table.num_rows) for table in tables)
