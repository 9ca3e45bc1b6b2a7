"""What matters of few answers, one by one: the same as a table, in plain numbers.

    X    T   asked at    age 1; Temp(X, high, ·) showed nothing at -1, facts at 0 and 1; its rates
    wt2  0   1

In come answers and what is known, out goes a row for each. Rows are equal if and only if what matters is, so
what was worked out for one can be kept for those that come later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from antelog.compile.literals.terms import Var
from antelog.engine.columns.tables import Column
from antelog.forecast.chances.answers import Asked, met
from antelog.forecast.chances.forms import Form
from antelog.forecast.chances.table import EARLIEST, Known, alike, possible_states
from antelog.forecast.formulas.chains import Chain
from antelog.forecast.odds.odds import Keys, Rates
from antelog.forecast.odds.sightings import Family, Seen, few_seen

Cells: TypeAlias = Mapping[str, int]
"""The cells of the variables of an answer."""


class Row(NamedTuple):
    """What matters of an answer: for each chain its rates, and what it has shown from tick `begin` to now.

    `twins` has for each chain the first one with the same facts.
    """

    begin: int
    age: int
    since: int
    conditions: tuple[bool, ...]
    twins: tuple[int, ...]
    rates: tuple[Rates, ...]
    shown: tuple[tuple[int, ...], ...]


def rows_of(known: Known, form: Form, asked: Asked) -> list[Row] | None:
    """A row for each answer; None if many facts matter to them."""
    names = [*asked.cells]
    columns = [column.tolist() for column in asked.cells.values()]
    cells: list[Cells] = [dict(zip(names, each, strict=True)) for each in zip(*columns, strict=True)] or [
        {}
    ] * asked.count
    times = [*zip(asked.tick.tolist(), asked.as_of.tolist(), strict=True)]
    ages = [min(max(as_of - tick, -EARLIEST), form.last + form.slowest) for tick, as_of in times]
    chains = [_Looked(known, chain, asked, cells) for chain in form.chains]
    begins = [_begin(form, age, [chain.rates[row] for chain in chains]) for row, age in enumerate(ages)]
    spans = [
        range(tick + begin, tick + age + 1) for (tick, _), begin, age in zip(times, begins, ages, strict=True)
    ]
    seen = [few_seen(known.sightings, family, spans) for family in form.families]
    values = known.sightings.values
    tests = [met(each, asked, known.tables, values).tolist() for each in form.formula.conditions]
    conditions = [*zip(*tests, strict=True)] or [()] * asked.count
    rows = []
    for row, (tick, as_of) in enumerate(times):
        shown = []
        for chain, family, facts in zip(chains, form.families, seen, strict=True):
            if facts is None:
                return None
            shown.append(chain.shown(row, (family, facts), spans[row], as_of))
        since = min(max(known.begin - tick, begins[row]), form.last + form.slowest + 1)
        rows.append(
            Row(
                begins[row],
                ages[row],
                since,
                conditions[row],
                _twins(form.chains, [chain.keys[row] for chain in chains]),
                tuple(chain.rates[row] for chain in chains),
                tuple(shown),
            )
        )
    return rows


def _begin(form: Form, age: int, rates: Sequence[Rates]) -> int:
    """A tick, counted from the answer's, before which nothing matters; what was shown at it is known."""
    slowest = max((max(each.delay) for each in rates), default=0)
    return min(form.first - 1, age - slowest) - form.memory


class _Looked:
    """A chain, and for each answer the key of its facts and its rates."""

    def __init__(self, known: Known, chain: Chain, asked: Asked, cells: Sequence[Cells]) -> None:
        values = known.sightings.values
        self.keys = [
            tuple(own[t.name] if isinstance(t, Var) else values.cell(t.value) for t in chain.terms)
            for own in cells
        ]
        self.rates = _rates(known, chain, asked, cells)
        self._chain, self._cells = chain, cells
        self._possible = [
            None if each is None else each.tolist() for each in possible_states(known, chain, asked)
        ]

    def shown(self, row: int, seen: tuple[Family, Seen], ticks: range, as_of: int) -> tuple[int, ...]:
        """What has come of it: 0 nothing, 1, 2, … its states, one more for another fact of the slot."""
        family, facts = seen
        key = self.keys[row]
        found = ((facts.get((tick, *key)) if tick <= as_of else None) for tick in ticks)
        return tuple(
            0 if fact is None or fact[0] > as_of else self._state(row, family, fact) for fact in found
        )

    def _state(self, row: int, family: Family, fact: tuple[int, ...]) -> int:
        _, *more, met_ = fact
        states, cells = self._chain.states, self._cells[row]
        for number, state in enumerate(states):
            possible = self._possible[number]
            if not met_ >> family.series.index(state.series) & 1 or (possible and not possible[row]):
                continue
            beyond = zip(state.series.key, state.key, strict=True)
            if all(
                more[family.more.index(place)] == cells[name]
                for place, name in beyond
                if place not in self._chain.places
            ):
                return number + 1
        return len(states) + 1


def _rates(known: Known, chain: Chain, asked: Asked, cells: Sequence[Cells]) -> list[Rates]:
    """The rates of a chain for each answer: worked out once for each key and epoch, and kept."""
    names = chain.variables
    epochs = known.odds.epochs(asked.as_of).tolist()
    wanted = [(epoch, *(own[name] for name in names)) for own, epoch in zip(cells, epochs, strict=True)]
    kept = known.odds.kept(chain)
    new = [key for key in dict.fromkeys(wanted) if key not in kept]
    if new:
        columns: list[Column] = [np.array(column, np.int64) for column in zip(*new, strict=True)]
        keys = Keys(dict(zip(names, columns[1:], strict=True)), len(new), known.sightings.values)
        odds = known.odds(chain, keys, columns[0])
        kept.update((key, odds.rates(row)) for row, key in enumerate(new))
    return [kept[key] for key in wanted]


def _twins(chains: Sequence[Chain], keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """For each chain the first one that has the same facts."""
    return tuple(
        next(
            other
            for other in range(number + 1)
            if other == number or (keys[other] == keys[number] and alike(chain, chains[other]))
        )
        for number, chain in enumerate(chains)
    )
