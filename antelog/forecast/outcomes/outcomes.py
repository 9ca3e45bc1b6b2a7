"""The judge of outcomes: the share of confirmed answers among those that were once in this state.

    Malf, two of three hot, 1 tick old    wt2: 3 of 4    all devices: 61 of 200    the pattern: 70 of 900

What was counted for a key is drawn towards all keys, that towards the pattern, that towards the query. It
knows nothing of why. So it needs history, and it learns what no model of single facts knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import is_

import numpy as np

from antelog.engine.columns.tables import Column, Numbers, numbered, rows_by
from antelog.engine.step.lines import pattern_of
from antelog.forecast.outcomes.following import either_of, stage_of
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes
from antelog.forecast.rates.tally import (
    Cells,
    Counted,
    KnownEpoch,
    Waiting,
    looked_up,
    nothing_counted,
    summed,
)

WEIGHTS = (1.0, 1.0, 2.0, 5.0, 5.0)
"""What is known of wider classes counts as so many answers.

For the query, a pattern, a state whether silent or not, a state, a key.
"""


@dataclass(frozen=True, eq=False)
class OutcomeStatistics:
    """Counts of the answers that were in each state, and of those that were confirmed.

    By query, by pattern, by state whether silent or not, by state, and by state and key: a tally each.
    """

    levels: tuple[Waiting, ...]

    def predict(self, rows: AnswerRows) -> Numbers:
        """The share of answers in these states that is confirmed; NaN where nothing was counted at all."""
        states, as_of = rows.state, rows.as_of
        if not any(level.tally.count for level in self.levels):
            return np.full(len(states), np.nan)
        different, which = numbered(states)
        *wider, own = self.levels
        chance, known = np.full(len(different), 0.5), np.zeros(len(different), np.bool_)
        for level, key, weight in zip(wider, _wider(different), WEIGHTS, strict=False):
            found = looked_up(level.tally, key, len(different), *as_of.shared).sums
            chance, known = _drawn(found, chance, weight), known | (found[:, 0] > 0)
        found = looked_up(own.tally, (states, *rows.key), len(states), *as_of.by_key).sums
        chance, known = _drawn(found, chance.take(which), WEIGHTS[-1]), known.take(which) | (found[:, 0] > 0)
        return np.where(known, chance, np.nan)

    def learn(self, rows: AnswerRows, outcome: RowOutcomes) -> OutcomeStatistics:
        """The statistics after a lesson; if sums over all keys are kept still, only those of keys change."""
        *wider, own = self.levels
        confirmed, states_of_rows = outcome.confirmed.astype(np.float64), rows.state
        for epoch, at in rows_by(outcome.epoch).items():
            numbers = np.stack([np.ones(len(at)), confirmed.take(at)], axis=1)
            states = states_of_rows.take(at)
            mine = (states, *(column.take(at) for column in rows.key))
            own = own.and_then(Counted(epoch, mine, numbers))
            if rows.as_of.still is None:
                # States are few: what all keys share is added up from their sums, not from every answer.
                (states,), numbers = summed((states,), numbers)
                added = (Counted(epoch, key, numbers) for key in _wider(states))
                wider = [level.and_then(each) for level, each in zip(wider, added, strict=True)]
        return OutcomeStatistics((*wider, own))

    def up_to(self, as_of: KnownEpoch) -> OutcomeStatistics:
        """The statistics with all lessons of epochs up to one in use."""
        levels = tuple(level.up_to(as_of.epoch, as_of.half_life) for level in self.levels)
        return self if all(map(is_, levels, self.levels)) else OutcomeStatistics(levels)

    def with_cells(self, cells: Cells) -> OutcomeStatistics:
        """A copy with rewritten cells in the keys; the first column of that level is the state."""
        *wider, own = self.levels
        later = tuple(each.with_cells(cells, 1) for each in own.later)
        return OutcomeStatistics((*wider, Waiting(own.tally.with_cells(cells, 1), later)))


def nothing_known(keys: int) -> OutcomeStatistics:
    shared = (Waiting(nothing_counted(width, 2)) for width in (0, 1, 1, 1))
    return OutcomeStatistics((*shared, Waiting(nothing_counted(1 + keys, 2, forgets=keys > 0))))


def _wider(states: Column) -> list[tuple[Column, ...]]:
    """For each level that keys share the columns that are equal for answers of one class."""
    return [(), (pattern_of(stage_of(states)),), (either_of(states),), (states,)]


def _drawn(found: Numbers, chance: Numbers, weight: float) -> Numbers:
    """The confirmed shares of counts (answers, confirmed), drawn towards the chances of the wider level."""
    share: Numbers = (found[:, 1] + weight * chance) / (found[:, 0] + weight)
    return share
