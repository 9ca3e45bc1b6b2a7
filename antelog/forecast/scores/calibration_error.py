"""The expected calibration error: how far chances are from the confirmed shares, in the mean over lines.

    bin            lines   chance   confirmed
    20 to 25 %     100     22 %     26 %        4 points too low
    80 to 85 %     300     83 %     81 %        2 points too high: in the mean 2.5 points, whichever way

Even of chances that are right it is above zero, for a share of few answers is never exact. So it comes
with an interval, which in some 95 of 100 streams has the error that very many answers would show. Where that
begins is found by drawing the surplus of confirmations again and again: that of each block of ticks is
multiplied by a random number, the same for all bins, for answers of one time go wrong together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import NormalDist

import numpy as np

from antelog.engine.columns.tables import Numbers

DRAWS = 400
STEPS = 33
"""So many errors are tried for the lower end, from none to the one seen."""
SIDE = 0.025
"""The share of streams whose error is above the interval, and of those whose error is below it."""
Z = NormalDist().inv_cdf(1 - SIDE)


@dataclass(frozen=True)
class CalibrationError:
    """The error of the lines seen, and the 95 % interval of that of the chances; as shares of 1.

    There is no interval where fewer than ten blocks of time have lines.
    """

    mean: float
    interval: tuple[float, float] | None = None


@cache
def _draws(columns: int) -> Numbers:
    """Random numbers, the same each time; with each its opposite, so that they favour no side."""
    half = np.random.default_rng(0).normal(size=(DRAWS // 2, columns))
    return np.concatenate([half, -half])


def error_interval(surplus: Numbers, variance: Numbers, lines: int) -> tuple[float, float]:
    """The interval, given the surplus of each bin (a row) in each block, and the least variance of a bin.

    It begins with the least error `e` that may show as much as was seen: so much or more in one of 40 cases.
    It is spread over bins as the one seen; what blocks show beyond it is chance. An error that is larger
    than the one seen adds up as it is, so it ends where that one and twice its deviation do.
    """
    used = surplus[:, surplus.any(axis=0)]
    total, blocks = used.sum(axis=1), used.shape[1]
    seen = float(np.abs(total).sum()) / lines
    # Few blocks do not know well how far they are spread.
    wider = (blocks - 1) / (blocks - 3)
    lacking = np.maximum(variance - (used**2).sum(axis=1), 0.0)
    random = _draws(blocks + len(total))
    by_block, alone = random[:, :blocks], random[:, blocks:]
    chance = (by_block @ used.T + alone * np.sqrt(lacking)) * sqrt(wider)
    # Of an error that is there, each block has its part, and that is no chance.
    steady = by_block.sum(axis=1)[:, None] * (total / blocks)
    shares = np.linspace(0.0, 1.0, STEPS)
    drawn = np.stack([np.abs(each * total + chance - each * steady).sum(axis=1) for each in shares])
    reached = np.quantile(drawn / lines, 1 - SIDE, axis=1) >= seen
    signed = np.sign(total) @ used
    deviation = sqrt(wider * float(((signed - signed.mean()) ** 2).sum() + lacking.sum())) / lines
    return float(shares[np.argmax(reached)]) * seen, min(seen + Z * deviation, 1.0)
