"""Numbers for the atoms of a cycle that are looked at together, and for those decided before.

Off(a, 4), Off(a, 5)     0 and 1
Off(a, 3)                decided, and true: it shares a number with all that are true since the same tick
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from antelog.compile.literals import Aggregation
from antelog.engine.columns.joins import find_rows, pairs, spread
from antelog.engine.columns.tables import NEVER, Column, Mask, groups, keys_of, marked, sorting
from antelog.engine.step.derivations import Atoms, FoundTruths, Knowledge, Truth, atoms_of
from antelog.engine.step.members import AskedAtoms, Candidates, Ones, Resting, members
from antelog.engine.step.rows import Rows
from antelog.engine.step.window_amounts import truth_of
from antelog.engine.values.values import Values


class AtomForm(NamedTuple):
    """The form of atoms: those of one form have the same columns."""

    relation: str
    given: tuple[bool, ...]
    ranged: bool

    @classmethod
    def of(cls, atoms: Atoms) -> AtomForm:
        return cls(atoms.relation, tuple(a is not None for a in atoms.arguments), atoms.last is not None)

    @property
    def whole(self) -> bool:
        """Whether each is one atom."""
        return not self.ranged and all(self.given)


@dataclass(frozen=True)
class NumberedAtoms:
    """Atoms of one form that have numbers: their tables, and the number of the first of each."""

    tables: list[Atoms] = field(default_factory=list)
    first: list[int] = field(default_factory=list)

    def add(self, atoms: Atoms, first: int) -> None:
        self.tables.append(atoms)
        self.first.append(first)

    def unknown(self, atoms: Atoms) -> Atoms:
        """The atoms that have no number yet, each once."""
        (key,) = keys_of([atoms.columns])
        once = atoms.take(groups(key).first)
        return once.take(marked(self.numbers(once) < 0))

    def numbers(self, atoms: Atoms) -> Column:
        if not self.tables:
            return np.full(atoms.count, -1, np.int64)
        mine = [np.concatenate(columns) for columns in zip(*(t.columns for t in self.tables), strict=True)]
        number = np.concatenate(
            [np.arange(t.count) + first for t, first in zip(self.tables, self.first, strict=True)]
        )
        at = find_rows(atoms.columns, mine)
        return np.where(at >= 0, number[at], -1)


@dataclass(frozen=True, eq=False)
class FoundAtoms:
    """Atoms found for others of which some arguments are open: the number of that, for each."""

    number: Column
    atoms: Atoms


@dataclass(frozen=True, eq=False)
class NumberedMembers:
    """Atoms that may be members of an aggregate, in the order of their owners, and their numbers.

    `open` has the number of each atom that is asked for, as long as others may come for it; else -1. Those
    come `one_a_tick`, where slots allow no more.
    """

    asked: AskedAtoms
    open: Column
    owner: Column
    cells: tuple[Column, ...]
    time: Column
    number: Column
    one_a_tick: bool = False

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        """The numbers of all these atoms, with the row that each is asked for."""
        asked = marked(self.open >= 0)
        row = self.asked.row
        return (row.take(self.owner), self.number), (row.take(asked), self.open.take(asked))

    def for_rows(self, row: Column) -> NumberedMembers:
        """The members of some rows, which are counted anew."""
        which, at = _places(self.asked.row, row)
        owner, place = _places(self.owner, at)
        return NumberedMembers(
            AskedAtoms(self.asked.atoms.take(at), which, self.asked.single),
            self.open.take(at),
            owner,
            tuple(column.take(place) for column in self.cells),
            self.time.take(place),
            self.number.take(place),
            self.one_a_tick,
        )

    def decided(self, known: Truth) -> tuple[Candidates, Truth]:
        """Candidates with the truth of each, and until when others may come."""
        truth = Truth(*(column.take(self.number) for column in known))
        is_open = self.open >= 0
        open_until, decided = (
            np.where(is_open, column.take(self.open), -1) for column in (known.false_at, known.decided)
        )
        every, own = np.arange(len(self.open)), np.arange(len(self.owner))
        resting = Resting(
            np.concatenate([self.owner, every]),
            np.concatenate([own, np.full(len(every), np.int64(-1))]),
            np.concatenate([truth.decided, decided]),
        )
        ones = marked(is_open) if self.one_a_tick else every[:0]
        any_until = np.full_like(open_until, -1) if self.one_a_tick else open_until
        found = Candidates(
            *(self.asked, self.owner, self.cells, self.time, truth.true_at, any_until),
            *(Ones(ones, open_until.take(ones)), resting),
        )
        return found, truth


def _places(ordered: Column, sought: Column) -> tuple[Column, Column]:
    """The places of numbers in a column that is in order, and which of the numbers each has."""
    first = np.searchsorted(ordered, sought)
    return spread(first, np.searchsorted(ordered, sought, "right") - first)


@dataclass(frozen=True)
class Recalled:
    """Numbers of atoms that are decided already: two for each tick, from the `first` on; then one for each
    that was found out earlier in the step."""

    first: int
    ticks: Column
    found: Mapping[str, FoundTruths] = field(default_factory=dict)

    def numbers(self, true: Mask, when: Column) -> Column:
        """The numbers of atoms that are true, or else false, from some ticks on."""
        numbers: Column = self.first + 2 * np.searchsorted(self.ticks, when) + true
        return numbers

    def first_of(self, relation: str) -> int:
        """The number of the first atom of a relation that was found out earlier."""
        before = takewhile(lambda name: name != relation, self.found)
        return self.first + 2 * len(self.ticks) + sum(self.found[name].atoms.count for name in before)

    @property
    def truth(self) -> Truth:
        """The truth of all atoms, as far as it is known."""
        first, count = self.first, self.first + 2 * len(self.ticks)
        true_at, false_at, decided = (np.full(count, tick, np.int64) for tick in (NEVER, -1, -1))
        false_at[first::2], false_at[first + 1 :: 2] = self.ticks, NEVER
        true_at[first + 1 :: 2] = self.ticks
        parts = [Truth(true_at, false_at, decided), *(each.truth for each in self.found.values())]
        return Truth(*map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class Numbering:
    """The numbers of all atoms: those still to be decided, and those that are already."""

    known: Knowledge
    numbered: Mapping[AtomForm, NumberedAtoms]
    found: Mapping[AtomForm, Sequence[FoundAtoms]]
    recalled: Recalled

    def of(self, atoms: Atoms) -> Column:
        """The number of each atom; -1 for those with open arguments that are decided."""
        form = AtomForm.of(atoms)
        numbers = self.numbered[form].numbers(atoms)
        decided = self.known.decided.get(atoms.relation)
        if decided is not None and form.whole:
            before = atoms.time <= decided.until
            arguments = [column[before] for column in atoms.arguments if column is not None]
            numbers[before] = self.recalled.numbers(*decided.lookup(arguments, atoms.time[before]))
        found = self.recalled.found.get(atoms.relation)
        if found is not None and form.whole:
            at = found.places(atoms, self.known.rules.relations[atoms.relation].bounds.delay)
            numbers = np.where(
                (numbers < 0) & (at >= 0), self.recalled.first_of(atoms.relation) + at, numbers
            )
        return numbers

    def members(self, asked: AskedAtoms) -> NumberedMembers:
        """The atoms that may be members of an aggregate, with their numbers."""
        atoms, number = asked.atoms, self.of(asked.atoms)
        if AtomForm.of(atoms).whole:
            given = tuple(column for column in atoms.arguments if column is not None)
            none = np.full(atoms.count, -1)
            return NumberedMembers(asked, none, np.arange(atoms.count), given, atoms.time, number)
        parts = [*self._found(atoms, number), *self._recalled(atoms)]
        owner, *cells, time, found = map(np.concatenate, zip(*parts, strict=True))
        (key,) = keys_of([[owner, *cells, time]])
        once, patterns = groups(key).first, self.known.rules.patterns[atoms.relation]
        once = once.take(sorting(owner.take(once)))
        return NumberedMembers(
            asked,
            number,
            owner.take(once),
            tuple(column.take(once) for column in cells),
            time.take(once),
            found.take(once),
            len(patterns) == 1 and patterns[0].one_a_tick(atoms.given),
        )

    def _found(self, atoms: Atoms, number: Column) -> list[list[Column]]:
        """The atoms found for those that have numbers: which of these, their cells, times and numbers."""
        parts = [[np.zeros(0, np.int64)] * (len(atoms.arguments) + 3)]
        for each in self.found.get(AtomForm.of(atoms), ()):
            here, there = pairs(number, each.number)
            found = each.atoms.take(there)
            cells = [column for column in found.arguments if column is not None]
            parts.append([here, *cells, found.time, self.of(found)])
        return parts

    def _recalled(self, atoms: Atoms) -> list[list[Column]]:
        """Members among the decided atoms, which are remembered if they are true."""
        decided = self.known.decided.get(atoms.relation)
        if decided is None:
            return []
        before, kept = marked(atoms.time <= decided.until), decided.take(decided.true)
        given = [place for place, column in enumerate(atoms.arguments) if column is not None]
        sought = [column.take(before) for column in atoms.arguments if column is not None]
        there = [kept.columns[place] for place in given]
        here, at = pairs(*keys_of([[*sought, atoms.time.take(before)], [*there, kept.ticks]]))
        number = self.recalled.numbers(kept.true, kept.when).take(at)
        return [[before.take(here), *(c.take(at) for c in kept.columns), kept.ticks.take(at), number]]


# ---- aggregates ----
#
#   Alarm(X, E, T) :- Fail(X, E, T), count(Alarm(X, _, T-60..T-1)) < 3.
#
# Alarm(wt2, E, 5) with any E has a number, too, for until when one that nobody knows yet may come. That rests
# on the alarms before it as well: after three of them none can come.


@dataclass(frozen=True, eq=False)
class AggregationOfCycle:
    """An aggregate in derivations, which rests on atoms; `members` are these once they have numbers."""

    node: Aggregation
    rows: Rows
    values: Values
    asked: tuple[AskedAtoms, ...]
    members: tuple[NumberedMembers, ...] = ()

    @classmethod
    def of(cls, node: Aggregation, rows: Rows, known: Knowledge, since: Column | None) -> AggregationOfCycle:
        names = sorted(node.variables & rows.bound.keys())
        some = Rows({name: rows.bound[name] for name in names}, rows.count, as_of=rows.as_of)
        aggregates = (each.with_any(some.bound.keys()) for each in node.aggregates)
        asked = (
            AskedAtoms.of(known, each, atoms_of(each.inside.reference, rows, known.values), since)
            for each in aggregates
        )
        return cls(node, some, known.values, tuple(asked))

    @property
    def atoms(self) -> Sequence[Atoms]:
        return [each.atoms for each in self.asked]

    def numbered(self, numbers: Numbering) -> AggregationOfCycle:
        return replace(self, members=tuple(numbers.members(each) for each in self.asked))

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        return [pair for each in self.members for pair in each.by_row]

    def truth(self, known: Truth, row: Column) -> Truth:
        """Its truth in some rows, once the atoms of all lower levels are known."""
        node, rows = self.node, self.rows.take(row)
        found = [
            members(
                aggregate.with_any(rows.bound.keys()), *each.for_rows(row).decided(known), rows, self.values
            )
            for aggregate, each in zip(node.aggregates, self.members, strict=True)
        ]
        truth = truth_of(node, found, rows, self.values)
        # By when one with open variables is decided has been found out where it waits for them.
        is_open = not node.variables <= rows.bound.keys()
        return truth._replace(decided=np.full_like(row, -1)) if is_open else truth
