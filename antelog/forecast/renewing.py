"""Forgetting values that nothing has any more: a stream of orders has a new one in every fact.

    values o1 to o90000, of which 200 are still in what was seen, learned and followed: 200 values

In comes what forecasts know, out goes the same with fewer values, if these have become many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from antelog.engine.columns.tables import Column
from antelog.engine.facts.facts import Facts
from antelog.engine.facts.history import History, Stream, added, gather
from antelog.forecast.background import columns_in
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.judges.outcomes import Outcomes
from antelog.forecast.odds.series_counts import SeriesCounts
from antelog.forecast.odds.sightings import Sightings
from antelog.forecast.odds.tally import Cells, Waiting
from antelog.forecast.query import Followed


def lighter(current: Forecasting) -> Forecasting:
    """The same without the values that nothing has any more, if these have become many."""
    values = current.sightings.values
    if not values.grown:
        return current
    used: list[Column] = []

    def noted(column: Column) -> Column:
        used.append(column)
        return column

    _with_cells(current, noted)
    kept, cells = values.retain(*used, *columns_in(values))
    found = _with_cells(current, cells)
    return replace(found, sightings=replace(found.sightings, values=kept))


def _with_cells(current: Forecasting, cells: Cells) -> Forecasting:
    """What forecasts know, with other cells for its values."""
    seen = current.sightings
    return replace(
        current,
        sightings=Sightings(_history(seen.history, cells), seen.values),
        series={name: _series(each, cells) for name, each in current.series.items()},
        queries={name: _followed(each, cells) for name, each in current.queries.items()},
    )


def _history(history: History, cells: Cells) -> History:
    """The last column says which series a fact meets; it has no values."""
    moved = {}
    for name in history:
        facts = gather(history, name, None)
        *own, met = facts.columns
        moved[name] = Facts((*map(cells, own), met), facts.time, facts.arrival)
    empty: Mapping[str, Stream] = {name: Stream(stream.width, {}) for name, stream in history.items()}
    return added(empty, moved)


def _series(counts: SeriesCounts, cells: Cells) -> SeriesCounts:
    later = tuple(each.with_cells(cells) for each in counts.later)
    return replace(counts, tally=counts.tally.with_cells(cells), later=later)


def _followed(known: Followed, cells: Cells) -> Followed:
    judged = known.judged
    last = judged.followed.last
    *values, time = last.answer
    followed = replace(judged.followed, last=replace(last, answer=(*map(cells, values), time)))
    *wider, key = judged.outcomes.levels
    # The first column of the narrowest level is the state of the answer; then comes its key.
    narrow = Waiting(key.tally.with_cells(cells, 1), tuple(each.with_cells(cells, 1) for each in key.later))
    outcomes = Outcomes((*wider, narrow))
    return replace(known, judged=replace(judged, followed=followed, outcomes=outcomes))
