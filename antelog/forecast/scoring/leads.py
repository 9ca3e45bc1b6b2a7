"""Lead times, counted: exact up to some hundreds of ticks, then in steps of a sixteenth at most.

    3 ticks      place 3, which is 3 ticks
    1000 ticks   place 287: from 992 to 1023 ticks

So medians and quartiles need memory of a fixed size, and counts of two runs are added.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Column

_EXACT = 8
"""Below 2 to this power each number of ticks has a place of its own."""
_STEPS = 4
"""From there on, the numbers between two powers of 2 have 2 to this power places."""
_LONGEST = 50
"""Longer leads than 2 to this power count as that long."""
PLACES = (1 << _EXACT) + ((_LONGEST - _EXACT) << _STEPS)


def places(leads: Column) -> Column:
    """The place of each lead."""
    leads = np.minimum(leads, (1 << _LONGEST) - 1)
    power = np.frexp(np.maximum(leads, 1).astype(np.float64))[1].astype(np.int64) - 1
    step = (leads >> np.maximum(power - _STEPS, 0)) - (1 << _STEPS)
    return np.where(power < _EXACT, leads, (1 << _EXACT) + ((power - _EXACT) << _STEPS) + step)


def least(place: int) -> int:
    """The shortest lead that has this place."""
    if place < 1 << _EXACT:
        return place
    power, step = divmod(place - (1 << _EXACT), 1 << _STEPS)
    return ((1 << _STEPS) + step) << (power + _EXACT - _STEPS)


def quantile(counts: Column, share: float) -> int | None:
    """The shortest lead that is at least as long as this share of all; None if there are none."""
    below = np.cumsum(counts)
    if below[-1] == 0:
        return None
    return least(int(np.searchsorted(below, max(share * float(below[-1]), 1.0))))
