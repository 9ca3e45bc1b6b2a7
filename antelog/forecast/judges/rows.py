"""Judges and their input: answers in a state they are or were in, and their outcomes.

A step has many ticks: each row is judged by what was decided before its tick, so chances do not depend on
how a run is cut.
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
    features how near the latest values are to what the query compares them with: see `QueryFeatures`
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
        return self.tick - self.answer[-1]


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
        return self.take(np.lexsort([_digest(self.features), self.tick, self.settled]))


def no_lines(width: int) -> SettledLines:
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

    The methods that return a judge are by default those of one that learns nothing, and is the same for all
    keys.
    """

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

    def learn(self, _decided: DecidedAnswers, _key: Sequence[int], _learns: Learns) -> Self:
        """Learns the answers decided in a step; `key` are the columns of their keys."""
        return self

    def learn_lines(self, _lines: SettledLines, _now: int) -> Self:
        """Learns the lines of answers that were settled in a step, which ends at a tick."""
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
