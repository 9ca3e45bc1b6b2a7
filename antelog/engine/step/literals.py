"""When literals are true and false; to add an asked kind: an `AskedKind`, and an entry in `ASKED`.

Temp(wt2, high, 7)    delay 2: true from its arrival on, false at 9, or when another fact of its slot comes
not Shdn(X, T+2)      asks for Shdn(wt2, 2) where X = wt2, T = 0; true once that is false, and conversely
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from antelog.compile.literals import Atom, Last, Negation
from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import AnswerTerm, Const, Term, Var
from antelog.compile.nodes.plan import Input
from antelog.compile.prepared.pattern import OpenEnd, Prepared
from antelog.engine.columns import tables
from antelog.engine.columns.joins import TickRange, band_pairs, find_rows, make_room, spread
from antelog.engine.columns.spans import FOREVER, span, spans_of
from antelog.engine.columns.tables import NEVER, Column, distinct, groups, marked, or_never, sorting
from antelog.engine.facts.admission import DelayRows, tables_of
from antelog.engine.facts.history import gather
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge, Truth
from antelog.engine.step.matching import Partial, wholes
from antelog.engine.step.rows import (
    ONE,
    Bound,
    Rows,
    first_tick,
    key_of,
    keys_in,
    latest_tick,
    places_of,
    term_column,
    time_column,
)
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values

DOUBTS = 10  # of a range, one tick in so many may be in doubt


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
        return cls(replace(replace(ranges, last=None).take(row), time=ticks), counts)

    def latest(self, ticks: Column) -> Column:
        """The latest of the ticks that the atoms of each range have; -1 if it has none."""
        found = np.full(len(self.counts), np.int64(-1))
        np.maximum.at(found, np.repeat(np.arange(len(found)), self.counts), ticks)
        return found


@dataclass(frozen=True, eq=False)
class TickTruths:
    """The truth of the atoms that rows ask for: one a row, or `counts` of them side by side."""

    truth: Truth
    counts: Column | None = None
    doubts: bool = False  # a few may stay open: the others are enough to conclude that none is true

    @property
    def some(self) -> Truth:
        """The truth of "some of these atoms"; of none it is false from the start."""
        if self.counts is None:
            return self.truth
        found = _some_of_each(self.truth, self.counts)
        if not self.doubts or not len(self.truth.true_at):
            return found
        row = np.repeat(np.arange(len(self.counts)), self.counts)
        falling = self.truth.false_at.take(np.lexsort([-self.truth.false_at, row]))
        enough = np.cumsum(self.counts) - self.counts + self.counts // DOUBTS
        enough = falling.take(np.minimum(enough, len(falling) - 1))
        none_yet = (found.true_at == NEVER) & (self.counts > 0)
        return found._replace(false_at=np.where(none_yet, enough, found.false_at))


def latest(found: Sequence[TickTruths]) -> Truth:
    """The truth of "the latest atom of the slot fits", given that of the atoms that fit, and of all in it."""
    # If they are the same, every atom fits: the first that is true decides it, and none may be in doubt.
    if len(found) == 1:
        return replace(found[0], doubts=False).some
    fitting, of_slot = found
    counts, (fits, slot) = fitting.counts, (fitting.truth, of_slot.truth)
    counts = np.ones(len(fits.true_at), np.int64) if counts is None else counts
    row = np.repeat(np.arange(len(counts)), counts)
    # Of the later atoms of a range: the last tick at which one is false, the first at which one is true.
    last_false = -least_after(-slot.false_at, row, np.int64(1))
    first_true = least_after(slot.true_at, row, np.int64(NEVER))
    each = Truth(
        np.maximum(fits.true_at, last_false),
        np.minimum(fits.false_at, first_true),
        np.maximum(fits.decided, slot.decided),
    )
    some = _some_of_each(each, counts)
    return some._replace(false_at=np.where(some.true_at < NEVER, NEVER, some.false_at))


def _some_of_each(truth: Truth, counts: Column) -> Truth:
    """The truth of "some of these" for rows that each have `counts` of the things that are true or false."""
    found = Truth.of_nothing(len(counts))
    found.add(np.repeat(np.arange(len(counts)), counts), truth)
    return found


def least_after(ticks: Column, row: Column, none: np.int64) -> Column:
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
    """Atoms at the ticks of ranges that matter to rows; changes up to `since` do not (None: all matter)."""
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
    """Whether a comparison becomes false by members that are there, not because none can come any more."""
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
        first = groups(key_of([*columns[1], there.time])).first
        there, columns[1] = there.take(first), [column.take(first) for column in columns[1]]
    left, right = keys_in(columns, [ranges.count, there.count])
    row, at = band_pairs(left, right, band, there.time)
    return row, there.time.take(at)


def may_be_true(known: Knowledge, relation: str) -> Atoms | None:
    """The atoms with a fact for each literal of a rule, and the remembered ones; None if they are unknown."""
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
    return Atoms(relation, tuple(columns), ticks).take(groups(key_of([*columns, ticks])).first)


# ---- asked literals ----

AskedKind: TypeAlias = Callable[[Sequence[TickTruths]], Truth]  # from that of each reference, tick by tick


def negated(found: Sequence[TickTruths]) -> Truth:
    """The truth of negated atoms and ranges: no atom is true at any of their ticks."""
    atom = found[0].some
    return Truth(atom.false_at, atom.true_at, atom.decided)


ASKED: dict[type[AskedNode], AskedKind] = {Negation: negated, Last: latest}


# ---- fact literals ----

# By predicate and arguments: literals of a row often differ in their time only.
Delays: TypeAlias = dict[tuple[str, tuple[Term | None, ...]], Column | np.int64]


def with_facts(known: Knowledge, prepared: Prepared, partial: Partial) -> Derivations:
    """Rows of a pattern as derivations, with the lines of their fact literals."""
    rows, delays = partial.rows, Delays()
    holds, fails, decided = np.full((3, len(prepared.facts), rows.count), NEVER)
    for i, fact in enumerate(prepared.facts):
        arrived = partial.arrived[i]
        decided[i] = deadline(known, prepared, fact, rows, delays)
        late = taken(known, fact, rows)
        if rows.as_of is not None:
            arrived = or_never(arrived, arrived > rows.as_of)
            late = None if late is None else or_never(late, late > rows.as_of)
        holds[i] = arrived
        fails[i] = or_never(decided[i] if late is None else np.minimum(decided[i], late), arrived != NEVER)
    return Derivations(prepared, rows, holds, fails, decided)


def deadline(known: Knowledge, prepared: Prepared, fact: FactLiteral, rows: Rows, delays: Delays) -> Column:
    """The last tick at which the fact of a literal may arrive in each row; NEVER: unbounded, or unseen."""
    atom, time = fact.node, fact.node.time
    if (delay := delays.get((atom.predicate, atom.terms))) is None:
        delay = slowest(known.rules.inputs[atom.predicate], atom, rows, known.values)
        delays[atom.predicate, atom.terms] = delay
    if time.variable is None or time.variable in rows.bound:
        latest = first = time_column(time, rows)
    else:
        latest, first = latest_tick(prepared, time, rows), first_tick(prepared, time, rows)
    due = or_never(np.where(latest < first, -1, latest + delay), latest == NEVER)
    if known.sight is None:
        return due
    asked = AskedTicks(first, np.where(due == NEVER, first, latest), np.broadcast_to(delay, due.shape))
    cells = named_cells(atom.terms, rows, known.values)
    unseen = known.sight.unseen(known.rules.inputs[atom.predicate], cells, asked)
    return or_never(due, unseen > np.maximum(latest - first + 1, 0) // DOUBTS)


def named_cells(arguments: Sequence[AnswerTerm | None], rows: Rows, values: Values) -> dict[int, Column]:
    """The cells of the arguments that have a value, by their positions."""
    return {
        at: term_column(term, rows, values)
        for at, term in enumerate(arguments)
        if isinstance(term, Const) or (isinstance(term, Var) and term.name in rows.bound)
    }


def taken(known: Knowledge, fact: FactLiteral, rows: Rows) -> Column | None:
    """The tick at which a fact takes the slot of the literal (NEVER: it is free); None if that is unknown."""
    if fact.slot is None or not fact.slot_variables <= rows.bound.keys():
        return None
    ticks = time_column(fact.node.time, rows)
    facts = gather(known.history, fact.node.predicate, spans_of(distinct(ticks)))
    asked = [term_column(fact.node.arguments[i], rows, known.values) for i in fact.slot]
    there = [facts.columns[i] for i in fact.slot]
    at = find_rows([*asked, ticks], [*there, facts.time])
    return np.where(at >= 0, facts.arrival.take(at) if facts.count else NEVER, NEVER)


# ---- how late a fact may be that a literal stands for ----


def slowest(source: Input, atom: Atom, rows: Rows, values: Values) -> Column | np.int64:
    """δ of an atom in each row: the greatest there is among the facts it may stand for."""
    if not source.refinements:
        return np.int64(source.delay)
    tables = tables_of(source, values)
    # Of the facts that fit a declaration, one with its values and otherwise new ones stands for all.
    greatest = _decided(atom, rows.bound, np.full(rows.count, source.delay, np.int64), tables, values)
    for number, table in enumerate(tables):
        terms = [atom.terms[i] for i in table.positions]
        open_ = {t.name for t in terms if isinstance(t, Var)} - rows.bound.keys()
        if not open_:
            continue
        for *cells, delay in zip(*table.cells, table.delays, strict=True):
            named = _named(terms, cells, open_, rows.count)
            if named is None:
                continue
            bound = {**rows.bound, **named}
            declared = _decided(atom, bound, np.full(rows.count, delay), tables[number + 1 :], values)
            fits, each = declared > greatest, Rows(bound, rows.count)
            for term, cell in zip(terms, cells, strict=True):
                fits &= term_column(term, each, values) == cell
            greatest[fits] = declared[fits]
    return greatest


def _decided(atom: Atom, bound: Bound, delay: Column, tables: Sequence[DelayRows], values: Values) -> Column:
    """δ of atoms with these values, by the fitting declaration with the most constants."""
    for table in tables:
        terms = [atom.terms[i] for i in table.positions]
        if all(isinstance(t, Const) or t.name in bound for t in terms):
            have = [term_column(t, Rows(bound, len(delay)), values) for t in terms]
            at = find_rows(have, table.cells) if have else np.zeros(len(delay), np.int64)
            delay = np.where(at >= 0, table.delays[at], delay)
    return delay


def _named(terms: Sequence[Term], cells: Sequence[int], open_: set[str], count: int) -> Bound | None:
    """The values that a declaration names for open variables; None if one would have two."""
    named: dict[str, int] = {}
    for term, cell in zip(terms, cells, strict=True):
        if isinstance(term, Var) and term.name in open_ and named.setdefault(term.name, cell) != cell:
            return None
    return {name: np.full(count, cell) for name, cell in named.items()}


# ---- ranges whose last tick is open ----
#
#   Step(P, glue, T), Step(P, press, U), U > T, U <= T+15, not Step(P, cool, T..U)
#   glued at 0, cooled at 3 and at 2, which came at 4 and at 5: from 4 on U < 3, from 5 on U < 2
#
# A true atom bounds the range. A row of a query is there once for each such bound, while it holds. Other rows
# only need to know when they are over: as soon as an atom is true and nothing before it can come any more.


@dataclass(frozen=True, eq=False)
class TrueAtoms(tables.ColumnSet):
    """Atoms that are true since some tick, at ticks of the ranges of rows: one for each row and atom."""

    row: Column
    tick: Column
    true_at: Column


Seek: TypeAlias = Callable[[Derivations, OpenEnd], TrueAtoms]  # in the ranges of rows, as far as they can go


def false_by_end(known: Knowledge, found: Derivations, end: OpenEnd, true: TrueAtoms) -> Column:
    """The tick at which each row is over by its open end: NEVER if it is not."""
    last = np.full(found.rows.count, NEVER)
    some = found.rows.take(true.row)
    some = replace(some, bound={**some.bound, end.bound: true.tick})
    for _, due in _deadlines(known, found.prepared, some):
        np.minimum.at(last, true.row, np.maximum(true.true_at, due))
    return last


def as_they_are(
    known: Knowledge, found: Derivations, seek: Seek, leaving: frozenset[str] = frozenset()
) -> Derivations:
    """Gives rows that are seen as of some ticks the bounds of their open ends, but those about `leaving`."""
    if found.rows.as_of is None:
        return found
    for end in _open_in(found):
        if leaving.isdisjoint(each.name for each in end.node.references):
            found = as_it_is(known, found, end, seek(found, end))
    return found


def as_it_is(known: Knowledge, found: Derivations, end: OpenEnd, true: TrueAtoms) -> Derivations:
    """Gives rows that are seen as of some ticks the bound of an open end, and their deadlines then."""
    assert found.rows.as_of is not None
    tick = np.full(found.rows.count, NEVER)
    there = true.take(marked(true.true_at <= found.rows.as_of.take(true.row)))
    np.minimum.at(tick, there.row, there.tick)
    return _with_bound(known, found, end, tick)


def while_they_are(known: Knowledge, found: Derivations, seek: Seek) -> list[Derivations]:
    """The rows of a query, each once for every bound of an open end, while that holds, and without one."""
    blocks = [(found, np.arange(found.rows.count))]
    for end in _open_in(found):
        true = seek(found, end)
        blocks = [part for block, row in blocks for part in _each(known, block, row, end, true)]
    return [block for block, _ in blocks]


def without_bounds(prepared: Prepared, rows: Rows) -> Rows:
    """Rows without the bounds of their open ends."""
    bounds = {each.bound for each in prepared.ends}
    return replace(rows, bound={name: column for name, column in rows.bound.items() if name not in bounds})


def _open_in(found: Derivations) -> Sequence[OpenEnd]:
    bound = found.rows.bound.keys()
    return [each for each in found.prepared.ends if each.is_open(bound) and each.bound not in bound]


def _each(
    known: Knowledge, block: Derivations, row: Column, end: OpenEnd, true: TrueAtoms
) -> list[tuple[Derivations, Column]]:
    """The rows of a block without a bound and with each; `row` is which of the rows with atoms each is."""
    own = _falling(true)
    first = np.full(int(max(row.max(initial=-1), own.row.max(initial=-1))) + 1, NEVER)
    np.minimum.at(first, own.row, own.true_at)
    until = np.full(len(own.row), NEVER)
    until[:-1] = np.where(own.row[1:] == own.row[:-1], own.true_at[1:], NEVER)
    before = _during(block, end, np.full(len(row), np.int64(-1)), first.take(row))
    if len(own.row) == 0:
        return [(before, row)]
    which, at = places_of(own.row, row)
    bounded = _with_bound(known, block.take(which), end, own.tick.take(at))
    return [(before, row), (_during(bounded, end, own.true_at.take(at), until.take(at)), row.take(which))]


def _falling(true: TrueAtoms) -> TrueAtoms:
    """The atoms that lie before all that are true before them, by row and then since when they are."""
    true = true.take(np.lexsort((true.tick, true.true_at, true.row)))
    if len(true.row) == 0:
        return true
    # Rows follow each other, so that the ticks of a row are below those of all rows before it.
    span = int(true.tick.max()) + 1
    least = np.minimum.accumulate(true.tick - true.row * span)
    fresh = np.append([True], least[1:] < least[:-1])
    return true.take(marked(fresh))


def _during(found: Derivations, end: OpenEnd, since: Column, until: Column) -> Derivations:
    """Derivations that are supported from some ticks on; the range with the open end fails at others."""
    replaced = {**found.rows.replaced, end.node: until}
    return replace(found, rows=replace(found.rows, replaced=replaced)).during(since, NEVER)


def _with_bound(known: Knowledge, found: Derivations, end: OpenEnd, tick: Column) -> Derivations:
    """Derivations whose open end is bounded by atoms at some ticks; NEVER: by none."""
    rows = replace(found.rows, bound={**found.rows.bound, end.bound: tick})
    fails, decided = found.fails.copy(), found.decided.copy()
    for number, due in _deadlines(known, found.prepared, rows):
        fails[number] = np.minimum(fails[number], due)
        decided[number] = due
    return replace(found, rows=rows, fails=fails, decided=decided)


def _deadlines(known: Knowledge, prepared: Prepared, rows: Rows) -> list[tuple[int, Column]]:
    """The deadlines of the fact literals whose times are open, each with its number."""
    delays = Delays()
    return [
        (number, deadline(known, prepared, fact, rows, delays))
        for number, fact in enumerate(prepared.facts)
        if fact.node.time.variable is not None and fact.node.time.variable not in rows.bound
    ]
