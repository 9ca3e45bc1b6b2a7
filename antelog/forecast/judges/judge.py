"""A judge: what it may know of answers, and what it predicts; and the mean of several judges in log odds.

Each row is judged by what was decided before its tick, so chances do not depend on how a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Self

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns import tables
from antelog.engine.columns.joins import KeyTicks, find, last_before
from antelog.engine.columns.tables import Column, ColumnSet, Mask, Numbers, in_order, keys_of, once, run_ends
from antelog.forecast.judges.following import DecidedAnswers
from antelog.forecast.rates.learning import Learns
from antelog.forecast.rates.tally import summed
from antelog.forecast.scores.scored_lines import LEAST, UNIT, exactly, log_losses

Features = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Answers at ticks, with all that a judge may know of them."""

    answer: tuple[Column, ...]  # the cells of the variables, then the answer's tick
    key: tuple[Column, ...]  # the cells by which answers of one device are found again
    stage: Column  # its pattern, and which literals are true (see `antelog.engine.step.lines`)
    tick: Column  # the tick of the chance
    at_line: Mask  # whether the answer has a line at this tick, or has been silent since one before
    learns: Learns
    state: Column  # a number for the stage, a class of ages, and whether the answer was silent
    features: Features  # the calendar, its state, the latest values; then what other judges know


@dataclass(frozen=True, eq=False)
class SettledLines(ColumnSet):
    """Lines of answers that are settled: the ticks of that, the ticks of the lines, the features at these."""

    settled: Column
    tick: Column
    features: Features
    confirmed: Mask

    @property
    def count(self) -> int:
        return len(self.tick)

    def newest(self, most: int) -> SettledLines:
        return self.between(max(self.count - most, 0), self.count)

    def between(self, start: int, end: int) -> SettledLines:
        """A slice of them, without a copy."""
        return SettledLines(*(column[start:end] for column in vars(self).values()))

    def in_order(self) -> SettledLines:
        """Sorts by the ticks at which they were settled, in an order that any cut of a run gives."""
        # To sort by all four takes longer.
        order = np.argsort(_digest(self.features) ^ self.confirmed, kind="stable")
        ticks = [each.take(order) - each.min(initial=0) for each in (self.settled, self.tick)]
        return self.take(order.take(in_order(ticks)))


def no_lines(width: int) -> SettledLines:
    empty = np.zeros(0, np.int64)
    return SettledLines(empty, empty, np.zeros((0, width), np.float32), np.zeros(0, np.bool_))


def _digest(features: Features) -> Column:
    """Numbers that are equal for equal rows, and seldom for others."""
    bits = np.ascontiguousarray(features).view(np.uint32).T
    # The zeros change nothing; they are there for lines without features.
    return tables.digests([np.zeros(len(features), np.int64), *(column.astype(np.int64) for column in bits)])


class Judge:
    """Predicts the chances of open answers; by default it learns nothing, and is the same for all keys."""

    @property
    def columns(self) -> Mapping[str, float]:
        """The names of the columns of `predict`, and the weight of each before anything is known of it."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """About how many rows of state there are; 0 before anything is learned."""
        raise NotImplementedError

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chances of each row, one column for each of its `columns`; NaN where they are unknown."""
        raise NotImplementedError

    def frequency(self, rows: AnswerRows) -> Numbers:
        """How often answers of each row's key come: the log of their part of all, 0 where unknown."""
        return np.zeros(len(rows.tick))

    def learn(self, _decided: DecidedAnswers, _key: Sequence[int], _learns: Learns) -> Self:
        """Learns the answers decided in a step; `key` are the columns of their keys."""
        return self

    def learn_lines(self, _lines: SettledLines) -> Self:
        """Learns the lines of answers that were settled in a step."""
        return self

    def settled(self, _now: int) -> Self:
        return self

    def at_tick(self, _tick: int) -> Self:
        """The judge as it is kept in a model that was learned up to a tick."""
        return self

    def merged(self, _others: Sequence[Self]) -> Self:
        """Merges the judges of several workers with different keys."""
        return self

    def part(self, _mine: Callable[[Column], Mask]) -> Self:
        """The judge of a worker, given which cells of the partition key are its own."""
        return self

    def renewed(self, newer: Self) -> Self:
        """Keeps what is known of its keys; what all keys share is that of a newer model."""
        return newer


# ---- the mean of judges ----

# Those that were wrong less often count more. Weights go by variable share (Herbster and Warmuth). A judge's
# weight falls with its loss on a block: the lines of a pattern that were settled at one tick, as these are
# right or wrong together; a block of a hundred answers counts as ten. Then each judge gives a share of its
# weight to all, which grows with its loss: so one that was wrong for long is soon back once it is right.

RATE = 0.25  # the part of its loss on a block by which the (log) weight of a judge falls
SHARE = 0.01  # the share of its weight that a judge gives to all of them after a block with a loss of one


@dataclass(frozen=True, eq=False)
class JudgeWeights(ColumnSet):
    """The weights of judges by pattern, then by tick of a step; those at tick -1 are from before it."""

    shared = frozenset({"at_first"})

    at_first: Numbers  # the weights of other patterns
    pattern: Column
    tick: Column
    blocks: Column  # how many each row rests on
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
    """Predictions of judges for open answers: which answer, when, in which pattern."""

    number: Column
    tick: Column
    pattern: Column
    each: Numbers  # a column for each name in `Judged.columns`
    mean: Numbers
    chance: Numbers  # the mean, calibrated
    source: Column  # the number of the judge with the most weight, or -1
    features: Features  # the values known then


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


def merged_weights(parts: Sequence[JudgeWeights]) -> JudgeWeights:
    """Merges the weights of workers: in each pattern the mean of their logs, by their blocks."""
    pattern, which = np.unique(np.concatenate([each.pattern for each in parts]), return_inverse=True)
    blocks = np.concatenate([each.blocks for each in parts])
    has_say = parts[0].at_first > 0
    logs = np.log(np.concatenate([each.weights for each in parts]) + ~has_say) * blocks[:, None]
    number = np.bincount(which, blocks, len(pattern))
    columns = [np.bincount(which, column, len(pattern)) / number for column in logs.T]
    weights = np.exp(np.stack(columns, axis=1)) * has_say
    weights /= weights.sum(axis=1, keepdims=True)
    return JudgeWeights(
        parts[0].at_first, pattern, np.full(len(pattern), -1), number.astype(np.int64), weights
    )


def log_odds(chance: Numbers) -> Numbers:
    clipped = np.clip(chance, LEAST, 1 - LEAST)
    found: Numbers = np.log(clipped / (1 - clipped))
    return found


def averaged(weights: Numbers, each: Numbers) -> Numbers:
    """The mean of the chances of judges (columns) in log odds; NaN where none with a weight has one."""
    known = ~np.isnan(each) & (weights > 0)
    weight = weights * known
    with np.errstate(invalid="ignore"):
        odds = (weight * log_odds(np.where(known, each, 0.5))).sum(axis=1) / weight.sum(axis=1)
    alone = known.sum(axis=1) == 1
    chance: Numbers = np.where(alone, np.where(known, each, 0).sum(axis=1), 1 / (1 + np.exp(-odds)))
    return chance
