"""Windows over facts, where each atom of a range rests on one fact, and on nothing else.

Where different values are counted, a fact is the first of its value, by arrival, for windows that end in one
stretch of ticks at most:

    windows of 4 ticks; the value a in a fact of tick 5 that came at 9, and in one of tick 7 that came at 7

    windows that end at    5, 6    7, 8, 9, 10
    a is there since       9       7

The values of a window are those whose stretches have begun when it ends, without those whose stretches are
over: nothing is done for each window and each of its facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.terms import Inner, Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import TickRange
from antelog.engine.columns.ranked import Ranked, Slices
from antelog.engine.columns.spans import Spans, covering
from antelog.engine.columns.tables import Column, Mask, changed, groups, in_order, keys_of, marked
from antelog.engine.facts.history import Facts, gather
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.derivations import Atoms, Knowledge
from antelog.engine.step.literals import slowest
from antelog.engine.step.matching import fitting, wholes
from antelog.engine.step.members import fitting_members, is_possible
from antelog.engine.step.rows import ONE, Rows, term_column, time_column
from antelog.engine.step.seeds import seed_of
from antelog.engine.step.windows import ByDeadline, MemberTable, RowArrivals, Windows, slices_between


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
        found = found.take(fitting_members(aggregate, found.columns, {}, found.count, known.values))
        possible = is_possible(aggregate, rows, known.values)
    given = {place: cells for place, cells in enumerate(asked.arguments) if cells is not None}
    key, of_row = _keys(found, [*given], [*given.values()], asked.count)
    value = found.time
    if aggregate is not None and aggregate.value is not None:
        value = found.columns[aggregate.value_column]
    members, values = MemberTable.of(found, key, value, of_row, ticks), None
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
        key, of_row = _keys(facts, fact.slot, [*cells], asked.count)
        closing = MemberTable.of(facts, key, facts.time, of_row, ticks)
        taken = closing.by_row(asked.as_of)
    openings = ByDeadline(
        members.by_row(asked.as_of), values, taken, closing.tick, ticks, single, slotted or not free, possible
    )
    return Windows(members, values, openings, asked.as_of)


def _keys(found: Facts, places: Sequence[int], cells: Sequence[Column], count: int) -> tuple[Column, Column]:
    """Keys for facts, by their cells in some places, and for rows that ask for such cells."""
    if not places:
        return np.zeros(found.count, np.int64), np.zeros(count, np.int64)
    key, of_row = keys_of([[found.columns[place] for place in places], cells])
    return key, of_row


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


# ---- the different values in windows ----


def _values(members: MemberTable, ticks: TickRange, as_of: Column | None) -> RowArrivals | None:
    """When the values of windows arrived; None if these differ in length, but for a cut at tick 0."""
    some, length = ticks.last >= ticks.first, ticks.last - ticks.first + 1
    longest = int(length.max(initial=0))
    if (some & (length < longest) & (ticks.first > 0)).any():
        return None
    facts = _FirstFacts.of(members, longest)
    key, after = members.of_row, np.where(some, ticks.last + 1, 0)
    begun, begun_arrival = _up_to(facts, facts.begin, key, after)
    over, over_arrival = _up_to(facts, facts.end, key, after)
    behind = Slices(over.first + len(begun_arrival), over.end + len(begun_arrival))
    arrivals = Ranked(np.concatenate([begun_arrival, over_arrival]))
    return RowArrivals(arrivals, Slices(begun.first, begun.end, behind), as_of)


@dataclass(frozen=True, eq=False)
class _FirstFacts:
    """Facts that are the first of their value, in windows that end from the tick `begin` to before `end`."""

    key: Column
    arrival: Column
    begin: Column
    end: Column

    @classmethod
    def of(cls, members: MemberTable, length: int) -> Self:
        """The first facts in windows of some length."""
        (of_value,) = keys_of([[members.key, members.value]])
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
    """For each row the nearest before it, of its group, that has at most some arrival; -1 if none has.

    `fresh` is where groups begin; `most` is the row's own arrival, or somewhat less.
    """
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
    found = slices_between(of.key.take(order), tick.take(order), key, none, after)
    return found, of.arrival.take(order)
