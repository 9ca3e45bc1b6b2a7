"""Runs a bucket of a stream for a micro-batch: reads its state from Spark's store, advances it and stores it.

The store has a snapshot and the rows since: all are replaced by a new snapshot once that is smaller.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from antelog.accounts import Counts
from antelog.arrow.arrays import from_blob, table_of, to_blob
from antelog.compile.meanings import Fate, compared
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine import saving, sealed
from antelog.engine.facts import rejects
from antelog.engine.step.query import KINDS
from antelog.engine.step.schema import united
from antelog.engine.transition import Transition, change_of, first_ticks, transition
from antelog.errors import DataError, StateError
from antelog.language.durations import span_in_words
from antelog.language.moments import tick_in_words
from antelog.run.clock import Showing, Slowest, alarm, shown, slowest
from antelog.spark.bucket import state
from antelog.spark.bucket.packing import PACKED_NAMES, received
from antelog.spark.bucket.state import BucketOutput, BucketState, DatedRows
from antelog.spark.job.job import Job, differences
from antelog.spark.job.needed import covers


@dataclass(frozen=True, eq=False)
class BucketStore:
    """Spark's store of a bucket; `parts` has a snapshot, if there is one, and later rows."""

    handle: StatefulProcessorHandle
    head: Any
    parts: Any


