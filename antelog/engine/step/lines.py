"""Lines of the change log of a query between two ticks as an Arrow table, and the outlook of open answers.

tick  change     X    T  explanations                                   if_silent    decided_by
1     possible   wt2  0  [Temp(wt2, high, 0)] [Temp(wt2, high, 1), …]   rejected 2   3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import total
from antelog.compile.literals.terms import variables_in
from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.joins import TooLargeError, pairs, spread
from antelog.engine.columns.tables import (
    NEVER,
    Column,
    ColumnSet,
    changed,
    combined,
    in_order,
    inverse,
    keys_of,
    marked,
    numbered,
    or_never,
    ordinals,
)
from antelog.engine.columns.tables import columns as columns_of
from antelog.engine.step.arrays import nested
from antelog.engine.step.atoms import in_silence, with_asked
from antelog.engine.step.derivations import Derivations, Knowledge, Truth, answer_time, life_of, spoken_for
from antelog.engine.step.explanations import OPEN, Explanations, Outlook, explanations, kinds, opened
from antelog.engine.step.lives import Lives, and_more, answer_of, views_of
from antelog.engine.step.lost import LostLiterals
from antelog.engine.step.query import (
    CONFIRM,
    KINDS,
    POSSIBLE,
    REJECT,
    REVISED,
    STILL_OPEN,
    Kinds,
    Step,
    StepQuery,
)
from antelog.engine.step.schema import EXPLAINING, OTHERS_NAMES, united, with_digits, with_structs
from antelog.engine.values.decoding import repeated
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.types import MIXED


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of the log about answers, and how many more are `opened` (None: only confirmed are wanted)."""

    table: pa.Table
    cells: tuple[Column, ...]  # of the answers, if stages are wanted; the time last, negative if it is open
    tick: Column
    kind: Kinds
    stage: Column  # how far the answers have come (see `stages`)
    opened: int | None = None


def no_lines(empty: pa.Table, relation: Relation, opened: int | None = None) -> Lines:
    tick, kind, stage, *cells = columns_of(len(relation.answer.variables) + 4)
    return Lines(empty, tuple(cells), tick, kind, stage, opened)


def joined(parts: Sequence[Lines]) -> Lines:
    """The lines of several parts of a step, in order."""
    opened = total(*(each.opened for each in parts))
    parts = [each for each in parts if each.table.num_rows] or parts[:1]
    if len(parts) == 1:
        return replace(parts[0], opened=opened)
    columns = zip(*((*each.cells, each.tick, each.kind, each.stage) for each in parts), strict=True)
    *cells, tick, kind, stage = map(np.concatenate, columns)
    return Lines(united([each.table for each in parts]), tuple(cells), tick, kind, stage, opened)


def knows_open(only: Sequence[str]) -> bool:
    """Whether these kinds of changes show which answers are open."""
    return not set(only) <= {"confirmed"}


def changes(
    known: Knowledge, query: StepQuery, reported: Explanations, lost: LostLiterals | None = None
) -> Lines:
    """The lines of a query in a step; `lost` finds the literals that are lost from sight."""
    only, before = query.wanted.only, query.step.before
    kind = kinds(reported, only, before)
    moment = marked(kind >= 0)
    found = lines(known, query, reported, moment, kind.take(moment), lost=lost)
    return replace(found, opened=opened(reported, before) if knows_open(only) else None)


def open_lines(known: Knowledge, query: StepQuery, reported: Explanations) -> Lines:
    still = marked(reported.status == OPEN)
    return lines(known, query, reported, still, np.full(len(still), REVISED))


def as_they_stand(table: pa.Table) -> pa.Table:
    """The present answers, open or just confirmed, with the change `open` for open ones."""
    place = table.schema.get_field_index("change")
    confirmed = pc.equal(table.column(place), KINDS[CONFIRM])
    change = pc.if_else(confirmed, table.column(place), STILL_OPEN)
    return table.set_column(place, table.schema.field(place), change)


