"""Judges and their input: answers in a state they are or were in, and their outcomes.

    Malf(wt2, 0), asked about at tick 1    one of three literals true, 1 tick old, no line at this tick

    judge = judge.learn(decided, key, learns)   what became of answers in states they have been in
    judge = judge.learn_lines(lines, now)       what became of answers, with what was known at each line
    judge.predict(rows)                         for each row the chance that its answer is confirmed
    judge = judge.settled(now)                  at the end of a step

A row has all that a judge may know of an answer. A step has many ticks: `predict` goes for each row by what
was decided before the row's tick, so chances do not depend on how a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.engine.columns.trees import Features
from antelog.forecast.judges.following import DecidedAnswers
from antelog.forecast.rates.tally import Learns


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Answers at ticks, with all that a judge may know of them.

    answer   the cells of the variables, then the answer's tick
    key      the cells by which answers of one device are found again
    stage    its pattern, and which literals are true (see `antelog.engine.step.lines`)
    tick     the tick of the chance
    at_line  whether the answer has a line at this tick, or has been silent since one before
    learns   what is learned; what was decided before a row's tick may be used
    state    a number for the stage, a class of ages, and whether the answer was silent
    features how near the latest values are to what the query compares them with: see `latest.py`
    """

    answer: tuple[Column, ...]
    key: tuple[Column, ...]
    stage: Column
    tick: Column
    at_line: Mask
    learns: Learns
    state: Column
    features: Features

    @property
    def age(self) -> Column:
        """The ticks between the answer's own and that of the chance."""
        age: Column = self.tick - self.answer[-1]
        return age


@dataclass(frozen=True, eq=False)
class SettledLines(ColumnSet):
    """Lines of answers that are settled: when that was, the ticks of the lines, what was known at these."""

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
        """By the ticks at which they were settled; the order must not depend on how a run is cut."""
        return self.take(np.lexsort([_digest(self.features), self.tick, self.settled]))


def no_lines(width: int) -> SettledLines:
    """No lines, with a number of features."""
    empty = np.zeros(0, np.int64)
    return SettledLines(empty, empty, np.zeros((0, width), np.float32), np.zeros(0, np.bool_))


def _digest(features: Features) -> Column:
    """Numbers that are equal for equal rows, and seldom for others."""
    mixed = np.zeros(len(features), np.uint64)
    for column in np.ascontiguousarray(features).view(np.uint32).T:
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.view(np.int64)


class Judge:
    """Predicts the chances of open answers, and learns from the outcomes of decided ones.

    The methods that return a judge are those of one that learns nothing, and is the same for all keys.
    """

    @property
    def columns(self) -> Mapping[str, float]:
        """The names of the columns of `predict`, and what each weighs before anything is known of it."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """About how many rows of its state there are; none before it has learned anything."""
        raise NotImplementedError

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chances of each row, one column for each of its `columns`; NaN where they are unknown."""
        raise NotImplementedError

    def learn(self, _decided: DecidedAnswers, _key: Sequence[int], _learns: Learns) -> Self:
        """The judge after the answers that are decided in a step; `key` are the columns that tell devices."""
        return self

    def learn_lines(self, _lines: SettledLines, _now: int) -> Self:
        """The judge after the lines about answers that were settled in a step, which ends at a tick."""
        return self

    def settled(self, _now: int) -> Self:
        """The judge after a step that ended at a tick."""
        return self

    def at_tick(self, _tick: int) -> Self:
        """The judge as it is kept in a model that was learned up to a tick."""
        return self

    def merged(self, _others: Sequence[Self]) -> Self:
        """One judge from those of several workers with different keys."""
        return self

    def part(self, _mine: Callable[[Column], Mask]) -> Self:
        """The judge of a worker, given which cells of the partition key are its own."""
        return self

    def renewed(self, newer: Self) -> Self:
        """The judge that goes on learning about its keys; what all keys share is that of a newer model."""
        return newer
