"""Learning: whether and how counts are used, and the odds of keys that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from antelog.engine.columns.tables import Column, distinct, inverse
from antelog.forecast.columns import HALF_LIFE
from antelog.forecast.inference.forms import Layout
from antelog.forecast.rates import counts as series_counts
from antelog.forecast.rates.counts import SeriesCounts
from antelog.forecast.rates.odds import Chain, Keys, Odds, completed, declared, less_declared, possible_kinds
from antelog.forecast.rates.sightings import Family, family_of
from antelog.forecast.rates.tally import EPOCH, KnownEpoch, Learns


@dataclass(frozen=True)
class Learning:
    """Settings of learning.

    Even if it is off, `slots` learns how often slots have facts of which nothing is declared: the silence of
    a slot that always has a fact is no sign against any of them.
    """

    on: bool
    half_life: float | None = HALF_LIFE  # of counts, in ticks (None: they never fade)
    epoch: int = 0  # up to which counts are used if learning is off
    shared: bool = True  # whether sums over all keys are learned; else keys are independent of each other
    length: int = EPOCH  # the ticks of an epoch
    slots: bool = False

    @property
    def counts(self) -> bool:
        return self.on or self.slots

    def counts_in(self, family: Family) -> bool:
        return self.on or (self.slots and family.slotted)

    @property
    def learns(self) -> Learns:
        if not self.on:
            return Learns.NOTHING
        return Learns.ALL if self.shared else Learns.KEYS

    def as_of(self, epoch: int, layout: Layout) -> KnownEpoch:
        """The epoch up to which counts may be used in an epoch: all facts of that one have come."""
        still, lag = None if self.shared else self.epoch, layout.lag(self.length)
        return KnownEpoch(epoch - lag if self.counts else self.epoch, self.epochs_to_half, still)

    @property
    def epochs_to_half(self) -> float | None:
        return None if self.half_life is None else self.half_life / self.length


_Asked: TypeAlias = tuple[Layout, Learning, Chain, bytes, tuple[bytes, ...]]

# A step with few facts asks for the odds of the same keys again and again; they stay, if nothing is learned.
_KNOWN: WeakKeyDictionary[SeriesCounts, dict[_Asked, Odds]] = WeakKeyDictionary()
_FEW, _MANY = 4, 128


@dataclass(frozen=True, eq=False)
class OddsOf:
    """The odds of keys in epochs: as declared, or else as learned by then."""

    layout: Layout
    series: Mapping[str, SeriesCounts]
    learning: Learning
    found: dict[str, dict[int, SeriesCounts]] = field(default_factory=dict)  # of `used`, by family and epoch

    def used(self, name: str, epoch: int) -> SeriesCounts:
        """The counts of a family that are in use in an epoch."""
        if not self.learning.counts:
            return self.series[name]
        known = self.found.setdefault(name, {})
        if epoch not in known:
            earlier = max((each for each in known if each < epoch), default=None)
            counts = self.series[name] if earlier is None else known[earlier]
            known[epoch] = series_counts.up_to(counts, self.learning.as_of(epoch, self.layout))
        return known[epoch]

    def epochs(self, chain: Chain, ticks: Column) -> Column:
        """The epochs of ticks for a chain; all the same where nothing is learned of it any more."""
        counts = self.learning.counts_in(family_of(chain))
        return ticks // self.learning.length if counts else np.zeros_like(ticks)

    def __call__(self, chain: Chain, keys: Keys, epochs: Column) -> Odds:
        counts = self.series.get(family_of(chain).name)
        if counts is None or self.learning.on or keys.count > _FEW:
            return self._odds(chain, keys, epochs)
        known = _KNOWN.setdefault(counts, {})
        cells = tuple(column.tobytes() for column in keys.cells.values())
        asked = self.layout, self.learning, chain, epochs.tobytes(), cells
        if asked not in known:
            if len(known) == _MANY:
                known.clear()
            known[asked] = self._odds(chain, keys, epochs)
        return known[asked]

    def _odds(self, chain: Chain, keys: Keys, epochs: Column) -> Odds:
        source = next(each for each in self.layout.plan.inputs if each.name == chain.predicate)
        odds, family = declared(chain, source, keys), family_of(chain)
        slots = self.learning.slots
        sure = (odds.known & odds.chance_declared.all(axis=1)).all() and (slots or odds.shares_declared.all())
        if sure or family.name not in self.series or (slots and not family.slotted):
            return odds
        parts, order = [], []
        possible = possible_kinds(chain, source, keys) if family.slotted else ()
        for epoch in distinct(epochs).tolist():
            at = np.flatnonzero(epochs == epoch)
            as_of, some = self.learning.as_of(epoch, self.layout), [each.take(at) for each in possible]
            counts = self.used(family.name, epoch)
            parts.append(series_counts.odds_of(counts, chain, keys.take(at), as_of, some))
            order.append(at)
        found = parts[0].and_then(*parts[1:]).take(inverse(np.concatenate(order)))
        if family.more:
            found = less_declared(found, odds)
        return completed(odds, found, whole=not (slots or family.more))
