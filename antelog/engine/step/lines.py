"""Lines of the change log of a query between two ticks, as an Arrow table.

    tick  change     X    T  explanations                                   if_silent    decided_by
    1     possible   wt2  0  [Temp(wt2, high, 0)] [Temp(wt2, high, 1), …]   rejected 2   3

A line may come with its *stage*, which says how far the answer has come: the pattern of its shortest
explanation, which literals are true, and how many quarters its counts have reached. It is for those who
count what becomes of answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import total
from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import (
    Column,
    changed,
    combined,
    in_order,
    inverse,
    marked,
    numbered,
    ordinals,
)
from antelog.engine.columns.tables import columns as columns_of
from antelog.engine.step.arrays import explanations
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.explanations import OPEN, Explanations, Outlook, kinds, opened
from antelog.engine.step.lives import views_of
from antelog.engine.step.lost import LostLiterals
from antelog.engine.step.outlook import outlook
from antelog.engine.step.query import CONFIRM, KINDS, REJECT, REVISED, STILL_OPEN, Kinds, StepQuery
from antelog.engine.step.schema import EXPLAINING, OTHERS_NAMES, with_digits, with_structs
from antelog.engine.step.uniting import united
from antelog.engine.values.decoding import repeated
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.types import MIXED
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of the log about answers.

    And if that was asked for, for each line the cells of its answer, the time last, which is negative if it
    is open; its tick and kind; and the `stage`, which says how far the answer has come (see `stages`).
    """

    table: pa.Table
    cells: tuple[Column, ...]
    tick: Column
    kind: Kinds
    stage: Column


def no_lines(empty: pa.Table, relation: Relation) -> Lines:
    tick, kind, stage, *cells = columns_of(len(relation.answer.variables) + 4)
    return Lines(empty, tuple(cells), tick, kind, stage)


def one_after_the_other(parts: Sequence[Lines]) -> Lines:
    parts = [part for part in parts if part.table.num_rows] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    columns = zip(*((*part.cells, part.tick, part.kind, part.stage) for part in parts), strict=True)
    *cells, tick, kind, stage = map(np.concatenate, columns)
    return Lines(united([part.table for part in parts]), tuple(cells), tick, kind, stage)


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of a query's answers: lines of the log, and the change of the number of open ones.

    If only confirmed answers are asked for, open ones are not counted, and `opened` is None.
    """

    lines: Lines
    opened: int | None

    @property
    def log(self) -> pa.Table:
        return self.lines.table


def nothing_changed(empty: Lines, only: Sequence[str]) -> Changes:
    return Changes(empty, 0 if knows_open(only) else None)


def joined(parts: Sequence[Changes]) -> Changes:
    """The changes of several parts of a step, in order."""
    if len(parts) == 1:
        return parts[0]
    return Changes(one_after_the_other([p.lines for p in parts]), total(*(part.opened for part in parts)))


def knows_open(only: Sequence[str]) -> bool:
    """Whether these kinds of changes show which answers are open."""
    return not set(only) <= {"confirmed"}


def changes(
    known: Knowledge, query: StepQuery, reported: Explanations, lost: LostLiterals | None = None
) -> Changes:
    """The changes of a query's answers in a step; where something may be `lost`, with what is."""
    only, before = query.wanted.only, query.step.before
    kind = kinds(reported, only, before)
    moment = marked(kind >= 0)
    found = lines(known, query, reported, moment, kind.take(moment), lost=lost)
    return Changes(found, opened(reported, before) if knows_open(only) else None)


def open_lines(known: Knowledge, query: StepQuery, reported: Explanations) -> Lines:
    """Lines about the answers that are open."""
    still = marked(reported.status == OPEN)
    return lines(known, query, reported, still, np.full(len(still), REVISED))


def as_they_stand(table: pa.Table) -> pa.Table:
    """The present answers, open or just confirmed, with the change `open` for open ones."""
    place = table.schema.get_field_index("change")
    confirmed = pc.equal(table.column(place), KINDS[CONFIRM])
    change = pc.if_else(confirmed, table.column(place), STILL_OPEN)
    return table.set_column(place, table.schema.field(place), change)


