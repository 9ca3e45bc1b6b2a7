"""The state of forecasts as members of a saved state, next to those of the engine.

forecast/head.json      whether it learns, the first epoch that is not counted
forecast/values.json    the values of the cells
forecast/known.json     what was seen, learned and followed
forecast/known.arrow    the columns of that
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.history import added, gather
from antelog.engine.saving import FORECAST
from antelog.engine.values.values import SavedValues, Values
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.inference.forms import layout
from antelog.forecast.inference.learning import Learning
from antelog.forecast.model_file import packed, unpacked
from antelog.forecast.rates.sightings import Sightings, nothing_seen
from antelog.forecast.rates.tally import EPOCH
from antelog.forecast.scores import scores


class _ForecastHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    learns: bool
    half_life: float | None
    as_of: int
    shared: bool
    epoch: int
    scores: dict[str, Any]
    length: int = EPOCH
    slots: bool = False


def members(current: Forecasting) -> dict[str, bytes]:
    """The members of a saved state that hold the forecasts."""
    learning, seen = current.learning, current.sightings
    judged = {name: replace(each, scores=None, likely=None) for name, each in current.queries.items()}  # type: ignore[arg-type]
    kept = {name: each.scores for name, each in current.queries.items()}
    said, columns = packed(
        {
            "seen": {name: gather(seen.history, name, None) for name in seen.history},
            "series": dict(current.series),
            "judged": judged,
            "likely": {name: each.likely for name, each in current.queries.items()},
            "features": dict(current.features),
        }
    )
    scored = {name: scores.to_dict(each) for name, each in kept.items()}
    how = (learning.on, learning.half_life, learning.epoch, learning.shared)
    head = _ForecastHead(*how, current.epoch, scored, learning.length, learning.slots)
    found = {
        "head.json": msgspec.json.encode(head),
        "values.json": msgspec.json.encode(seen.values.saved()),
        "known.json": said,
        "known.arrow": columns,
    }
    return {FORECAST + name: content for name, content in found.items()}


def resumed(plan: Plan, members: Mapping[str, bytes]) -> Forecasting:
    """The forecasts read back from `members`."""
    there = {name.removeprefix(FORECAST): content for name, content in members.items()}
    head = msgspec.json.decode(there["head.json"], type=_ForecastHead)
    values = Values.from_saved(msgspec.json.decode(there["values.json"], type=SavedValues))
    known = unpacked(there["known.json"], there["known.arrow"])
    history = added(nothing_seen(layout(plan).families).history, known["seen"])
    queries = {}
    for query in plan.queries:
        name = query.name
        own = scores.from_dict(head.scores[name])
        queries[name] = replace(known["judged"][name], scores=own, likely=known["likely"][name])
    how = (head.learns, head.half_life, head.as_of, head.shared)
    learning = Learning(*how, head.length, head.slots)
    seen = Sightings(history, values)
    return Forecasting(seen, known["series"], queries, known["features"], head.epoch, learning)
