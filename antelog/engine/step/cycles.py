"""Atoms of relations that rest on their own negation in the past, decided level by level.

    Off(T+1) :- Press(T+1), not Off(T).     Off(5) rests on Off(4), and so on down to what is decided for good

All that are asked for, and those they rest on, get numbers; those decided before share one for each tick
since when they are true, or false.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Self, TypeAlias

import numpy as np

from antelog.compile.literals import Aggregation, Last
from antelog.compile.literals.literal import AskedLiteral, AskedNode
from antelog.compile.literals.terms import variables_in
from antelog.compile.prepared.pattern import OpenEnd
from antelog.engine.columns import tables
from antelog.engine.columns.joins import find_rows, pairs
from antelog.engine.columns.tables import NEVER, Column, Mask, changed, groups, keys_of, marked, sorting
from antelog.engine.step.amounts import comparison
from antelog.engine.step.derivations import (
    ALWAYS,
    Atoms,
    Derivations,
    FoundTruths,
    Knowledge,
    Truth,
    answer_time,
    atoms_of,
    given_since,
)
from antelog.engine.step.literals import (
    ASKED,
    TickTruths,
    TrueAtoms,
    as_it_is,
    atoms_by_tick,
    fails_by_members,
    false_by_end,
    settled_as_of,
)
from antelog.engine.step.members import AskedAtoms, Candidates, Ones, Resting, members
from antelog.engine.step.pattern_rows import open_atoms
from antelog.engine.step.rows import Rows, key_of, places_of, term_column
from antelog.engine.values.values import Values

AtomForm: TypeAlias = tuple[str, frozenset[int], bool]  # a relation, the given arguments, whether ranged


def form_of(atoms: Atoms) -> AtomForm:
    return atoms.relation, atoms.given, atoms.last is not None


@dataclass(frozen=True, eq=False)
class NumberedAtoms(tables.ColumnSet):
    """Atoms of one form with numbers: their own, or those of the open atoms that they were found for."""

    atoms: Atoms
    number: Column

    def numbers(self, atoms: Atoms) -> Column:
        """The number of each of some atoms; -1 if it has none."""
        at = find_rows(atoms.columns, self.atoms.columns)
        return np.where(at >= 0, self.number[at], -1)


@dataclass(frozen=True, eq=False)
class NumberedMembers:
    """Atoms that may be members of an aggregate, by owner, and their numbers."""

    asked: AskedAtoms
    open: Column  # the number of each asked atom for which others may come, else -1
    owner: Column
    cells: tuple[Column, ...]
    time: Column
    number: Column
    one_a_tick: bool = False  # whether slots allow others one at each tick only

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        """The numbers of all these atoms, with the row that each is asked for."""
        asked = marked(self.open >= 0)
        row = self.asked.row
        return (row.take(self.owner), self.number), (row.take(asked), self.open.take(asked))

    def for_rows(self, row: Column) -> NumberedMembers:
        """The members of some rows, which are renumbered."""
        which, at = places_of(self.asked.row, row)
        owner, place = places_of(self.owner, at)
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
        truth = known.take(self.number)
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


@dataclass(frozen=True)
class Numbering:
    """The numbers of all atoms: those to be decided, those decided, and those found `earlier` in the step."""

    known: Knowledge
    numbered: Mapping[AtomForm, NumberedAtoms]
    found: Mapping[AtomForm, Sequence[NumberedAtoms]]
    first: int  # from here on decided atoms have two for each tick: false, and true, since then
    ticks: Column
    earlier: Mapping[str, FoundTruths]

    def of_decided(self, true: Mask, when: Column) -> Column:
        """The numbers of atoms that are true, or else false, from some ticks on."""
        return self.first + 2 * np.searchsorted(self.ticks, when) + true

    @property
    def truth(self) -> Truth:
        """The truth of all atoms, as far as it is known."""
        first, count = self.first, self.first + 2 * len(self.ticks)
        truth = Truth.of_nothing(count)
        truth.false_at[first::2], truth.false_at[first + 1 :: 2] = self.ticks, NEVER
        truth.true_at[first + 1 :: 2] = self.ticks
        parts = [truth, *(each.truth for each in self.earlier.values())]
        return Truth(*map(np.concatenate, zip(*parts, strict=True)))

    def of(self, atoms: Atoms) -> Column:
        """The number of each atom; -1 for those with open arguments that are decided."""
        numbered = self.numbered.get(form_of(atoms))
        numbers = np.full(atoms.count, -1, np.int64) if numbered is None else numbered.numbers(atoms)
        decided = self.known.decided.get(atoms.relation)
        if decided is not None and atoms.whole:
            before = atoms.time <= decided.until
            arguments = [column[before] for column in atoms.arguments if column is not None]
            numbers[before] = self.of_decided(*decided.lookup(arguments, atoms.time[before]))
        found = self.earlier.get(atoms.relation)
        if found is not None and atoms.whole:
            names = takewhile(lambda name: name != atoms.relation, self.earlier)
            first = self.first + 2 * len(self.ticks) + sum(self.earlier[name].atoms.count for name in names)
            at = found.places(atoms, self.known.rules.relations[atoms.relation].bounds.delay)
            numbers = np.where((numbers < 0) & (at >= 0), first + at, numbers)
        return numbers

    def members(self, asked: AskedAtoms) -> NumberedMembers:
        """The atoms that may be members of an aggregate, with their numbers."""
        atoms, number = asked.atoms, self.of(asked.atoms)
        if atoms.whole:
            given = tuple(column for column in atoms.arguments if column is not None)
            none = np.full(atoms.count, -1)
            return NumberedMembers(asked, none, np.arange(atoms.count), given, atoms.time, number)
        parts = [*self._found(atoms, number), *self._recalled(atoms)]
        owner, *cells, time, found = map(np.concatenate, zip(*parts, strict=True))
        once = groups(key_of([owner, *cells, time])).first
        patterns = self.known.rules.patterns[atoms.relation]
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
        """The atoms found for numbered ones: which of these, their cells, times and numbers."""
        parts = [[np.zeros(0, np.int64)] * (len(atoms.arguments) + 3)]
        for each in self.found.get(form_of(atoms), ()):
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
        number = self.of_decided(kept.true, kept.when).take(at)
        return [[before.take(here), *(c.take(at) for c in kept.columns), kept.ticks.take(at), number]]


# ---- aggregates ----
#
#   Alarm(X, E, T) :- Fail(X, E, T), count(Alarm(X, _, T-60..T-1)) < 3.
#
# Alarm(wt2, E, 5) with any E has a number, too, for until when one that nobody knows yet may come. That rests
# on the alarms before it as well: after three of them none can come.


@dataclass(frozen=True, eq=False)
class AggregationOfCycle:
    """An aggregate in derivations that rests on atoms; `members` are these once they have numbers."""

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
        truth, _ = comparison(node, found, rows, self.values)
        # By when one with open variables is decided has been found out where it waits for them.
        is_open = not node.variables <= rows.bound.keys()
        return truth._replace(decided=np.full_like(row, -1)) if is_open else truth


class Closure:
    """Atoms of relations in a cycle, those they rest on, and the derivations of all of these."""

    def __init__(self, known: Knowledge, atoms: Atoms) -> None:
        self.relations = known.rules.cycles[atoms.relation]
        self._known = known
        self._numbered: dict[AtomForm, NumberedAtoms] = {}
        self._found: dict[AtomForm, list[NumberedAtoms]] = defaultdict(list)
        self._count = 0
        self._waiting: dict[AtomForm, list[Atoms]] = {}
        self._derived: list[Derived] = []
        self._ask(atoms)

    def _ask(self, atoms: Atoms) -> None:
        self._waiting.setdefault(form_of(atoms), []).append(atoms)

    def fresh(self) -> Atoms | None:
        """Numbers atoms of one relation whose derivations are to be added; None if no atoms are left."""
        while self._waiting:
            form, parts = self._waiting.popitem()
            atoms, before = _undecided(self._known, Atoms.and_then(*parts)), self._numbered.get(form)
            new = atoms.take(groups(key_of(atoms.columns)).first)
            if before is not None:
                new = new.take(before.numbers(new) < 0)
            if new.count:
                numbered = NumberedAtoms(new, np.arange(new.count) + self._count)
                self._numbered[form] = numbered if before is None else before.and_then(numbered)
                self._count += new.count
                return new
        return None

    def add(self, atoms: Atoms, found: Derivations) -> None:
        """Adds derivations of fresh atoms; the atoms that these rest on wait to be asked for."""
        known, prepared = self._known, found.prepared
        first = self._count - atoms.count
        if not atoms.whole:
            found = found if atoms.as_of is None else found.take(given_since(found, atoms) <= found.seen)
            if prepared.pattern.answered <= found.rows.bound.keys():
                cells = (term_column(term, found.rows, known.values) for term in prepared.pattern.answer)
                as_of = None if atoms.as_of is None else atoms.as_of.take(found.owner)
                answers = Atoms(atoms.relation, tuple(cells), answer_time(found), None, as_of)
                self._found[form_of(atoms)].append(NumberedAtoms(answers, found.owner + first))
                self._ask(answers)
                return
        rows, facts = found.rows, len(prepared.facts)
        inner, outer, own = list[RestsOnCycle](), [*range(facts)], list[AskedLiteral]()
        for i, literal in enumerate(prepared.asked, facts):
            needed = variables_in(literal.node.times) if literal.node.has_amount else literal.variables
            if self.relations.isdisjoint(literal.relations) or not literal.variables <= rows.bound.keys():
                outer.append(i)
            if not self.relations.isdisjoint(literal.relations):
                if needed <= rows.bound.keys():
                    own.append(literal)
                elif not variables_in(literal.node.times) <= rows.bound.keys():
                    inner.append(OpenOfCycle.of(known, found, i, literal))
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
                inner.append(LiteralOfCycle(type(node), asked))
        for asking in inner:
            for each in asking.atoms:
                self._ask(each)
        late = np.broadcast_to(found.seen, rows.count)
        if atoms.relation in known.rules.cycles:
            own_level = known.rules.relations[atoms.relation].level
            level, rank = answer_time(found) + own_level.shift, np.full(rows.count, own_level.rank)
        else:  # below all in the cycle
            level, rank = np.full(rows.count, -NEVER), np.zeros(rows.count, np.int64)
        ended = any(isinstance(each, OpenOfCycle) and each.end is not None for each in inner)
        waits = [i for i in outer if i >= facts or not ended]  # else the open end says how long facts wait
        decided = np.where(found.holds[waits] > late, found.decided[waits], -1).max(axis=0, initial=-1)
        truth = Truth(complete, found.failed, decided)
        self._derived.append(Derived(found.owner + first, level, rank, truth, as_of=late, rests=tuple(inner)))

    def truth(self, atoms: Atoms) -> Truth:
        """The truth of some of the atoms, once the derivations of all are added."""
        numbers, found = self._decided()
        return found.take(numbers.of(atoms))

    def members(self, asked: AskedAtoms) -> tuple[Candidates, Truth]:
        """The possible members of an aggregate, once the derivations of all are added."""
        numbers, found = self._decided()
        return numbers.members(asked).decided(found)

    def _decided(self) -> tuple[Numbering, Truth]:
        known = self._known
        when = [known.decided[name].when for name in sorted(self.relations)]
        ticks = np.unique(np.concatenate([[ALWAYS], *when]))
        earlier = known.memo.through_time.get(self.relations, {})
        numbers = Numbering(known, self._numbered, self._found, self._count, ticks, earlier)
        derived = [
            replace(each, rests=tuple(asked.numbered(numbers) for asked in each.rests))
            for each in self._derived
        ]
        return numbers, decide(numbers.truth, derived)


def _undecided(known: Knowledge, atoms: Atoms) -> Atoms:
    """The atoms that have to be worked out, without those whose truth is remembered."""
    name, decided = atoms.relation, known.decided.get(atoms.relation)
    new = np.ones(atoms.count, np.bool_) if decided is None else atoms.time > decided.until
    found = known.memo.through_time.get(known.rules.cycles.get(name, frozenset()), {}).get(name)
    if found is not None and atoms.whole:
        new &= found.places(atoms, known.rules.relations[name].bounds.delay) < 0
    return atoms.take(marked(new))


# ---- levels ----


@dataclass(frozen=True, eq=False)
class AskedOfCycle(tables.ColumnSet):
    """Atoms with the row that asks for each: one a row or, if `ranged`, any number; later their `numbers`."""

    atoms: Atoms
    row: Column
    ranged: bool
    numbers: Column

    @classmethod
    def of(cls, known: Knowledge, atoms: Atoms, since: Column | None) -> Self:
        row = np.arange(atoms.count)
        if atoms.last is None:
            return cls(settled_as_of(known, atoms), row, False, row)
        each = atoms_by_tick(known, atoms, since)
        row = np.repeat(row, each.counts)
        return cls(each.atoms, row, True, row)

    def numbered(self, numbers: Numbering) -> AskedOfCycle:
        return replace(self, numbers=numbers.of(self.atoms))

    def truth(self, known: Truth, row: Column) -> TickTruths:
        place, counts = row, None
        if self.ranged:
            which, place = places_of(self.row, row)
            counts = np.bincount(which, minlength=len(row))
        return TickTruths(known.take(self.numbers.take(place)), counts)


@dataclass(frozen=True, eq=False)
class LiteralOfCycle:
    """An asked literal of derivations, which rests on the atoms it asks for."""

    kind: type[AskedNode]
    asked: tuple[AskedOfCycle, ...]

    @property
    def atoms(self) -> Sequence[Atoms]:
        return [each.atoms for each in self.asked]

    def numbered(self, numbers: Numbering) -> LiteralOfCycle:
        return replace(self, asked=tuple(each.numbered(numbers) for each in self.asked))

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        return [(each.row, each.numbers) for each in self.asked]

    def truth(self, known: Truth, row: Column) -> Truth:
        return ASKED[self.kind]([each.truth(known, row) for each in self.asked])


@dataclass(frozen=True, eq=False)
class OpenOfCycle(LiteralOfCycle):
    """An asked literal of derivations with an open time: it waits, but for an open `end` that is over."""

    known: Knowledge
    found: Derivations
    end: OpenEnd | None

    @classmethod
    def of(cls, known: Knowledge, found: Derivations, number: int, literal: AskedLiteral) -> Self:
        prepared, rows = found.prepared, found.rows
        # Of rows as of now only the atoms that are true matter.
        since = np.full(rows.count, NEVER) if rows.as_of is None else rows.as_of
        parts = (open_atoms(prepared, each, rows, known.values) for each in literal.references)
        ends = (each for each in prepared.ends if each.number == number and each.is_open(rows.bound.keys()))
        asked = (AskedOfCycle.of(known, each, since) for each in parts)
        return cls(type(literal.node), tuple(asked), known, found, next(ends, None))

    def numbered(self, numbers: Numbering) -> OpenOfCycle:
        asked = (each.numbered(numbers) for each in self.asked)
        return replace(self, asked=tuple(each.take(marked(each.numbers >= 0)) for each in asked))

    def truth(self, known: Truth, row: Column) -> Truth:
        found = self.found.take(row)
        waiting = Truth(*(np.full(len(row), tick, np.int64) for tick in (NEVER, NEVER, -1)))
        for each in self.asked:
            which, place = places_of(each.row, row)
            truth = known.take(each.numbers.take(place))
            np.maximum.at(waiting.decided, which, truth.decided)
            if self.end is not None:
                true = TrueAtoms(which, each.atoms.time.take(place), truth.true_at)
                true = true.take(marked(true.true_at < NEVER))
                waiting.false_at[:] = false_by_end(self.known, found, self.end, true)
                if found.rows.as_of is not None:
                    due = as_it_is(self.known, found, self.end, true).due_facts
                    np.maximum(waiting.decided, due, out=waiting.decided)
        return waiting


RestsOnCycle: TypeAlias = LiteralOfCycle | AggregationOfCycle


@dataclass(frozen=True, eq=False)
class Derived:
    """Derivations of atoms: the `truth` of literals that are known, and those that rest on the cycle."""

    atom: Column
    level: Column  # of the derived atom, like its rank
    rank: Column
    truth: Truth
    as_of: Column  # the tick as of which it is seen
    rests: tuple[RestsOnCycle, ...]


def decide(truth: Truth, derived: Sequence[Derived]) -> Truth:
    """The truth of all atoms, given that of those which are decided already; it is written over."""
    true_at, false_at, _ = truth
    for block, row in _in_rounds(derived, len(true_at)):
        each = derived[block]
        atom, then = each.atom[row], each.as_of[row]
        complete, failed, last = each.truth.take(row)
        for rest in each.rests:
            found = rest.truth(truth, row)
            complete, failed = np.maximum(complete, found.true_at), np.minimum(failed, found.false_at)
            last = np.maximum(last, np.where(found.true_at > then, found.decided, -1))
        truth.add(atom, Truth(complete, failed, np.where(failed > then, last, -1)))
        false_at[atom[true_at[atom] < NEVER]] = NEVER
    return truth


def _in_rounds(derived: Sequence[Derived], count: int) -> list[tuple[int, Column]]:
    """Cuts derivations into rounds (each some rows of blocks) that rest on atoms of earlier rounds only."""
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
    """The round of each derivation, after those of all atoms it rests on; `order` has these before it."""
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
