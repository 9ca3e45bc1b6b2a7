"""The atoms that an aggregate is about: which are true, and until when others may come.

count(Fail(wt2, _, 0..3)) >= 3     delay 1: any may come until 4; with `one per device`, one for each tick
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from antelog.compile.comparisons import implied
from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.terms import Inner, Var
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.joins import TickRange
from antelog.engine.columns.ranked import Ranked, Slices
from antelog.engine.columns.spans import Spans, covering
from antelog.engine.columns.tables import NEVER, Column, Mask, changed, groups, in_order, marked
from antelog.engine.facts.history import Facts, gather
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step import windows
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge, Truth, answer_time, given_since
from antelog.engine.step.literals import DOUBTS, atoms_by_tick, settled_as_of, slowest
from antelog.engine.step.matching import fitting, wholes
from antelog.engine.step.pattern_rows import seed_of
from antelog.engine.step.rows import ONE, Rows, holds, key_of, keys_in, passing, term_column, time_column
from antelog.engine.step.windows import Windows
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class AskedAtoms:
    """The atoms that an aggregate asks for in each row: those of a range at once, or tick by tick."""

    atoms: Atoms
    row: Column  # the row that each is asked for
    single: bool  # whether at most one of each can be true
    doubts: bool = False  # whether some ticks may stay open

    @classmethod
    def of(cls, known: Knowledge, aggregate: Aggregate, atoms: Atoms, since: Column | None) -> AskedAtoms:
        """Atoms of rows that can say nothing up to the ticks `since` (None: any row may, at any tick)."""
        rules = known.rules
        row, single = np.arange(atoms.count), rules.is_single(aggregate)
        if atoms.last is None:
            return cls(settled_as_of(known, atoms), row, single)
        if not single and known.sight is None and _plain(rules, atoms):
            return cls(replace(atoms, time=np.maximum(atoms.time, 0)), row, single)
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
    """For atoms asked for, by when all has come for one `candidate` (-1: for any that may come)."""

    owner: Column
    candidate: Column
    until: Column


class Ones(NamedTuple):
    """Atoms that may come one by one: for which that was asked, and until when."""

    owner: Column
    until: Column


@dataclass(frozen=True, eq=False)
class Candidates:
    """Atoms that may be members, each once, with the atom asked for; and until when others may come."""

    asked: AskedAtoms
    owner: Column
    cells: tuple[Column, ...]
    time: Column
    true_at: Column
    open_until: Column  # for each atom asked for, until when any number may come
    ones: Ones  # where slots allow a rule no more
    resting: Resting

    @property
    def atoms(self) -> Atoms:
        """The atoms, to be asked for one by one."""
        asked = self.asked.atoms
        as_of = None if asked.as_of is None else asked.as_of.take(self.owner)
        return Atoms(asked.relation, self.cells, self.time, None, as_of)


def candidates(asked: AskedAtoms, found: Sequence[Derivations], values: Values) -> Candidates:
    """The atoms that derivations of the atoms asked for are about."""
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
    same = groups(key_of([owner, *cells, time]))
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
    slices = windows.slices_by_row(row, rows.count)
    table = windows.MemberTable(row, tick, true_at, value, every, slices, by_arrival=True)
    coming, until = coming.take(may), until.take(may)
    begin, end = (np.full(rows.count, tick, np.int64) for tick in (NEVER, -1))
    for which, ticks in ((coming, until), (row, true_at), (every, any_until)):
        some = marked((ticks >= 0) & (ticks < NEVER))
        np.minimum.at(begin, which.take(some), ticks.take(some) - 1)
        np.maximum.at(end, which.take(some), ticks.take(some))
    begin = np.minimum(begin, end)
    left = windows.arrivals_by_row(coming, until, rows.count)
    openings = windows.OneByOne(left, any_until, begin, end, settled)
    different = None
    if aggregate.distinct:
        key = key_of([row, value])
        order = np.lexsort((true_at, key))
        first = order.take(marked(changed(key.take(order))))
        different = windows.arrivals_by_row(row.take(first), true_at.take(first), rows.count)
    return Windows(table, different, openings)


def _forgiving(found: Candidates, owner: Column, false_at: Column, rows: Rows) -> tuple[Candidates, Column]:
    """Leaves out what may come at ticks in doubt, if these are few, and when that would be false."""
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
    aggregate: Aggregate, cells: Sequence[Column], bound: Mapping[str, Column], count: int, values: Values
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


def windows_of(
    known: Knowledge, asked: Atoms, aggregate: Aggregate | None = None, rows: Rows = ONE
) -> Windows | None:
    """The windows of atoms, or an aggregate's in rows; None if they need more than a table of facts."""
    patterns = known.rules.patterns[asked.relation]
    if (
        known.sight is not None
        or asked.count == 0
        or len(patterns) != 1
        or not _is_plain(known, asked.relation, patterns[0])
    ):
        return None
    if aggregate is not None and not _looks_at_itself_alone(aggregate):
        return None
    prepared, (fact,) = patterns[0], patterns[0].facts
    first = np.maximum(asked.time, 0)
    ranges = replace(asked, time=first, last=asked.time if asked.last is None else asked.last)
    seed = seed_of(prepared, ranges, known.values)
    seed = seed.take(fitting(prepared, seed, known.static.of_patterns[asked.relation][0], known.values))
    free = fact.variables - prepared.time_variables - seed.bound.keys()
    slotted = fact.slot is not None and not free & fact.slot_variables
    single = slotted if aggregate is None else known.rules.is_single(aggregate)
    if fact.slot is not None and slotted != single:
        return None
    delay = slowest(known.rules.inputs[fact.node.predicate], fact.node, seed, known.values)
    ticks = _ticks(ranges, seed, delay)
    about = covering(*(end.take(marked(ticks.first <= ticks.last)) for end in (ticks.first, ticks.last)))
    found, possible = _atoms(known, asked.relation, prepared, about), np.ones(asked.count, np.bool_)
    if aggregate is not None:
        found = found.take(fitting_members(aggregate, found.columns, {}, found.count, known.values))
        possible = is_possible(aggregate, rows, known.values)
    given = {place: cells for place, cells in enumerate(asked.arguments) if cells is not None}
    key, of_row = keys_in(
        [[found.columns[place] for place in given], [*given.values()]], [found.count, asked.count]
    )
    value = found.time
    if aggregate is not None and aggregate.value is not None:
        value = found.columns[aggregate.value_column]
    members, values = windows.MemberTable.of(found, key, value, of_row, ticks), None
    if aggregate is not None and aggregate.distinct:
        values = _values(members, ticks, asked.as_of)
        if values is None:
            return None
    closing, taken = members, None
    if slotted:
        assert fact.slot is not None
        cells = np.zeros((len(fact.slot), asked.count), np.int64)
        for line, place in zip(cells, fact.slot, strict=True):
            line[seed.owner] = term_column(fact.node.arguments[place], seed, known.values)
        facts = gather(known.history, fact.node.predicate, about)
        slots = [[facts.columns[place] for place in fact.slot], [*cells]]
        key, of_row = keys_in(slots, [facts.count, asked.count])
        closing = windows.MemberTable.of(facts, key, facts.time, of_row, ticks)
        taken = closing.by_row(asked.as_of)
    openings = windows.ByDeadline(
        members.by_row(asked.as_of), values, taken, closing.tick, ticks, single, slotted or not free, possible
    )
    return Windows(members, values, openings, asked.as_of)


