"""The change log of a query between two ticks, as an Arrow table.

tick  change     X    T  explanations                                   if_silent    decided_by
1     possible   wt2  0  [Temp(wt2, high, 0)] [Temp(wt2, high, 1), …]   rejected 2   3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.engine.answers.affected import Step
from antelog.engine.columns.tables import Column, in_order, inverse, marked, numbered
from antelog.engine.facts.counting import total
from antelog.engine.log.explaining import explanations
from antelog.engine.log.others import Teller, others_columns
from antelog.engine.log.outlook import AsOf, Outlook, outlook
from antelog.engine.log.schema import AnswerTypes, table_schema
from antelog.engine.log.told import (
    CONFIRM,
    KINDS,
    OPEN,
    REJECT,
    REVISED,
    Query,
    Share,
    Told,
    kinds,
    opened,
    tell,
    tell_current,
)
from antelog.engine.truth.atoms import Judge
from antelog.engine.values.decoding import repeated
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values

__all__ = ["KINDS", "Changes", "Query", "Share", "Teller", "answers", "changes", "count"]


@dataclass(frozen=True)
class Changes:
    """What happened to the answers of a query: the log, and by how many more of them are open.

    If only confirmed answers are asked for, open ones are not counted, and `opened` is None.
    """

    log: pa.Table
    opened: int | None


def nothing_changed(empty: pa.Table, only: Sequence[str]) -> Changes:
    return Changes(empty, 0 if knows_open(only) else None)


def joined(parts: Sequence[Changes]) -> Changes:
    """What happened, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    return Changes(pa.concat_tables([part.log for part in parts]), total(*(part.opened for part in parts)))


def knows_open(only: Sequence[str]) -> bool:
    """Whether one who asks for these kinds of changes learns which answers are open."""
    return not set(only) <= {"confirmed"}


def changes(judge: Judge, query: Query, step: Step, types: AnswerTypes) -> Changes:
    """What happened to the answers of a query in a step."""
    told = tell(judge, query, step)
    kind = kinds(told, query.only, step.before)
    moment = marked(kind >= 0)
    log = lines(Teller(judge, types), query.name, told, moment, kind.take(moment))
    return Changes(log, opened(told, step.before) if knows_open(query.only) else None)


def answers(judge: Judge, query: Query, step: Step, types: AnswerTypes) -> pa.Table:
    """The answers that are open at the tick a step ends with, and those confirmed at it."""
    told = tell_current(judge, query, step)
    still = marked(told.status == OPEN)
    open_ = lines(Teller(judge, types), query.name, told, still, np.full(len(still), REVISED))
    confirmed = Query(query.name, query.about, ("confirmed",), query.share, query.since)
    return pa.concat_tables([open_, changes(judge, confirmed, step, types).log])


def count(judge: Judge, query: Query, step: Step) -> int:
    """How many answers are open at the tick a step ends with."""
    return int(np.count_nonzero(tell_current(judge, query, step).status == OPEN))


def lines(teller: Teller, name: str, told: Told, moment: Column, kind: NDArray[np.integer[Any]]) -> pa.Table:
    """What is told at moments, in the order of the log."""
    judge, own_types = teller.judge, teller.types[name]
    relation = judge.known.rules.relations[name]
    schema = table_schema(relation, own_types)
    if len(moment) == 0:
        return schema.empty_table()
    found, at = told.found, told.at
    row = at.answer.take(moment)
    if not found.by_answer.alone:
        row = found.by_answer.first.take(row)
    tick, time = at.tick.take(moment), found.time.take(row)
    untimed = time < 0
    someday = bool(untimed.any())
    sorting = [tick - tick.min(), np.where(untimed, time.max() + 1, time) if someday else time - time.min()]
    values: list[tuple[pa.Array, Column]] = []
    for position, (variable, cells) in enumerate(zip(relation.answer.variables, found.answer, strict=True)):
        array, which, place = _in_sequence(judge.known.values, cells.take(row), own_types[variable])
        values.append((array, which))
        sorting.append(place)
        if position in relation.unguarded:
            sorting.append((cells.take(row) == OTHERS).astype(np.int64))
    order = in_order(sorting)
    moment, kind, row = moment.take(order), kind.take(order), row.take(order)
    rejected = kind == REJECT
    open_ = marked(kind <= REVISED)
    ahead = _ahead(judge, told, moment.take(open_))
    to_come = np.full_like(kind, REJECT)
    to_come[open_[ahead.confirmed]] = CONFIRM
    words = repeated(KINDS, np.concatenate([kind, to_come]))
    columns = [pa.array(tick.take(order)), words[: len(kind)]]
    columns += (array.take(pa.array(which.take(order))) for array, which in values)
    if relation.answer.time is not None:
        columns.append(pa.array(time.take(order), mask=untimed.take(order) if someday else None))
    if relation.unguarded:
        columns += others_columns(teller, relation, found, row, tick.take(order))
    shown, because = explanations(judge, told, moment, rejected)
    columns += [shown, *ahead.columns(open_, words[len(kind) :]), because]
    return pa.Table.from_arrays(columns, schema=schema)


def _ahead(judge: Judge, told: Told, moment: Column) -> Outlook:
    """What is known ahead of open answers at some moments."""
    if told.ahead is not None:
        return told.ahead.take(moment)
    return outlook(judge, told.found, told.at, told.kept, AsOf(moment, told.at.tick.take(moment)))


def _in_sequence(values: Values, cells: Column, type_: pa.DataType) -> tuple[pa.Array, Column, Column]:
    """An array of values, and for each row which of them it has and which place that has in order."""
    known = values.spoken(cells) if pa.types.is_string(type_) else None
    if known is not None:
        texts, place = known
        return texts, place, place
    different, which = numbered(cells)
    array = values.decode(different, type_)
    return array, which, inverse(pc.array_sort_indices(array).to_numpy()).take(which)
