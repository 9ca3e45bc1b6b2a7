"""The odds of keys, and a table of the features of answers that decide their chances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from antelog.compile.literals import StaticAtom
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, Mask, Numbers, RowSet, keys_of, once
from antelog.engine.step.rows import holds
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast.inference.forms import WHEN, Condition, QueryForm
from antelog.forecast.rates import odds as rates
from antelog.forecast.rates.learning import Learning
from antelog.forecast.rates.odds import Chain, Keys, Odds
from antelog.forecast.rates.sightings import Sightings, Sought, family_of, outcomes
from antelog.forecast.rates.slots import with_others
from antelog.forecast.rates.tally import Ledger

Tables = Mapping[str, Sequence[Column]]  # of each static predicate, in the forecast's cells; may have none
EARLIEST = 512  # chances are asked for at most this many ticks before an answer's


# ---- a table of features: answers with equal rows have equal chances ----


@dataclass(frozen=True, eq=False)
class AnswersAtTicks(RowSet):
    """Answers by variable, their ticks (0 where the query fixes it), and the ticks of their chances."""

    cells: Mapping[str, Column]
    tick: Column
    as_of: Column

    @property
    def age(self) -> Column:
        """The ticks between each answer's and that of its chance; may be negative."""
        return self.as_of - self.tick

    @property
    def whole(self) -> Mask:
        """Marks the answers without open variables."""
        whole = self.tick >= 0
        for column in self.cells.values():
            whole &= column != UNBOUND
        return whole


def met(condition: Condition, asked: AnswersAtTicks, keys: Keys, tables: Tables) -> Mask:
    """Marks the answers for which a condition holds; arguments of None match any column of the background."""
    if not isinstance(condition, StaticAtom):
        return holds(condition, {**asked.cells, WHEN: asked.tick}, asked.count, keys.values)
    columns = tables[condition.predicate]
    given = [(i, argument) for i, argument in enumerate(condition.arguments) if argument is not None]
    there = np.full(asked.count, bool(columns))
    if columns and given:
        sought = [keys.of(argument) for _, argument in given]
        there = find_rows(sought, [columns[i] for i, _ in given]) >= 0
    return there ^ condition.negated


_Asked: TypeAlias = tuple[Plan, Chain, tuple[bytes, ...]]

# A step with few facts asks for the odds of the same keys again and again.
_DECLARED: WeakKeyDictionary[Values, dict[_Asked, Odds]] = WeakKeyDictionary()
_FEW, _MANY = 4, 128


@dataclass(frozen=True)
class Known:
    """The inputs of chances: rules, background, sightings, the first tick, counts of slots by family."""

    plan: Plan
    tables: Tables
    sightings: Sightings
    begin: int
    slots: Mapping[str, Ledger]
    learning: Learning

    def odds(self, chain: Chain, keys: Keys, epochs: Column) -> Odds:
        """The odds of keys, as declared; other facts of slots as counted before these epochs."""
        if chain.slotted or keys.count > _FEW:
            return self._odds(chain, keys, epochs)
        known = _DECLARED.setdefault(keys.values, {})
        asked = self.plan, chain, tuple(column.tobytes() for column in keys.cells.values())
        if asked not in known:
            if len(known) == _MANY:
                known.clear()
            known[asked] = self._odds(chain, keys, epochs)
        return known[asked]

    def _odds(self, chain: Chain, keys: Keys, epochs: Column) -> Odds:
        source = next(each for each in self.plan.inputs if each.name == chain.predicate)
        odds, counts = rates.declared(chain, source, keys), self.slots.get(family_of(chain).name)
        if counts is None or odds.chance_declared.all():
            return odds
        possible = rates.possible_kinds(chain, source, keys)
        return with_others(odds, counts, chain, keys, epochs, learning=self.learning, possible=possible)


