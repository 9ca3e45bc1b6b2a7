"""The sources of a stream, each with a time of its own: the slowest that holds says what is finished.

    Alarm   0 … 95     Ack   0 … 12     ─▶  11 is finished, with a lag of 1; alarms about 12 to 95 wait

A source holds time from its first row until ten micro-batches in a row had rows of others alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from antelog.errors import DataError
from antelog.language.durations import span_in_words
from antelog.language.moments import tick_in_words
from antelog.run.clock import Slowest
from antelog.spark.job.job import Job

PATIENCE = 10  # micro-batches in a row with rows of others and none of it, after which a source holds no more


class SourceTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The highest tick of a source, and the micro-batches since its last row that had rows of others."""

    highest: int
    missed: int = 0


def heard(known: Mapping[str, SourceTime], readings: Mapping[str, int]) -> dict[str, SourceTime]:
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
    raise DataError(
        f"{held:,} rows of a bucket wait for {slow.source}, which holds time back at {slow_at}: others are "
        f"{span_in_words(slow.behind, scale)} ahead. That is more than max_waiting ({most}) has room for. "
        f"Have {slow.source} read faster, or the others slower (maxFilesPerTrigger, "
        "maxOffsetsPerTrigger, of `antelog run` --chunk), or give a larger `max_waiting=`"
    )
