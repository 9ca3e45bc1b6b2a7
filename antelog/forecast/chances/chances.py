"""Chances of answers: each that differs in what matters is worked out once.

    Malf(wt2, 0) and Malf(wt7, 20), both 1 tick old, both hot at their first two ticks: one chance

In come answers, what has been seen and the odds, out go for each answer its chance and its forecast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np

from antelog.compile.nodes.patterns import Var
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask, Numbers, groups, keys_of
from antelog.forecast.chances.answers import Asked, Tables, met, term_column
from antelog.forecast.chances.evaluating import FOREVER, TRUTH, Link, Window, probability
from antelog.forecast.chances.forms import Form, forms
from antelog.forecast.formulas.chains import Chain
from antelog.forecast.formulas.diagrams import Diagram, Leaf, Question, TooLargeError, diagram_of
from antelog.forecast.odds.declared import other_kinds
from antelog.forecast.odds.odds import Keys, Odds, each_once
from antelog.forecast.odds.sightings import Family, Sightings, Sought, outcomes

_EARLIEST = 512
"""No chance is asked for so many ticks before an answer's."""


@dataclass(frozen=True, eq=False)
class Growth:
    """The ticks at which chances of having been confirmed grow, counted from the answers' own.

    Rows in order: whose chance it is, the tick, and what it has grown to.
    """

    of: Column
    at: Column
    chance: Numbers

    def counts(self, size: int) -> Column:
        """How many rows each of so many has."""
        return np.bincount(self.of, minlength=size)


@dataclass(frozen=True, eq=False)
class Chances:
    """Different chances, how each grows, and which of them each answer has (-1: none is known).

    `holds` is the chance that the answer is true of the world, if facts may be lost, else NaN.
    """

    chance: Numbers
    growth: Growth
    holds: Numbers
    which: Column

    def column(self) -> Numbers:
        """The chance of each answer; NaN where none is known."""
        return np.append(self.chance, np.nan).take(self.which)


class OddsByEpoch(Protocol):
    """Who says the odds of keys, in an epoch each."""

    def epochs(self, ticks: Column) -> Column: ...

    def __call__(self, chain: Chain, keys: Keys, epochs: Column) -> Odds: ...


@dataclass(frozen=True)
class Known:
    """What chances are worked out from: rules, background, sightings, the first tick, odds of keys."""

    plan: Plan
    tables: Tables
    sightings: Sightings
    begin: int
    odds: OddsByEpoch


