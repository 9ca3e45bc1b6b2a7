"""Learned rates of series: how often their facts come, how persistently, and how late.

    wt2 hot     in 100 ticks 12 times, 9 of them after a hot tick; 8 in time, 3 a tick late, 1 two ticks late
    once 3/88, again 9/12, shares 8/12, 3/12, 1/12, all drawn towards those of all devices

In a slot, whether there is a fact and which one it is are learned apart: where a slot has a fact at each
tick, or as often whichever came before, its silence is no sign for any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, ColumnSet, Mask, Numbers, keys_of
from antelog.engine.facts.history import gather
from antelog.forecast.rates import tally as tallies
from antelog.forecast.rates.odds import Chain, Keys, Odds, transitions
from antelog.forecast.rates.sightings import Family, Sightings, family_of
from antelog.forecast.rates.tally import EPOCH, FORGOTTEN, KnownEpoch, Ledger, Tally


class Weights(NamedTuple):
    """Weights of all keys in the odds of one: for ticks without a fact, ticks after one, and facts."""

    once: float
    again: float
    shares: float


WEIGHTS = Weights(20.0, 5.0, 5.0)
_OF_NOTHING = Weights(1.0, 1.0, 1.0)  # those of one half and of equal lags, if nothing is known of all keys
_ONES, _BEFORES, _STAYS = 0, 1, 2


def _size(family: Family, slowest: int) -> int:
    """The number of counts of a series: facts, ticks after one, facts after one of each series, delays."""
    return _STAYS + len(family.series) + slowest + 1


@dataclass(frozen=True, eq=False)
class Counted(ColumnSet):
    """The counts of one epoch: keys, which may repeat, and numbers for each."""

    epoch: int
    keys: tuple[Column, ...]
    numbers: Numbers


@dataclass(frozen=True, eq=False)
class SeriesCounts:
    """Counts for each key and series of a family: facts, ticks after one, facts after one, and delays.

    A fact counts for the first series that it meets; in a slot, facts after one count by the series before.
    """

    own: Ledger  # by epoch
    shared: Tally  # sums over all keys, and the ticks that they have been known
    later: tuple[Counted, ...] = ()  # of epochs that are not in use yet
    length: int = EPOCH  # the ticks of an epoch

    @cached_property
    def tally(self) -> Tally:
        return tallies.latest(self.own)


def no_counts(family: Family, slowest: int, length: int = EPOCH) -> SeriesCounts:
    width, places = len(family.series) * _size(family, slowest), len(family.places)
    own = tallies.nothing_counted(places, width, forgets=FORGOTTEN if places else None)
    return SeriesCounts(tallies.opened(own), tallies.nothing_counted(0, width + 1), length=length)


def counted(sightings: Sightings, family: Family, epoch: int, slowest: int, length: int = EPOCH) -> Counted:
    """Counts one epoch, once all its facts have come."""
    first, last = epoch * length, epoch * length + length - 1
    facts = gather(sightings.history, family.name, span(first - 1, last))
    # Of an input whose slot is fixed in the rules, the facts of other slots are there as well.
    facts = facts.take(facts.columns[-1] > 0)
    keys = facts.columns[: len(family.places)]
    numbers = np.zeros((facts.count, len(family.series), _size(family, slowest)))
    met, within = facts.columns[-1], facts.time >= first
    series = np.log2(met & -met).astype(np.int64)  # the first one that each fact meets
    here, next_ = keys_of([[*keys, facts.time], [*keys, facts.time + 1]])
    at = find(here, next_)
    new, old = np.flatnonzero(within), np.flatnonzero(facts.time < last)
    stays = np.flatnonzero(within & (at >= 0))
    numbers[new, series[new], _ONES] = 1
    numbers[old, series[old], _BEFORES] = 1
    numbers[stays, series[stays], _STAYS + series[at[stays]]] = 1
    lag = _STAYS + len(family.series) + facts.arrival - facts.time
    numbers[new, series[new], lag[new]] = 1
    return Counted(epoch, keys, numbers.reshape(facts.count, len(family.series) * numbers.shape[2]))


def and_then(counts: SeriesCounts, new: Counted) -> SeriesCounts:
    """Adds the counts of an epoch, not in use yet."""
    if len(new.numbers) == 0:
        return counts
    return replace(counts, later=(*counts.later, new))


def up_to(counts: SeriesCounts, as_of: KnownEpoch) -> SeriesCounts:
    """Moves the counts of epochs up to this one into use."""
    due = [each for each in counts.later if each.epoch <= as_of.epoch]
    for each in due:
        counts = _used(counts, each, as_of)
    if due:
        counts = replace(counts, later=counts.later[len(due) :])
    return _closed(counts, tallies.without_old(counts.own, as_of.epoch), as_of.epoch, as_of)


def _closed(counts: SeriesCounts, own: Ledger, epoch: int, as_of: KnownEpoch) -> SeriesCounts:
    """The counts with a ledger that may have forgotten keys: how long those were known stays."""
    if own is counts.own:
        return counts
    if as_of.still is None and own.rows < counts.own.rows:
        counts = at_epoch(counts, epoch, as_of.half_life)
    return replace(counts, own=own)


def _used(counts: SeriesCounts, new: Counted, as_of: KnownEpoch) -> SeriesCounts:
    half_life, shared, before = as_of.half_life, counts.shared, counts.own
    epochs = np.full(len(new.numbers), new.epoch)
    after = replace(counts, own=tallies.entered(before, epochs, new.keys, new.numbers, half_life))
    if as_of.still is None:
        since = int(shared.last[0]) if shared.count else new.epoch
        fresh = _alive(after.own, new.epoch) - _alive(before, new.epoch)
        ticks = counts.length * _known_for(before, since, new.epoch, half_life) + counts.length * fresh
        numbers = np.append(new.numbers.sum(axis=0), ticks)[None, :]
        entry = tallies.entered(tallies.opened(shared), np.array([new.epoch]), (), numbers, half_life)
        after = replace(after, shared=tallies.latest(entry))
    return _closed(after, tallies.closed(after.own, new.epoch), new.epoch, as_of)


def _alive(own: Ledger, epoch: int) -> int:
    last, number = tallies.lasts(own)
    return int(number[~own.tally.forgotten(epoch, last)].sum())


def _known_for(own: Ledger, since: int, epoch: int, half_life: float | None) -> float:
    """The epochs that its keys together have been known after an epoch and up to another."""
    last, number = tallies.lasts(own)
    gone = own.tally.forgotten(epoch, last)
    whole = float(_stretches(np.array([epoch - since]), half_life)[0])
    lost = whole - _stretches(epoch - np.maximum(last[gone] + FORGOTTEN, since), half_life)
    return int(number[~gone].sum()) * whole + float((number[gone] * lost).sum())


def at_epoch(counts: SeriesCounts, epoch: int, half_life: float | None) -> SeriesCounts:
    """Fades the shared sums to an epoch, so that they stay right without the keys."""
    if not counts.shared.count:
        return counts
    sums = _every(counts, epoch, half_life)[None, :]
    shared = replace(counts.shared, last=np.full(1, epoch), sums=sums)
    return replace(counts, shared=shared)


def _every(counts: SeriesCounts, epoch: int, half_life: float | None) -> Numbers:
    """The sums over all keys as of an epoch, and the ticks that they have been known."""
    if not counts.shared.count:
        return np.zeros(counts.shared.sums.shape[1])
    since = int(counts.shared.last[0])
    every = tallies.faded(counts.shared.sums[0], epoch - since, half_life).copy()
    every[-1] += counts.length * _known_for(counts.own, since, epoch, half_life)
    return every


def _stretches(epochs: Column, half_life: float | None) -> Numbers:
    """The weight of the last epochs together, by their number, the last one counting fully."""
    if half_life is None:
        return np.maximum(epochs, 0).astype(np.float64)
    return (1 - np.exp2(-np.maximum(epochs, 0) / half_life)) / (1 - 2 ** (-1 / half_life))


def odds_of(
    counts: SeriesCounts, chain: Chain, keys: Keys, as_of: KnownEpoch, possible: Sequence[Mask]
) -> Odds:
    """Computes the odds of keys as of an epoch; `possible` marks the rows of facts of each state."""
    epoch, half_life = as_of.epoch, as_of.half_life
    family = family_of(chain)
    asked = [*map(keys.of, chain.terms)]
    own = tallies.newest(counts.own, asked, keys.count)
    sums = tallies.faded_to(np.full(keys.count, epoch), own, half_life)
    every = _every(counts, epoch if as_of.still is None else as_of.still, half_life)
    seen: Mask = np.asarray(sums.any(axis=1))
    known = seen | (counts.shared.count > 0)
    ticks = np.where(seen, counts.length * _stretches(epoch - own.first + 1, half_life), 0)
    unexpected = np.zeros(keys.count)
    weights = WEIGHTS if counts.shared.count else _OF_NOTHING
    of_key, of_all = (
        _as_slots(each, ticks_, family) for each, ticks_ in ((sums, ticks), (every[None, :-1], every[-1:]))
    )
    if family.slotted:
        kinds = kinds_of(chain, family, possible)
        of_key, of_all = of_key.of(kinds), of_all.of(kinds)
        moves, shares = slot_transitions(of_key, of_all, weights), slot_shares(of_key, of_all, weights.shares)
        unexpected = (of_key.facts + of_all.facts)[:, :, -1].sum(axis=1)
    else:
        moves, shares = _rates(of_key, of_all, weights)
    nowhere = np.zeros((keys.count, len(chain.states)), np.int64)
    nothing = np.zeros(nowhere.shape, np.bool_)
    return Odds(moves, nowhere, shares, known, nothing, nothing, unexpected)


def _as_slots(sums: Numbers, ticks: Numbers, family: Family) -> SlotCounts:
    """The sums of series, a row for each key, as counts of what came after what."""
    kinds = len(family.series)
    each = sums.reshape(len(sums), kinds, sums.shape[1] // kinds)
    after = np.swapaxes(each[:, :, _STAYS : _STAYS + kinds], 1, 2)
    none = each[:, :, _ONES] - after.sum(axis=1)
    facts = np.concatenate([none[:, None], after], axis=1)
    return SlotCounts(ticks, each[:, :, _BEFORES], facts, each[:, :, _STAYS + kinds :])


def _rates(own: SlotCounts, every: SlotCounts, weights: Weights) -> tuple[Numbers, Numbers]:
    """The transitions and shares of series without a slot."""
    lags = own.late.shape[2]
    once_all = (every.facts[:, 0] + 0.5) / np.maximum(every.ticks - every.after[:, 0] + 1, 1)[:, None]
    again_all = (every.facts[:, 1] + once_all) / (every.after + 1)
    shares_all = (every.late + 1 / lags) / (every.late.sum(axis=2, keepdims=True) + 1)
    once = (own.facts[:, 0] + weights.once * once_all) / (own.silent[:, None] + weights.once)
    again = (own.facts[:, 1] + weights.again * again_all) / (own.after + weights.again)
    shares = (own.late + weights.shares * shares_all) / (own.late.sum(axis=2, keepdims=True) + weights.shares)
    return transitions(np.clip(once, 0, 1), np.clip(again, 0, 1)), shares


# ---- slots ----


@dataclass(frozen=True, eq=False)
class SlotCounts:
    """Counts of slots, a row each."""

    ticks: Numbers  # that were counted
    after: Numbers  # the ticks after a fact of each kind (by kind)
    facts: Numbers  # of each kind: after none, and after one of each kind (by kind before, by kind)
    late: Numbers  # the facts of each kind that came 0, 1, 2, … ticks late (by kind, by ticks)

    @property
    def silent(self) -> Numbers:
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
        """The counts for other kinds, given which one each is (rows, kinds before, kinds)."""
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
    """Which states of a chain facts of each series are, in each row: 1 for that one, else 0.

    Facts are counted by the first series they meet. If states have values of the answer beyond the slot, all
    facts count as another fact.
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
    # Whether there is no fact, or one: after none, and after a fact of each kind.
    of_all = _drawn(every.after_any, _HALF, 1)
    of_key = _drawn(own.after_any, of_all, weights.again)
    after_each = _drawn(own.after_each, _of_kinds(of_key, every.after_each, of_all), weights.again)
    after_none = _drawn(own.after_none, _drawn(every.after_none, _HALF, 1), weights.once)
    there = np.concatenate([after_none[:, None], after_each], axis=1)
    # Facts of all keys, and which of them came after which.
    all_ = _drawn(every.facts.sum(axis=1), np.full(states, 1 / states), 1)
    kind = _drawn(own.facts, _drawn(every.facts, all_[:, None], 1), weights.again)
    found[:, :, 0] = there[:, :, 0]
    found[:, :, 1:] = there[:, :, 1:] * kind
    return found


_HALF = np.full(2, 0.5)


def slot_shares(own: SlotCounts, every: SlotCounts, weight: float) -> Numbers:
    """The shares of the facts of each kind that come 0, 1, 2, … ticks late."""
    lags = own.late.shape[2]
    of_all = _drawn(every.late.sum(axis=1), np.full(lags, 1 / lags), 1)
    of_key = _drawn(own.late.sum(axis=1), of_all, weight)
    return _drawn(own.late, _of_kinds(of_key, every.late, of_all), weight)


def _of_kinds(of_key: Numbers, each: Numbers, of_all: Numbers) -> Numbers:
    """The shares of a key for each kind, as kinds differ for all keys, with one more counted and expected."""
    expected = each.sum(axis=-1, keepdims=True) * of_all[:, None]
    found: Numbers = of_key[:, None] * (each + 1) / (expected + 1)
    found /= found.sum(axis=-1, keepdims=True)
    return found


def _drawn(counts: Numbers, towards: Numbers, weight: float) -> Numbers:
    """The shares of counts (last axis), drawn towards others with a weight."""
    found: Numbers = (counts + weight * towards) / (counts.sum(axis=-1, keepdims=True) + weight)
    return found
