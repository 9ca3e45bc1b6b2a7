"""The atoms that an aggregate is about: which are true, and until when others may come.

    count(Fail(wt2, _, 0..3)) >= 3     delay 1; Fail(wt2, e1, 0) came at 0, Fail(wt2, e2, 1) at 2

Two members are there, from 0 and from 2 on. Any number may come until 4: from then on it is known how many
there are. Where at most one is possible a tick, as with `one per device`, each tick has an end of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from antelog.compile.comparisons import implied
from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.terms import Inner
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.tables import NEVER, Column, Mask, changed, groups, keys_of, marked
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge, Truth, answer_time, given_since
from antelog.engine.step.ranges import DOUBTS, atoms_by_tick, settled_as_of
from antelog.engine.step.rows import Bound, Rows, holds, passing, term_column
from antelog.engine.step.windows import MemberTable, OneByOne, Windows, arrivals_by_row, slices_by_row
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class AskedAtoms:
    """The atoms that an aggregate asks for in each row: those of a range at once, or tick by tick.

    `row` is the row that each is asked for. If they are `single`, at most one of each can be true. With
    `doubts`, some ticks may stay open.
    """

    atoms: Atoms
    row: Column
    single: bool
    doubts: bool = False

    @classmethod
    def of(
        cls, known: Knowledge, aggregate: Aggregate, atoms: Atoms, since: Column | None = None
    ) -> AskedAtoms:
        """Atoms of rows that can say nothing up to some ticks (None: any row may, at any tick)."""
        rules = known.rules
        row, single = np.arange(atoms.count), rules.is_single(aggregate)
        if atoms.last is None:
            return cls(settled_as_of(known, atoms), row, single)
        if not single and known.sight is None and _plain(rules, atoms):
            natural = Atoms(
                atoms.relation, atoms.arguments, np.maximum(atoms.time, 0), atoms.last, atoms.as_of
            )
            return cls(natural, row, single)
        each = atoms_by_tick(known, atoms, since)
        return cls(each.atoms, np.repeat(row, each.counts), single, known.sight is not None)


def _plain(rules: Rules, atoms: Atoms) -> bool:
    """Whether nothing but its delay says until when an atom without evidence may come."""
    return all(
        len(each.facts) == 1
        and not each.asked
        and each.facts[0].slot is None
        and each.facts[0].node.time.variable == each.pattern.time.variable
        and not each.one_a_tick(atoms.given)
        for each in rules.patterns[atoms.relation]
    )


@dataclass(frozen=True, eq=False)
class Resting:
    """Deadlines of atoms that may come: for which of those asked for, and by when all has come for them.

    `candidate` is the one that it is about; -1: any.
    """

    owner: Column
    candidate: Column
    until: Column


class Ones(NamedTuple):
    """Atoms that may come one by one: for which that was asked, and until when."""

    owner: Column
    until: Column


@dataclass(frozen=True, eq=False)
class Candidates:
    """Atoms that may be members, each once, with what is asked for; and until when others may come.

    Any number may come up to `open_until` of each atom asked for, and one more for each of `ones`, where
    slots allow a rule no more.
    """

    asked: AskedAtoms
    owner: Column
    cells: tuple[Column, ...]
    time: Column
    true_at: Column
    open_until: Column
    ones: Ones
    resting: Resting

    @property
    def atoms(self) -> Atoms:
        """The atoms, to be asked for one by one."""
        asked = self.asked.atoms
        as_of = None if asked.as_of is None else asked.as_of.take(self.owner)
        return Atoms(asked.relation, self.cells, self.time, None, as_of)


def candidates(asked: AskedAtoms, found: Sequence[Derivations], values: Values) -> Candidates:
    """The atoms that derivations of what is asked for are about."""
    atoms, width, nothing = asked.atoms, len(asked.atoms.arguments), np.zeros(0, np.int64)
    open_until, ones, ends = np.full(atoms.count, np.int64(-1)), [nothing], [nothing]
    parts: list[list[Column]] = [[nothing] * (width + 4)]
    rest: list[tuple[Column, Column]] = [(nothing, nothing)]
    single: dict[Prepared, Column] = {}
    for each in found:
        block = each if atoms.as_of is None else each.take(given_since(each, atoms) <= each.seen)
        prepared, until = block.prepared, np.where(block.failed > block.seen, block.open_until, -1)
        if prepared.pattern.answered <= block.rows.bound.keys():
            cells = [term_column(term, block.rows, values) for term in prepared.pattern.answer]
            parts.append([block.owner, *cells, answer_time(block), block.complete, until])
            continue
        rest.append((block.owner, until))
        last = open_until
        if prepared.one_a_tick(atoms.given):
            last = single.setdefault(prepared, np.full(atoms.count, np.int64(-1)))
        np.maximum.at(last, block.owner, block.failed)
    for last in single.values():
        ones.append(marked(last >= 0))
        ends.append(last.take(ones[-1]))
    owner, *cells, time, complete, until = map(np.concatenate, zip(*parts, strict=True))
    (key,) = keys_of([[owner, *cells, time]])
    same = groups(key)
    owners, untils = map(np.concatenate, zip((owner, until), *rest, strict=True))
    of_any = np.full(len(owners) - len(owner), np.int64(-1))
    return Candidates(
        asked,
        owner.take(same.first),
        tuple(column.take(same.first) for column in cells),
        time.take(same.first),
        same.least(complete),
        open_until,
        Ones(np.concatenate(ones), np.concatenate(ends)),
        Resting(owners, np.concatenate([same.numbers, of_any]), untils),
    )


def members(aggregate: Aggregate, found: Candidates, truth: Truth, rows: Rows, values: Values) -> Windows:
    """The candidates that fit, given the truth of each of them, each in the window of one row."""
    row_of, count = found.asked.row, len(found.owner)
    asking = rows.take(row_of.take(found.owner)).bound if aggregate.inside.conditions else {}
    fits = fitting_members(aggregate, found.cells, asking, count, values)
    owner = found.owner.take(fits)
    true_at, false_at = truth.true_at.take(fits), truth.false_at.take(fits)
    if found.asked.doubts:
        found, false_at = _forgiving(found, owner, np.where(true_at == NEVER, false_at, -1), rows)
    never = true_at == NEVER
    possible = is_possible(aggregate, rows, values)
    any_until = np.full(rows.count, np.int64(-1))
    first = np.full(len(row_of), NEVER)
    np.minimum.at(first, owner, true_at)
    if found.asked.single:
        last = found.open_until.copy()
        np.maximum.at(last, *found.ones)
        np.maximum.at(last, owner, np.where(never, false_at, -1))
        coming, until = row_of, np.where(first < NEVER, first, last)
    else:
        np.maximum.at(any_until, row_of, found.open_until)
        any_until = np.where(possible, any_until, -1)
        coming = row_of.take(np.concatenate([owner, found.ones.owner]))
        until = np.concatenate([np.where(never, np.maximum(false_at, -1), true_at), found.ones.until])
    settled = _settled(found, fits, truth.true_at, first, rows)
    settled = np.where(possible, settled, -1)
    may = marked(possible.take(coming))
    there = marked(~never)
    there = there.take(np.lexsort((true_at.take(there), row_of.take(owner.take(there)))))
    fits, row, true_at = fits.take(there), row_of.take(owner.take(there)), true_at.take(there)
    tick, every = found.time.take(fits), np.arange(rows.count)
    value = tick if aggregate.value is None else found.cells[aggregate.value_column].take(fits)
    slices = slices_by_row(row, rows.count)
    table = MemberTable(row, tick, true_at, value, every, slices, by_arrival=True)
    coming, until = coming.take(may), until.take(may)
    begin, end = (np.full(rows.count, tick, np.int64) for tick in (NEVER, -1))
    for which, ticks in ((coming, until), (row, true_at), (every, any_until)):
        some = marked((ticks >= 0) & (ticks < NEVER))
        np.minimum.at(begin, which.take(some), ticks.take(some) - 1)
        np.maximum.at(end, which.take(some), ticks.take(some))
    begin = np.minimum(begin, end)
    left = arrivals_by_row(coming, until, rows.count)
    openings = OneByOne(left, any_until, begin, end, settled)
    different = None
    if aggregate.distinct:
        (key,) = keys_of([[row, value]])
        order = np.lexsort((true_at, key))
        first = order.take(marked(changed(key.take(order))))
        different = arrivals_by_row(row.take(first), true_at.take(first), rows.count)
    return Windows(table, different, openings)


def _forgiving(found: Candidates, owner: Column, false_at: Column, rows: Rows) -> tuple[Candidates, Column]:
    """The candidates, and when they are false, without what may come at ticks in doubt, if these are few."""
    row_of, late = found.asked.row, found.ones.owner.take(marked(found.ones.until == NEVER))
    doubtful = found.open_until == NEVER
    doubtful[late] = doubtful[owner.take(marked(false_at == NEVER))] = True
    doubts = np.bincount(row_of.take(marked(doubtful)), minlength=rows.count)
    ticks = np.bincount(row_of, minlength=rows.count)
    doubtful &= (doubts <= ticks // DOUBTS).take(row_of)
    ones = Ones(found.ones.owner, np.where(doubtful.take(found.ones.owner), -1, found.ones.until))
    forgiven = replace(found, open_until=np.where(doubtful, -1, found.open_until), ones=ones)
    return forgiven, np.where(doubtful.take(owner), -1, false_at)


def _settled(found: Candidates, fits: Column, true_at: Column, first: Column, rows: Rows) -> Column:
    """By when everything has come that the members of each row still rest on; -1 if all of it has."""
    row_of, resting = found.asked.row, found.resting
    seen = np.full(rows.count, np.int64(-1)) if rows.as_of is None else rows.as_of
    # What one of these is about that is not true yet; -1 at the end is any.
    open_ = np.append(np.zeros(len(true_at), np.bool_), [True])
    open_[fits] = true_at.take(fits) > seen.take(row_of.take(found.owner.take(fits)))
    matters = open_.take(resting.candidate)
    if found.asked.single:
        matters &= first.take(resting.owner) > seen.take(row_of.take(resting.owner))
    at, settled = marked(matters), np.full(rows.count, np.int64(-1))
    np.maximum.at(settled, row_of.take(resting.owner.take(at)), resting.until.take(at))
    return settled


def fitting_members(
    aggregate: Aggregate, cells: Sequence[Column], bound: Bound, count: int, values: Values
) -> Column:
    """The atoms with equal values for each occurrence of a variable, if they meet the conditions."""
    fits: Mask = np.ones(count, np.bool_)
    inner: dict[str, Column] = {}
    for term, column in zip(aggregate.inside.arguments, cells, strict=True):
        if isinstance(term, Inner):
            fits &= inner.setdefault(open_name(term), column) == column
    for test in aggregate.inside.opened:
        fits &= holds(test, {**bound, **inner}, count, values)
    return marked(fits)


def is_possible(aggregate: Aggregate, rows: Rows, values: Values) -> Mask:
    """For each row, whether any values can meet the conditions there."""
    tests = aggregate.inside.opened
    if any(test.outcome is False for test in tests):
        return np.zeros(rows.count, np.bool_)
    return passing((*tests, *implied(tests)), rows.bound, rows.count, values)
