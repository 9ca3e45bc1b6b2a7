"""A model in parts: what it knows of some keys, for one of several workers; and what several learned, as one.

    model of wt1 to wt9    a worker with wt2 and wt5 gets what is known of these, and what all keys share

What all keys share stands still in a part, as of the model's epoch: so it makes no difference to a key which
others are beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.values import Values
from antelog.forecast.chances.layout import layout
from antelog.forecast.files.model import Model
from antelog.forecast.judges import average
from antelog.forecast.judges.outcomes import Outcomes
from antelog.forecast.odds import series_counts, tally
from antelog.forecast.odds.tally import Tally, Waiting

Mine: TypeAlias = Callable[[Column, Values], Mask]
"""Which of some cells are a worker's own, given what they stand for."""


def part_of(model: Model, mine: Mine | None) -> Model:
    """What a model knows of a worker's own keys, if not all are, and of all keys together."""
    still = _standing(model, model.epoch)
    if mine is None:
        return recoded(still, Values())
    return recoded(_each_tally(still, _Chosen(model.plan, model.values, mine)), Values())


def recoded(model: Model, values: Values) -> Model:
    """The same model with the cells of other values, which get those that they lack."""
    return replace(_each_tally(model, _Recoded(model.values, values)), values=values)


def merged(models: Sequence[Model]) -> Model:
    """What workers have learned that had different keys."""
    values, epoch = Values(), max(each.epoch for each in models)
    parts = [recoded(_standing(each, epoch), values) for each in models]
    one = parts[0]
    series = {
        name: replace(
            counts,
            tally=tally.merged([each.series[name].tally for each in parts]),
            shared=tally.merged([each.series[name].shared for each in parts]),
            later=(),
        )
        for name, counts in one.series.items()
    }
    outcomes = {}
    for name in one.outcomes:
        levels = zip(*(each.outcomes[name].levels for each in parts), strict=True)
        outcomes[name] = Outcomes(tuple(map(_together, levels)))
    losses = {name: _together([each.losses[name] for each in parts]) for name in one.losses}
    return replace(one, values=values, series=series, outcomes=outcomes, losses=losses, epoch=epoch)


def _together(parts: Sequence[Waiting]) -> Waiting:
    return Waiting(tally.merged([each.tally for each in parts]))


def _standing(model: Model, epoch: int) -> Model:
    """The model with what all keys share as of an epoch."""

    def still(waiting: Waiting) -> Waiting:
        return Waiting(tally.standing(waiting.tally, epoch, model.half_life))

    outcomes = {}
    for name, each in model.outcomes.items():
        *shared, own = each.levels
        outcomes[name] = Outcomes((*map(still, shared), own))
    series = {n: series_counts.standing(each, epoch, model.half_life) for n, each in model.series.items()}
    losses = {n: average.standing(each, epoch, model.half_life) for n, each in model.losses.items()}
    return replace(model, series=series, outcomes=outcomes, losses=losses)


class _Chosen:
    """Chooses the own keys of a tally by the column that the work is divided by."""

    def __init__(self, plan: Plan, values: Values, mine: Mine) -> None:
        self._values, self._mine = values, mine
        self._places = {f.name: f.places.index(plan.key[f.predicate]) for f in layout(plan).families}

    def of_series(self, name: str, counts: Tally) -> Tally:
        return self._own(counts, self._places[name])

    def of_outcomes(self, counts: Tally) -> Tally:
        return self._own(counts, 1)

    def _own(self, counts: Tally, place: int) -> Tally:
        return counts.take(np.flatnonzero(self._mine(counts.keys[place], self._values)))


class _Recoded:
    """Writes the keys of a tally in the cells of other values."""

    def __init__(self, of: Values, values: Values) -> None:
        self._of, self._values = of, values

    def of_series(self, _: str, counts: Tally) -> Tally:
        return counts.with_cells(self._cells)

    def of_outcomes(self, counts: Tally) -> Tally:
        return counts.with_cells(self._cells, 1)

    def _cells(self, column: Column) -> Column:
        return self._values.recoded(column, self._of)


def _each_tally(model: Model, change: _Chosen | _Recoded) -> Model:
    """The model with its tallies by key changed."""
    series = {name: replace(c, tally=change.of_series(name, c.tally)) for name, c in model.series.items()}
    outcomes = {}
    for name, each in model.outcomes.items():
        *shared, own = each.levels
        outcomes[name] = Outcomes((*shared, replace(own, tally=change.of_outcomes(own.tally))))
    return replace(model, series=series, outcomes=outcomes)
