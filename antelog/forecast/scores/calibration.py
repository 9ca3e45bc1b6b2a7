"""Calibration: for each bin the expected band of confirmed shares, and whether deviations can be chance.

The *expected* band has the shares of 95 of 100 calibrated forecasts. Its width is the larger of two: how much
the surplus of confirmations varies from block to block of time (answers go wrong together), and how much it
would if answers were independent and all lines of one ended alike (few lines say little).

Of twenty bins one lies outside by chance. So calibration is *refuted* only where all lines together lie
outside a wider band, or low bins above and high ones below, or a bin outside one that is wider still: of 100
calibrated forecasts 95 do not, and each of the three is as likely. Where the test would only find errors of
more than ten points, there is too little to tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from math import sqrt
from statistics import NormalDist

import numpy as np

from antelog.engine.columns.tables import Column, Numbers, groups, keys_of
from antelog.forecast.scores.scored_lines import UNIT, ScoredLines, Sums, exactly

# Answers that are decided at about the same time depend on the same facts and are right or wrong together.
# How much their sums vary from block to block of time shows how much that matters.
MOST = 32  # there are at most this many blocks, and half as many at least once that many ticks have passed


@dataclass(frozen=True, eq=False)
class Blocks:
    """Several sums (a row each) for blocks of ticks (a column each), which follow from the ticks alone."""

    sums: Column
    first: int = 0
    last: int = -1  # before the first, if there are no ticks

    @property
    def width(self) -> int:
        """The least power of 2 with which blocks are few enough; the first begins at a multiple of it."""
        return 1 << _shift(self.first, self.last)

    def __add__(self, other: Blocks) -> Blocks:
        if self.last < self.first:
            return other
        if other.last < other.first:
            return self
        first, last = min(self.first, other.first), max(self.last, other.last)
        return Blocks(self._spread(first, last) + other._spread(first, last), first, last)

    def _spread(self, first: int, last: int) -> Column:
        """The sums, in the blocks that a longer time has."""
        start = (self.first >> _shift(self.first, self.last)) * self.width
        # A block that is not in use may lie too far; it holds nothing.
        at = np.minimum(_numbers(start + np.arange(MOST) * self.width, first, last), MOST - 1)
        sums = np.zeros_like(self.sums)
        np.add.at(sums.T, at, self.sums.T)
        return sums

    def at_least(self, width: float) -> Column:
        """The sums of blocks that are at least this wide, if need be of several together."""
        sums, own = self.sums, self.width
        while own < width and sums.shape[1] > 1:
            sums, own = sums[:, ::2] + sums[:, 1::2], own * 2
        return sums


def blocks(count: int) -> Blocks:
    return Blocks(np.zeros((count, MOST), np.int64))


def summed(count: int, row: Column, tick: Column, amount: Column) -> Blocks:
    """Sums of amounts by row and block, each amount with its row and its tick."""
    found = blocks(count)
    if len(tick) == 0:
        return found
    first, last = int(tick.min()), int(tick.max())
    np.add.at(found.sums, (row, _numbers(tick, first, last)), amount)
    return Blocks(found.sums, first, last)


def _numbers(tick: Column, first: int, last: int) -> Column:
    shift = _shift(first, last)
    return (tick >> shift) - (first >> shift)


def _shift(first: int, last: int) -> int:
    shift = 0
    while (last >> shift) - (first >> shift) >= MOST:
        shift += 1
    return shift


BINS = 20
EDGES = np.arange(BINS + 1) / BINS  # a bin has the chances from its edge up to the next; the last has 1 too


def _none() -> Column:
    return np.zeros(BINS, np.int64)


@dataclass(frozen=True, eq=False)
class Calibration(Sums):
    """Sums for each bin."""

    lines: Column = field(default_factory=_none)
    confirmed: Column = field(default_factory=_none)
    chance: Column = field(default_factory=_none)  # see `exactly`
    pairs: Column = field(default_factory=_none)  # each answer's lines, squared: its weight if all end alike
    surplus: Blocks = field(default_factory=lambda: blocks(BINS))  # the confirmed beyond the chances, by time
    waited: int = 0  # of all lines, the ticks until they were decided


def calibration(lines: ScoredLines) -> Calibration:
    bins = np.minimum(np.searchsorted(EDGES, lines.chance, "right") - 1, BINS - 1)
    chance, confirmed = exactly(lines.chance), lines.confirmed.astype(np.int64)
    (key,) = keys_of([[lines.answer, bins]])
    same = groups(key)
    return Calibration(
        _summed(bins, np.ones(lines.count, np.int64)),
        _summed(bins, confirmed),
        _summed(bins, chance),
        _summed(bins.take(same.first), same.sizes**2),
        summed(BINS, bins, lines.decided, confirmed * UNIT - chance),
        int((lines.decided - lines.reported).sum()),
    )


def _summed(bins: Column, amounts: Column) -> Column:
    sums = _none()
    np.add.at(sums, bins, amounts)
    return sums


LEVEL = 0.05  # the share of calibrated forecasts that are refuted
# The surplus of K blocks is at most √K times its estimated deviation, and of 20 bins the limit is 3.34.
FEWEST = 10  # bins must differ from their expected shares in so many blocks before they can refute anything
VISIBLE = 0.1  # a test that would not find such an error of all chances says nothing if it finds nothing


@dataclass(frozen=True)
class Bin:
    """Lines with chances from `low` to `high`; `expected` is a range of confirmed shares."""

    low: float
    high: float
    lines: int
    chance: float
    confirmed: float
    expected: tuple[float, float]

    @property
    def outside(self) -> bool:
        return not self.expected[0] <= self.confirmed <= self.expected[1]


@dataclass(frozen=True)
class CalibrationResult:
    """The bins that have lines, and whether calibration is refuted (None: too little to tell)."""

    bins: tuple[Bin, ...]
    refuted: bool | None
    visible: float | None = None  # the error of all chances that the test would find in every second stream
    error: float | None = None  # the mean of lines
    # Draws the interval and the size, which takes longer than all else.
    drawn: Callable[[], tuple[tuple[float, float], float]] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def interval(self) -> tuple[float, float] | None:
        """The error's, to 95 %; none with fewer than ten blocks of time."""
        return self._drawn[0]

    @property
    def size(self) -> float | None:
        """The error less what right chances show, too; none likewise."""
        return self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[tuple[float, float] | None, float | None]:
        return (None, None) if self.drawn is None else self.drawn()