def moved(job: Job, store: BucketStore, number: int, rows: Iterator[Row], wall: int) -> Iterator[Row]:
    """Runs a bucket over rows of a micro-batch begun at `wall` (microseconds); none if its timer fired."""
    packets = [tuple(row[name] for name in PACKED_NAMES) for row in rows]
    new = received(packets)
    head, bucket, change = _load(store, job, number)
    before, begins = head.time, not head.version
    sources = holding(before.sources, new.readings)
    highest = max([before.highest, *new.readings.values()])
    slow = slowest({name: each.highest for name, each in sources.items()}, sources, highest)
    heard = wall if packets else before.heard
    showing = Showing(heard, wall)
    idle = job.timing.idle is not None and showing.silent >= job.timing.idle
    tick = shown(job.timing, highest if slow is None or idle else slow.tick, showing)
    latest = tick if job.timing.clock == "processing" else None
    bucket = state.begun(job, bucket, state.beginning_of(bucket, new.earliest, latest))
    arrived = {name: state.arriving(job, name, t, bucket.now, latest) for name, t in new.facts.items()}
    bucket, output = state.advance(job, bucket, arrived, tick - job.timing.lag)
    refuse_too_many(job, bucket.held, slow)
    at = alarm(job.timing, showing)
    timer = None if at is None else -(-at // 1000)
    if before.timer != timer:
        if before.timer is not None and before.timer in set(store.handle.listTimers()):
            store.handle.deleteTimer(before.timer)
        if timer is not None:
            store.handle.registerTimer(timer)
    head = msgspec.structs.replace(
        head,
        version=os.urandom(12),
        identity=job.identity,
        time=BucketTime(bucket.now, highest, heard, timer, bucket.kernel.begin, sources),
        open=bucket.open,
    )
    if change is not None:
        output = change.and_then(output)
    # After a change all that was stored is of the rules of before: a snapshot takes its place.
    head = _stored(job, store, head, bucket, arrived, anew=change is not None or begins)
    remember(head.lineage, head.version, bucket)
    for line in state.lines(bucket, output, new, head.stored.size, slow):
        yield Row(**line)


def _load(store: BucketStore, job: Job, number: int) -> tuple[BucketHead, BucketState, BucketOutput | None]:
    """Reads the head and the bucket; if its rules have changed since, gives the lines of that change, too."""
    stored, seed = store.head.get(), job.seeds.get(number)
    if stored is None and seed is None:
        return BucketHead(os.urandom(12), b"", job.identity), state.start(job, number), None
    content, *parts = (bytes(stored[0]),) if stored is not None else seed or ()
    head = head_from(content, job)
    before = None if head.identity == job.identity else job.predecessor(head.identity)
    known = recall(head.lineage, head.version)
    if known is None:
        parts = parts or [bytes(part[0]) for part in store.parts.get()]
        known = bucket_from(before or job, number, head, parts)
    if before is None:
        return head, state.counted(job, known), None
    known, change = changed(job, before, known)
    return head, state.counted(job, known), change


def _stored(
    job: Job,
    store: BucketStore,
    head: BucketHead,
    bucket: BucketState,
    new: Mapping[str, DatedRows],
    *,
    anew: bool,
) -> BucketHead:
    """Writes new rows or a snapshot, and the head; returns the head as it was written."""
    fresh = {name: each.rows for name, each in new.items() if each.rows.num_rows}
    count = sum(table.num_rows for table in fresh.values())
    anew = anew or is_due(bucket, head.stored.appended, count)
    parts = snapshot(job, bucket) if anew else [appendix(name, table) for name, table in fresh.items()]
    if (size := sum(map(len, parts))) > AT_ONCE:
        raise StateError.of("buckets.too-large", size=size, at_once=AT_ONCE)
    if anew:
        store.parts.put([(part,) for part in parts])
        head = head.after(parts, bucket.held, anew=True)
    elif parts:
        store.parts.appendList([(part,) for part in parts])
        head = head.after(parts, head.stored.appended + count, anew=False)
    store.head.update((head_to_bytes(head),))
    return head


# ---- sources of a stream, each with a time of its own: the slowest that holds says what is finished ----

#   Alarm   0 … 95     Ack   0 … 12     ─▶  11 is finished, with a lag of 1; alarms about 12 to 95 wait
#
# A source holds time from its first row until ten micro-batches in a row had rows of others alone.

PATIENCE = 10  # micro-batches in a row with rows of others and none of it, after which a source holds no more


class SourceTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The highest tick of a source, and the micro-batches since its last row that had rows of others."""

    highest: int
    missed: int = 0


def holding(known: Mapping[str, SourceTime], readings: Mapping[str, int]) -> dict[str, SourceTime]:
    """The sources that hold time after a micro-batch, given the highest tick of each that had rows in it."""
    if not readings:
        return dict(known)
    before = {name: known[name].highest for name in readings if name in known}
    found = {name: SourceTime(max(at, before.get(name, at))) for name, at in readings.items()}
    for name, each in known.items():
        if name not in readings and each.missed + 1 < PATIENCE:
            found[name] = SourceTime(each.highest, each.missed + 1)
    return found


def refuse_too_many(job: Job, held: int, slow: Slowest | None) -> None:
    """Raises DataError if more rows of a bucket wait for a source than its part of `max_waiting`."""
    buckets = len(job.numbers)
    if held * buckets <= job.max_waiting or slow is None or not slow.behind:
        return
    scale, slow_at = job.plan.timescale, tick_in_words(slow.tick, job.plan.timescale)
    most = f"{job.max_waiting:,}" + ("" if buckets == 1 else f", in {buckets} buckets")
    said = {"held": held, "source": slow.source, "tick": slow_at, "most": most}
    raise DataError.of("buckets.too-many-wait", **said, ahead=span_in_words(slow.behind, scale))


# ---- what a worker remembers ----

# Spark may send a bucket to another worker, and may run a micro-batch again. So a bucket in memory counts
# only if it has the very version that is in Spark's store.

_LIMIT = 256

remembered: OrderedDict[bytes, tuple[bytes, BucketState]] = OrderedDict()


def recall(lineage: bytes, version: bytes) -> BucketState | None:
    known = remembered.get(lineage)
    return known[1] if known is not None and known[0] == version else None


def remember(lineage: bytes, version: bytes, bucket: BucketState) -> None:
    remembered[lineage] = (version, bucket)
    remembered.move_to_end(lineage)
    while len(remembered) > _LIMIT:
        remembered.popitem(last=False)


# ---- what Spark stores ----

ROOM = 20_000  # rows that may be appended however small the snapshot is
SMALL = 500  # rows of a micro-batch that are appended even if the snapshot has fewer: a snapshot is more work
MOST = 16 * 2**30  # the most bytes a snapshot may unpack to
AT_ONCE = 2**31 - 2**20  # bytes that Spark's protocol takes at once, with some room for its own

_HEAD, _SNAPSHOT, _PARTS = (
    f"{what} the checkpoint keeps of a bucket" for what in ("the head", "the snapshot", "what")
)


class BucketTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    now: int = -1  # the last finished tick
    highest: int = -1  # the highest tick on the clock so far
    heard: int = 0  # when the latest rows came, in microseconds of the wall clock
    timer: int | None = None  # when the timer fires, in milliseconds
    begin: int | None = None  # the first tick, if time has begun
    sources: dict[str, SourceTime] = {}


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the store: rows `appended` since the snapshot, bytes, and the digest of all parts."""

    appended: int = 0
    size: int = 0
    digest: bytes = b""


class BucketHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of a stored bucket that is read first."""

    lineage: bytes  # identifies the bucket of a run
    version: bytes  # changes with each micro-batch
    identity: dict[str, str]  # the job that the state belongs to
    time: BucketTime = BucketTime()
    stored: Stored = Stored()
    open: int | None = None  # the number of open answers, if known

    def after(self, parts: Sequence[bytes], appended: int, *, anew: bool) -> BucketHead:
        """The head after parts were written in place of all others (`anew`), or after them."""
        size, before = (0, b"") if anew else (self.stored.size, self.stored.digest)
        size += sum(map(len, parts))
        return msgspec.structs.replace(self, stored=Stored(appended, size, _digest(parts, before)))


def _digest(parts: Iterable[bytes], before: bytes = b"") -> bytes:
    """The digest of parts, which depends on their order; `before` is that of the parts in front of them."""
    for part in parts:
        before = hashlib.sha256(before + hashlib.sha256(part).digest()).digest()
    return before


def head_to_bytes(head: BucketHead) -> bytes:
    return sealed.seal(msgspec.msgpack.encode(head))


def head_from(content: bytes, job: Job) -> BucketHead:
    """Reads a head. Raises StateError if it is damaged or belongs to another program."""
    try:
        head = msgspec.msgpack.decode(sealed.unseal(content, _HEAD), type=BucketHead)
    except msgspec.MsgspecError as error:
        raise StateError(f"{_HEAD} cannot be read: {error}. {sealed.AGAIN}") from None
    differing = differences(head.identity, job.identity)
    if differing is not None and job.predecessor(head.identity) is None:
        raise StateError.of("checkpoint.bucket-of-others", differing=differing)
    return head


def is_due(bucket: BucketState, before: int, fresh: int) -> bool:
    """Whether a snapshot is due, after `before` rows since the last one, and `fresh` ones now."""
    rows = bucket.kernel.rows + bucket.held
    if bucket.forecasting is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

        rows += forecasting.rows(bucket.forecasting)
    return before + fresh > max(ROOM, rows) or fresh > max(SMALL, rows)


def snapshot(job: Job, bucket: BucketState) -> list[bytes]:
    """A bucket as parts: the states of the kernel and of forecasts, then the waiting rows."""
    saved = saving.SavedEngine(job.plan, bucket.kernel, job.data.background, {}, {}, None)
    if bucket.forecasting is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

        saved = replace(saved, forecast=forecasting.members(job, bucket.forecasting))
    waiting = [appendix(name, table) for name, table in bucket.waiting.items() if table.num_rows]
    return [saving.to_bytes(saved), *waiting]


def appendix(name: str, rows: pa.Table) -> bytes:
    return to_blob(rows.combine_chunks().replace_schema_metadata({"input": name}))


def bucket_from(job: Job, number: int, head: BucketHead, parts: Sequence[bytes]) -> BucketState:
    """Reads a bucket from its parts. Raises StateError if they are damaged."""
    if _digest(parts) != head.stored.digest:
        raise StateError(f"{_PARTS} is damaged: it is not as it was written. {sealed.AGAIN}")
    bucket = state.start(job, number)
    rest: Iterable[bytes] = parts
    if parts and sealed.is_sealed(parts[0]):
        saved = saving.from_bytes(parts[0], _SNAPSHOT, job.plan, MOST, job.data.functions)
        bucket = replace(bucket, kernel=saved.state)
        if job.forecasts is not None:
            from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

            bucket = replace(bucket, forecasting=forecasting.resumed(job, number, saved.forecast))
        rest = parts[1:]
    bucket = state.begun(job, bucket, head.time.begin)  # a snapshot may be of before
    tables: dict[str, list[pa.Table]] = {}
    for table in map(from_blob, rest):
        name = table.schema.metadata[b"input"].decode()
        if table.schema != bucket.waiting[name].schema:
            raise StateError(f"{_PARTS} has facts of {name} whose columns had other types. {sealed.AGAIN}")
        tables.setdefault(name, []).append(table)
    new = {
        name: state.arriving(job, name, pa.concat_tables(each), bucket.now) for name, each in tables.items()
    }
    bucket, _ = state.advance(replace(job, only=(), most_failed=1.0), bucket, new, head.time.now)
    bucket.kernel.values.functions.taken()  # what failed then was told then
    return replace(bucket, open=head.open)


# ---- rules that change: each bucket moves to those of the job with its first micro-batch ----


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
        old_share=state.share_of(before, bucket.number),
        new_share=state.share_of(job, bucket.number),
    )
    moved = state.start(job, bucket.number)
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
                columns = dict(zip(kept.column_names, kept.columns, strict=True))
                parts.setdefault(name, []).append(table_of(columns, kept.num_rows, of.schemas[name]))
    return {name: united(each) for name, each in parts.items()}


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


_FAR = 1_000_000_000  # a tick so late that the state at it has forgotten all that it may forget


def sentences(job: Job, before: Job) -> Iterator[str]:
    """Says of each query whose rules are changed what becomes of it."""
    old, begun = before.plan, state.start(before, 0).kernel
    rules = prepared(old)
    decided = {
        name: replace(each, until=_FAR - 1 - (rules.relations[name].bounds.delay or 0) - rules.lag)
        for name, each in begun.decided.items()
    }
    late = replace(begun, now=_FAR, begin=0, decided=decided)
    known = first_ticks(old, late, job.plan, lacking(job, before))
    for each in compared(old, job.plan).queries:
        if each.fate is Fate.GONE:
            yield f"{each.name} is gone; its open answers are closed"
        elif not each.continues:
            altered = "changed; open answers that it has no more are closed"
            what = f"{each.name} is {'new' if each.fate is Fate.ADDED else altered}"
            found = change_of(each, old, late, job.plan, known)
            if found.complete is None:
                yield f"{what}; it may differ from a run from the start: {found.why}"
            else:
                ticks = found.complete - _FAR
                many = f"{ticks:,} tick{'' if ticks == 1 else 's'}"
                yield f"{what}; complete from {many} after the change on"
