"""Slots: which fact a slot has next, as it was counted.

    wt2    after high 50 times high, 20 times low, never none; after low 20 times high, 910 times low
    high   0.71 again, 0.29 low; a slot that always has a fact

Whether there is a fact, and which one if there is, are learned apart: often a slot has a fact at each tick,
or at any as often as at another, whichever came before. Its silence then speaks for none of its facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antelog.engine.columns.tables import Mask, Numbers
from antelog.forecast.rates.odds import Chain
from antelog.forecast.rates.sightings import Family


class Weights(NamedTuple):
    """The weights of all keys in the odds of one: as so many ticks without, ticks after a fact, facts."""

    once: float
    again: float
    shares: float


@dataclass(frozen=True, eq=False)
class SlotCounts:
    """Counts of slots, a row each.

    ticks   the ticks that were counted
    after   of each kind of facts the ticks after one (by kind)
    facts   the facts of each kind: after none, and after one of each kind (by kind before, by kind)
    late    of each kind of facts how many came 0, 1, 2, … ticks late (by kind, by ticks)
    """

    ticks: Numbers
    after: Numbers
    facts: Numbers
    late: Numbers

    @property
    def silent(self) -> Numbers:
        """The ticks after none."""
        silent: Numbers = np.maximum(self.ticks - self.after.sum(axis=1), 0)
        return silent

    @property
    def after_any(self) -> Numbers:
        """How often there was no fact, and one, after a fact of any kind."""
        return _yes_or_no(self.facts[:, 1:].sum(axis=(1, 2)), self.after.sum(axis=1))

    @property
    def after_each(self) -> Numbers:
        """How often there was no fact, and one, after a fact of each kind (by kind)."""
        return _yes_or_no(self.facts[:, 1:].sum(axis=2), self.after)

    @property
    def after_none(self) -> Numbers:
        return _yes_or_no(self.facts[:, 0].sum(axis=1), self.silent)

    def of(self, kinds: Numbers) -> SlotCounts:
        """The counts for other kinds: `kinds` says of which one each is (rows, kinds before, kinds)."""
        each = np.swapaxes(kinds, 1, 2)
        none, after = self.facts[:, :1] @ kinds, each @ self.facts[:, 1:] @ kinds
        return SlotCounts(
            self.ticks,
            (each @ self.after[:, :, None])[:, :, 0],
            np.concatenate([none, after], axis=1),
            each @ self.late,
        )


def _yes_or_no(facts: Numbers, of: Numbers) -> Numbers:
    return np.stack([np.maximum(of - facts, 0), facts], axis=-1)


def kinds_of(chain: Chain, family: Family, possible: Sequence[Mask]) -> Numbers:
    """Which of the states of a chain facts of each series are, in each row: 1 for that one, else 0.

    Facts are counted by the first series they meet. If states have values of the answer beyond the slot, it
    is not known which facts they are: then all of them count as another fact.
    """
    count, states = len(possible[0]), len(chain.states)
    found = np.zeros((count, len(family.series), states))
    if family.more:
        found[:, :, -1] = 1
        return found
    for number, series in enumerate(family.series):
        free = np.ones(count, np.bool_)
        for at, state in enumerate(chain.states):
            kind = at >= chain.formula_states
            if state.series == series or (kind and set(state.series.constants) <= set(series.constants)):
                mine = free & possible[at]
                found[mine, number, at] = 1
                free &= ~mine
        found[free, number, -1] = 1
    return found


def slot_transitions(own: SlotCounts, every: SlotCounts, weights: Weights) -> Numbers:
    """The chances to get from no fact and each kind to each of these, drawn towards those of all keys."""
    count, states = own.after.shape
    found = np.empty((count, states + 1, states + 1))
    there = np.concatenate(
        [
            _drawn(own.after_none, _drawn(every.after_none, _HALF, 1), weights.once)[:, None],
            _there_after_each(own, every, weights.again),
        ],
        axis=1,
    )
    # Facts of all keys, and which of them came after which.
    all_ = _drawn(every.facts.sum(axis=1), np.full(states, 1 / states), 1)
    kind = _drawn(own.facts, _drawn(every.facts, all_[:, None], 1), weights.again)
    found[:, :, 0] = there[:, :, 0]
    found[:, :, 1:] = there[:, :, 1:] * kind
    return found


_HALF = np.full(2, 0.5)


def _there_after_each(own: SlotCounts, every: SlotCounts, weight: float) -> Numbers:
    """Whether there is no fact, or one, after a fact of each kind."""
    of_all = _drawn(every.after_any, _HALF, 1)
    of_key = _drawn(own.after_any, of_all, weight)
    return _drawn(own.after_each, _of_kinds(of_key, every.after_each, of_all), weight)


def slot_shares(own: SlotCounts, every: SlotCounts, weight: float) -> Numbers:
    """The shares of the facts of each kind that come 0, 1, 2, … ticks late."""
    lags = own.late.shape[2]
    of_all = _drawn(every.late.sum(axis=1), np.full(lags, 1 / lags), 1)
    of_key = _drawn(own.late.sum(axis=1), of_all, weight)
    return _drawn(own.late, _of_kinds(of_key, every.late, of_all), weight)


def _of_kinds(of_key: Numbers, each: Numbers, of_all: Numbers) -> Numbers:
    """The shares of a key for each kind: if one is twice as frequent of a kind as of all, here as well.

    One more was counted, and one more was expected, so that what is seldom makes no great difference.
    """
    expected = each.sum(axis=-1, keepdims=True) * of_all[:, None]
    found: Numbers = of_key[:, None] * (each + 1) / (expected + 1)
    found /= found.sum(axis=-1, keepdims=True)
    return found


def _drawn(counts: Numbers, towards: Numbers, weight: float) -> Numbers:
    """The shares of what was counted (last axis), drawn towards others that count as so many."""
    found: Numbers = (counts + weight * towards) / (counts.sum(axis=-1, keepdims=True) + weight)
    return found
