"""Atoms of relations that rest on their own negation in the past, decided level by level.

    Off(T+1) :- Press(T+1), not Off(T).

Whether `Off(5)` is true rests on `Off(4)`, and so on down to what is decided for good. All atoms that are
asked for, and those they rest on, get numbers. As they rest on atoms of lower levels only, all of a level
are decided at once: first Off(4), then Off(5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.joins import find_rows, spread
from antelog.engine.columns.tables import NEVER, Column, Mask, distinct, groups, keys_of, marked
from antelog.engine.step.decided import ALWAYS
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge, Truth, atoms_of
from antelog.engine.step.literals import ASKED, AskedKind
from antelog.engine.step.ranges import AtomsByTick, TickTruths
from antelog.engine.step.rows import time_column


class Closure:
    """Atoms of relations in a cycle, those they rest on, and the derivations of all of these."""

    def __init__(self, known: Knowledge, atoms: Atoms) -> None:
        self.relations = known.rules.cycles[atoms.relation]
        self._known = known
        self._numbered = {name: _Numbered([], []) for name in self.relations}
        self._count = 0
        self._waiting = {atoms.relation: [atoms]}
        self._derived: list[Derived] = []
        self._inner: list[list[tuple[AskedKind, tuple[_Sought, ...]]]] = []

    def fresh(self) -> Atoms | None:
        """Atoms of a relation whose derivations are to be added: neither decided nor numbered before."""
        while self._waiting:
            name, parts = self._waiting.popitem()
            new = self._numbered[name].unknown(_undecided(self._known, name, parts))
            if new.count:
                self._numbered[name].add(new, self._count)
                self._count += new.count
                return new
        return None

    def add(self, atoms: Atoms, found: Derivations) -> None:
        """Adds derivations of fresh atoms; the atoms that these rest on wait to be asked for."""
        known, rows, prepared = self._known, found.rows, found.prepared
        facts, inner, outer = len(prepared.facts), [], [*range(len(prepared.facts))]
        for i, literal in enumerate(prepared.asked, facts):
            if not self.relations.isdisjoint(literal.relations) and literal.variables <= rows.bound.keys():
                asked = tuple(_Sought.of(atoms_of(each, rows, known.values)) for each in literal.references)
                inner.append((ASKED[type(literal.node)], asked))
                for each in asked:
                    self._waiting.setdefault(each.atoms.relation, []).append(each.atoms)
            else:
                outer.append(i)
        level = known.rules.relations[atoms.relation].level
        holds, late = found.holds[outer], np.broadcast_to(found.seen, rows.count)
        self._derived.append(
            Derived(
                atom=found.owner + self._numbered[atoms.relation].first[-1],
                level=time_column(prepared.pattern.time, rows) + level.shift,
                rank=np.full(rows.count, level.rank),
                complete=holds.max(axis=0, initial=-1),
                failed=found.failed,
                decided=np.where(holds > late, found.decided[outer], -1).max(axis=0, initial=-1),
                as_of=late,
            )
        )
        self._inner.append(inner)

    def truth(self, atoms: Atoms) -> Truth:
        """The truth of some of the atoms, when the derivations of all are there."""
        known = self._known
        when = [known.decided[name].when for name in sorted(self.relations)]
        recalled = Recalled(self._count, distinct(np.concatenate([[ALWAYS], *when])))
        numbers = _Numbering(known, self._numbered, recalled)
        derived = [
            replace(
                each,
                rests=tuple(Rest(kind, tuple(a.numbered(numbers) for a in asked)) for kind, asked in inner),
            )
            for each, inner in zip(self._derived, self._inner, strict=True)
        ]
        at = numbers.of(atoms)
        return Truth(*(column[at] for column in decide(recalled, derived)))


def _undecided(known: Knowledge, name: str, parts: Sequence[Atoms]) -> Atoms:
    """The atoms that have to be worked out: what is decided is remembered."""
    whole = _together(parts)
    return whole.take(marked(whole.time > known.decided[name].until))


def _together(parts: Sequence[Atoms]) -> Atoms:
    """Atoms of one relation, one table after the other."""
    if len(parts) == 1:
        return parts[0]
    as_of = [part.as_of for part in parts if part.as_of is not None]
    return Atoms(
        parts[0].relation,
        tuple(np.concatenate(columns) for columns in zip(*(part.arguments for part in parts), strict=True)),
        np.concatenate([part.time for part in parts]),
        as_of=np.concatenate(as_of) if as_of else None,
    )


@dataclass(frozen=True)
class _Numbered:
    """Atoms of a relation that have numbers: their tables, and the number of the first of each."""

    tables: list[Atoms]
    first: list[int]

    def add(self, atoms: Atoms, first: int) -> None:
        self.tables.append(atoms)
        self.first.append(first)

    def unknown(self, atoms: Atoms) -> Atoms:
        """The atoms that have no number yet, each once."""
        (key,) = keys_of([atoms.columns])
        once = atoms.take(groups(key).first)
        return once.take(np.flatnonzero(self.numbers(once) < 0))

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
class _Sought:
    """The atoms that rows ask for: one a row, or `counts` of them side by side."""

    atoms: Atoms
    counts: Column | None = None

    @classmethod
    def of(cls, atoms: Atoms) -> _Sought:
        if atoms.last is None:
            return cls(atoms)
        each = AtomsByTick.of(atoms)
        return cls(each.atoms, each.counts)

    def numbered(self, numbers: _Numbering) -> AtomNumbers:
        return AtomNumbers(numbers.of(self.atoms), self.counts)


@dataclass(frozen=True)
class _Numbering:
    """The numbers of all atoms: those still to be decided, and those that are already."""

    known: Knowledge
    numbered: Mapping[str, _Numbered]
    recalled: Recalled

    def of(self, atoms: Atoms) -> Column:
        decided, numbers = self.known.decided[atoms.relation], self.numbered[atoms.relation].numbers(atoms)
        known = atoms.time <= decided.until
        found = decided.lookup(
            [column[known] for column in atoms.arguments if column is not None], atoms.time[known]
        )
        numbers[known] = self.recalled.numbers(*found)
        return numbers


# ---- levels ----


@dataclass(frozen=True)
class Recalled:
    """Numbers of atoms that are decided already: two for each tick, from the `first` on."""

    first: int
    ticks: Column

    def numbers(self, true: Mask, when: Column) -> Column:
        """The numbers of atoms that are true, or else false, from some ticks on."""
        numbers: Column = self.first + 2 * np.searchsorted(self.ticks, when) + true
        return numbers


@dataclass(frozen=True, eq=False)
class AtomNumbers:
    """The numbers of the atoms that rows ask for: one a row, or `counts` of them side by side."""

    numbers: Column
    counts: Column | None = None

    def truth(self, known: Truth, row: Column) -> TickTruths:
        """For some rows the truth of their atoms."""
        if self.counts is None:
            return TickTruths(Truth(*(column.take(self.numbers.take(row)) for column in known)))
        counts = self.counts.take(row)
        _, place = spread((np.cumsum(self.counts) - self.counts).take(row), counts)
        return TickTruths(Truth(*(column.take(self.numbers.take(place)) for column in known)), counts)


@dataclass(frozen=True, eq=False)
class Rest:
    """An asked literal of derivations: its kind, and the atoms it asks for."""

    kind: AskedKind
    atoms: tuple[AtomNumbers, ...]


@dataclass(frozen=True, eq=False)
class Derived:
    """Derivations of atoms: when their other literals are all true, when one is false; their asked literals.

    `level` and `rank` are those of the derived atom. `as_of` is the tick as of which they are seen.
    """

    atom: Column
    level: Column
    rank: Column
    complete: Column
    failed: Column
    decided: Column
    as_of: Column
    rests: tuple[Rest, ...] = ()


def decide(recalled: Recalled, derived: Sequence[Derived]) -> Truth:
    """The truth of all atoms."""
    first, count = recalled.first, recalled.first + 2 * len(recalled.ticks)
    true_at, false_at, decided = (np.full(count, tick, np.int64) for tick in (NEVER, -1, -1))
    false_at[first::2], false_at[first + 1 :: 2] = recalled.ticks, NEVER
    true_at[first + 1 :: 2] = recalled.ticks
    for block, row in _by_level(derived):
        each = derived[block]
        atom, then = each.atom[row], each.as_of[row]
        complete, failed, last = each.complete[row], each.failed[row], each.decided[row]
        for rest in each.rests:
            known = Truth(true_at, false_at, decided)
            found = rest.kind.truth([atoms.truth(known, row) for atoms in rest.atoms])
            complete, failed = np.maximum(complete, found.true_at), np.minimum(failed, found.false_at)
            last = np.maximum(last, np.where(found.true_at > then, found.decided, -1))
        np.minimum.at(true_at, atom, complete)
        np.maximum.at(false_at, atom, failed)
        np.maximum.at(decided, atom, np.where(failed > then, last, -1))
        false_at[atom[true_at[atom] < NEVER]] = NEVER
    return Truth(true_at, false_at, decided)


def _by_level(derived: Sequence[Derived]) -> list[tuple[int, Column]]:
    """The derivations by level and rank: of which block each, and which of its rows."""
    if not derived:
        return []
    level, rank = (np.concatenate([getattr(d, name) for d in derived]) for name in ("level", "rank"))
    sizes = [len(d.atom) for d in derived]
    block = np.repeat(np.arange(len(derived)), sizes)
    row = np.concatenate([np.arange(size) for size in sizes])
    order = np.lexsort((block, rank, level))
    level, rank, block, row = (column[order] for column in (level, rank, block, row))
    fresh = (level[1:] != level[:-1]) | (rank[1:] != rank[:-1]) | (block[1:] != block[:-1])
    starts = np.flatnonzero(np.r_[len(order) > 0, fresh])
    return [
        (int(block[part[0]]), row[part]) for part in np.split(np.arange(len(order)), starts[1:]) if len(part)
    ]
