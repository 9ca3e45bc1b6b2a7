"""Windows: the facts of the ranges that rows ask for, found in one table that all rows share.

    count(Fail(X, _, T-60..T)) >= 3     a million rows, each with hundreds of facts in its window

The facts are sorted by what is given (`X`) and by tick, so that the window of a row is a stretch of them.
Since when a window has three facts, and how many it has at some tick, is looked up in their arrivals (see
`Ranked`): nothing is done for each row and each of its facts. This goes where each atom of a range rests on
one fact, and on nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.terms import Inner, Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.ranked import Slices
from antelog.engine.columns.spans import Spans, covering
from antelog.engine.columns.tables import NEVER, Column, Mask, groups, keys_of, marked
from antelog.engine.facts.history import Facts, gather
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.amounts import ANY
from antelog.engine.step.derivations import Atoms, Knowledge, Truth
from antelog.engine.step.literals import slowest
from antelog.engine.step.matching import fitting, wholes
from antelog.engine.step.members import is_possible
from antelog.engine.step.rows import ONE, Rows, holds, term_column, time_column
from antelog.engine.step.seeds import seed_of
from antelog.engine.step.window_atoms import WindowAtoms, WindowValues, least
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class Windows:
    """The window of each row: its `members`, and until when others may come.

    Where it has at most one member a tick, it is `single`. Facts
    that have `taken` the slot of a tick leave it no other member. Where a fact closes its tick (`closed`),
    nothing that it rests on is open any more. Where it is not `possible`, there are no members at all. Seen
    `as_of` a tick, later facts are not there; None: as of now. Counted are the members, or their `values`.
    """

    members: WindowAtoms
    taken: WindowAtoms | None
    ticks: AskedTicks
    single: bool
    closed: bool
    possible: Mask
    as_of: Column | None
    values: WindowValues | None = None

    @property
    def _counted(self) -> WindowAtoms | WindowValues:
        return self.values or self.members

    @cached_property
    def total(self) -> Column:
        """How many are there."""
        return self._up_to(self._counted, self._counted.slices)

    def counts(self, tick: Column | None, row: Column | None = None) -> Column:
        """How many are there, in each row or in some, at some ticks or in the end."""
        window, known = self._counted.slices, self.known(tick, row)
        window = window if row is None else window.take(row)
        return window.count if known is None else self._counted.arrivals.up_to(window, known)

    def _up_to(self, atoms: WindowAtoms | WindowValues, at: Slices, tick: Column | None = None) -> Column:
        """How many atoms of some slices are there, at some ticks or in the end."""
        known = self.known(tick)
        return at.count if known is None else atoms.arrivals.up_to(at, known)

    def known(self, tick: Column | None, row: Column | None = None) -> Column | None:
        """Ticks, or those as of which the rows, or some, are seen if that is earlier; None: in the end."""
        if self.as_of is None:
            return tick
        seen = self.as_of if row is None else self.as_of.take(row)
        return seen if tick is None else np.minimum(tick, seen)

    def coming(self, tick: Column) -> Column:
        """How many more may come after some ticks; ANY if that is any number."""
        if not self.single:
            return np.where(self.possible & (tick < self.ticks.deadline), ANY, 0)
        most = np.where(self.possible, self.ticks.count, 0) - self._spent(tick)
        coming: Column = np.maximum(most - self.counts(tick), 0)
        return coming

    def reached(self, count: Column) -> Column:
        """The tick at which there are so many members; NEVER if there are not."""
        found = self._counted.arrivals.least(self._counted.slices, count)
        if self.as_of is not None:
            found = np.where(found > self.as_of, NEVER, found)
        return np.where(count <= 0, -1, found)

    def missed(self, count: Column) -> Column:
        """The tick from which on there cannot be so many members; NEVER if there are."""
        if not self.single:
            return np.where(self.total < count, np.where(self.possible, self.ticks.deadline, -1), NEVER)
        ticks = np.where(self.possible, self.ticks.count, 0)
        found = least(self.before_any, self.ticks.deadline, lambda tick: ticks - self._spent(tick) < count)
        return np.where(ticks < count, -1, np.where(self.total < count, found, NEVER))

    @cached_property
    def before_any(self) -> Column:
        """A tick at which no tick of the windows is spent."""
        before, taken = self.ticks.first - 1, self.taken
        if taken is not None:
            earliest = taken.arrivals.least(taken.slices, np.ones_like(before))
            before = np.minimum(before, earliest - 1)
        return np.maximum(before, -1)

    @cached_property
    def settled(self) -> Column:
        """The tick from which on the members are those there are."""
        return np.maximum(self.missed(self.total + 1), self.reached(self.total))

    def _spent(self, tick: Column) -> Column:
        """How many ticks of the windows can add none any more, or have added none."""
        over, closing = np.minimum(tick - self.ticks.late, self.ticks.last), self.taken or self.members
        spent: Column = np.maximum(over - self.ticks.first + 1, 0)
        spent -= self._up_to(closing, closing.until(over), tick)
        if self.taken is not None:
            spent += self._up_to(closing, closing.slices, tick)
            spent -= self._up_to(self.members, self.members.slices, tick)
        if self.values is not None:
            spent += self._up_to(self.members, self.members.slices, tick) - self.counts(tick)
        return spent

    @property
    def decided(self) -> Column:
        """The tick by which everything has come that rows rest on; -1 if all of it has."""
        deadline = self.ticks.deadline
        if self.as_of is None:
            return deadline
        if self.closed or self.single:
            # The latest tick without a fact is open for longest.
            none = np.zeros(len(deadline), np.int64)
            back = least(none, self.ticks.count, lambda back: self._open(back) > 0)
            deadline = np.where(back < self.ticks.count, deadline - back, -1)
        return np.where(deadline > self.as_of, deadline, -1)

    def _open(self, back: Column) -> Column:
        """How many of the last ticks, and one before them, have no fact."""
        closing, before = self.taken or self.members, self.ticks.last - back - 1
        there = self._up_to(closing, closing.slices)
        return back + 1 - there + self._up_to(closing, closing.until(before))

    @property
    def some(self) -> Truth:
        """The truth of "there is a member"."""
        one = np.ones(len(self.possible), np.int64)
        true_at = self.reached(one)
        return Truth(true_at, np.where(true_at < NEVER, NEVER, self.missed(one)), self.decided)


# ---- where windows are looked up ----


def windows_of(
    known: Knowledge, asked: Atoms, aggregate: Aggregate | None = None, rows: Rows = ONE
) -> Windows | None:
    """The windows of atoms that are asked for, or of an aggregate's members in rows.

    None where these need more than a table of facts, or where sources are unseen at some of their ticks.
    """
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
        found = found.take(_fitting(aggregate, found, known.values))
        possible = is_possible(aggregate, rows, known.values)
    key = {place: cells for place, cells in enumerate(asked.arguments) if cells is not None}
    members = WindowAtoms.of(found, [*key], [*key.values()], ticks)
    taken = None
    if slotted:
        assert fact.slot is not None
        cells = np.zeros((len(fact.slot), asked.count), np.int64)
        for line, place in zip(cells, fact.slot, strict=True):
            line[seed.owner] = term_column(fact.node.arguments[place], seed, known.values)
        facts = gather(known.history, fact.node.predicate, about)
        taken = WindowAtoms.of(facts, fact.slot, [*cells], ticks)
    values: WindowValues | None = None
    if aggregate is not None and aggregate.distinct:
        values = WindowValues.of(members, members.cells[aggregate.value_column], ticks)
        if values is None:
            return None
    return Windows(members, taken, ticks, single, slotted or not free, possible, asked.as_of, values)


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
    """The ranges of atoms that are asked for; of those that nothing can fit, an empty one."""
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
    (key,) = keys_of([[*found.columns, found.time]])
    same = groups(key)
    return replace(found.take(same.first), arrival=same.least(found.arrival))


def _fitting(aggregate: Aggregate, found: Facts, values: Values) -> Mask:
    """The atoms that have the same value wherever a variable stands, and meet the conditions."""
    fits, bound = np.ones(found.count, np.bool_), dict[str, Column]()
    for term, cells in zip(aggregate.inside.arguments, found.columns, strict=True):
        if isinstance(term, Inner):
            fits &= bound.setdefault(open_name(term), cells) == cells
    for test in aggregate.inside.opened:
        fits &= holds(test, bound, found.count, values)
    return fits
