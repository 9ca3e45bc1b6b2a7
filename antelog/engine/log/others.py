"""The columns about all others: which variables stand for them, and which values are excepted.

X = null, T = 0     others: [X]     except: [{X: wt2}]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.engine.answers.excepted import named_values
from antelog.engine.answers.lives import Lives
from antelog.engine.columns.tables import Column, in_order, inverse
from antelog.engine.log.schema import AnswerTypes, excepted_type
from antelog.engine.step.knowledge import Knowledge
from antelog.engine.values.encoding import OTHERS


@dataclass(frozen=True, eq=False)
class Teller:
    """Who says what is true, and the types in which answers are told."""

    knowledge: Knowledge
    types: AnswerTypes


def others_columns(
    teller: Teller, relation: Relation, found: Lives, row: Column, tick: Column
) -> list[pa.Array]:
    """The columns `others` and `except`, for answers that these rows have, at some ticks."""
    types, values = teller.types[relation.name], teller.knowledge.values
    general = np.array([found.answer[i].take(row) == OTHERS for i in relation.unguarded])
    names = [relation.answer.variables[i] for i in relation.unguarded]
    told = [
        [name for name, is_it in zip(names, column, strict=True) if is_it] or None for column in general.T
    ]
    line, value = named_values(found, found.number.take(row), tick)
    type_ = excepted_type(relation, types)
    fields = []
    first = found.by_answer.first.take(value) if len(value) else value
    sorting = [line]
    for field, position in zip(type_.value_type, relation.unguarded, strict=True):
        cells = np.where(
            general[relation.unguarded.index(position)].take(line), found.answer[position].take(first), -1
        )
        array = values.decode(cells, types[relation.answer.variables[position]])
        fields.append(array.cast(field.type))
        sorting.append(inverse(pa.compute.array_sort_indices(array).to_numpy()))
    order = in_order(sorting) if len(line) else line
    struct = pa.StructArray.from_arrays(
        [f.take(pa.array(order)) for f in fields], fields=list(type_.value_type)
    )
    counts = np.bincount(line, minlength=len(row))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    mask = ~general.any(axis=0)
    return [
        pa.array(told, pa.list_(pa.string())),
        pa.ListArray.from_arrays(pa.array(offsets), struct, type=type_, mask=pa.array(mask)),
    ]