def lines(
    known: Knowledge,
    query: StepQuery,
    reported: Explanations,
    moment: Column,
    kind: Kinds,
    *,
    lost: LostLiterals | None = None,
) -> Lines:
    """The lines of some moments, in the order of the log."""
    relation = known.rules.relations[query.name]
    schema = with_structs(query.columns.schema) if query.wanted.structs else query.columns.schema
    if len(moment) == 0:
        return no_lines(schema.empty_table(), relation)
    found, at = reported.found, reported.at
    about = at.answer.take(moment)
    fresh = changed(about)
    # Answers have several lines each, one after the other. What is the same in all of them is found out once.
    row, number = about.take(marked(fresh)), ordinals(fresh)
    if not found.by_answer.alone:
        row = found.by_answer.first.take(row)
    answer = [cells.take(row) for cells in found.answer]
    if found.twins is not None:
        each, answer[found.twins.position] = found.twins.each(answer[found.twins.position])
        answer = [cells if i == found.twins.position else cells.take(each) for i, cells in enumerate(answer)]
        sizes = np.bincount(each, minlength=len(row))
        line, number = spread((np.cumsum(sizes) - sizes).take(number), sizes.take(number))
        moment, kind, row = moment.take(line), kind.take(line), row.take(each)
    tick, time = at.tick.take(moment), found.time.take(row)
    untimed = time < 0
    someday = bool(untimed.any())
    sorting = [np.where(untimed, time.max() + 1, time) if someday else time - time.min()]
    values: list[tuple[pa.Array, Column]] = []
    for position, (variable, cells) in enumerate(zip(relation.answer.variables, answer, strict=True)):
        type_ = query.columns.types[variable]
        spoken = known.values.spoken(cells) if pa.types.is_string(type_) else None
        if spoken is not None:
            array, place = spoken
            which = place
        elif pa.types.is_floating(type_) and known.values.whole_numbers(cells) is not None:
            column = schema.get_field_index(variable)
            schema = schema.set(column, with_digits(schema.field(column)))
            different, which = numbered(cells)
            array = known.values.decode(different, MIXED)
            place = known.values.ranks(different).take(which)
        else:
            different, which = numbered(cells)
            array = known.values.decode(different, type_)
            place = inverse(pc.array_sort_indices(array).to_numpy()).take(which)
        values.append((array, which))
        sorting.append(place)
        if position in relation.unguarded:
            sorting.append((cells == OTHERS).astype(np.int64))
    order = in_order([tick - tick.min(), combined(sorting).take(number)])
    moment, kind, number, tick = moment.take(order), kind.take(order), number.take(order), tick.take(order)
    open_ = marked(kind <= REVISED)
    ahead, still = reported.ahead, moment.take(open_)
    if ahead is not None:
        ahead = ahead.take(still)
    elif found.twins is None:
        ahead = outlook(known, reported, still, at.tick.take(still))
    else:  # twins have the same
        once, which = numbered(still)
        ahead = outlook(known, reported, once, at.tick.take(once)).take(which)
    to_come = np.full_like(kind, REJECT)
    to_come[open_[ahead.confirmed]] = CONFIRM
    silent, decided = ahead.columns(open_, repeated(KINDS, to_come))
    shown, because = (
        nested(known, query, reported, moment, kind == REJECT)
        if query.wanted.explained
        else [pa.nulls(len(moment), schema.field(name).type) for name in EXPLAINING]
    )
    columns = [pa.array(tick), repeated(KINDS, kind)]
    columns += (array.take(pa.array(which.take(number))) for array, which in values)
    if relation.answer.time is not None:
        columns.append(pa.array(time.take(number), mask=untimed.take(number) if someday else None))
    if relation.unguarded:
        columns.append(_others(relation, [cells.take(number) for cells in answer]))
    columns += [shown, silent, decided, because]
    if "lost" in schema.names:
        none = pa.nulls(len(moment), schema.field("lost").type)
        columns.append(
            none if lost is None else lost.of_lines(reported, moment, kind, structs=query.wanted.structs)
        )
    table = pa.Table.from_arrays(columns, schema=schema)
    if not query.wanted.staged:
        return Lines(table, (), tick[:0], kind[:0], moment[:0])
    answer_of = tuple(cells.take(number) for cells in (*answer, time))
    return Lines(table, answer_of, tick, kind, stages(known, query.name, reported, moment))


def _others(relation: Relation, answer: Sequence[Column]) -> pa.Array:
    """The variables of each line that stand for all others; null if there are none."""
    names = [relation.answer.variables[i] for i in relation.unguarded]
    columns = zip(*((answer[i] == OTHERS).tolist() for i in relation.unguarded), strict=True)
    named = ([name for name, general in zip(names, each, strict=True) if general] or None for each in columns)
    return pa.array(named, OTHERS_NAMES)


# ---- stages ----

NO_STAGE = -1  # of an answer without explanation
LITERALS = 33  # so many of a pattern have a bit of their own in a stage; those after them share the last
PATTERN = LITERALS + 3  # from this bit on is the number of the pattern; right before the quarters reached
_MISSING = PATTERN + 16


