"""Atoms of relations that rest on their own negation in the past, decided level by level.

    Off(T+1) :- Press(T+1), not Off(T).

Whether `Off(5)` is true rests on `Off(4)`, and so on down to what is settled for good. All atoms
that are asked for, and those they rest on, get numbers; then each level is decided at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Column, distinct, find_rows, groups, keys_of
from antelog.engine.matching.rows import time_column
from antelog.engine.truth.atoms import Judge, Table, Truth, asked_atoms, derived, looked_at
from antelog.engine.truth.derivations import Derivations
from antelog.engine.truth.levels import FALSE, FIRST, Recalled, Rests, decide
from antelog.engine.truth.settled import ALWAYS


def through_time(judge: Judge, name: str, wanted: Table) -> Truth:
    """What becomes of atoms of a relation that rests on its own negation."""
    cycle = judge.known.rules.cycles[name]
    numbered = {each: _Numbered([], []) for each in cycle}
    count = FIRST
    found: list[_Found] = []
    waiting = {name: [wanted]}
    while waiting:
        relation, parts = waiting.popitem()
        fresh = numbered[relation].unknown(_unsettled(judge, relation, parts))
        if len(fresh[0]) == 0:
            continue
        numbered[relation].add(fresh, count)
        for derivations, at in derived(judge, relation, fresh, cycle):
            found.append(_Found(relation, derivations, at + count))
            for negation in derivations.prepared.asked:
                reference = negation.references[0]
                if reference.name in cycle and negation.variables <= derivations.rows.bound.keys():
                    asked = asked_atoms(reference, derivations.rows, judge.known.values)
                    waiting.setdefault(reference.name, []).append(asked)
        count += len(fresh[0])
    when = [judge.settled[each].when for each in sorted(cycle)]
    numbers = _Numbers(judge, numbered, Recalled(count, distinct(np.concatenate([[ALWAYS], *when]))))
    decided = decide(numbers.recalled, _rests(judge, cycle, numbers, found))
    at = numbers.of(name, wanted)
    return Truth(*(column[at] for column in decided))


@dataclass(frozen=True, eq=False)
class _Found:
    """Derivations of atoms of a relation, with the numbers of these."""

    relation: str
    derivations: Derivations
    atom: Column


@dataclass(frozen=True)
class _Numbered:
    """Atoms that have numbers: their tables, and the number of the first of each."""

    tables: list[Table]
    first: list[int]

    def add(self, table: Table, first: int) -> None:
        self.tables.append(table)
        self.first.append(first)

    def unknown(self, table: Table) -> Table:
        """Those of a table that have no number yet, each once."""
        (key,) = keys_of([table])
        once = [column[groups(key).first] for column in table]
        new = self.numbers(once) < 0
        return [column[new] for column in once]

    def numbers(self, table: Table) -> Column:
        if not self.tables:
            return np.full(len(table[0]), -1, np.int64)
        mine = [np.concatenate(parts) for parts in zip(*self.tables, strict=True)]
        number = np.concatenate(
            [np.arange(len(t[0])) + first for t, first in zip(self.tables, self.first, strict=True)]
        )
        at = find_rows(table, mine)
        return np.where(at >= 0, number[at], -1)


@dataclass(frozen=True)
class _Numbers:
    """The numbers of all atoms: those to be decided, and those that are settled."""

    judge: Judge
    numbered: Mapping[str, _Numbered]
    recalled: Recalled

    def of(self, name: str, table: Table) -> Column:
        arity = len(self.judge.known.rules.relations[name].answer.variables)
        ticks, settled = table[arity], self.judge.settled[name]
        numbers = self.numbered[name].numbers(table)
        known = ticks <= settled.until
        found = settled.lookup([c[known] for c in table[:arity]], ticks[known])
        numbers[known] = self.recalled.numbers(*found)
        return numbers


def _unsettled(judge: Judge, name: str, parts: list[Table]) -> Table:
    """The atoms that have to be worked out: what is settled is remembered."""
    table = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    ticks = table[len(judge.known.rules.relations[name].answer.variables)]
    wanted = ticks > judge.settled[name].until
    return [column[wanted] for column in table]


def _rests(judge: Judge, cycle: frozenset[str], numbers: _Numbers, found: list[_Found]) -> Rests:
    """What the derivations rest on, as numbers of atoms."""
    width = max([1, *(len(each.derivations.prepared.asked) for each in found)])
    parts: list[tuple[Column, ...]] = []
    asks = [np.full((0, width), FALSE)]
    for each in found:
        rows, lines = each.derivations.rows, each.derivations
        level = judge.known.rules.relations[each.relation].level
        tick = time_column(lines.prepared.pattern.time, rows)
        late = np.broadcast_to(looked_at(lines), rows.count)
        outer = np.where(lines.holds > late, lines.settled, -1)
        within = np.full((rows.count, width), FALSE)
        complete, facts = lines.holds.copy(), len(lines.prepared.facts)
        for i, negation in enumerate(lines.prepared.asked):
            reference = negation.references[0]
            if reference.name in cycle and negation.variables <= rows.bound.keys():
                asked = asked_atoms(reference, rows, judge.known.values)
                within[:, i] = numbers.of(reference.name, asked)
                complete[facts + i], outer[facts + i] = -1, -1
        parts.append(
            (
                *(each.atom, tick + level.shift, np.full(rows.count, level.rank)),
                *(complete.max(axis=0, initial=-1), lines.failed, outer.max(axis=0, initial=-1), late),
            )
        )
        asks.append(within)
    if not parts:
        parts.append((np.zeros(0, np.int64),) * 7)
    atom, tick, rank, complete, failed, settled, as_of = map(np.concatenate, zip(*parts, strict=True))
    return Rests(atom, tick, rank, complete, failed, settled, as_of, np.concatenate(asks))
