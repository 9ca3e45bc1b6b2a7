"""A model in place of what was known: what is kept of a stream need not have it, and it may be a newer one.

kept: what was seen, followed and learned of own keys    the model given now: what all keys share
"""

from __future__ import annotations

from dataclasses import replace

from antelog.compile.nodes.plan import Plan
from antelog.forecast.files.model import Model
from antelog.forecast.files.parts import recoded
from antelog.forecast.forecasting import Forecasting, start
from antelog.forecast.judges.outcomes import Outcomes
from antelog.forecast.query import Learning


def with_model(current: Forecasting, model: Model, learning: Learning) -> Forecasting:
    """With a model in place of what was known; if keys are learned from, in place of what they share."""
    model, learns = recoded(model, current.sightings.values), learning.on
    series, queries = dict(model.series), {}
    if learns:
        series = {name: replace(c, shared=series[name].shared) for name, c in current.series.items()}
    for name, each in current.queries.items():
        *shared, own = model.outcomes[name].levels
        known = Outcomes((*shared, each.judged.outcomes.levels[-1] if learns else own))
        judged = replace(each.judged, outcomes=known, losses=model.losses[name])
        queries[name] = replace(each, judged=judged)
    return replace(current, series=series, queries=queries, learning=learning)


def without_model(plan: Plan, current: Forecasting) -> Forecasting:
    """Without what a model says that nothing is added to; `with_model` puts it back."""
    nothing = start(plan, current.learning)
    queries = {}
    for name, each in current.queries.items():
        empty = nothing.queries[name].judged
        judged = replace(each.judged, outcomes=empty.outcomes, losses=empty.losses)
        queries[name] = replace(each, judged=judged)
    return replace(current, series=nothing.series, queries=queries)
