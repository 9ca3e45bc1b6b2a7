"""The change log of a query between two ticks, as an Arrow table.

tick  change     X    T  explanations                                   if_silent    decided_by
1     possible   wt2  0  [Temp(wt2, high, 0)] [Temp(wt2, high, 1), …]   rejected 2   3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
from antelog.engine.facts.counting import total
from antelog.engine.log.explaining import explanations
from antelog.engine.log.outlook import AsOf, Outlook, outlook
from antelog.engine.log.schema import OTHERS_NAMES, AnswerTypes, table_schema
from antelog.engine.log.stages import stages
from antelog.engine.log.told import (
    CONFIRM,
    KINDS,
    OPEN,
    REJECT,
    REVISED,
    STILL_OPEN,
    Kinds,
    Query,
    Share,
    Told,
    kinds,
    opened,
    tell,
    tell_current,
)
from antelog.engine.step.affected import Step
from antelog.engine.step.knowledge import Knowledge
from antelog.engine.values.decoding import repeated
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values

__all__ = ["KINDS", "Changes", "Query", "Share", "Teller", "answers", "as_they_stand", "changes", "count"]


@dataclass(frozen=True, eq=False)
class Teller:
    """The knowledge of what is true, and the types in which answers are told."""

    knowledge: Knowledge
    types: AnswerTypes


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines about answers as they are told.

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
    return Lines(pa.concat_tables([part.table for part in parts]), tuple(cells), tick, kind, stage)


@dataclass(frozen=True, eq=False)
class Changes:
    """What happened to the answers of a query: lines of the log, and by how many more of them are open.

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
    """What happened, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    return Changes(one_after_the_other([p.lines for p in parts]), total(*(part.opened for part in parts)))


def knows_open(only: Sequence[str]) -> bool:
    """Whether one who asks for these kinds of changes learns which answers are open."""
    return not set(only) <= {"confirmed"}


def changes(knowledge: Knowledge, query: Query, step: Step, types: AnswerTypes) -> Changes:
    """What happened to the answers of a query in a step."""
    told = tell(knowledge, query, step)
    kind = kinds(told, query.only, step.before)
    moment = marked(kind >= 0)
    found = lines(Teller(knowledge, types), query, told, moment, kind.take(moment))
    return Changes(found, opened(told, step.before) if knows_open(query.only) else None)


def answers(knowledge: Knowledge, query: Query, step: Step, types: AnswerTypes) -> Lines:
    """The answers that are open at the tick a step ends with, and those confirmed at it."""
    told = tell_current(knowledge, query, step)
    still = marked(told.status == OPEN)
    open_ = lines(Teller(knowledge, types), query, told, still, np.full(len(still), REVISED))
    confirmed = replace(query, only=("confirmed",))
    return one_after_the_other([open_, changes(knowledge, confirmed, step, types).lines])


def as_they_stand(table: pa.Table) -> pa.Table:
    """Answers that are open or just confirmed, the open ones called so: no change of them is told."""
    place = table.schema.get_field_index("change")
    confirmed = pc.equal(table.column(place), KINDS[CONFIRM])
    change = pc.if_else(confirmed, table.column(place), STILL_OPEN)
    return table.set_column(place, table.schema.field(place), change)


def count(knowledge: Knowledge, query: Query, step: Step) -> int:
    """How many answers are open at the tick a step ends with."""
    told = tell_current(knowledge, query, step)
    return told.found.count(told.at.answer.take(marked(told.status == OPEN)))


def lines(teller: Teller, query: Query, told: Told, moment: Column, kind: Kinds) -> Lines:
    """What is told at moments, in the order of the log."""
    knowledge, own_types = teller.knowledge, teller.types[query.name]
    relation = knowledge.rules.relations[query.name]
    schema = table_schema(relation, own_types)
    if len(moment) == 0:
        return no_lines(schema.empty_table(), relation)
    found, at = told.found, told.at
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
        array, which, place = _in_sequence(knowledge.values, cells, own_types[variable])
        values.append((array, which))
        sorting.append(place)
        if position in relation.unguarded:
            sorting.append((cells == OTHERS).astype(np.int64))
    order = in_order([tick - tick.min(), combined(sorting).take(number)])
    moment, kind, number, tick = moment.take(order), kind.take(order), number.take(order), tick.take(order)
    ahead = _ahead(knowledge, told, moment.take(marked(kind <= REVISED)))
    around = columns_around(knowledge, told, moment, kind, ahead)
    columns = around[:2]
    columns += (array.take(pa.array(which.take(number))) for array, which in values)
    if relation.answer.time is not None:
        columns.append(pa.array(time.take(number), mask=untimed.take(number) if someday else None))
    if relation.unguarded:
        columns.append(_others(relation, [cells.take(number) for cells in answer]))
    columns += around[2:]
    table = pa.Table.from_arrays(columns, schema=schema)
    if not query.staged:
        return Lines(table, (), tick[:0], kind[:0], moment[:0])
    told_of = tuple(cells.take(number) for cells in (*answer, time))
    return Lines(table, told_of, tick, kind, stages(knowledge, query.name, told, moment))


def _others(relation: Relation, answer: Sequence[Column]) -> pa.Array:
    """For each line the variables that stand for all others; null if there are none."""
    names = [relation.answer.variables[i] for i in relation.unguarded]
    columns = zip(*((answer[i] == OTHERS).tolist() for i in relation.unguarded), strict=True)
    told = ([name for name, general in zip(names, each, strict=True) if general] or None for each in columns)
    return pa.array(told, OTHERS_NAMES)


def columns_around(
    knowledge: Knowledge, told: Told, moment: Column, kind: Kinds, ahead: Outlook
) -> list[pa.Array]:
    """What lines say besides the answer: tick and change before it, and four columns after it.

    These are the explanations, what becomes of the open answers in silence, by when, and why others are over.
    What is known `ahead` is that of the open answers, one after the other.
    """
    open_ = marked(kind <= REVISED)
    to_come = np.full_like(kind, REJECT)
    to_come[open_[ahead.confirmed]] = CONFIRM
    shown, because = explanations(knowledge, told, moment, kind == REJECT)
    silent, decided = ahead.columns(open_, repeated(KINDS, to_come))
    return [pa.array(told.at.tick.take(moment)), repeated(KINDS, kind), shown, silent, decided, because]


def _ahead(knowledge: Knowledge, told: Told, moment: Column) -> Outlook:
    """What is known ahead of open answers at some moments."""
    if told.ahead is not None:
        return told.ahead.take(moment)
    once, which = (moment, None) if told.found.twins is None else numbered(moment)
    ahead = outlook(knowledge, told.found, told.at, told.kept, AsOf(once, told.at.tick.take(once)))
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
