"""Atoms of relations that rest on their own negation in the past, decided level by level.

    Off(T+1) :- Press(T+1), not Off(T).

Whether `Off(5)` is true rests on `Off(4)`, and so on down to what is decided for good. All atoms that are
asked for, and those they rest on, get numbers. As they rest on atoms of lower levels only, all of a level
are decided at once: first Off(4), then Off(5).

    Alarm(X, T) :- Fail(X, E, T), count(Alarm(X, T-60..T-1)) < 3.

So it is with aggregates: see the end of `cycle_numbers`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from antelog.compile.literals import Aggregation, Last
from antelog.compile.literals.literal import AskedLiteral
from antelog.compile.literals.terms import variables_in
from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import NEVER, Column, changed, distinct, marked, sorting
from antelog.engine.step.cycle_numbers import (
    AggregationOfCycle,
    AtomForm,
    FoundAtoms,
    NumberedAtoms,
    Numbering,
    Recalled,
)
from antelog.engine.step.decided import ALWAYS
from antelog.engine.step.derivations import (
    Atoms,
    Derivations,
    Knowledge,
    Truth,
    answer_time,
    atoms_of,
    given_since,
)
from antelog.engine.step.literals import ASKED, AskedKind
from antelog.engine.step.members import AskedAtoms, Candidates
from antelog.engine.step.ranges import TickTruths, atoms_by_tick, fails_by_members, settled_as_of
from antelog.engine.step.rows import term_column


class Closure:
    """Atoms of relations in a cycle, those they rest on, and the derivations of all of these."""

    def __init__(self, known: Knowledge, atoms: Atoms) -> None:
        self.relations = known.rules.cycles[atoms.relation]
        self._known = known
        self._numbered: dict[AtomForm, NumberedAtoms] = defaultdict(NumberedAtoms)
        self._found: dict[AtomForm, list[FoundAtoms]] = defaultdict(list)
        self._count = 0
        self._waiting: dict[AtomForm, list[Atoms]] = {}
        self._derived: list[Derived] = []
        self._inner: list[list[RestsOnCycle]] = []
        self._ask(atoms)

    def _ask(self, atoms: Atoms) -> None:
        self._waiting.setdefault(AtomForm.of(atoms), []).append(atoms)

    def fresh(self) -> Atoms | None:
        """Atoms of a relation whose derivations are to be added: neither decided nor numbered before."""
        while self._waiting:
            form, parts = self._waiting.popitem()
            new = self._numbered[form].unknown(_undecided(self._known, form, parts))
            if new.count:
                self._numbered[form].add(new, self._count)
                self._count += new.count
                return new
        return None

    def add(self, atoms: Atoms, found: Derivations) -> None:
        """Adds derivations of fresh atoms; the atoms that these rest on wait to be asked for."""
        known, prepared, form = self._known, found.prepared, AtomForm.of(atoms)
        first = self._numbered[form].first[-1]
        if not form.whole:
            found = found if atoms.as_of is None else found.take(given_since(found, atoms) <= found.seen)
            if prepared.pattern.answered <= found.rows.bound.keys():
                answers = _answers(known, atoms, found)
                self._found[form].append(FoundAtoms(found.owner + first, answers))
                self._ask(answers)
                return
        rows, facts = found.rows, len(prepared.facts)
        inner, outer, own = list[RestsOnCycle](), [*range(facts)], list[AskedLiteral]()
        for i, literal in enumerate(prepared.asked, facts):
            needed = variables_in(literal.node.times) if literal.node.has_amount else literal.variables
            if self.relations.isdisjoint(literal.relations) or not literal.variables <= rows.bound.keys():
                outer.append(i)
            if not self.relations.isdisjoint(literal.relations) and needed <= rows.bound.keys():
                own.append(literal)
        # Nobody asks when a literal became true or false before all others of its row are true.
        complete = found.holds[outer].max(axis=0, initial=-1)
        since = complete if rows.as_of is None else rows.as_of
        for literal in own:
            node = literal.node
            if isinstance(node, Aggregation):
                is_open = not literal.variables <= rows.bound.keys()
                told = not is_open and (rows.as_of is not None or fails_by_members(node))
                inner.append(AggregationOfCycle.of(node, rows, known, since if told else None))
            else:
                told = not isinstance(node, Last)
                parts = (atoms_of(each, rows, known.values) for each in literal.references)
                asked = tuple(AskedOfCycle.of(known, each, since if told else None) for each in parts)
                inner.append(LiteralOfCycle(ASKED[type(node)], asked))
        for asking in inner:
            for each in asking.atoms:
                self._ask(each)
        holds, late = found.holds[outer], np.broadcast_to(found.seen, rows.count)
        level, rank = _level(known, atoms, found)
        self._derived.append(
            Derived(
                atom=found.owner + first,
                level=level,
                rank=rank,
                complete=complete,
                failed=found.failed,
                decided=np.where(holds > late, found.decided[outer], -1).max(axis=0, initial=-1),
                as_of=late,
            )
        )
        self._inner.append(inner)

    def truth(self, atoms: Atoms) -> Truth:
        """The truth of some of the atoms, when the derivations of all are there."""
        numbers, found = self._decided()
        at = numbers.of(atoms)
        return Truth(*(column[at] for column in found))

    def members(self, asked: AskedAtoms) -> tuple[Candidates, Truth]:
        """The members that an aggregate may have, when the derivations of all are there."""
        numbers, found = self._decided()
        return numbers.members(asked).decided(found)

    def _decided(self) -> tuple[Numbering, Truth]:
        known = self._known
        when = [known.decided[name].when for name in sorted(self.relations)]
        ticks = distinct(np.concatenate([[ALWAYS], *when]))
        recalled = Recalled(self._count, ticks, known.memo.through_time.get(self.relations, {}))
        numbers = Numbering(known, self._numbered, self._found, recalled)
        derived = [
            replace(each, rests=tuple(asked.numbered(numbers) for asked in inner))
            for each, inner in zip(self._derived, self._inner, strict=True)
        ]
        return numbers, decide(recalled, derived)


def _undecided(known: Knowledge, form: AtomForm, parts: Sequence[Atoms]) -> Atoms:
    """The atoms that have to be worked out: what is decided is remembered."""
    atoms = Atoms.and_then(*parts)
    decided = known.decided.get(form.relation)
    new = np.ones(atoms.count, np.bool_) if decided is None else atoms.time > decided.until
    found = known.memo.through_time.get(known.rules.cycles.get(form.relation, frozenset()), {}).get(
        form.relation
    )
    if found is not None and form.whole:
        new &= found.places(atoms, known.rules.relations[form.relation].bounds.delay) < 0
    return atoms.take(marked(new))


def _answers(known: Knowledge, asked: Atoms, found: Derivations) -> Atoms:
    """The atoms that derivations are about, of which some arguments were left open."""
    cells = (term_column(term, found.rows, known.values) for term in found.prepared.pattern.answer)
    as_of = None if asked.as_of is None else asked.as_of.take(found.owner)
    return Atoms(asked.relation, tuple(cells), answer_time(found), None, as_of)


def _level(known: Knowledge, atoms: Atoms, found: Derivations) -> tuple[Column, Column]:
    """The level and rank of derived atoms; those outside of the cycle are below all in it."""
    count = found.rows.count
    if atoms.relation not in known.rules.cycles:
        return np.full(count, _BELOW), np.zeros(count, np.int64)
    level = known.rules.relations[atoms.relation].level
    return answer_time(found) + level.shift, np.full(count, level.rank)


_BELOW = np.int64(-(2**62))


# ---- levels ----


@dataclass(frozen=True, eq=False)
class AskedOfCycle:
    """Atoms that rows ask for, one a row or `counts` of them side by side; later their `numbers`."""

    atoms: Atoms
    counts: Column | None = None
    numbers: Column | None = None

    @classmethod
    def of(cls, known: Knowledge, atoms: Atoms, since: Column | None) -> Self:
        if atoms.last is None:
            return cls(settled_as_of(known, atoms))
        each = atoms_by_tick(known, atoms, since)
        return cls(each.atoms, each.counts)

    @cached_property
    def _starts(self) -> Column:
        assert self.counts is not None
        starts: Column = np.cumsum(self.counts) - self.counts
        return starts

    @property
    def by_row(self) -> tuple[Column, Column]:
        """The row that each atom is asked for, and the number of it."""
        assert self.numbers is not None
        row = np.arange(len(self.numbers if self.counts is None else self.counts))
        return row if self.counts is None else np.repeat(row, self.counts), self.numbers

    def truth(self, known: Truth, row: Column) -> TickTruths:
        """For some rows the truth of their atoms."""
        assert self.numbers is not None
        place, counts = row, None
        if self.counts is not None:
            counts = self.counts.take(row)
            _, place = spread(self._starts.take(row), counts)
        return TickTruths(Truth(*(column.take(self.numbers.take(place)) for column in known)), counts)


@dataclass(frozen=True, eq=False)
class LiteralOfCycle:
    """An asked literal of derivations, which rests on the atoms it asks for."""

    kind: AskedKind
    asked: tuple[AskedOfCycle, ...]

    @property
    def atoms(self) -> Sequence[Atoms]:
        return [each.atoms for each in self.asked]

    def numbered(self, numbers: Numbering) -> LiteralOfCycle:
        found = (replace(each, numbers=numbers.of(each.atoms)) for each in self.asked)
        return LiteralOfCycle(self.kind, tuple(found))

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        return [each.by_row for each in self.asked]

    def truth(self, known: Truth, row: Column) -> Truth:
        return self.kind([each.truth(known, row) for each in self.asked])


RestsOnCycle: TypeAlias = LiteralOfCycle | AggregationOfCycle


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
    rests: tuple[RestsOnCycle, ...] = ()


def decide(recalled: Recalled, derived: Sequence[Derived]) -> Truth:
    """The truth of all atoms."""
    true_at, false_at, decided = recalled.truth
    for block, row in _in_rounds(derived, len(true_at)):
        each = derived[block]
        atom, then = each.atom[row], each.as_of[row]
        complete, failed, last = each.complete[row], each.failed[row], each.decided[row]
        for rest in each.rests:
            known = Truth(true_at, false_at, decided)
            found = rest.truth(known, row)
            complete, failed = np.maximum(complete, found.true_at), np.minimum(failed, found.false_at)
            last = np.maximum(last, np.where(found.true_at > then, found.decided, -1))
        np.minimum.at(true_at, atom, complete)
        np.maximum.at(false_at, atom, failed)
        np.maximum.at(decided, atom, np.where(failed > then, last, -1))
        false_at[atom[true_at[atom] < NEVER]] = NEVER
    return Truth(true_at, false_at, decided)


def _in_rounds(derived: Sequence[Derived], count: int) -> list[tuple[int, Column]]:
    """The derivations in rounds: of which block each, and which of its rows.

    Those of a round rest on atoms of earlier rounds only. They may be of many levels: what is true of one
    card at tick 7 has nothing to do with what was true of another at tick 6.
    """
    if not derived:
        return []
    level, rank = (np.concatenate([getattr(d, name) for d in derived]) for name in ("level", "rank"))
    sizes = [len(d.atom) for d in derived]
    block = np.repeat(np.arange(len(derived)), sizes)
    row = np.concatenate([np.arange(size) for size in sizes])
    order = np.lexsort((block, rank, level))
    number = _rounds(derived, order, count).take(order)
    order = order.take(np.lexsort((block.take(order), number)))
    number.sort()
    block, row = block.take(order), row.take(order)
    starts = marked(changed(number) | changed(block))
    return [
        (int(block[part[0]]), row[part]) for part in np.split(np.arange(len(order)), starts[1:]) if len(part)
    ]


def _rounds(derived: Sequence[Derived], order: Column, count: int) -> Column:
    """For each derivation its round: the one after those of all the atoms it rests on.

    They are gone through in `order`, in which each comes after all derivations of these.
    """
    ends = np.cumsum([len(each.atom) for each in derived])
    asked = [
        (rows + (end - len(each.atom)), numbers)
        for each, end in zip(derived, ends.tolist(), strict=True)
        for rest in each.rests
        for rows, numbers in rest.by_row
    ]
    nothing = np.zeros(0, np.int64)
    asking, numbers = (
        np.concatenate([nothing, *each]) for each in zip((nothing, nothing), *asked, strict=True)
    )
    by_row = sorting(asking)
    sought = numbers.take(by_row).tolist()
    until = np.cumsum(np.bincount(asking, minlength=len(order))).tolist()
    atom = np.concatenate([each.atom for each in derived]).tolist()
    rounds, of_atom = [0] * len(order), [0] * count
    for at in order.tolist():
        start = until[at - 1] if at else 0
        mine = 1 + max([of_atom[each] for each in sought[start : until[at]]], default=-1)
        rounds[at] = mine
        of_atom[atom[at]] = max(of_atom[atom[at]], mine)
    return np.array(rounds, np.int64)
