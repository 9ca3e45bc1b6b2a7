"""Calibration: of the lines told with about the same chance, how many were of confirmed answers.

    told with       lines   mean chance   confirmed
    70 to 75 %      412     72.4 %        301

In come lines, out go sums for each bin of chances. What they say is worked out in `bands`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.tables import Column, groups, keys_of
from antelog.forecast.scoring.blocks import Blocks, blocks, summed
from antelog.forecast.scoring.exact import UNIT, exactly
from antelog.forecast.scoring.settled import Settled

BINS = 20
EDGES = np.arange(BINS + 1) / BINS
"""Each bin has the chances from its own edge up to, but without, the next; the last one has 1 too."""


def _none() -> Column:
    return np.zeros(BINS, np.int64)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Sums for each bin.

    lines       how many lines
    confirmed   how many of them are of confirmed answers
    chance      their chances (see `exact`)
    pairs       for each answer its number of lines, squared: what it weighs when its lines all end alike
    surplus     for each block of settled ticks, how many more were confirmed than the chances say
    waited      of all lines, the ticks until they were settled
    """

    lines: Column = field(default_factory=_none)
    confirmed: Column = field(default_factory=_none)
    chance: Column = field(default_factory=_none)
    pairs: Column = field(default_factory=_none)
    surplus: Blocks = field(default_factory=lambda: blocks(BINS))
    waited: int = 0

    def __add__(self, other: Calibration) -> Calibration:
        return Calibration(
            self.lines + other.lines,
            self.confirmed + other.confirmed,
            self.chance + other.chance,
            self.pairs + other.pairs,
            self.surplus + other.surplus,
            self.waited + other.waited,
        )


def calibration(lines: Settled) -> Calibration:
    """The sums of lines that were told with a chance."""
    bins = np.minimum(np.searchsorted(EDGES, lines.chance, "right") - 1, BINS - 1)
    chance, confirmed = exactly(lines.chance), lines.confirmed.astype(np.int64)
    (key,) = keys_of([[lines.answer, bins]])
    same = groups(key)
    return Calibration(
        _summed(bins, np.ones(lines.count, np.int64)),
        _summed(bins, confirmed),
        _summed(bins, chance),
        _summed(bins.take(same.first), same.sizes**2),
        summed(BINS, bins, lines.settled, confirmed * UNIT - chance),
        int((lines.settled - lines.told).sum()),
    )


def _summed(bins: Column, amounts: Column) -> Column:
    sums = _none()
    np.add.at(sums, bins, amounts)
    return sums
