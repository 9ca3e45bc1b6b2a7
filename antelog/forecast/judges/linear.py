"""The linear judge: logistic regression on an answer's state, latest values, the calendar, and other judges.

It corrects the mean of the others: with nothing to learn from, it says what they say. A fit is to the lines
settled before a tick, and is used from that tick on. So chances do not depend on how a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers, marked
from antelog.forecast.columns import LINEAR
from antelog.forecast.judges.judge import AnswerRows, Features, Judge, SettledLines, no_lines

LEAST = 40  # the lines from which on the judge says something
GROWTH = 0.2  # weights are fitted anew once the lines grew by this share of those of the last fit
FARTHEST = 3.0  # values this many deviations from the mean count as so many
LOOSER = 4.0  # so much less is the constant held at 0 than the weights of columns
STEPS, ENOUGH = 12, 1e-6  # Newton's steps, and a step so small that it is the last
ALWAYS = -(2**62)  # the first tick of weights that are used from the start
WEIGHT = 8.0  # the weight of the judge before anything is known of it
_EQUAL = 1e-6  # a column with a smaller deviation tells rows apart by rounding alone
_AT_ONCE = 64  # threads wait for each other most of the time where the machine is busy
_SOME = 1024


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights that are used from a tick on: of each column the mean, what a deviation is, and its weight."""

    first: int
    mean: Numbers
    scale: Numbers  # one by the deviation; 0 where all values were equal
    weights: Numbers  # the last one is added to each sum

    def chance(self, features: Features) -> Numbers:
        """The last column are log odds, which are corrected."""
        odds = features[:, -1].astype(np.float64)
        found: Numbers = 1 / (1 + np.exp(-odds - np.einsum("ij,j->i", _scaled(self, features), self.weights)))
        return found