_NO_GROWTH = Growth(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def chances(known: Known, query: str, asked: Asked) -> Chances:
    """The chances of a query's answers."""
    form = forms(known.plan)[query]
    nothing = Chances(np.zeros(0), _NO_GROWTH, np.zeros(0), np.full(asked.count, -1))
    if not isinstance(form, Form) or asked.count == 0:
        return nothing
    at = np.flatnonzero(asked.whole)
    if len(at) == 0:
        return nothing
    table = _table(known, form, asked.take(at))
    (key,) = keys_of([table.columns])
    same = groups(key)
    found = _worked_out(form, table.take(same.first))
    which = np.full(asked.count, -1)
    which[at] = np.where(np.isnan(found.chance), -1, np.arange(same.count)).take(same.numbers)
    return replace(found, which=which)


@dataclass(frozen=True, eq=False)
class _Table:
    """What matters of answers: conditions, odds and sightings, in columns.

    For each chain `which` odds, and what it has `shown` (rows, ticks from `begin` on); `twins` has for
    each chain the first one with the same facts.
    """

    age: Column
    since: Column
    conditions: Column
    odds: tuple[Odds, ...]
    which: tuple[Column, ...]
    twins: tuple[Column, ...]
    shown: tuple[Column, ...]
    begin: int

    @property
    def columns(self) -> list[Column]:
        return [
            self.age, self.since, *self.conditions.T, *self.which, *self.twins,
            *(column for shown in self.shown for column in shown.T),
        ]  # fmt: skip

    def take(self, at: Column) -> _Table:
        return _Table(
            self.age.take(at),
            self.since.take(at),
            self.conditions.take(at, axis=0),
            self.odds,
            tuple(column.take(at) for column in self.which),
            tuple(column.take(at) for column in self.twins),
            tuple(shown.take(at, axis=0) for shown in self.shown),
            self.begin,
        )


def _table(known: Known, form: Form, asked: Asked) -> _Table:
    values = known.sightings.values
    end = form.last + form.slowest
    age = np.clip(asked.age, -_EARLIEST, end)
    # What was shown at the first tick of the window has to be known for good.
    begin = min(form.first - 1, int(age.min())) - form.slowest - form.memory
    ticks = range(begin, end + 1)
    tests = [met(c, asked, known.tables, values) for c in form.formula.conditions]
    conditions = np.array(tests, np.int64).reshape(len(tests), asked.count).T
    odds: list[Odds] = []
    which: list[Column] = []
    shown: list[Column] = []
    keys: list[list[Column]] = []
    for chain in form.chains:
        own, number = _odds(chain, asked, known)
        odds.append(own)
        which.append(number)
        columns = [term_column(term, asked, values) for term in chain.terms]
        keys.append(columns)
        shown.append(_shown(known, form.families[len(shown)], chain, asked, (columns, ticks)))
    since = np.clip(known.begin - asked.tick, begin, end + 1)
    return _Table(
        age,
        since,
        conditions,
        tuple(odds),
        tuple(which),
        _twins(form.chains, keys, asked.count),
        tuple(shown),
        begin,
    )


def _odds(chain: Chain, asked: Asked, known: Known) -> tuple[Odds, Column]:
    """The odds of a chain, worked out once for each key and epoch."""
    names = {term.name for term in chain.terms if isinstance(term, Var)}
    names |= {name for state in chain.states for name in state.key}
    columns = {name: asked.cells[name] for name in sorted(names)}
    epochs = known.odds.epochs(asked.as_of)
    (key,) = keys_of([[*columns.values(), epochs]])
    same = groups(key)
    first = same.first
    rows = Keys({n: c.take(first) for n, c in columns.items()}, same.count, known.sightings.values)
    odds, which = each_once(known.odds(chain, rows, epochs.take(first)))
    return odds, which.take(same.numbers)


def _shown(
    known: Known, family: Family, chain: Chain, asked: Asked, at: tuple[Sequence[Column], range]
) -> Column:
    """What a chain has shown at each tick of the window, for each answer."""
    keys, ticks = at
    beyond = [
        {
            place: asked.cells[name]
            for place, name in zip(state.series.key, state.key, strict=True)
            if place not in chain.places
        }
        for state in chain.states
    ]
    series = [family.series.index(state.series) for state in chain.states]
    possible: list[Mask | None] = [None] * len(chain.states)
    if chain.kinds:
        source = next(each for each in known.plan.inputs if each.name == chain.predicate)
        everyone = Keys(asked.cells, asked.count, known.sightings.values)
        possible[chain.asked :] = other_kinds(chain, source, everyone)
    shown = np.zeros((asked.count, len(ticks)), np.int64)
    for number, tick in enumerate(ticks):
        sought = Sought(keys, beyond, series, possible, asked.tick + tick, asked.as_of)
        shown[:, number] = outcomes(known.sightings, family, sought)
    return shown


def _twins(chains: Sequence[Chain], keys: Sequence[Sequence[Column]], count: int) -> tuple[Column, ...]:
    """For each chain the first one that has the same facts, in each row."""
    twins = []
    for number, chain in enumerate(chains):
        twin = np.full(count, number)
        for other in reversed(range(number)):
            if _alike(chain, chains[other]):
                same = np.ones(count, np.bool_)
                for one, two in zip(keys[number], keys[other], strict=True):
                    same &= one == two
                twin[same] = other
        twins.append(twin)
    return tuple(twins)


def _alike(one: Chain, other: Chain) -> bool:
    """Whether chains have the same facts if their keys are equal: all of a slot, or those of one series."""
    same = (one.predicate, one.places) == (other.predicate, other.places)
    return same and (one.slotted or one.series == other.series)


# ---- the different ones, group by group ----


def _worked_out(form: Form, table: _Table) -> Chances:
    count = len(table.age)
    found, holds = np.full((2, count), np.nan)
    parts = [_NO_GROWTH]
    known, delays = np.ones(count, np.bool_), []
    for odds, which in zip(table.odds, table.which, strict=True):
        known &= odds.known.take(which)
        delays += list(odds.delay.take(which, axis=0).T)
    (key,) = keys_of([[*table.conditions.T, *table.twins, *delays, np.zeros(count, np.int64)]])
    same = groups(np.where(known, key, -1))
    for at in np.split(same.order, same.starts[1:]):
        if not known[at[0]]:
            continue
        try:
            group = _group(form, table.take(at))
        except TooLargeError:
            continue
        found[at], holds[at] = group.chance, group.holds
        parts.append(replace(group.growth, of=at.take(group.growth.of)))
    return Chances(found, _together(parts), holds, np.arange(count))


def _together(parts: Sequence[Growth]) -> Growth:
    of, at, chance = (
        np.concatenate(columns) for columns in zip(*((p.of, p.at, p.chance) for p in parts), strict=True)
    )
    order = np.argsort(of, kind="stable")
    return Growth(of.take(order), at.take(order), chance.take(order))


@dataclass(frozen=True)
class _Shape:
    """What the diagrams of a group of answers depend on."""

    conditions: tuple[bool, ...]
    twins: tuple[int, ...]
    delays: tuple[tuple[int, ...], ...]


def _group(form: Form, table: _Table) -> Chances:
    """The chances of answers of the same shape."""
    shape = _shape(table)
    slowest = max((max(each) for each in shape.delays), default=0)
    begin = max(min(form.first - 1, int(table.age.min()) - slowest) - form.memory, table.begin)
    links = tuple(
        Link(odds, which, shown[:, begin - table.begin :], chain.slotted)
        for odds, which, shown, chain in zip(table.odds, table.which, table.shown, form.chains, strict=True)
    )
    window = Window(begin, table.age, table.since, links)
    diagram = _diagram(form, shape, FOREVER)
    found = probability(diagram, window, form.last, FOREVER)
    holds = np.full(window.count, np.nan)
    if form.memory:
        holds = probability(diagram, window, form.last, TRUTH).chance
    if slowest:
        growth = _late_growth(form, shape, window, form.last + slowest)
    else:
        growth = _growth(window, np.arange(begin + 1, begin + 1 + found.by_tick.shape[1]), found.by_tick)
    return Chances(found.chance, growth, holds, np.arange(window.count))


def _growth(window: Window, ticks: Column, chance: Numbers) -> Growth:
    """The ticks after now at which chances grow, given those by each of some ticks."""
    later = np.where(ticks > window.age[:, None], chance, 0)
    before = np.concatenate([np.zeros((window.count, 1)), later[:, :-1]], axis=1)
    of, at = np.nonzero(later > before + _GROWN)
    return Growth(of, ticks.take(at), later[of, at])


def _late_growth(form: Form, shape: _Shape, window: Window, end: int) -> Growth:
    """The same where facts may be late: the formula by each tick is another one."""
    # Before the first of its ticks a formula becomes neither true nor false. The ticks must not depend on
    # the ages of the rows: which rows there are depends on how a run is cut.
    ticks = np.arange(form.first, end + 1)
    if len(ticks) > _HORIZONS:
        ticks = np.unique(np.linspace(form.first, end, _HORIZONS).round().astype(np.int64))
    ticks = ticks[ticks > window.age.min()]
    chance = np.zeros((window.count, len(ticks)))
    for number, horizon in enumerate(ticks.tolist()):
        at = np.flatnonzero(window.age < horizon)
        some = window if len(at) == window.count else window.take(at)
        chance[at, number] = probability(_diagram(form, shape, horizon), some, form.last, horizon).chance
    return _growth(window, ticks, chance)


_HORIZONS = 24
"""By so many ticks it is said how likely a confirmation is, where facts may be late."""

_GROWN = 1e-12
"""What is less than this is a difference in the last digits."""


def _shape(table: _Table) -> _Shape:
    return _Shape(
        tuple(bool(each) for each in table.conditions[0]),
        tuple(int(twin[0]) for twin in table.twins),
        tuple(
            tuple(odds.delay[which[0]].tolist()) for odds, which in zip(table.odds, table.which, strict=True)
        ),
    )


@lru_cache(maxsize=4096)
def _diagram(form: Form, shape: _Shape, horizon: int) -> Diagram:
    """The diagram of a formula for a shape: what is over by a horizon depends on the delays."""

    def over(leaf: Leaf) -> bool:
        return leaf.at + shape.delays[leaf.chain][leaf.state - 1] <= horizon

    leaves = {literal: _twin(form, shape, leaf) for literal, leaf in form.leaves.items()}
    outcomes_ = [chain.outcomes for chain in form.chains]
    return diagram_of(Question(form.formula.whole, shape.conditions, leaves, outcomes_, over))


def _twin(form: Form, shape: _Shape, leaf: Leaf) -> Leaf:
    twin = shape.twins[leaf.chain]
    if twin == leaf.chain:
        return leaf
    one, other = form.chains[leaf.chain], form.chains[twin]
    series = one.states[leaf.state - 1].series
    states = [state.series for state in other.states]
    if series not in states:
        raise TooLargeError
    return Leaf(twin, states.index(series) + 1, leaf.at)
