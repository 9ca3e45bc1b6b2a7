"""Learned rates of series: how often their facts come, how persistently, and how late.

    wt2 hot     in 100 ticks 12 times, 9 of them after a hot tick; 8 in time, 3 a tick late, 1 two ticks late
    once 3/88, again 9/12, shares 8/12, 3/12, 1/12, all drawn towards those of all devices

Counts sightings epoch by epoch, and turns the counts into the odds of keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.literals.terms import Var
from antelog.engine.columns.joins import find
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, Numbers, keys_of
from antelog.engine.facts.history import Facts, gather
from antelog.forecast.rates.odds import Keys, Odds
from antelog.forecast.rates.series import Chain
from antelog.forecast.rates.sightings import Family, Sightings
from antelog.forecast.rates.tally import (
    EPOCH,
    FORGOTTEN,
    Counted,
    KnownEpoch,
    Tally,
    added,
    alive,
    faded,
    looked_up,
    nothing_counted,
    without_old,
)

WEIGHTS = (20.0, 5.0, 5.0)
"""What is known of all keys counts as so many ticks without, ticks after a fact, and facts of one key."""

_OF_NOTHING = (1.0, 1.0, 1.0)
"""Where nothing is known of all keys, one half counts as so many, and all lags are equally likely."""

_ONES, _BEFORES, _STAYS, _LAGS = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class SeriesCounts:
    """Counts for each key and series of a family: facts, ticks after one, facts after one, and delays.

    `shared` are the sums over all keys, and the ticks that they have been known. `later` are
    the counts of epochs that are not in use yet; an epoch is `length` ticks long.
    """

    tally: Tally
    shared: Tally
    later: tuple[Counted, ...] = ()
    length: int = EPOCH


def no_counts(family: Family, slowest: int, length: int = EPOCH) -> SeriesCounts:
    width = len(family.series) * (_LAGS + slowest + 1)
    places = len(family.places)
    own, shared = (
        nothing_counted(places, width, forgets=FORGOTTEN if places else None),
        nothing_counted(0, width + 1),
    )
    return SeriesCounts(own, shared, length=length)


def counted(sightings: Sightings, family: Family, epoch: int, slowest: int, length: int = EPOCH) -> Counted:
    """The counts of one epoch of this length, once all its facts have come."""
    first, last = epoch * length, epoch * length + length - 1
    facts = gather(sightings.history, family.name, span(first - 1, last))
    width = len(family.places)
    each = _LAGS + slowest + 1
    size = len(family.series) * each
    columns, numbers = [], []
    for series in range(len(family.series)):
        mine = facts.take((facts.columns[-1] >> series & 1) > 0)
        columns.append(mine.columns[:width])
        numbers.append(np.zeros((mine.count, size)))
        _count(numbers[-1][:, series * each :], mine, width, first, last)
    keys = tuple(np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Counted(epoch, keys, np.concatenate(numbers))


def _count(counted: Numbers, facts: Facts, width: int, first: int, last: int) -> None:
    """Counts the facts from tick `first` to `last`, given those of the tick before as well."""
    within = facts.time >= first
    keys = facts.columns[:width]
    here, before = keys_of([[*keys, facts.time], [*keys, facts.time + 1]])
    counted[within, _ONES] = 1
    counted[facts.time < last, _BEFORES] = 1
    counted[within & (find(here, before) >= 0), _STAYS] = 1
    rows = np.flatnonzero(within)
    counted[rows, _LAGS + (facts.arrival - facts.time).take(rows)] = 1


def and_then(counts: SeriesCounts, new: Counted) -> SeriesCounts:
    """Counts with those of an epoch added, not in use yet."""
    if len(new.numbers) == 0:
        return counts
    return replace(counts, later=(*counts.later, new))


def up_to(counts: SeriesCounts, as_of: KnownEpoch) -> SeriesCounts:
    """Moves the counts of epochs up to this one into use."""
    used = 0
    for each in counts.later:
        if each.epoch > as_of.epoch:
            break
        counts = _used(counts, each, as_of)
        used += 1
    left = without_old(counts.tally, as_of.epoch)
    if as_of.still is None and left.count < counts.tally.count:
        counts = at_epoch(
            counts, as_of.epoch, as_of.half_life
        )  # how long those were known that are forgotten
    if not used and left is counts.tally:
        return counts
    return replace(counts, tally=left, later=counts.later[used:])


def _used(counts: SeriesCounts, new: Counted, as_of: KnownEpoch) -> SeriesCounts:
    half_life, shared = as_of.half_life, counts.shared
    tally = added(counts.tally, new, half_life)
    if as_of.still is not None:
        return replace(counts, tally=tally)
    since = int(shared.last[0]) if shared.count else new.epoch
    fresh = alive(tally, new.epoch) - alive(counts.tally, new.epoch)
    ticks = counts.length * _known_for(counts.tally, since, new.epoch, half_life) + counts.length * fresh
    numbers = np.append(new.numbers.sum(axis=0), ticks)[None, :]
    return replace(counts, tally=tally, shared=added(shared, Counted(new.epoch, (), numbers), half_life))


def _known_for(tally: Tally, since: int, epoch: int, half_life: float | None) -> float:
    """For how many epochs its keys together have been known after an epoch and up to another."""
    gone = tally.last[tally.forgotten(epoch, tally.last)]
    whole, after = _stretch(epoch - since, half_life), epoch - np.maximum(gone + FORGOTTEN, since)
    before = whole - _stretches(after, half_life)
    return alive(tally, epoch) * whole + float(before.sum())


def at_epoch(counts: SeriesCounts, epoch: int, half_life: float | None) -> SeriesCounts:
    """Counts with the shared sums faded to an epoch, so that they stay right without the keys."""
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
    every = faded(counts.shared.sums[0], epoch - since, half_life).copy()
    every[-1] += counts.length * _known_for(counts.tally, since, epoch, half_life)
    return every


def _stretch(epochs: int, half_life: float | None) -> float:
    """The weight of the last `epochs` together, the last one counting fully."""
    return float(_stretches(np.array([epochs]), half_life)[0])


def _stretches(epochs: Column, half_life: float | None) -> Numbers:
    """The weight of the last epochs together, by their number, the last one counting fully."""
    if half_life is None:
        return np.maximum(epochs, 0).astype(np.float64)
    stretch: Numbers = (1 - np.exp2(-np.maximum(epochs, 0) / half_life)) / (1 - 2 ** (-1 / half_life))
    return stretch


def odds_of(counts: SeriesCounts, family: Family, chain: Chain, keys: Keys, as_of: KnownEpoch) -> Odds:
    """The odds of keys, as they are known as of an epoch: a row for each key."""
    epoch, half_life = as_of.by_key
    asked = [_column(chain, number, keys) for number in range(len(chain.places))]
    states = len(chain.states)
    slowest = counts.tally.sums.shape[1] // len(family.series) - _LAGS - 1
    once, again = np.zeros((keys.count, states)), np.zeros((keys.count, states))
    shares = np.zeros((keys.count, states, slowest + 1))
    known = np.zeros(keys.count, np.bool_)
    if not family.more:
        found = looked_up(counts.tally, asked, keys.count, *as_of.by_key)
        every = _every(counts, *as_of.shared)
        ticks = every[-1]
        seen = found.sums.any(axis=1)
        own_ticks = np.where(seen, counts.length * _stretches(epoch - found.first + 1, half_life), 0)
        known |= seen | (counts.shared.count > 0)
        by_once, by_again, by_shares = WEIGHTS if counts.shared.count else _OF_NOTHING
        for number in range(states):
            part = slice(*_place(family, chain, number, slowest))
            all_, own = every[part], found.sums[:, part]
            once_all = (all_[_ONES] - all_[_STAYS] + 0.5) / max(ticks - all_[_BEFORES] + 1, 1)
            again_all = (all_[_STAYS] + once_all) / (all_[_BEFORES] + 1)
            shares_all = (all_[_LAGS:] + 1 / (slowest + 1)) / (all_[_LAGS:].sum() + 1)
            free = np.maximum(own_ticks - own[:, _BEFORES], 0)
            once[:, number] = (own[:, _ONES] - own[:, _STAYS] + by_once * once_all) / (free + by_once)
            again[:, number] = (own[:, _STAYS] + by_again * again_all) / (own[:, _BEFORES] + by_again)
            shares[:, number] = (own[:, _LAGS:] + by_shares * shares_all) / (
                own[:, _LAGS:].sum(axis=1, keepdims=True) + by_shares
            )
    np.clip(once, 0, 1, out=once)
    np.clip(again, 0, 1, out=again)
    nowhere = np.zeros((keys.count, states), np.int64)
    return Odds(once, again, nowhere, shares, known, nowhere > 0)


def _place(family: Family, chain: Chain, state: int, slowest: int) -> tuple[int, int]:
    each = _LAGS + slowest + 1
    series = family.series.index(chain.states[state].series)
    return series * each, (series + 1) * each


def _column(chain: Chain, number: int, keys: Keys) -> Column:
    term = chain.terms[number]
    if isinstance(term, Var):
        return keys.cells[term.name]
    return np.full(keys.count, keys.values.cell(term.value), np.int64)
