"""The mean of judges in log odds; those that were wrong less often count more.

    the model says 0.9, outcomes say 0.7, both equally good: 0.82

Weights go by variable share (Herbster and Warmuth). A judge's weight falls with its loss on a block: the
lines of a pattern that were settled at one tick, as these are right or wrong together; a block of a hundred
answers counts as ten. Then each judge gives a share of its weight to all, which grows with its loss: so one
that was wrong for long is soon back once it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import KeyTicks, find, last_before
from antelog.engine.columns.tables import Column, Mask, Numbers, in_order, keys_of, once, run_ends
from antelog.engine.columns.trees import Features
from antelog.forecast.judges.rows import SettledLines
from antelog.forecast.rates.tally import summed
from antelog.forecast.scores.scored_lines import LEAST, UNIT, exactly, log_losses

RATE = 0.5
"""The part of its loss on a block by which the (log) weight of a judge falls."""

SHARE = 0.01
"""The share of its weight that a judge gives to all of them after a block with a loss of one."""


@dataclass(frozen=True, eq=False)
class JudgeWeights(ColumnSet):
    """The weights of judges for each pattern, tick by tick of a step; those at tick -1 are from before it.

    Rows are in the order of patterns, then ticks; each rests on a number of `blocks`. Other patterns have the
    weights `at_first`.
    """

    shared = frozenset({"at_first"})

    at_first: Numbers
    pattern: Column
    tick: Column
    blocks: Column
    weights: Numbers

    def before(self, pattern: Column, tick: Column) -> Numbers:
        first = self.at_first[None, :]
        if len(self.pattern) == 0:
            return np.repeat(first, len(pattern), axis=0)
        at = last_before(KeyTicks(pattern, tick), KeyTicks(self.pattern, self.tick))
        return np.append(self.weights, first, axis=0).take(at, axis=0)

    def only(self, columns: Mask) -> JudgeWeights:
        """Sets the weights of other judges to 0."""
        return replace(self, at_first=self.at_first * columns, weights=self.weights * columns)

    def settled(self) -> JudgeWeights:
        last = self.take(run_ends(self.pattern))
        return replace(last, tick=np.full_like(last.tick, -1))


def first_weights(numbers: Sequence[float]) -> JudgeWeights:
    """Makes weights before any loss, in the proportion of these numbers."""
    empty, at_first = np.zeros(0, np.int64), np.array(numbers, np.float64)
    return JudgeWeights(at_first / at_first.sum(), empty, empty, empty, np.zeros((0, len(numbers))))


@dataclass(frozen=True, eq=False)
class Predictions(ColumnSet):
    """Predictions of judges for open answers: which answer, when, in which pattern.

    each      a column for each name in `Judged.columns`
    chance    their mean
    source    the number of the judge with the most weight, or -1
    features  the values known then
    """

    number: Column
    tick: Column
    pattern: Column
    each: Numbers
    chance: Numbers
    source: Column
    features: Features


def weighed(weights: JudgeWeights, lines: Predictions, settled: SettledLines) -> JudgeWeights:
    """Updates the weights by a step's lines whose answers are settled."""
    known = ~np.isnan(lines.each)
    some = np.flatnonzero(known.sum(axis=1) > 1)
    if len(some) == 0:
        return weights
    lost = _losses(lines.each.take(some, axis=0), settled.confirmed.take(some))
    pattern, tick, lost = _blocks(lines.take(some), settled.settled.take(some), lost)
    old = find(pattern, weights.pattern)
    found, blocks = np.empty_like(lost), np.empty_like(pattern)
    # Each block needs the weights after the one before: numbers one by one are faster than short columns.
    at_first = weights.at_first.tolist()
    every_first = sum(at_first)
    before, number, last = at_first, 0, None
    for row, (here, at, each) in enumerate(zip(pattern.tolist(), old.tolist(), lost.tolist(), strict=True)):
        if here != last:
            before = at_first if at < 0 else weights.weights[at].tolist()
            number, last = 0 if at < 0 else int(weights.blocks[at]), here
        least = min(each)
        better = [weight * exp(RATE * (least - loss)) for weight, loss in zip(before, each, strict=True)]
        kept = [weight * (1 - SHARE) ** loss for weight, loss in zip(better, each, strict=True)]
        every = sum(better)
        given = (every - sum(kept)) / every / every_first
        before = [own / every + given * first for own, first in zip(kept, at_first, strict=True)]
        number += 1
        found[row], blocks[row] = before, number
    both = weights.and_then(JudgeWeights(weights.at_first, pattern, tick, blocks, found))
    return both.take(in_order([both.pattern - both.pattern.min(), both.tick + 1]))


def _losses(each: Numbers, confirmed: Mask) -> Numbers:
    """The log losses of each judge on lines; a silent judge loses as much as the others in the mean."""
    lost = log_losses(each, confirmed[:, None])
    silent = np.isnan(each)
    mean = np.where(silent, 0, lost).sum(axis=1) / (~silent).sum(axis=1)
    return np.where(silent, mean[:, None], lost)


def _blocks(lines: Predictions, tick: Column, lost: Numbers) -> tuple[Column, Column, Numbers]:
    """The losses of blocks by pattern and tick, rounded so that the order of sums does not matter."""
    first, _ = once(keys_of([[lines.pattern, lines.number]])[0])
    counts = np.ones((len(tick), 2))
    counts[:, 1] = 0
    counts[first, 1] = 1
    (pattern, tick), sums = summed(
        (lines.pattern, tick), np.concatenate([exactly(lost) / UNIT, counts], axis=1)
    )
    order = in_order([pattern - pattern.min(), tick])
    lost, count, answers = np.split(sums.take(order, axis=0), [-2, -1], axis=1)
    return pattern.take(order), tick.take(order), lost / count * np.sqrt(answers)


def merged(parts: Sequence[JudgeWeights]) -> JudgeWeights:
    """Merges the weights of workers: in each pattern the mean of their logs, by their blocks."""
    pattern, which = np.unique(np.concatenate([each.pattern for each in parts]), return_inverse=True)
    blocks = np.concatenate([each.blocks for each in parts])
    logs = np.log(np.concatenate([each.weights for each in parts])) * blocks[:, None]
    number = np.bincount(which, blocks, len(pattern))
    columns = [np.bincount(which, column, len(pattern)) / number for column in logs.T]
    weights = np.exp(np.stack(columns, axis=1))
    weights /= weights.sum(axis=1, keepdims=True)
    return JudgeWeights(
        parts[0].at_first, pattern, np.full(len(pattern), -1), number.astype(np.int64), weights
    )


def averaged(weights: Numbers, each: Numbers) -> Numbers:
    """The mean of the chances of judges (columns) in log odds; NaN where none with a weight has one."""
    known = ~np.isnan(each) & (weights > 0)
    weight = weights * known
    with np.errstate(invalid="ignore"):
        clipped = np.clip(np.where(known, each, 0.5), LEAST, 1 - LEAST)
        odds = (weight * np.log(clipped / (1 - clipped))).sum(axis=1) / weight.sum(axis=1)
    alone = known.sum(axis=1) == 1
    chance: Numbers = np.where(alone, np.where(known, each, 0).sum(axis=1), 1 / (1 + np.exp(-odds)))
    return chance