@dataclass(frozen=True, eq=False)
class AnswerTable(RowSet):
    """Features of answers in columns: conditions, and the odds and sightings of each chain."""

    shared = frozenset({"odds"})

    age: Column
    since: Column
    conditions: Column
    odds: tuple[Odds, ...]
    which: tuple[Column, ...]  # the row of the odds
    twins: tuple[Column, ...]  # the first chain with the same facts
    shown: tuple[Column, ...]  # outcomes (rows, ticks from `begin` on)
    begin: int
    last: int  # the last tick of the formula

    @property
    def columns(self) -> list[Column]:
        return [
            self.age, self.since, *self.conditions.T, *self.which, *self.twins,
            *(column for shown in self.shown for column in shown.T),
        ]  # fmt: skip

    @cached_property
    def moves(self) -> tuple[Numbers, ...]:
        """For each chain its chances to move from state to state (last axis: rows)."""
        return tuple(odds.moves(which) for odds, which in zip(self.odds, self.which, strict=True))

    def relevant(self, form: QueryForm) -> AnswerTable:
        """Clears outcomes that make no difference.

        The future of a chain depends on its present state only: of the ticks up to the formula's first one,
        those before the last one whose outcome is final do not matter.
        """
        found = []
        for shown in self.shown:
            columns, later = shown.T.copy(), np.zeros(len(self.age), np.bool_)
            for tick in range(form.first, self.begin - 1, -1):
                column = columns[tick - self.begin]
                column *= ~later
                later |= column > 0
                if not form.memory:
                    later |= tick <= self.age - form.slowest
            found.append(columns.T)
        return replace(self, shown=tuple(found))


def table_of(known: Known, form: QueryForm, asked: AnswersAtTicks) -> AnswerTable:
    terms = Keys(asked.cells, asked.count, known.sightings.values)
    end = form.last + form.slowest
    age = np.clip(asked.age, -EARLIEST, end)
    # What was shown at the first tick of the window has to be known for good.
    begin = min(form.first - 1, int(age.min())) - form.slowest - form.memory
    ticks = range(begin, end + 1)
    tests = [met(c, asked, terms, known.tables) for c in form.formula.conditions]
    keys = [[*map(terms.of, chain.terms)] for chain in form.chains]
    odds = [_odds(chain, asked, known) for chain in form.chains]
    pairs = zip(form.chains, keys, strict=True)
    return AnswerTable(
        age,
        np.clip(known.begin - asked.tick, begin, end + 1),
        np.array(tests, np.int64).reshape(len(tests), asked.count).T,
        tuple(each for each, _ in odds),
        tuple(which for _, which in odds),
        _twins(form.chains, keys, asked.count),
        tuple(_shown(known, chain, asked, columns, ticks) for chain, columns in pairs),
        begin,
        form.last,
    )


def _odds(chain: Chain, asked: AnswersAtTicks, known: Known) -> tuple[Odds, Column]:
    """The odds of a chain, computed once for each key and epoch."""
    columns = {name: asked.cells[name] for name in chain.variables}
    epochs = asked.as_of // known.learning.epoch if chain.slotted else np.zeros_like(asked.as_of)
    (key,) = keys_of([[*columns.values(), epochs]])
    first, numbers = once(key)
    rows = Keys(columns, asked.count, known.sightings.values).take(first)
    odds, which = rates.each_once(known.odds(chain, rows, epochs.take(first)))
    return odds, which.take(numbers)


def _shown(known: Known, chain: Chain, asked: AnswersAtTicks, keys: Sequence[Column], ticks: range) -> Column:
    """The outcome of a chain at each tick of the window, for each answer."""
    family = family_of(chain)
    beyond = []
    for state in chain.states:
        pairs = zip(state.series.key, state.key, strict=True)
        beyond.append({place: asked.cells[name] for place, name in pairs if place not in chain.places})
    series = [family.series.index(state.series) for state in chain.states]
    possible: Sequence[Mask | None] = [None] * len(chain.states)  # there are facts of all of them
    if chain.kinds:
        source = next(each for each in known.plan.inputs if each.name == chain.predicate)
        possible = rates.possible_kinds(chain, source, Keys(asked.cells, asked.count, known.sightings.values))
    sought = Sought(keys, beyond, series, possible, asked.tick, asked.as_of)
    return outcomes(known.sightings, family, sought, np.array(ticks))


def _twins(chains: Sequence[Chain], keys: Sequence[Sequence[Column]], count: int) -> tuple[Column, ...]:
    """For each chain the first one that has the same facts, in each row."""
    twins = []
    for number, chain in enumerate(chains):
        twin = np.full(count, number)
        for other in reversed(range(number)):
            if alike(chain, chains[other]):
                pairs = zip(keys[number], keys[other], strict=True)
                twin[np.all([np.ones(count, np.bool_), *(one == two for one, two in pairs)], axis=0)] = other
        twins.append(twin)
    return tuple(twins)


def alike(one: Chain, other: Chain) -> bool:
    """Whether chains have the same facts if their keys are equal: all of a slot, or those of one series."""
    same = (one.predicate, one.places) == (other.predicate, other.places)
    return same and (one.slotted or one.series == other.series)
