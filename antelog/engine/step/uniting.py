"""Lines of several steps in one table, whose columns may have become wider meanwhile.

    X: int64   1              X: written   1
    X: string  p1     ─▶                   p1       and the text "1" is written in quotes

Types of a stream only ever get wider (see `antelog.engine.values.types`), but they do so from one step to the
next, and lines of an earlier step may come below those of a later one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa

from antelog.arrow.arrays import in_one_piece
from antelog.arrow.kinds import kind_of
from antelog.engine.step.schema import DIGITS, WRITTEN, answer_field, is_written, with_digits
from antelog.engine.values.types import MIXED, wider
from antelog.engine.values.values import Values


def united(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables one below the other; their columns hold the values of all, and are null where one lacks them."""
    first = tables[0].schema
    if all(each.schema.equals(first, check_metadata=True) for each in tables):  # as mostly
        return pa.concat_tables(tables)
    names = dict.fromkeys(name for each in tables for name in each.column_names)
    schema = pa.schema(
        [
            reduce(_wider, (each.schema.field(name) for each in tables if name in each.column_names))
            for name in names
        ]
    )
    return pa.concat_tables([_with_types(each, schema) for each in tables])


def _wider(one: pa.Field, other: pa.Field) -> pa.Field:
    """The column that holds the values of two."""
    if one.equals(other, check_metadata=True) or pa.types.is_null(other.type):
        return one
    if pa.types.is_null(one.type) or kind_of(one.type) is None:
        return other
    both = (_type_of(each) for each in (one, other))
    field = answer_field(one.name, wider(*both))
    digits = DIGITS in (one.metadata, other.metadata) and field.metadata != WRITTEN
    return with_digits(field) if digits else field


def _type_of(field: pa.Field) -> pa.DataType:
    """The type of the values of a column."""
    return MIXED if field.metadata == WRITTEN else pa.float64() if field.metadata == DIGITS else field.type


def _with_types(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        _column(table.column(field.name), table.schema.field(field.name), field)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _column(column: pa.ChunkedArray, given: pa.Field, wanted: pa.Field) -> pa.Array | pa.ChunkedArray:
    if given.equals(wanted, check_metadata=True):
        return column
    if given.metadata == DIGITS:
        return column
    if is_written(wanted) and not pa.types.is_null(given.type):
        values = Values()
        return values.mixed(values.encode(in_one_piece(column)))
    return column.cast(wanted.type, safe=False)  # a whole number may become the double next to it