def _is_plain(known: Knowledge, relation: str, prepared: Prepared) -> bool:
    """Whether atoms of a relation with one pattern rest on one fact of their tick each, and nothing else."""
    pattern, time = prepared.pattern, prepared.pattern.time
    if len(prepared.facts) != 1 or time.variable is None or prepared.facts[0].node.time != time:
        return False
    if prepared.asked or pattern.background or prepared.absent or pattern.unguarded:
        return False
    if pattern.worked_out or any(each.tick > 0 for each in pattern.earliest):
        return False
    tests = (*prepared.comparisons, *prepared.calls)
    return relation not in known.rules.cycles and all(time.variable not in each.variables for each in tests)


def _looks_at_itself_alone(aggregate: Aggregate) -> bool:
    """Whether the conditions inside of an aggregate are the same for all rows."""
    own = {open_name(each) for each in aggregate.inside.arguments if isinstance(each, Inner)}
    return all(each.variables <= own for each in aggregate.inside.opened)


def _ticks(ranges: Atoms, seed: Rows, delay: Column | np.int64) -> AskedTicks:
    """The ranges of atoms that are asked for; empty where the pattern's answer does not fit."""
    first, last, open_for = np.zeros((3, ranges.count), np.int64)
    last -= 1
    assert seed.owner is not None
    assert ranges.last is not None
    first[seed.owner] = ranges.time.take(seed.owner)
    last[seed.owner] = ranges.last.take(seed.owner)
    open_for[seed.owner] = delay
    return AskedTicks(first, last, open_for)


