"""Slots: in how many of its ticks each has a fact. Where it always has one, its silence is no sign.

    wt2 had a reading in 60 of 100 ticks; `high` is declared with 24 %: 40 % have none, 36 % another one

Of a tick that is not declared, so much is another fact. Each slot is counted for itself, by stretches of
ticks on a fixed grid, which are used once all their facts have come: so neither cuts nor other keys matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.engine.facts.history import gather
from antelog.forecast.rates import tally
from antelog.forecast.rates.odds import IMPOSSIBLE, Chain, Keys, Odds
from antelog.forecast.rates.sightings import Family, Sightings, family_of
from antelog.forecast.rates.tally import Ledger

STRETCH = 20  # the ticks that are counted together
FORGOTTEN = 100  # a slot without facts in this many stretches is forgotten
_BEFORE = (
    0.1  # as many ticks with and without a fact are counted before any: most slots always have one, or seldom
)


def nothing_counted(family: Family) -> Ledger:
    places = len(family.places)
    own = tally.nothing_counted(places, len(family.series), forgets=FORGOTTEN if places else None)
    return tally.opened(own)


def counted(
    ledger: Ledger,
    family: Family,
    sightings: Sightings,
    ticks: range,
    *,
    slowest: int,
    half_life: float | None,
) -> Ledger:
    """Counts the facts of the stretches that are complete by these ticks, by the first series of each."""
    lag = -(-slowest // STRETCH)  # the stretches between that of facts and the one in which all have come
    first, end = ((max(tick, 0) // STRETCH - lag) * STRETCH for tick in (ticks.start, ticks.stop))
    if end <= first:
        return ledger
    facts = gather(sightings.history, family.name, span(first, end - 1))
    # Of an input whose slot is fixed in the rules, the facts of other slots are there as well.
    facts = facts.take(facts.columns[-1] > 0)
    met, keys = facts.columns[-1], facts.columns[: len(family.places)]
    series = np.log2(met & -met).astype(np.int64)
    numbers = (series[:, None] == np.arange(len(family.series))).astype(np.float64)
    return tally.entered(ledger, facts.time // STRETCH + lag, keys, numbers, _in_stretches(half_life))


def with_others(
    odds: Odds,
    ledger: Ledger,
    chain: Chain,
    keys: Keys,
    stretches: Column,
    *,
    half_life: float | None,
    possible: Sequence[Mask],
) -> Odds:
    """Gives another fact its share of ticks, as far as its slot was counted before some stretches."""
    asked, family, fades = [*map(keys.of, chain.terms)], family_of(chain), _in_stretches(half_life)
    sums = tally.before(ledger, asked, stretches, fades)
    first = np.append(ledger.tally.first, 0).take(tally.matched(asked, keys.count, ledger.tally))
    facts = sums.sum(axis=1)
    known = facts > 0
    silent = np.maximum(STRETCH * _weight_of(stretches - first, fades) - facts, 0)
    none = ((silent + _BEFORE) / (silent + facts + 2 * _BEFORE))[:, None]
    left = np.maximum(1 - _given(odds).sum(axis=2), IMPOSSIBLE)
    share = np.where(known[:, None], 1 - np.minimum(none, left) / left, 0)
    unexpected = (sums * _others(chain, family, possible)).sum(axis=1)
    return replace(shared(odds, share, known), unexpected=unexpected)


def shared(odds: Odds, share: Numbers, some: Mask) -> Odds:
    """Gives another fact a share of what declarations leave over, by the state before, in some rows."""
    left = np.maximum(1 - _given(odds).sum(axis=2), 0)
    moves, at = odds.transitions.copy(), some & odds.known & ~odds.chance_declared[:, -1]
    share = np.clip(share, IMPOSSIBLE, 1)
    moves[at, :, -1] = (left * share)[at]
    moves[at, :, 0] = (left * (1 - share))[at]
    return replace(odds, transitions=moves)


def _given(odds: Odds) -> Numbers:
    found: Numbers = np.where(odds.chance_declared[:, None], odds.transitions[:, :, 1:], 0)
    return found


def _others(chain: Chain, family: Family, possible: Sequence[Mask]) -> Mask:
    """Marks the series whose facts are another fact, in each row.

    If states have values of the answer beyond the slot, all may be.
    """
    others = np.ones((len(possible[0]), len(family.series)), np.bool_)
    if family.more:
        return others
    for number, series in enumerate(family.series):
        for at, state in enumerate(chain.states[:-1]):
            kind = at >= chain.formula_states
            if state.series == series or (kind and set(state.series.constants) <= set(series.constants)):
                others[:, number] &= ~possible[at]
    return others


def _in_stretches(half_life: float | None) -> float | None:
    return None if half_life is None else half_life / STRETCH


def _weight_of(stretches: Column, half_life: float | None) -> Numbers:
    """The weight of the last stretches together, by their number, as sums have faded."""
    if half_life is None:
        return stretches.astype(np.float64)
    left = 2 ** (-1 / half_life)
    return left * (1 - np.exp2(-np.maximum(stretches, 0) / half_life)) / (1 - left)