def stages(known: Knowledge, query: str, reported: Explanations, moment: Column) -> Column:
    """The stages of answers: the pattern of the shortest explanation, its true literals, its quarters."""
    found, at = reported.found, reported.at
    line, view = views_of(at, reported.kept, moment)
    row, then = at.view_of.take(view), at.then.take(view)
    patterns = known.rules.patterns[query]
    numbers = {id(prepared): number for number, prepared in enumerate(patterns)}
    stage = np.zeros(len(row), np.int64)
    block = np.searchsorted(np.array(found.starts), row, "right") - 1
    for number, each in enumerate(found.blocks):
        mine = marked(block == number)
        if len(mine) == 0:
            continue
        own, tick = row.take(mine) - found.starts[number], then.take(mine)
        holds = each.holds.take(own, axis=1) <= tick
        missing = len(holds) - np.count_nonzero(holds, axis=0)
        true = np.bitwise_or.reduce(holds * _bits(len(holds)), axis=0)
        reached = np.zeros(len(own), np.int64)
        for amount in each.progress:
            reached += np.count_nonzero(amount.quarters.take(own, axis=1) <= tick, axis=0)
        stage[mine] = (
            (np.minimum(missing, 1023) << _MISSING)
            + (numbers[id(each.prepared)] << PATTERN)
            + (np.minimum(reached, 7) << LITERALS)
            + true
        )
    result = np.full(len(moment), NO_STAGE)
    if len(line):
        first = marked(changed(line))
        result[line.take(first)] = np.minimum.reduceat(stage, first) & ((1 << _MISSING) - 1)
    return result


@cache
def _bits(literals: int) -> Column:
    """The bits of the literals, one below the other."""
    return 1 << np.minimum(np.arange(literals), LITERALS - 1)[:, None]


def pattern_of(stage: Column) -> Column:
    return stage >> PATTERN


# ---- outlook ----


def outlook(known: Knowledge, reported: Explanations, moment: Column, then: Column) -> Outlook:
    """How the answers at some moments end without more facts, and the last deadline, as of `then`."""
    found, at, kept = reported.found, reported.at, reported.kept
    if at.alone and len(moment):
        (block,) = found.blocks
        return _outlook_of(_end(known, block, at.answer.take(moment), then))
    ends = Truth.of_nothing(len(moment))  # of the last reported explanation: others are over sooner
    line_at = np.full(len(at.tick), -1)
    line_at[moment] = np.arange(len(moment))
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at.take(at.view_at[mine])
        view = marked(kept[mine] & (line >= 0))
        if len(view):
            line, view = line.take(view), view + mine.start
            ends.add(line, _end(known, block, at.view_of.take(view) - found.starts[b], then.take(line)))
    _go_on(known, reported, moment, then, ends)
    return _outlook_of(ends)


def _outlook_of(end: Truth) -> Outlook:
    return Outlook(end.true_at <= end.false_at, np.minimum(end.true_at, end.false_at), end.decided)


def _end(known: Knowledge, block: Derivations, row: Column, then: Column) -> Truth:
    """The truth of some rows of a block as of some ticks; they may go on with final values of aggregates."""
    found = block.take(row).as_of(then)
    try:
        seen = with_asked(known, found, since=then)
        end = Truth(seen.complete, seen.failed, seen.open_until)
        if taking := in_silence(known, found):
            end = end._replace(true_at=np.full_like(then, NEVER), false_at=then.copy())
            answered, later = (
                block.prepared.pattern.answered & found.rows.bound.keys(),
                _Later(*columns_of(4)),
            )
            for each in taking:
                if answered != block.prepared.pattern.answered & each.rows.bound.keys():
                    continue
                kept = [each.rows.bound[n] == found.rows.bound[n].take(each.owner) for n in sorted(answered)]
                same = each.take(marked(np.all(kept, axis=0))) if kept else each
                later = later.and_then(_Later.of(known, same, same.owner, then))
            _carry_on(end, later)
    except TooLargeError:
        if len(row) < 2:
            raise
        halves = zip(np.array_split(row, 2), np.array_split(then, 2), strict=True)
        parts = [_end(known, block, *half) for half in halves]
        return Truth(*map(np.concatenate, zip(*parts, strict=True)))
    return end


def _go_on(known: Knowledge, reported: Explanations, moment: Column, then: Column, ends: Truth) -> None:
    """Moves the ends of answers that a pattern derives by then: at its tick, or with closed aggregates."""
    found, answer = reported.found, reported.at.answer.take(moment)
    taking = [b for b, block in enumerate(found.blocks) if block.prepared.pattern.takings]
    later = [_closed(known, found, b, answer, then) for b in taking]
    mixed = not all(block.prepared.clocked for block in found.blocks)
    for b, block in enumerate(found.blocks):
        if not (mixed and block.prepared.clocked):
            continue
        rows = found.rows(b)
        line, row = pairs(answer, found.number[rows])
        since, time = then.take(line), found.time[rows].take(row)
        spoken = spoken_for(block).take(row) <= since if block.prepared.facts else np.ones(len(row), np.bool_)
        to_come = marked(spoken & (time > since))
        if len(to_come):
            line, row, since, time = (c.take(to_come) for c in (line, row, since, time))
            end = _end(known, block, row, since)
            later.append(_Later(line, time, end.true_at, end.false_at))
    if later:
        _carry_on(ends, _Later.and_then(*later))


