"""Sightings: the facts of each chain by key and tick, with values of its own, as the engine drops some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from antelog.engine.columns.joins import KeyTicks, find_moments
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import Column, Mask, distinct, groups, keys_of, marked
from antelog.engine.facts.history import Facts, History, Stream, added, fresh, gather, without
from antelog.engine.step.rows import holds
from antelog.engine.values.values import Values
from antelog.forecast.rates.odds import Chain, Series

_AT_ONCE = 2**19  # the most ticks of answers that are looked up at once


@dataclass(frozen=True)
class Family:
    """The chains that share sightings: facts of an input."""

    predicate: str
    places: tuple[int, ...]  # the columns that find facts
    more: tuple[int, ...]  # the columns that are kept, too
    series: tuple[Series, ...]  # those that facts may meet
    slotted: bool

    @cached_property
    def name(self) -> str:
        return repr(self)


@lru_cache(maxsize=1024)
def family_of(chain: Chain) -> Family:
    more = {place for state in chain.states for place in state.series.key} - set(chain.places)
    return Family(chain.predicate, chain.places, tuple(sorted(more)), chain.series, chain.slotted)


@dataclass(frozen=True)
class Sightings:
    """The facts so far by family: their key columns, the columns `more`, and the series they meet."""

    history: History
    values: Values = field(default_factory=Values)


def nothing_seen(families: Sequence[Family]) -> Sightings:
    return Sightings({f.name: Stream(len(f.places) + len(f.more) + 1, {}) for f in families})


def seen(
    sightings: Sightings, families: Sequence[Family], facts: Mapping[str, Facts], of: Values
) -> Sightings:
    """Adds new facts, whose cells stand for values `of` the engine."""
    wanted = {family.predicate for family in families}
    given = {
        name: replace(own, columns=tuple(sightings.values.recoded(column, of) for column in own.columns))
        for name, own in facts.items()
        if name in wanted and own.count
    }
    shown = {
        f.name: _shown(f, given[f.predicate], sightings.values) for f in families if f.predicate in given
    }
    # Another fact of the same key and tick may have come before: that one counts.
    new = {name: fresh(sightings.history, name, own) for name, own in shown.items()}
    return Sightings(added(sightings.history, new), sightings.values)


def _shown(family: Family, facts: Facts, values: Values) -> Facts:
    """The sightings of a family in facts; one for each key and tick, if any fact will do."""
    columns = facts.columns
    met = np.zeros(facts.count, np.int64)
    bound = {str(place): column for place, column in enumerate(columns)}
    for number, series in enumerate(family.series):
        meets = np.ones(facts.count, np.bool_)
        for place, value in series.constants:
            meets &= columns[place] == values.cell(value)
        for place, other in series.repeats:
            meets &= columns[place] == columns[other]
        for test in series.tests:
            meets &= holds(test, bound, facts.count, values)
        met |= meets.astype(np.int64) << number
    shown = Facts(
        (*(columns[place] for place in (*family.places, *family.more)), met), facts.time, facts.arrival
    )
    if family.slotted:
        return shown
    shown = shown.take(met > 0)
    if shown.count < 2:
        return shown
    (key,) = keys_of([[*shown.columns, shown.time]])
    same = groups(key)
    return replace(shown.take(same.first), arrival=same.least(shown.arrival))


def forgotten(sightings: Sightings, before: int) -> Sightings:
    """Drops sightings about ticks before this one."""
    return Sightings(without(sightings.history, dict.fromkeys(sightings.history, before)), sightings.values)


@dataclass(frozen=True, eq=False)
class Sought:
    """A look-up of outcomes: keys at `tick`, as known at `as_of`."""

    keys: Sequence[Column]
    beyond: Sequence[Mapping[int, Column]]  # for each state the terms beyond the keys
    series: Sequence[int]  # that of each state
    possible: Sequence[Mask | None]  # for each state the rows that can have it (None: all)
    tick: Column
    as_of: Column


def outcomes(sightings: Sightings, family: Family, sought: Sought, ticks: Column) -> Column:
    """The outcome of a chain in each row at some ticks, counted from the row's: no fact (0), or its state."""
    count = len(sought.tick)
    result = np.zeros((len(ticks), count), np.int64)
    about = spans_of(distinct(sought.tick)).shifted(-int(ticks[0]), int(ticks[-1]))
    facts = gather(sightings.history, family.name, about)
    if facts.count == 0:
        return result.T
    width = len(family.places)
    none = [np.zeros(count, np.int64)], [np.zeros(facts.count, np.int64)]
    asked, there = keys_of([sought.keys, facts.columns[:width]] if width else none)
    some = max(_AT_ONCE // count, 1)
    for start in range(0, len(ticks), some):
        tick = (sought.tick + ticks[start : start + some, None]).ravel()
        every = KeyTicks(np.resize(asked, len(tick)), tick)
        at = find_moments(every, KeyTicks(there, facts.time))
        came = marked(at >= 0)
        # A fact about a later tick than the one asked at is not shown yet, even if it has come.
        since = np.maximum(facts.arrival.take(at.take(came)), tick.take(came))
        came = came[since <= sought.as_of.take(came % count)]
        states = _states(family, sought, facts, at.take(came), came % count)
        result[start : start + some].ravel()[came] = states
    return result.T


def _states(family: Family, sought: Sought, facts: Facts, at: Column, row: Column) -> Column:
    """The states that facts are of, for the rows that ask."""
    width, met = len(family.places), facts.columns[-1].take(at)
    # What is none of the others is another fact.
    state_of = np.full(len(at), len(sought.series))
    for state in reversed(range(len(sought.series))):
        meets = met >> sought.series[state] & 1 > 0
        allowed = sought.possible[state]
        if allowed is not None:
            meets &= allowed.take(row)
        for place, column in sought.beyond[state].items():
            meets &= facts.columns[width + family.more.index(place)].take(at) == column.take(row)
        state_of[meets] = state + 1
    return state_of
