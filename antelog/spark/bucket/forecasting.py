"""The state of a bucket for forecasts: it starts with what is known of its own keys, and of all."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.dividing import mask_of
from antelog.engine.facts.history import rows_of
from antelog.engine.kernel import FinishedStep
from antelog.engine.saving import SavedEngine
from antelog.forecast import dividing, forecasting
from antelog.forecast.forecasting import Forecasting, lighter, with_model, without_model
from antelog.forecast.model_file import Model, part_of
from antelog.spark.job.job import Job


def start(job: Job, number: int) -> Forecasting:
    assert job.forecasts is not None
    return forecasting.start(job.plan, job.forecasts.learning, _part(job, number))


def advanced(job: Job, before: Forecasting, step: FinishedStep) -> tuple[Forecasting, dict[str, pa.Table]]:
    """The state after a step, and the lines of the wanted kinds with chances."""
    assert job.forecasts is not None
    after, log, _ = forecasting.advanced(job.plan, before, step, job.forecasts.limits)
    only = pa.array(job.only, pa.string())
    return lighter(after), {
        name: table.filter(pc.is_in(table.column("change"), only)) for name, table in log.items()
    }


def members(job: Job, current: Forecasting) -> dict[str, bytes]:
    """The state as bytes, without the model unless it is learned."""
    return forecasting.members(current if current.learning.on else without_model(job.plan, current))


def resumed(job: Job, number: int, members: Mapping[str, bytes]) -> Forecasting:
    """Reads the state from `members`, with the model of the job, which may be newer."""
    return renewed(job, number, forecasting.resumed(job.plan, members))


def taken_in(job: Job, number: int, saved: SavedEngine) -> Forecasting:
    """The part of a bucket in the forecasts of a whole state; what all keys share is learned no further."""
    assert job.forecasts is not None
    at, learning = job.numbers.index(number), job.forecasts.learning
    mask, whole = mask_of(at, len(job.numbers)), forecasting.resumed(job.plan, saved.forecast)
    part = dividing.part_of(job.plan, whole, mask, first=at == 0)
    if whole.learning.shared and learning.on:
        model = forecasting.model_of(job.plan, whole, saved.state.now)
        part = with_model(part, part_of(model, mask), learning)
    return renewed(job, number, part)


def renewed(job: Job, number: int, current: Forecasting) -> Forecasting:
    """Puts the job's model and judges into a state of an earlier run or of other rules."""
    assert job.forecasts is not None
    newer = _part(job, number)
    if newer is not None:
        current = with_model(current, newer, job.forecasts.learning)
    return forecasting.only(current, job.forecasts.learning.judges)


def rows(current: Forecasting) -> int:
    judged = list(current.queries.values())
    followed = sum(each.followed.last.count + len(each.reported.tick) for each in judged)
    learned = sum(judge.rows for each in judged for judge in each.judges.values())
    seen = rows_of(current.sightings.history) + sum(each.tally.count for each in current.slots.values())
    return seen + followed + (learned if current.learning.on else 0)


def _part(job: Job, number: int) -> Model | None:
    assert job.forecasts is not None
    model = job.forecasts.model
    return None if model is None else part_of(model, mask_of(job.numbers.index(number), len(job.numbers)))