def _atoms(known: Knowledge, relation: str, prepared: Prepared, about: Spans) -> Facts:
    """All atoms of a relation about some ticks, each once, with the first arrival of a fact for it."""
    background = known.static.of_patterns[relation][0]
    part = wholes(prepared, ONE, known.found(prepared, about), background, known.values)
    cells = tuple(term_column(term, part.rows, known.values) for term in prepared.pattern.answer)
    found = Facts(cells, time_column(prepared.pattern.time, part.rows), part.arrived[0])
    named = {each.name for each in prepared.pattern.answer if isinstance(each, Var)}
    if part.rows.bound.keys() - prepared.time_variables <= named:
        return found
    same = groups(key_of([*found.columns, found.time]))
    return replace(found.take(same.first), arrival=same.least(found.arrival))


# ---- the different values in windows ----


def _values(
    members: windows.MemberTable, ticks: TickRange, as_of: Column | None
) -> windows.RowArrivals | None:
    """When the values of windows arrived; None if these differ in length, but for a cut at tick 0."""
    some, length = ticks.last >= ticks.first, ticks.last - ticks.first + 1
    longest = int(length.max(initial=0))
    if (some & (length < longest) & (ticks.first > 0)).any():
        return None
    facts = _FirstFacts.of(members, longest)  # a window has those that began, less those over when it ends
    key, after = members.of_row, np.where(some, ticks.last + 1, 0)
    begun, begun_arrival = _up_to(facts, facts.begin, key, after)
    over, over_arrival = _up_to(facts, facts.end, key, after)
    behind = Slices(over.first + len(begun_arrival), over.end + len(begun_arrival))
    arrivals = Ranked(np.concatenate([begun_arrival, over_arrival]))
    return windows.RowArrivals(arrivals, Slices(begun.first, begun.end, behind), as_of)


@dataclass(frozen=True, eq=False)
class _FirstFacts:
    """Facts that are the first of their value, in windows that end from the tick `begin` to before `end`.

    In windows of 4 ticks, with the value a in a fact of tick 5 that came at 9, and of tick 7 that came at 7:

        windows that end at    5, 6    7, 8, 9, 10
        a is there since       9       7
    """

    key: Column
    arrival: Column
    begin: Column
    end: Column

    @classmethod
    def of(cls, members: windows.MemberTable, length: int) -> Self:
        of_value = key_of([members.key, members.value])
        order = in_order([of_value, members.tick])
        tick, arrival = members.tick.take(order), members.arrival.take(order)
        fresh = changed(of_value.take(order))
        begin, end = tick.copy(), tick + length
        # A fact that came before it, or with it, has to be out of the window; a later one not yet in it.
        before = _nearest(arrival, arrival, fresh)
        there = marked(before >= 0)
        begin[there] = np.maximum(begin[there], tick.take(before[there]) + length)
        back, last = arrival[::-1], np.roll(fresh, -1)[::-1]
        after = len(tick) - 1 - _nearest(back, back - 1, last)[::-1]
        there = marked(after < len(tick))
        end[there] = np.minimum(end[there], tick.take(after[there]))
        at = marked(begin < end)
        return cls(members.key.take(order.take(at)), arrival.take(at), begin.take(at), end.take(at))


def _nearest(arrival: Column, most: Column, fresh: Mask) -> Column:
    """The nearest row before each in its group (begun where `fresh`) that arrives up to `most`; -1: none."""
    found = np.arange(len(arrival)) - 1
    found[fresh] = -1
    # Those that are skipped are too late for the one that skipped them, and so for this row.
    while len(late := marked((found >= 0) & (arrival.take(found) > most))):
        found[late] = found.take(found.take(late))
    return found


def _up_to(of: _FirstFacts, tick: Column, key: Column, after: Column) -> tuple[Slices, Column]:
    """For each row the stretch of its key's facts with a tick before `after`, and their arrivals in order."""
    order = in_order([of.key, tick])
    none = np.zeros(len(key), np.int64)
    found = windows.slices_between(of.key.take(order), tick.take(order), key, none, after)
    return found, of.arrival.take(order)
