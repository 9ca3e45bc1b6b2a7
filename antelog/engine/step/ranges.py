"""Ranges of ticks: whether some atom is true at one of them.

    not Ack(d1, _, 3..5)    Ack(d1, _, 3), Ack(d1, _, 4) and Ack(d1, _, 5) are asked for

It is true with the first of these atoms that is true, and false with the last that is false. Ticks before 0
have no atoms; a range without ticks is false from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.literals import Aggregation
from antelog.compile.literals.aggregate import Aggregate
from antelog.compile.literals.terms import Const
from antelog.engine.columns.joins import TickRange, band_pairs, make_room, spread
from antelog.engine.columns.spans import FOREVER, span
from antelog.engine.columns.tables import NEVER, Column, groups, keys_of, marked, sorting
from antelog.engine.step.derivations import Atoms, Knowledge, Truth
from antelog.engine.step.matching import wholes
from antelog.engine.step.rows import ONE, term_column, time_column
from antelog.engine.values.encoding import OTHERS


@dataclass(frozen=True, eq=False)
class AtomsByTick:
    """Atoms at each tick of ranges, those of a range side by side: `counts` says how many each has."""

    atoms: Atoms
    counts: Column

    @classmethod
    def of(cls, ranges: Atoms) -> AtomsByTick:
        assert ranges.last is not None
        first = np.maximum(ranges.time, 0)
        counts = np.maximum(ranges.last - first + 1, 0)
        make_room(counts)
        row, ticks = spread(first, counts)
        arguments = tuple(None if column is None else column.take(row) for column in ranges.arguments)
        as_of = None if ranges.as_of is None else ranges.as_of.take(row)
        return cls(Atoms(ranges.relation, arguments, ticks, None, as_of), counts)

    def latest(self, ticks: Column) -> Column:
        """The latest of the ticks that the atoms of each range have; -1 if it has none."""
        found = np.full(len(self.counts), np.int64(-1))
        np.maximum.at(found, np.repeat(np.arange(len(found)), self.counts), ticks)
        return found


DOUBTS = 10
"""Of a range, one tick in so many may be in doubt."""


@dataclass(frozen=True, eq=False)
class TickTruths:
    """The truth of the atoms that rows ask for: one a row, or `counts` of them side by side.

    With `doubts`, some of them may stay open, and the others are enough to conclude that none is true.
    """

    truth: Truth
    counts: Column | None = None
    doubts: bool = False

    @property
    def some(self) -> Truth:
        """The truth of "some of these atoms"."""
        if self.counts is None:
            return self.truth
        true_at, false_at, decided = (np.full(len(self.counts), tick, np.int64) for tick in (NEVER, -1, -1))
        there = marked(self.counts > 0)
        if len(there):
            starts = (np.cumsum(self.counts) - self.counts).take(there)
            true_at[there] = np.minimum.reduceat(self.truth.true_at, starts)
            false_at[there] = np.maximum.reduceat(self.truth.false_at, starts)
            decided[there] = np.maximum.reduceat(self.truth.decided, starts)
        found = Truth(true_at, false_at, decided)
        if not self.doubts or not len(self.truth.true_at):
            return found
        row = np.repeat(np.arange(len(self.counts)), self.counts)
        falling = self.truth.false_at.take(np.lexsort([-self.truth.false_at, row]))
        enough = np.cumsum(self.counts) - self.counts + self.counts // DOUBTS
        enough = falling.take(np.minimum(enough, len(falling) - 1))
        return found._replace(false_at=np.where(found.true_at == NEVER, enough, found.false_at))


def latest(fitting: TickTruths, of_slot: TickTruths) -> Truth:
    """The truth of "the latest atom of the slot fits", given that of the atoms that fit, and of all in it."""
    counts, (fits, slot) = fitting.counts, (fitting.truth, of_slot.truth)
    counts = np.ones(len(fits.true_at), np.int64) if counts is None else counts
    row = np.repeat(np.arange(len(counts)), counts)
    # Of the later atoms of a range: the last tick at which one is false, the first at which one is true.
    last_false = -_least_after(-slot.false_at, row, np.int64(1))
    first_true = _least_after(slot.true_at, row, np.int64(NEVER))
    true_at, false_at, decided = (np.full(len(counts), tick, np.int64) for tick in (NEVER, -1, -1))
    there = marked(counts > 0)
    if len(there):
        starts = (np.cumsum(counts) - counts).take(there)
        true_at[there] = np.minimum.reduceat(np.maximum(fits.true_at, last_false), starts)
        false_at[there] = np.maximum.reduceat(np.minimum(fits.false_at, first_true), starts)
        decided[there] = np.maximum.reduceat(np.maximum(fits.decided, slot.decided), starts)
    return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), decided)


def _least_after(ticks: Column, row: Column, none: np.int64) -> Column:
    """For each tick the least of those after it in its row; `none` for the last one."""
    count = len(ticks)
    if count == 0:
        return ticks
    order = np.argsort(ticks, kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    # From behind, where each row that follows has lower numbers than all before it.
    backwards = rank[::-1] + row[::-1] * count
    least = (np.minimum.accumulate(backwards) - row[::-1] * count)[::-1]
    found = np.full(count, none)
    inner = marked(row[:-1] == row[1:])
    found[inner] = ticks.take(order.take(least.take(inner + 1)))
    return found


# ---- ticks that matter ----
#
#   A(X, T) :- Pay(X, T), not A(X, T-300..T-1).     delay 3; Pay(c, 1000) came at 1001
#
# Of the 300 ticks those matter at which c may be in A, as there was a Pay or as it is remembered, and 999,
# which is open until 1002. At all others it was decided by 1001 that it is not, before the row could say
# anything. So the cost is that of the facts, however long the range is.


def atoms_by_tick(known: Knowledge, ranges: Atoms, since: Column | None) -> AtomsByTick:
    """Atoms at the ticks of ranges that matter to rows which can say nothing up to some ticks (None: all)."""
    delay = known.rules.relations[ranges.relation].bounds.delay
    there = None if since is None or delay is None else may_be_true(known, ranges.relation)
    if there is None or since is None or delay is None:
        every = AtomsByTick.of(ranges)
        return replace(every, atoms=settled_as_of(known, every.atoms))
    assert ranges.last is not None
    first = np.maximum(ranges.time, 0)
    open_ = np.maximum(first, since - delay + 1)
    old_row, old_ticks = _found(there, ranges, TickRange(first, np.minimum(ranges.last, open_ - 1)))
    counts = np.maximum(ranges.last - open_ + 1, 0)
    make_room(counts)
    row, ticks = spread(open_, counts)
    row, ticks = np.concatenate([old_row, row]), np.concatenate([old_ticks, ticks])
    order = sorting(row)
    row = row.take(order)
    each = replace(ranges, time=first, last=None).take(row)
    return AtomsByTick(
        settled_as_of(known, replace(each, time=ticks.take(order))), np.bincount(row, minlength=ranges.count)
    )


def settled_as_of(known: Knowledge, atoms: Atoms) -> Atoms:
    """Atoms as of the tick by which they are decided, where that is earlier: they are the same later."""
    delay = known.rules.relations[atoms.relation].bounds.delay
    in_cycle = atoms.relation in known.rules.cycles
    if not in_cycle or atoms.as_of is None or atoms.last is not None or delay is None:
        return atoms
    return replace(atoms, as_of=np.minimum(atoms.as_of, np.maximum(atoms.time, 0) + delay))


def fails_by_members(node: Aggregation) -> bool:
    """Whether a comparison becomes false by members that are there, and never as none can come any more."""
    left, right = node.left, node.right
    if isinstance(right, Aggregate) or left.steps:
        return False
    rises = left.function == "count" or (
        left.function == "sum"
        and any(
            isinstance(e, Const) and isinstance(e.value, int | float) and e.value >= 0
            for e in left.least_values
        )
    )
    return rises and (node.operator in ("<", "<=") or (node.operator == "=" and right == Const(0)))


def _found(there: Atoms, ranges: Atoms, band: TickRange) -> tuple[Column, Column]:
    """The ranges that have some atoms within a band of each, and the ticks of these; each tick once."""
    given = [place for place, column in enumerate(ranges.arguments) if column is not None]
    sides = [[each.arguments[place] for place in given] for each in (ranges, there)]
    columns = [[column for column in side if column is not None] for side in sides]
    if len(given) < len(ranges.arguments):
        (key,) = keys_of([[*columns[1], there.time]])
        first = groups(key).first
        there, columns[1] = there.take(first), [column.take(first) for column in columns[1]]
    keys = keys_of(columns) if given else [np.zeros(each.count, np.int64) for each in (ranges, there)]
    row, at = band_pairs(keys[0], keys[1], band, there.time)
    return row, there.time.take(at)


def may_be_true(known: Knowledge, relation: str) -> Atoms | None:
    """The atoms of a relation that may be true, each once; None if nothing says which.

    They have a fact for each literal of a rule, or were decided before and are remembered.
    """
    found = known.memo.may_be_true
    if relation not in found:
        found[relation] = _with_facts(known, relation)
    return found[relation]


def _with_facts(known: Knowledge, relation: str) -> Atoms | None:
    decided = known.decided[relation]
    parts = [[*decided.columns, decided.ticks]]
    if any((column == OTHERS).any() for column in decided.columns):
        return None
    about = span(decided.until + 1, FOREVER)
    for prepared, background in zip(
        known.rules.patterns[relation], known.static.of_patterns[relation], strict=True
    ):
        pattern = prepared.pattern
        if prepared.clocked or pattern.unguarded:
            return None
        rows = wholes(prepared, ONE, known.found(prepared, about), background, known.values).rows
        time = pattern.time
        if not pattern.answered <= rows.bound.keys() or not (
            time.variable is None or time.variable in rows.bound
        ):
            return None
        cells = [term_column(term, rows, known.values) for term in pattern.answer]
        ticks = time_column(time, rows)
        later = marked(ticks > decided.until)
        parts.append([column.take(later) for column in (*cells, ticks)])
    *columns, ticks = map(np.concatenate, zip(*parts, strict=True))
    (key,) = keys_of([[*columns, ticks]])
    return Atoms(relation, tuple(columns), ticks).take(groups(key).first)
