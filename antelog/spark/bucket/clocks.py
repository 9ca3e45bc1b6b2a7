"""What time it is for a stream, in ticks, and when to look again."""

from __future__ import annotations

from antelog.spark.job.job import Job


def tick_on_clock(job: Job, highest: int, heard: int, wall: int) -> int:
    """The tick the clock shows.

    `highest` is the highest one in the rows so far, the last of which came when the wall clock showed
    `heard`; now it shows `wall`, in milliseconds. A stream that has been idle for long enough goes on
    from the highest tick with the wall clock.
    """
    if job.timing.clock == "processing":
        return _ticks(job, wall)
    if job.timing.idle is None or wall - heard < job.timing.idle:
        return highest
    return highest + _ticks(job, wall - heard)


def next_alarm(job: Job, heard: int, wall: int) -> int | None:
    """When the clock may show another tick though no row comes, in milliseconds; None if never."""
    if job.timing.clock == "processing":
        return _milliseconds(job, _ticks(job, wall) + 1)
    if job.timing.idle is None:
        return None
    return max(heard + job.timing.idle, heard + _milliseconds(job, _ticks(job, wall - heard) + 1))


def _ticks(job: Job, milliseconds: int) -> int:
    return milliseconds * 1000 // _length(job)


def _milliseconds(job: Job, ticks: int) -> int:
    """When so many ticks are over."""
    return -(-ticks * _length(job) // 1000)


def _length(job: Job) -> int:
    """The length of a tick in microseconds. Without one, no job may follow the wall clock."""
    assert job.plan.tick is not None
    return job.plan.tick