def open_count(reported: Explanations) -> int:
    """The number of open answers."""
    return reported.found.count(reported.at.answer.take(marked(reported.status == OPEN)))


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
        if pa.types.is_floating(type_) and known.values.whole_numbers(cells) is not None:
            column = schema.get_field_index(variable)
            schema = schema.set(column, with_digits(schema.field(column)))
            different, which = numbered(cells)
            array = known.values.decode(different, MIXED)
            place = known.values.ranks(different).take(which)
        else:
            array, which, place = _in_sequence(known.values, cells, type_)
        values.append((array, which))
        sorting.append(place)
        if position in relation.unguarded:
            sorting.append((cells == OTHERS).astype(np.int64))
    order = in_order([tick - tick.min(), combined(sorting).take(number)])
    moment, kind, number, tick = moment.take(order), kind.take(order), number.take(order), tick.take(order)
    ahead = _ahead(known, reported, moment.take(marked(kind <= REVISED)))
    texts = (
        explanations(known, query, reported, moment, kind == REJECT)
        if query.wanted.explained
        else [pa.nulls(len(moment), schema.field(name).type) for name in EXPLAINING]
    )
    around = columns_around(reported, moment, kind, ahead, texts)
    columns = around[:2]
    columns += (array.take(pa.array(which.take(number))) for array, which in values)
    if relation.answer.time is not None:
        columns.append(pa.array(time.take(number), mask=untimed.take(number) if someday else None))
    if relation.unguarded:
        columns.append(_others(relation, [cells.take(number) for cells in answer]))
    columns += around[2:]
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


def columns_around(
    reported: Explanations, moment: Column, kind: Kinds, ahead: Outlook, texts: Sequence[pa.Array]
) -> list[pa.Array]:
    """The columns around the answer: tick and change before it, and four columns after it.

    These are the explanations, what becomes of the open answers in silence, by when, and why others are over.
    What is known `ahead` is that of the open answers, one after the other.
    """
    open_ = marked(kind <= REVISED)
    to_come = np.full_like(kind, REJECT)
    to_come[open_[ahead.confirmed]] = CONFIRM
    silent, decided = ahead.columns(open_, repeated(KINDS, to_come))
    shown, because = texts
    return [pa.array(reported.at.tick.take(moment)), repeated(KINDS, kind), shown, silent, decided, because]


def _ahead(known: Knowledge, reported: Explanations, moment: Column) -> Outlook:
    """The outlooks of open answers at some moments."""
    if reported.ahead is not None:
        return reported.ahead.take(moment)
    once, which = (moment, None) if reported.found.twins is None else numbered(moment)
    ahead = outlook(known, reported, once, reported.at.tick.take(once))
    return ahead if which is None else ahead.take(which)


def _in_sequence(values: Values, cells: Column, type_: pa.DataType) -> tuple[pa.Array, Column, Column]:
    """An array of values, and for each row which of them it has and which place that has in order."""
    known = values.spoken(cells) if pa.types.is_string(type_) else None
    if known is not None:
        texts, place = known
        return texts, place, place
    different, which = numbered(cells)
    array = values.decode(different, type_)
    return array, which, inverse(pc.array_sort_indices(array).to_numpy()).take(which)


# ---- stages ----

NO_STAGE = -1
"""The stage of an answer that has no explanation."""

LITERALS = 33
"""So many literals of a pattern have a bit of their own in a stage; those after them share the last."""
_REACHED = LITERALS
_MOST_REACHED = 7
PATTERN = _REACHED + 3
"""From this bit on a stage has the number of its pattern; the quarters that were reached are right before."""
_MISSING = PATTERN + 16


def stages(known: Knowledge, query: str, reported: Explanations, moment: Column) -> Column:
    """The stage at each of some moments."""
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
            + (np.minimum(reached, _MOST_REACHED) << _REACHED)
            + true
        )
    result = np.full(len(moment), NO_STAGE)
    if at.alone:
        result[line] = stage & ((1 << _MISSING) - 1)
    elif len(line):
        first = marked(changed(line))
        result[line.take(first)] = np.minimum.reduceat(stage, first) & ((1 << _MISSING) - 1)
    return result


@cache
def _bits(literals: int) -> Column:
    """The bits of the literals, one below the other."""
    return 1 << np.minimum(np.arange(literals), LITERALS - 1)[:, None]


def pattern_of(stage: Column) -> Column:
    """The number of the pattern of each stage."""
    return stage >> PATTERN
