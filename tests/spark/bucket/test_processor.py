"""antelog/spark/bucket/processor.py: the state of another run is refused."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from antelog import StateError, parse
from antelog.spark.job.job import Job
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream

RULES = "tick 1 second. input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def _job(buckets: int = 2, **settings: Any) -> Job:
    return job_of(ONE.plan, {"Temp": TABLE}, buckets, **settings)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (job_of(TWO.plan, {"Temp": TABLE}, 2), "another program"),
        (_job(4), "2 buckets, not 4"),
        (_job(clock="processing"), "the clock `event`, not `processing`"),
    ],
)
def test_the_state_of_another_run_is_refused(other: Job, why: str) -> None:
    stream = Stream(_job(), random.Random(1))
    stream.batch({"Temp": TABLE})
    stream.continue_as(other)
    with pytest.raises(StateError, match=why):
        stream.batch({"Temp": TABLE})
