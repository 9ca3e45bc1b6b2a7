"""Parts of models for workers by key, and models of several workers merged.

In a part, the sums over all keys stay as of the model's epoch: so a key's chances do not depend on the other
keys of its worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import Values
from antelog.forecast.forecasting import Forecasting, columns_in, start
from antelog.forecast.inference.forms import layout
from antelog.forecast.inference.learning import Learning
from antelog.forecast.judges import mean as average
from antelog.forecast.judges.following import AnswerLines
from antelog.forecast.judges.looks import LatestValues
from antelog.forecast.model_file import Model
from antelog.forecast.rates import counts as series_counts
from antelog.forecast.rates import tally
from antelog.forecast.rates.counts import Counted, SeriesCounts
from antelog.forecast.rates.tally import Tally

Cells: TypeAlias = Callable[[Column], Column]
"""Rewrites cells for other values."""

Mine: TypeAlias = Callable[[Column, Values], Mask]
"""Marks the cells that are a worker's own, given their values."""


def part_of(model: Model, mine: Mine | None) -> Model:
    """Cuts out a worker's part: the sums over all keys, and its own keys (None: all)."""
    still = _standing(model, model.epoch)
    if mine is None:
        return recoded(still, Values())
    key = model.plan.key
    places = {each.name: each.places.index(key[each.predicate]) for each in layout(model.plan).families}

    def chosen(name: str, counts: SeriesCounts) -> SeriesCounts:
        column = counts.tally.keys[places[name]]
        return replace(counts, tally=counts.tally.take(np.flatnonzero(mine(column, model.values))))

    own = {
        name: {judge: of.part(lambda column: mine(column, model.values)) for judge, of in judges.items()}
        for name, judges in still.judges.items()
    }
    series = {name: chosen(name, counts) for name, counts in still.series.items()}
    return recoded(replace(still, series=series, judges=own), Values())


def recoded(model: Model, values: Values) -> Model:
    """Copies a model with its cells rewritten for other values, which are extended as needed."""

    def cells(column: Column) -> Column:
        return values.recoded(column, model.values)

    series, judges = rewritten(model.series, cells), rewritten(model.judges, cells)
    return replace(model, series=series, judges=judges, values=values)


def merged(models: Sequence[Model]) -> Model:
    """Merges the models of workers with different keys, all learned up to the same tick."""
    values, epoch = Values(), max(each.epoch for each in models)
    parts = [recoded(_standing(each, epoch), values) for each in models]
    one, *others = parts
    series = {
        name: replace(
            counts,
            tally=tally.merged([each.series[name].tally for each in parts]),
            shared=tally.merged([each.series[name].shared for each in parts]),
            later=(),
        )
        for name, counts in one.series.items()
    }
    judges = {
        name: {judge: of.merged([each.judges[name][judge] for each in others]) for judge, of in own.items()}
        for name, own in one.judges.items()
    }
    weights = {name: average.merged([each.weights[name] for each in parts]) for name in one.weights}
    return replace(one, values=values, series=series, judges=judges, weights=weights, epoch=epoch)


def _standing(model: Model, epoch: int) -> Model:
    """Fades the sums over all keys to an epoch."""
    half_life = None if model.half_life is None else model.half_life / model.length
    series = {n: series_counts.at_epoch(each, epoch, half_life) for n, each in model.series.items()}
    return replace(model, series=series)


def with_model(current: Forecasting, model: Model, learning: Learning) -> Forecasting:
    """Replaces the learned state by a model; while learning goes on, only what all keys share."""
    model, learns = recoded(model, current.sightings.values), learning.on
    series, judges = model.series, model.judges
    if learns:
        series = {name: replace(c, shared=series[name].shared) for name, c in current.series.items()}
        judges = {
            name: {judge: of.renewed(judges[name][judge]) for judge, of in each.judges.items()}
            for name, each in current.queries.items()
        }
    queries = {
        name: replace(each, judges=judges[name], weights=model.weights[name])
        for name, each in current.queries.items()
    }
    return replace(current, series=series, queries=queries, learning=learning)


def without_model(plan: Plan, current: Forecasting) -> Forecasting:
    """Drops the parts that come from a model and are not learned; `with_model` puts them back."""
    nothing = start(plan, current.learning)
    queries = {
        name: replace(each, judges=nothing.queries[name].judges, weights=nothing.queries[name].weights)
        for name, each in current.queries.items()
    }
    return replace(current, series=nothing.series, queries=queries)


def lighter(current: Forecasting) -> Forecasting:
    """Drops values that no cell refers to, once there are many."""
    values = current.sightings.values
    if not values.grown:
        return current
    used: list[Column] = []

    def noted(column: Column) -> Column:
        used.append(column)
        return column

    rewritten(current, noted)
    kept, cells = values.retain(*used, *columns_in(values))
    found: Forecasting = rewritten(current, cells)
    return replace(found, sightings=replace(found.sightings, values=kept))


def rewritten(thing: Any, cells: Cells) -> Any:
    """Copies a state, or a part of one, with its cells rewritten."""
    match thing:
        case Facts():
            return Facts(tuple(map(cells, thing.columns)), thing.time, thing.arrival)
        case Tally() | Counted():
            return replace(thing, keys=tuple(map(cells, thing.keys)))
        case LatestValues():
            return replace(thing, key=tuple(map(cells, thing.key)))
        case AnswerLines():
            return replace(thing, answer=tuple(map(cells, thing.answer)))
        case Mapping():
            return {name: rewritten(each, cells) for name, each in thing.items()}
        case tuple():
            return tuple(rewritten(each, cells) for each in thing)
        case _ if is_dataclass(thing) and not isinstance(thing, type):
            parts = {each.name: rewritten(getattr(thing, each.name), cells) for each in fields(thing)}
            return replace(thing, **parts)
        case _:
            return thing
