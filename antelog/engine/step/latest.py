"""The latest facts of slots: which fact is the latest of a row's slot, and when that is certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from antelog.compile.literals import Aggregation, Atom, Last
from antelog.compile.literals.literal import Reference
from antelog.compile.literals.terms import AnswerTerm, Var
from antelog.compile.nodes.patterns import Taking
from antelog.compile.nodes.plan import Input
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, changed, groups, marked
from antelog.engine.facts.history import Facts, with_latest_facts
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.derivations import Derivations, Knowledge, Truth, life_of
from antelog.engine.step.literals import least_after, named_cells, slowest
from antelog.engine.step.matching import Background, fitting
from antelog.engine.step.members import Candidates
from antelog.engine.step.query import Step
from antelog.engine.step.rows import Rows, key_of, keys_in, term_column, time_column, with_worked_out
from antelog.engine.values.encoding import UNBOUND


@dataclass(frozen=True, eq=False)
class LatestSpans(ColumnSet):
    """For rows, each with a fact or atom of its slot, since when and until when that is the latest."""

    row: Column
    at: Column
    since: Column
    until: Column


@dataclass(frozen=True, eq=False)
class SlotFacts:
    """The facts of the slots that rows ask for, by slot and tick."""

    known: Knowledge
    node: Last
    rows: Rows
    facts: Facts
    lo: Column  # the first and last tick of each row's range
    hi: Column
    first: Column  # the facts of this range are those from here to before `end`
    end: Column

    @classmethod
    def of(cls, known: Knowledge, node: Last, rows: Rows) -> SlotFacts:
        lo, hi = np.maximum(time_column(node.first, rows), 0), time_column(node.last, rows)
        facts = with_latest_facts(known.history, node.predicate)
        asked = [term_column(term, rows, known.values) for term in node.named]
        for place, cells in zip(node.slot.places, asked, strict=True):
            facts = facts.take(marked(find(facts.columns[place], cells) >= 0))
        there = [facts.columns[place] for place in node.slot.places]
        key, slot = keys_in([asked, there], [rows.count, facts.count])
        order = np.lexsort([facts.time, slot])
        facts, slot = facts.take(order), slot.take(order)
        first, end = (_up_to(slot, facts.time, key, tick) for tick in (lo - 1, hi))
        return cls(known, node, rows, facts, lo, hi, first, end)

    @property
    def source(self) -> Input:
        return self.known.rules.inputs[self.node.predicate]

    def missing(self, at: Column) -> Mask:
        """For each row whether there is no fact at a position of its range."""
        return (at < self.first) | (at >= self.end)

    def before(self, at: Column) -> Column:
        """The position of the last fact before another one in each row that is there as of its tick."""
        at = at - 1
        if self.rows.as_of is not None:
            while len(late := marked(~self.missing(at) & (_at(self.facts.arrival, at) > self.rows.as_of))):
                at[late] -= 1
        return at

    def arrival(self, at: Column) -> Column:
        """The arrival of the fact at a position of each row; NEVER if there is none."""
        return np.where(self.missing(at), NEVER, _at(self.facts.arrival, at))

    def time(self, at: Column) -> Column:
        """The tick of the fact at a position of each row; -1 if there is none."""
        return np.where(self.missing(at), -1, _at(self.facts.time, at))

    def fits(self, at: Column) -> Mask:
        """For each row whether the fact at a position has the values that are asked for."""
        found = ~self.missing(at)
        own: dict[str, Column] = {}
        for place, term in enumerate(self.node.arguments):
            if term is None or place in self.node.slot.places:
                continue
            cells = _at(self.facts.columns[place], at)
            if isinstance(term, Var) and term.name not in self.rows.bound:
                found &= own.setdefault(term.name, cells) == cells
            else:
                found &= term_column(term, self.rows, self.known.values) == cells
        return found

    def values_at(self, at: Column) -> Mapping[str, Column]:
        """The values that open variables take from the facts at some positions."""
        return {
            term.name: _at(self.facts.columns[place], at)
            for place, term in enumerate(self.node.arguments)
            if isinstance(term, Var) and term.name not in self.rows.bound
        }

    @property
    def final(self) -> tuple[Column, Column]:
        """The rows that have the latest facts if nothing more arrives, and the positions of these."""
        at = self.before(self.end)
        row = marked(self.fits(at))
        return row, at.take(row)

    def spans(self, supported: Column | None) -> tuple[LatestSpans, LatestSpans]:
        """While which facts are the latest, and while none that fits is, after some ticks (None: now)."""
        if supported is None:
            row, at = self.final
            none = np.setdiff1d(np.arange(self.rows.count), row)
            ends = (np.full(len(at), np.int64(tick)) for tick in (-1, NEVER))
            others = (np.full(len(none), np.int64(tick)) for tick in (-1, NEVER))
            return LatestSpans(row, at, *ends), LatestSpans(none, none, *others)
        row, at, going = np.arange(self.rows.count), self.end - 1, np.ones(self.rows.count, np.bool_)
        valued, open_ = list[LatestSpans](), list[LatestSpans]()
        # From the latest back: until when each is the latest, and from when on one that fits is.
        until, fitting_since = np.full((2, self.rows.count), NEVER)
        while going.any():
            there = going & ~self.missing(at)
            since = self.arrival(at)
            chosen = marked(there & (since < until) & self.fits(at))
            spans = LatestSpans(row, at, since, until).take(chosen)
            valued.append(spans)
            since_then = fitting_since.take(chosen)
            between = spans.until < since_then
            open_.append(LatestSpans(spans.row, spans.at, spans.until, since_then).take(between))
            fitting_since[chosen] = spans.since
            until = np.where(there, np.minimum(until, since), until)
            going = there & (since > supported)
            at = at - 1
        none = marked(fitting_since > supported)
        open_.append(LatestSpans(none, none, np.full(len(none), np.int64(-1)), fitting_since.take(none)))
        return LatestSpans.and_then(*valued), LatestSpans.and_then(*open_)

    def late(self, arguments: Sequence[AnswerTerm | None]) -> Column | np.int64:
        """δ of the facts with some arguments, in each row."""
        terms = tuple(Var(f"_{place}") if term is None else term for place, term in enumerate(arguments))
        atom = Atom(self.node.predicate, terms, self.node.last)
        return slowest(self.source, atom, self.rows, self.known.values)

    @property
    def earliest(self) -> Column:
        """The arrival of the fact of each range that came first; NEVER if it has none."""
        at, least = self.first, self.arrival(self.first)
        # No fact comes before its own tick.
        while (going := ~self.missing(at) & (_at(self.facts.time, at) < least)).any():
            least = np.where(going, np.minimum(least, _at(self.facts.arrival, at)), least)
            at = at + going
        return least


@dataclass(frozen=True, eq=False)
class SlotAtoms:
    """The true atoms of the slots that rows ask for, where latest facts are not kept."""

    latest: LatestSpans
    values: Mapping[str, Column]  # of the open variables, for each of these
    false_at: Column  # for each row when no atom that fits can be the latest any more

    @classmethod
    def of(cls, found: Candidates, truth: Truth, of_slot: Truth, fitting: Reference, rows: Rows) -> SlotAtoms:
        """Of the atoms that may fit, and of all those of the slot at each tick that is asked for."""
        row_of, owner, none = found.asked.row, found.owner, np.int64(NEVER)
        replaced = least_after(of_slot.true_at, row_of, none)
        fits, values = np.ones(len(owner), np.bool_), dict[str, Column]()
        for term, cells in zip(fitting.given, found.cells, strict=True):
            if isinstance(term, Var) and term.name not in rows.bound:
                fits &= values.setdefault(term.name, cells) == cells
        left, true_at = found.open_until.copy(), truth.true_at
        np.maximum.at(left, *found.ones)
        np.maximum.at(left, owner, np.minimum(true_at, truth.false_at))
        false_at = np.full(rows.count, np.int64(-1))
        np.maximum.at(false_at, row_of, np.minimum(left, replaced))
        at = marked(fits & (true_at < replaced.take(owner)))
        owner = owner.take(at)
        spans = LatestSpans(row_of.take(owner), np.arange(len(at)), true_at.take(at), replaced.take(owner))
        return cls(spans, {name: cells.take(at) for name, cells in values.items()}, false_at)

    def values_at(self, at: Column) -> Mapping[str, Column]:
        """The values that open variables take from the atoms at some positions."""
        return {name: cells.take(at) for name, cells in self.values.items()}

    @property
    def final(self) -> tuple[Column, Column]:
        """The rows that have the latest atoms if nothing more arrives, and the positions of these."""
        last = self.latest.take(marked(self.latest.until == NEVER))
        return last.row, last.at

    def spans(self, _supported: Column | None) -> tuple[LatestSpans, LatestSpans]:
        """While which atoms are the latest, and while none that fits is."""
        spans = self.latest
        # Those of one tick are replaced together, and others before they are there.
        same = groups(key_of([spans.row, spans.until]))
        row, until, every = (
            spans.row.take(same.first),
            spans.until.take(same.first),
            np.arange(len(self.false_at)),
        )
        row, until = np.concatenate([row, every]), np.concatenate([until, np.full_like(every, NEVER)])
        since = np.concatenate([same.least(spans.since), np.full_like(every, NEVER)])
        order = np.lexsort([since, row])
        row, since, until = row.take(order), since.take(order), until.take(order)
        before = np.where(changed(row), -1, np.roll(until, 1))
        return spans, LatestSpans(row, row, before, since).take(marked(before < since))


def _at(column: Column, at: Column) -> Column:
    """Values of a column at positions; any where there are none."""
    return column.take(at, mode="clip") if len(column) else np.zeros(len(at), np.int64)


def _up_to(slot: Column, time: Column, key: Column, tick: Column) -> Column:
    """The number of facts, by slot and tick, that come before others or at the same place."""
    count = len(slot)
    row = np.concatenate([np.zeros(count, np.int64), np.ones(len(key), np.int64)])
    order = np.lexsort([row, np.concatenate([time, tick]), np.concatenate([slot, key])])
    before = np.cumsum(order < count)
    found = np.zeros(len(key), np.int64)
    at = marked(order >= count)
    found[order.take(at) - count] = before.take(at)
    return found


# ---- truth ----


def truth_of_latest(known: Knowledge, node: Last, rows: Rows) -> Truth:
    """The ticks from which the latest fact fits for certain (never with open variables), and does not fit."""
    found = SlotFacts.of(known, node, rows)
    at, late = found.before(found.end), found.late(node.named_only)
    there, arrived, deadline = ~found.missing(at), found.arrival(at), found.hi + found.late(node.arguments)
    last = there & (found.time(at) == found.hi)
    fits = found.fits(at)
    if node.any_fits:
        true_at = np.where(there, found.earliest, NEVER)
    else:
        true_at = np.where(last, arrived, np.maximum(arrived, found.hi + late))
        true_at[~fits] = NEVER
    false_at = np.where(last, np.minimum(deadline, arrived), deadline)
    if not node.variables <= rows.bound.keys():
        true_at[:] = NEVER
    else:
        if len(found.source.delays) > 1:
            false_at = np.maximum(false_at, _replaced(found, at, false_at))
        false_at[fits] = NEVER
    if known.sight is not None:
        cells = named_cells(node.arguments, rows, known.values)
        since = np.maximum(found.lo, found.time(at) + 1)
        asked = AskedTicks(since, found.hi, np.broadcast_to(late, at.shape))
        unseen = known.sight.unseen(found.source, cells, asked) > 0
        false_at[unseen] = NEVER
        if not node.any_fits:
            true_at[unseen] = NEVER
    empty = found.hi < found.lo
    true_at[empty], false_at[empty] = NEVER, -1
    return Truth(true_at, false_at, _decided(found, at, found.hi + late))


def _replaced(found: SlotFacts, at: Column, least: Column) -> Column:
    """When a fact of another delay replaced the last that fits, if later than some ticks; else -1."""
    ticks, until = np.full(len(at), np.int64(-1)), found.arrival(at)
    going = ~found.missing(at) & (until > least)
    while going.any():
        at = found.before(at)
        fits = going & found.fits(at)
        ticks[fits] = until[fits]
        until = np.minimum(until, found.arrival(at))
        going &= ~fits & ~found.missing(at) & (until > least)
    return ticks


def _decided(found: SlotFacts, at: Column, deadline: Column) -> Column:
    """By when all has come: the deadline of the last tick of the range that has no fact; -1 if none."""
    if found.rows.as_of is None:
        return deadline
    tick = found.hi.copy()
    while (taken := ~found.missing(at) & (found.time(at) == tick)).any():
        tick -= taken
        at = np.where(taken, found.before(at), at)
    until = deadline - (found.hi - tick)
    return np.where((tick >= found.lo) & (until > found.rows.as_of), until, -1)


# ---- values ----


class TakenValues(NamedTuple):
    """The values that asked literals give rows: of final aggregates, and of the true atoms of slots."""

    close: Callable[[Aggregation, Rows], tuple[Column, Column]]  # see `atoms.closing`
    true_atoms: Callable[[Last, Rows], SlotAtoms]


def with_latest(
    known: Knowledge, found: Derivations, step: Step | None, background: Background, values: TakenValues
) -> list[Derivations]:
    """Gives derivations values of latest facts, and final aggregates; without a step, as of some ticks."""
    blocks = [found]
    for taking in found.prepared.pattern.takings:
        blocks = [part for each in blocks for part in _taken(known, taking, each, step, values)]
    return [_checked(known, each, background) for each in blocks]


def with_last(
    known: Knowledge, found: Derivations, background: Background, values: TakenValues
) -> list[Derivations]:
    """Derivations of atoms, then the same with the values that they have if nothing more arrives."""
    blocks = [found]
    for taking in found.prepared.pattern.takings:
        for block in [each for each in blocks if _takes(taking, each.rows)]:
            if isinstance(taking.literal, Aggregation):
                cells, _ = values.close(taking.literal, block.rows)
                row = marked(cells != UNBOUND)
                blocks.append(_with_values(block, row, dict.fromkeys(taking.variables, cells.take(row))))
                continue
            slots = _slots_of(known, taking.literal, block.rows, values)
            row, at = slots.final
            blocks.append(_with_values(block, row, slots.values_at(at)))
    return [_checked(known, each, background) for each in blocks]


def _takes(taking: Taking, rows: Rows) -> bool:
    """Whether there are rows in which some of its variables are still open, and no others."""
    open_ = taking.literal.variables - rows.bound.keys()
    return rows.count > 0 and bool(open_) and open_ <= taking.variables


def _taken(
    known: Knowledge, taking: Taking, block: Derivations, step: Step | None, values: TakenValues
) -> tuple[Derivations, ...]:
    """The rows with values, and those that stay open."""
    if not _takes(taking, block.rows):
        return (block,)
    if isinstance(taking.literal, Aggregation):
        cells, since = values.close(taking.literal, block.rows)
        some = marked((cells != UNBOUND) & (since <= (NEVER if step is None else step.now)))
        closed = _with_values(block, some, dict.fromkeys(taking.variables, cells.take(some)))
        return closed.during(since.take(some), NEVER), block.during(np.int64(-1), since)
    slots = _slots_of(known, taking.literal, block.rows, values)
    valued, open_ = slots.spans(None if step is None else life_of(block, step).supported)
    one = _joined(valued, slots.values_at(valued.at))
    bound = _with_values(block, one.row, slots.values_at(one.at))
    return _while_latest(bound, taking, one), _while_latest(block.take(open_.row), taking, open_)


def _slots_of(known: Knowledge, node: Last, rows: Rows, values: TakenValues) -> SlotFacts | SlotAtoms:
    return SlotFacts.of(known, node, rows) if node.slot.promised else values.true_atoms(node, rows)


def _joined(spans: LatestSpans, values: Mapping[str, Column]) -> LatestSpans:
    """The spans of rows, with those that follow each other with the same values made one."""
    key = key_of([spans.row, *values.values()])
    order = np.lexsort([spans.since, key])
    spans, key = spans.take(order), key.take(order)
    goes_on = (key[1:] == key[:-1]) & (spans.since[1:] == spans.until[:-1])
    first = marked(np.append([True], ~goes_on)[: len(key)])
    last = marked(np.append(~goes_on, [True])[: len(key)])
    return replace(spans.take(last), since=spans.since.take(first))


def _while_latest(found: Derivations, taking: Taking, spans: LatestSpans) -> Derivations:
    """Derivations within spans of a `last`, of which each ends when another fact is the latest."""
    replaced = {**found.rows.replaced, taking.literal: spans.until}
    rows = replace(found.rows, replaced=replaced)
    return replace(found, rows=rows).during(spans.since, spans.until)


def _with_values(block: Derivations, row: Column, bound: Mapping[str, Column]) -> Derivations:
    found = block.take(row)
    return replace(found, rows=replace(found.rows, bound={**found.rows.bound, **bound}))


def _checked(known: Knowledge, found: Derivations, background: Background) -> Derivations:
    """Derivations with what follows from their values, where the conditions on these hold."""
    rows, at = with_worked_out(found.prepared, found.rows, known.values)
    if at is not None:
        found = replace(found.take(at), rows=rows)
    fits = fitting(found.prepared, found.rows, background, known.values)
    return found if fits.all() else found.take(fits)
