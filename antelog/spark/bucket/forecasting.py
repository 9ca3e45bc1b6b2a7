"""What a bucket knows to say how likely its open answers are, beside the kernel's state.

    a model of wt1 to wt9, the bucket of wt2: it starts with what is known of wt2, and with what all share

The facts of a key are all in its bucket, and so are its answers: nothing is asked of another one.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.engine import FinishedStep
from antelog.engine.facts.history import rows_of
from antelog.forecast import forecasting
from antelog.forecast import saving as resuming
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.model_file import Model
from antelog.forecast.parts import lighter, part_of, with_model, without_model
from antelog.spark.job.dividing import own_of
from antelog.spark.job.job import Job


def start(job: Job, number: int) -> Forecasting | None:
    """Before the first row; None if nothing is forecast."""
    if job.forecasts is None:
        return None
    own = job.forecasts
    return forecasting.start(job.plan, own.learning, _part(job, number))


def told(job: Job, before: Forecasting, step: FinishedStep) -> tuple[Forecasting, dict[str, pa.Table]]:
    """The forecasts after a step, and its lines of the kinds that are asked for."""
    assert job.forecasts is not None
    found = forecasting.advanced(job.plan, before, step, job.forecasts.limits)
    only = pa.array(job.only, pa.string())
    return lighter(found.after), {
        name: table.filter(pc.is_in(table.column("change"), only)) for name, table in found.log.items()
    }


def members(job: Job, current: Forecasting) -> dict[str, bytes]:
    """What is kept beside the kernel's state. A model that nothing is added to is not."""
    return resuming.members(current if current.learning.on else without_model(job.plan, current))


def resumed(job: Job, number: int, beside: Mapping[str, bytes]) -> Forecasting | None:
    """What `members` has kept, with the model of the job, which may be newer."""
    if job.forecasts is None:
        return None
    current, newer = resuming.resumed(job.plan, beside), _part(job, number)
    return current if newer is None else with_model(current, newer, job.forecasts.learning)


def rows(current: Forecasting | None) -> int:
    """How many rows there are to be kept, about."""
    if current is None:
        return 0
    judged = [each.judged for each in current.queries.values()]
    followed = sum(each.followed.last.count + len(each.told.tick) for each in judged)
    learned = sum(each.outcomes.levels[-1].tally.count for each in judged)
    learned += sum(each.tally.count for each in current.series.values())
    return rows_of(current.sightings.history) + followed + (learned if current.learning.on else 0)


def _part(job: Job, number: int) -> Model | None:
    """What the model of the job knows of the keys of a bucket."""
    assert job.forecasts is not None
    model = job.forecasts.model
    return None if model is None else part(job, number, model)


def part(job: Job, number: int, model: Model) -> Model:
    """What a model knows of the keys of a bucket, and of all keys together."""
    return part_of(model, own_of(job.numbers, number))
