"""The state of a bucket for forecasts, in addition to the kernel's.

    a model of wt1 to wt9: the bucket of wt2 starts with the odds of wt2, and with the common ones

The facts of a key are all in its bucket, and so are its answers: no bucket needs another one.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.facts.history import rows_of
from antelog.engine.kernel import FinishedStep
from antelog.forecast import forecasting
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.model_file import Model
from antelog.forecast.parts import lighter, part_of, with_model, without_model
from antelog.spark.job.dividing import bucket_mask
from antelog.spark.job.job import Job


def start(job: Job, number: int) -> Forecasting | None:
    """The state before the first row; None without forecasts."""
    if job.forecasts is None:
        return None
    own = job.forecasts
    known = forecasting.start(job.plan, own.learning, _part(job, number))
    return forecasting.only(known, own.judges)


def advanced(job: Job, before: Forecasting, step: FinishedStep) -> tuple[Forecasting, dict[str, pa.Table]]:
    """The state after a step, and its lines of the kinds that are wanted."""
    assert job.forecasts is not None
    after, log, _ = forecasting.advanced(job.plan, before, step, job.forecasts.limits)
    only = pa.array(job.wanted.only, pa.string())
    return lighter(after), {
        name: table.filter(pc.is_in(table.column("change"), only)) for name, table in log.items()
    }


def members(job: Job, current: Forecasting) -> dict[str, bytes]:
    """The state as bytes, without a model that is not learned."""
    return forecasting.members(current if current.learning.counts else without_model(job.plan, current))


def resumed(job: Job, number: int, members: Mapping[str, bytes]) -> Forecasting | None:
    """The state from the bytes of `members`, with the model of the job, which may be newer."""
    if job.forecasts is None:
        return None
    return renewed(job, number, forecasting.resumed(job.plan, members))


def renewed(job: Job, number: int, current: Forecasting) -> Forecasting:
    """The state of an earlier run or of other rules with the model of the job, and the judges it names."""
    assert job.forecasts is not None
    newer = _part(job, number)
    if newer is not None:
        current = with_model(current, newer, job.forecasts.learning)
    return forecasting.only(current, job.forecasts.judges)


def rows(current: Forecasting | None) -> int:
    """The approximate number of rows of the state."""
    if current is None:
        return 0
    judged = list(current.queries.values())
    followed = sum(each.followed.last.count + len(each.reported.tick) for each in judged)
    learned = sum(judge.rows for each in judged for judge in each.judges.values())
    learned += sum(each.tally.count for each in current.series.values())
    return rows_of(current.sightings.history) + followed + (learned if current.learning.counts else 0)


def _part(job: Job, number: int) -> Model | None:
    """The part of the job's model for a bucket."""
    assert job.forecasts is not None
    model = job.forecasts.model
    return None if model is None else part_of(model, bucket_mask(job.numbers, number))