@dataclass(frozen=True, eq=False)
class LinearJudge(Judge):
    """A regression that is fitted anew as lines are settled."""

    most: ClassVar = 5_000  # the newest lines that are kept
    often: ClassVar = 1_000  # weights are fitted anew after so many new lines, at the latest
    ridge: ClassVar = 5.0  # as how many lines the knowledge counts that no column matters

    kept: SettledLines  # what it learns from
    half_life: float | None  # in ticks
    fits: tuple[Fit, ...] = ()
    count: int = 0  # of all lines so far
    fitted: int = 0  # how many of these the last fit was to

    @property
    def columns(self) -> Mapping[str, float]:
        return {LINEAR: WEIGHT}

    @property
    def rows(self) -> int:
        return self.kept.count + len(self.fits)

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chance of each row, by the weights in use at its tick; NaN before there are any."""
        chance = np.full((len(rows.tick), 1), np.nan)
        which = np.searchsorted([each.first for each in self.fits], rows.tick, "right") - 1
        for number, fit in enumerate(self.fits):
            at = marked(which == number)
            if len(at):
                chance[at, 0] = fit.chance(rows.features.take(at, axis=0))
        return chance

    def learn_lines(self, lines: SettledLines) -> LinearJudge:
        if lines.count == 0:
            return self
        # Those of earlier steps were settled before.
        lines, count = lines.in_order(), self.count + lines.count
        kept = self.kept.and_then(lines) if self.kept.count else lines
        fits, last, earlier = list(self.fits), self.fitted, count - kept.count
        # So many lines there have to be for another fit, at the end of the tick in which they are settled.
        while (enough := max(LEAST, last + min(int(GROWTH * last), self.often))) <= count:
            end = int(kept.settled[max(enough - 1 - earlier, 0)]) + 1
            here = int(np.searchsorted(kept.settled, end))
            fits.append(self._fit(kept.between(max(here - self.most, 0), here), end))
            last = here + earlier
        return replace(self, kept=kept, fits=tuple(fits), count=count, fitted=last)

    def _fit(self, lines: SettledLines, end: int) -> Fit:
        return fitted(lines.features, lines.confirmed, self._left(lines.settled, end), self.ridge, end)

    def _left(self, settled: Column, end: int) -> Numbers:
        """The share that is left of the weight of each line."""
        return np.ones(len(settled)) if self.half_life is None else np.exp2((settled - end) / self.half_life)

    def settled(self, now: int) -> LinearJudge:
        """Drops what no tick after `now` needs."""
        past = sum(each.first <= now + 1 for each in self.fits)
        fits = self.fits
        if past:  # open answers are judged as of now, by what was settled now as well
            fits = (replace(fits[past - 1], first=ALWAYS), *fits[past:])
        kept = self.kept.newest(self.most) if self.kept.count > self.most + _SOME else self.kept
        return replace(self, kept=kept, fits=fits)

    def at_tick(self, tick: int) -> LinearJudge:
        """The judge as another run begins with it after `tick`: weights fitted to all lines, used at once."""
        kept, past = self.kept.newest(self.most), tick + 1
        return replace(self, kept=replace(kept, settled=kept.settled - past, tick=kept.tick - past))._begun()

    def _begun(self) -> LinearJudge:
        count = self.kept.count
        fits = (self._fit(self.kept, 0),) if count >= LEAST else self.fits[-1:]
        fits = tuple(replace(each, first=ALWAYS) for each in fits)
        return replace(self, fits=fits, count=count, fitted=count if fits else 0)

    def merged(self, others: Sequence[LinearJudge]) -> LinearJudge:
        """Merges the judges of several workers: weights are fitted to the newest lines of all."""
        largest, *rest = sorted((self, *others), key=lambda each: each.rows, reverse=True)
        kept = largest.kept.and_then(*(each.kept for each in rest if each.kept.count)).in_order()
        return replace(largest, kept=kept.newest(self.most))._begun()

    def part(self, _mine: Callable[[Column], Mask]) -> LinearJudge:
        """The judge of a worker: it has the weights that all keys share, and learns nothing itself."""
        return replace(self, kept=self.kept.between(0, 0), count=0, fitted=0)


class Recalibration(LinearJudge):
    """Corrects the mean of all judges where it was too sure, or not sure enough."""

    most, often, ridge = 2_000, 100, 20.0
    newest = 400  # the lines in which a line loses half its weight

    @property
    def columns(self) -> Mapping[str, float]:
        return {}

    def _left(self, settled: Column, _end: int) -> Numbers:
        return np.exp2(np.arange(-len(settled), 0) / self.newest)


def nothing_recalibrated(_keys: int, _half_life: float | None) -> Recalibration:
    return Recalibration(no_lines(1), None)


def nothing_fitted(_keys: int, half_life: float | None) -> LinearJudge:
    """Makes the judge before the first line."""
    return LinearJudge(no_lines(0), half_life)


# ---- fitting: Newton's steps, with a prior that holds all weights at 0 ----


def fitted(features: Features, outcome: Mask, weight: Numbers, ridge: float, first: int) -> Fit:
    """Fits weights, the same ones to the same rows in the same order."""
    numbers = features.astype(np.float64)
    share = (weight / weight.sum())[:, None]
    mean = np.einsum("ij,ij->j", share, numbers)
    deviation = np.sqrt(np.einsum("ij,ij->j", share, (numbers - mean) ** 2))
    scale = np.where(deviation > _EQUAL * (1 + np.abs(mean)), 1 / np.maximum(deviation, _EQUAL), 0.0)
    fit = Fit(first, mean, scale, np.zeros(len(mean) + 1))
    columns, odds, weights = _scaled(fit, features), numbers[:, -1], fit.weights
    held = np.append(np.full(len(mean), ridge), ridge / LOOSER)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-odds - np.einsum("ij,j->i", columns, weights)))
        bends = columns * (weight * chance * (1 - chance))[:, None]
        found = _product(columns, np.column_stack([bends, weight * (chance - outcome)]))
        step = np.linalg.solve(found[:, :-1] + np.diag(held), found[:, -1] + held * weights)
        weights = weights - step * min(1.0, FARTHEST / max(float(np.abs(step).max()), ENOUGH))
        if np.abs(step).max() < ENOUGH:
            break
    return replace(fit, weights=weights)


def _scaled(fit: Fit, features: Features) -> Numbers:
    """The columns in deviations from their means, and one of ones."""
    found = np.clip((features - fit.mean) * fit.scale, -FARTHEST, FARTHEST)
    return np.column_stack([found, np.ones(len(found))])


def _product(one: Numbers, other: Numbers) -> Numbers:
    """Sums of products of columns, some rows at a time: more of them would be dealt to several threads."""
    whole = len(one) // _AT_ONCE * _AT_ONCE
    left, right = (each[:whole].reshape(-1, _AT_ONCE, each.shape[1]) for each in (one, other))
    found: Numbers = (left.swapaxes(1, 2) @ right).sum(axis=0) + one[whole:].T @ other[whole:]
    return found