@dataclass(frozen=True, eq=False)
class _Surplus:
    """The confirmations beyond the sum of the chances, by block, and a lower bound of their variance."""

    by_block: Column | Numbers
    variance: float

    def beyond(self, level: float) -> bool:
        return abs(float(self.by_block.sum())) > self.deviation(level)

    def deviation(self, level: float) -> float:
        """The half-width of the band around the expected sum that holds all but this share of cases."""
        own = sqrt(max(float(self.by_block @ self.by_block), self.variance))
        return own * NormalDist().inv_cdf(1 - level / 2)


def judged(sums: Calibration) -> CalibrationResult:
    total = int(sums.lines.sum())
    if not total:
        return CalibrationResult((), None)
    used = np.flatnonzero(sums.lines)
    lines, chance = sums.lines[used], sums.chance[used] / UNIT
    mean = np.minimum(chance / lines, 1.0)
    variances = sums.pairs[used] * mean * (1 - mean)
    by_block = sums.surplus.at_least(sums.waited / total)[used] / UNIT
    # Chances that are too sure are too low in lower bins and too high in higher ones: neither need stand out.
    sure = EDGES[used] + 0.5 / BINS - 0.5
    together = _Surplus(by_block.sum(axis=0), float(variances.sum()))
    too_sure = _Surplus(sure @ by_block, float(sure**2 @ variances))
    own = [_Surplus(each, float(variance)) for each, variance in zip(by_block, variances, strict=True)]
    refuted, visible = None, None
    every = ([together], [too_sure], own)
    parts = [[each for each in part if np.count_nonzero(each.by_block) >= FEWEST] for part in every]
    if any(parts):
        visible = together.deviation(LEVEL / 3) / total
        beyond = any(each.beyond(LEVEL / 3 / len(part)) for part in parts for each in part)
        refuted = beyond or (None if visible > VISIBLE else False)
    bins = tuple(
        _bin(float(EDGES[n]), float(EDGES[n + 1]), int(sums.lines[n]), int(sums.confirmed[n]), each)
        for n, each in zip(used.tolist(), own, strict=True)
    )
    mean_error = float(np.abs(by_block.sum(axis=1)).sum()) / total
    long = int(by_block.any(axis=0).sum()) >= FEWEST
    drawn = partial(error_interval, by_block, variances, total) if long else None
    return CalibrationResult(bins, refuted, visible, mean_error, drawn)


def _bin(low: float, high: float, lines: int, confirmed: int, surplus: _Surplus) -> Bin:
    chance = min(max((confirmed - float(surplus.by_block.sum())) / lines, 0.0), 1.0)
    # The mean of equal chances may differ from them in the last digit, and the band may have no width.
    wide = max(surplus.deviation(LEVEL) / lines, 1e-9)
    return Bin(
        low, high, lines, chance, confirmed / lines, (max(chance - wide, 0.0), min(chance + wide, 1.0))
    )


# ---- the expected calibration error: how far chances are from the shares, in the mean over lines ----

# Even of chances that are right it is above zero, for a share of few answers is never exact. So it comes with
# an interval, which in some 95 of 100 streams has the error that very many answers would show. Where that
# begins is found by drawing the surplus of confirmations again and again: that of each block of ticks is
# multiplied by a random number, the same for all bins, for answers of one time go wrong together.


DRAWS = 400
STEPS = 33  # the number of errors that are tried for the lower end, from none to the one seen
SIDE = 0.025  # the share of streams whose error is above the interval, and of those whose error is below it
Z = NormalDist().inv_cdf(1 - SIDE)


@cache
def _draws(columns: int) -> Numbers:
    """Random numbers, the same each time; with each its opposite, so that they favour no side."""
    half = np.random.default_rng(0).normal(size=(DRAWS // 2, columns))
    return np.concatenate([half, -half])


def error_interval(surplus: Numbers, variance: Numbers, lines: int) -> tuple[tuple[float, float], float]:
    """The interval and the size, given the surplus of each bin (a row) in each block, and least variances.

    It begins with the least error that shows as much as was seen in one of 40 cases, spread over bins as the
    one seen; differences of blocks beyond it are chance. Larger errors add up as they are, so it ends at the
    one seen plus twice its deviation. The size is the error that shows as much in one of two cases.
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
    reached = np.quantile(drawn / lines, (1 - SIDE, 0.5), axis=1) >= seen
    low, half = (shares[reached.argmax(axis=1)] * seen).tolist()
    signed = np.sign(total) @ used
    deviation = sqrt(wider * float(((signed - signed.mean()) ** 2).sum() + lacking.sum())) / lines
    return (low, min(seen + Z * deviation, 1.0)), half
