"""Chances by a sample, where the diagram of a formula is too large: courses are drawn, and shares counted.

    of 4,096 courses of a turbine that agree with what has come, 1,229 confirm its answer: 0.30

In come rows and the parts of a formula, out go chances within bounds, and how they grow. The same numbers are
drawn for all rows, by chain and tick: so a chance depends on nothing but its row, and moves only with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from antelog.engine.columns.tables import Column, Numbers
from antelog.forecast.chances.bounds import Bounds
from antelog.forecast.chances.courses import Course, course
from antelog.forecast.chances.evaluating import FOREVER, TRUTH, Link, Window
from antelog.forecast.formulas.plain import TRUE, Joined, Leaf, Parts, Question, Shows

SAMPLES = 4096
"""So many courses are drawn; of a chance of one half the error is 0.8 % (one sigma), or less."""

_SEED = 20
_AT_ONCE = 8
"""So many rows fit into the memory that is near."""

_NEVER = 2**30
_LONG_AGO = -(2**30)


@dataclass(frozen=True, eq=False)
class Sampled:
    """The chance of each row, that it holds in the world, and that by each of some ticks (columns)."""

    chance: Numbers
    holds: Numbers
    by_tick: Numbers


Until: TypeAlias = Callable[[Leaf], int]
"""The last tick at which a fact of a leaf may come."""


def sampled(question: Question, until: Until, window: Window, ticks: Column) -> Sampled:
    """The chances of rows, by a sample."""
    starts = range(0, window.count, _AT_ONCE)
    rows = [_few(question, until, window.part(start, start + _AT_ONCE), ticks) for start in starts]
    return Sampled(*(np.concatenate(each) for each in zip(*(vars(r).values() for r in rows), strict=True)))


def _few(question: Question, until: Until, window: Window, ticks: Column) -> Sampled:
    parts = Parts(question)
    root = parts.of(question.whole)
    at = sorted({leaf.at for leaf in question.leaves.values()})
    courses = [course(window, link, range(at[0], at[-1] + 1)) for link in window.links]
    drawn = {}
    for chain, link in enumerate(window.links):
        wanted = {leaf.at for leaf in question.leaves.values() if leaf.chain == chain}
        for tick, own in _drawn(chain, courses[chain], (window, link), wanted).items():
            drawn[chain, tick] = own
    told, true = (_Times(parts, until, drawn, truth).of(root) for truth in (False, True))
    chance, holds = (
        np.clip((times < _NEVER).mean(axis=1), bounds.least, np.minimum(bounds.most, 1))
        for times, horizon in ((told, FOREVER), (true, TRUTH))
        for bounds in [Bounds(parts, window, courses, horizon).of(root)]
    )
    by_tick = np.empty((window.count, len(ticks)))
    for number, tick in enumerate(ticks.tolist()):
        np.minimum((told <= tick).mean(axis=1), chance, out=by_tick[:, number])
    by_tick[:, len(ticks) - 1 :] = chance[:, None]  # by the last tick everything has come
    return Sampled(chance, holds, by_tick)


@dataclass(frozen=True, eq=False)
class _Tick:
    """What a chain shows at a tick in each sample (rows, samples): which state, and as of when (or never)."""

    shows: Column
    arrival: Column


def _drawn(chain: int, course_: Course, at: tuple[Window, Link], wanted: set[int]) -> Mapping[int, _Tick]:
    """What a chain shows at the ticks of the formula."""
    window, link = at
    found = {}
    state = np.zeros((window.count, SAMPLES), np.int64)
    rows = np.arange(window.count)[:, None]
    for number, moves in enumerate(course_.moves):
        tick = course_.first + number
        draw = _numbers(chain, number, 0)
        # Up to a state: (before, state, row). At the first tick it makes no difference where it was before.
        given = moves if number else course_.held[:1]
        upto = np.cumsum(given, axis=-2)
        before, state = state, np.zeros_like(state)
        for one in range(link.states - 1):
            state += draw >= (upto[before, one, rows] if number else upto[0, one][:, None])
        if tick in wanted:
            found[tick] = _shown(window, link, tick, (state, _numbers(chain, number, 1)))
    return found


def _shown(window: Window, link: Link, tick: int, drawn: tuple[Column, Numbers]) -> _Tick:
    """What has come of a tick, or else comes of the state that was drawn, and when."""
    state, draw = drawn
    arrival = np.full(state.shape, _NEVER)
    row, sample = np.nonzero(state)
    if len(row):
        of = state[row, sample] - 1
        come = link.odds.come(link.which, window.age - tick)[row, of]
        upto = come + draw[sample] * (1 - come)
        late = np.zeros(len(row), np.int64)
        slowest = link.odds.shares.shape[2] - 1
        for lag in range(slowest + 1):
            late += link.odds.come(link.which, lag)[row, of] <= upto
        arrival[row, sample] = np.where(late > slowest, _NEVER, tick + late)
    place = tick - window.begin
    if place >= link.shown.shape[1]:
        return _Tick(state, arrival)
    seen = link.shown[:, place, None]
    return _Tick(np.where(seen > 0, seen, state), np.where(seen > 0, _LONG_AGO, arrival))


@lru_cache(maxsize=512)
def _numbers(chain: int, tick: int, use: int) -> Numbers:
    """A number between 0 and 1 for each sample, which are spread evenly: one in each 4,096th of the range."""
    random = np.random.default_rng([_SEED, chain, tick, use])
    numbers: Numbers = (random.permutation(SAMPLES) + random.random(SAMPLES)) / SAMPLES
    return numbers


@dataclass(frozen=True, eq=False)
class _Times:
    """By when parts are true, in each sample (rows, samples), as told or as the truth is."""

    parts: Parts
    until: Until
    drawn: Mapping[tuple[int, int], _Tick]
    truth: bool

    def of(self, part: int) -> Column:
        match self.parts.entries[part]:
            case Shows(leaf, came):
                return self._literal(leaf, came)
            case Joined(parts, both):
                times = self.of(parts[0])
                for each in parts[1:]:
                    times = (np.maximum if both else np.minimum)(times, self.of(each))
                return times
            case _:
                return np.full(
                    next(iter(self.drawn.values())).shows.shape, _LONG_AGO if part == TRUE else _NEVER
                )

    def _literal(self, leaf: Leaf, came: bool) -> Column:
        tick = self.drawn[leaf.chain, leaf.at]
        mine = tick.shows == leaf.state
        if self.truth:
            return np.where(mine == came, _LONG_AGO, _NEVER)
        if came:
            return np.where(mine, tick.arrival, _NEVER)
        # It is certain not to come once it is too late, or once its slot is taken.
        late = self.until(leaf)
        taken = np.where(mine, late, np.minimum(tick.arrival, late))
        return np.where(mine & (tick.arrival < _NEVER), _NEVER, taken)
