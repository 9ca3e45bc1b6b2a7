"""The state of forecasts as members of a saved state, next to those of the engine.

forecast/scores.json    the sums of scores
forecast/values.json    the values of the cells
forecast/known.json     what was seen, learned and followed, and how it is learned
forecast/known.arrow    the columns of that
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.history import added, gather
from antelog.engine.saving import FORECAST
from antelog.engine.values.values import SavedValues, Values
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.inference.forms import layout
from antelog.forecast.model_file import packed, unpacked
from antelog.forecast.rates.sightings import Sightings, nothing_seen
from antelog.forecast.scores import scores


def members(current: Forecasting) -> dict[str, bytes]:
    """The members of a saved state that hold the forecasts."""
    seen = current.sightings
    known = {
        "seen": {name: gather(seen.history, name, None) for name in seen.history},
        "series": dict(current.series),
        "judged": {name: replace(each, scores=None) for name, each in current.queries.items()},  # type: ignore[arg-type]
        "features": dict(current.features),
        "epoch": current.epoch,
        "learning": current.learning,
    }
    structure, columns = packed(known)
    scored = {name: scores.to_dict(each.scores) for name, each in current.queries.items()}
    found = {
        "scores.json": msgspec.json.encode(scored),
        "values.json": msgspec.json.encode(seen.values.saved()),
        "known.json": structure,
        "known.arrow": columns,
    }
    return {FORECAST + name: content for name, content in found.items()}


def resumed(plan: Plan, members: Mapping[str, bytes]) -> Forecasting:
    """The forecasts read back from `members`."""
    there = {name.removeprefix(FORECAST): content for name, content in members.items()}
    scored = msgspec.json.decode(there["scores.json"])
    values = Values.from_saved(msgspec.json.decode(there["values.json"], type=SavedValues))
    known = unpacked(there["known.json"], there["known.arrow"])
    history = added(nothing_seen(layout(plan).families).history, known.pop("seen"))
    queries = {
        name: replace(each, scores=scores.from_dict(scored[name]))
        for name, each in known.pop("judged").items()
    }
    return Forecasting(Sightings(history, values), queries=queries, **known)