def _carry_on(ends: Truth, later: _Later) -> None:
    """Moves the ends of lines, in place, to those of what begins before and ends later."""
    true_at = np.maximum(later.true_at, later.begin)
    np.minimum.at(ends.true_at, later.line, or_never(true_at, true_at >= later.false_at))
    line, begin, rejected, failed = later.line, later.begin, ends.false_at, later.false_at
    while len(goes_on := marked((begin <= rejected.take(line)) & (rejected.take(line) < failed))):
        np.maximum.at(rejected, line.take(goes_on), failed.take(goes_on))


@dataclass(frozen=True, eq=False)
class _Later(ColumnSet):
    """Derivations that answers of lines will have: since when, and when they are true and false."""

    line: Column
    begin: Column
    true_at: Column
    false_at: Column

    @classmethod
    def of(cls, known: Knowledge, found: Derivations, line: Column, then: Column) -> Self:
        """Derivations that take values in silence, seen as of the ticks `then` of their lines."""
        whole = with_asked(known, found, since=then.take(line))
        assert whole.rows.latest is not None
        begin = life_of(whole, Step(0, -1, 0)).supported
        return cls(line, begin, whole.complete, np.minimum(whole.failed, whole.rows.latest.last))


def _closed(known: Knowledge, found: Lives, number: int, answer: Column, then: Column) -> _Later:
    """The derivations of answers with values that a block takes in silence."""
    block, later = found.blocks[number], _Later(*columns_of(4))
    pattern, bound = block.prepared.pattern, block.rows.bound.keys()
    if not any(each.variables & variables_in(pattern.answer) - bound for each in pattern.takings):
        return later
    open_ = [place for place, term in enumerate(pattern.answer) if not variables_in([term]) <= bound]
    first, own = found.by_answer.first.take(answer), [*found.answer, found.time]
    wanted = [cells.take(first) for cells in own]
    some = marked((np.array([wanted[place] for place in open_]) != UNBOUND).any(axis=0))
    shared = [place for place in range(len(own)) if place not in open_]
    sides = [[wanted[i].take(some) for i in shared], [own[i][found.rows(number)] for i in shared]]
    line, row = pairs(*keys_of(sides))
    line = some.take(line)
    asked = block.take(row).as_of(then.take(line)).owned_by(np.arange(len(row)))
    for each in in_silence(known, asked):
        time, about = answer_time(each), line.take(each.owner)
        pairs_of = zip([*answer_of(each, known.values), time], wanted, strict=True)
        same = marked(np.all([cells == other.take(about) for cells, other in pairs_of], axis=0))
        later = later.and_then(_Later.of(known, each.take(same), about.take(same), then))
    return later


# ---- lines that are overdue ----


def with_overdue(known: Knowledge, query: StepQuery, reported: Explanations) -> Explanations:
    """Adds the moments that lines of open answers named, one after another, and nothing happened at."""
    at, step = reported.at, query.step
    kind = kinds(reported, KINDS)
    line = marked(kind >= 0)
    following = np.append(at.answer.take(line[1:]) == at.answer.take(line[:-1]), [False])
    until = np.where(following, np.append(at.tick.take(line[1:]), [0]), step.now + 1)
    leaves_open = (kind.take(line) == POSSIBLE) | (kind.take(line) == REVISED)
    kept = marked(leaves_open & (until > step.before))
    first, until = line.take(kept), until.take(kept)
    moment, then = first, at.tick.take(first)
    answers, ticks, outlooks = [moment[:0]], [then[:0]], [outlook(known, reported, moment, then)]
    while len(late := marked(outlooks[-1].tick < until)):
        moment, until, then = moment.take(late), until.take(late), outlooks[-1].tick.take(late)
        answers.append(at.answer.take(moment))
        ticks.append(then)
        outlooks.append(outlook(known, reported, moment, then))
    ahead, tick = Outlook.and_then(*outlooks), np.concatenate(ticks)
    if len(tick) == 0:
        return replace(reported, ahead=ahead.at(first, len(reported.status)))
    at, moved, new = and_more(reported.found, at, step.now, np.concatenate(answers), tick)
    due = np.zeros(len(at.tick), np.bool_)
    due[new] = True
    outlooks_at = ahead.at(np.concatenate([moved.take(first), new]), len(due))
    return replace(explanations(known, query, reported.found, at), due=due, ahead=outlooks_at)
