"""Answers for readers: sorted, and with plain values as JSON has them."""

from __future__ import annotations

import base64
import datetime
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.compile.nodes.plan import Relation
from antelog.engine.step.schema import is_written
from antelog.engine.values.types import as_plain
from antelog.language.syntax import number

Plain = str | int | float | bool | None


def plain(value: Any) -> Plain:
    """A value as JSON can have it: numbers as short as they can be, dates and the like as texts."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return number(value) if np.isfinite(value) else None
        case Decimal():
            return _exactly(value)
        case bytes():
            return base64.b16encode(value).decode().lower()
        case datetime.timedelta():
            return f"{number(value.total_seconds())} seconds"
        case _:
            return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _exactly(value: Decimal) -> int | float | str:
    """A decimal as a number, or as a text if it has more digits than a number of JSON's readers keeps."""
    known = as_plain(value)
    return f"{value:f}".rstrip("0") if known is None else known


def from_written(text: str) -> str | int | float:
    """The value that a written text stands for: `true` is a truth value, `"true"` a text."""
    if text in _TRUTH:
        return _TRUTH[text]
    if text[0] in "-0123456789":
        return float(text) if "e" in text else _exactly(Decimal(text))
    return str(json.loads(text)) if text[0] == '"' else text


_TRUTH = {"true": True, "false": False}


def rows_of(table: pa.Table, relation: Relation) -> list[dict[str, Any]]:
    """The lines of a table in order, with the values themselves where they are written."""
    table = ordered(table, relation.answer.names)
    rows: list[dict[str, Any]] = table.to_pylist()
    for name in (field.name for field in table.schema if is_written(field)):
        for row in rows:
            row[name] = None if row[name] is None else from_written(row[name])
    return rows


def ordered(table: pa.Table, names: tuple[str, ...]) -> pa.Table:
    """The lines of a table in the order of their ticks, those of one tick in the order of their answers."""
    keys = [name for name in ("tick", *names) if name in table.column_names]
    written = [name for name in keys if is_written(table.schema.field(name))]
    if written:
        columns = [
            [
                _rank(from_written(v) if name in written and v is not None else v)
                for v in table.column(name).to_pylist()
            ]
            for name in keys
        ]
        rows = list(zip(*columns, strict=True))
        return table.take(pa.array(sorted(range(table.num_rows), key=rows.__getitem__), pa.int64()))
    sortable = [name for name in keys if not is_a.is_null(table.schema.field(name).type)]
    if table.num_rows < 2 or not sortable:
        return table
    return table.take(pc.sort_indices(table, [(name, "ascending") for name in sortable]))


def _rank(value: Any) -> tuple[int, float | Decimal, str]:
    """Sorts numbers before texts, and null at the end."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return 0, value, ""
    return 1, 0.0, str(plain(value))
