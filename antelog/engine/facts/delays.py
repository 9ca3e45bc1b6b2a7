"""How late facts may be, and when rows without an arrival arrive.

delay Temp(wt4, _, _) = 2.     Temp(wt4, high, 7): 2     Temp(wt2, high, 7): that of the input
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from antelog.compile.nodes.plan import Input
from antelog.compile.plan.delays import declared
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column
from antelog.engine.values.values import Values


def arrivals(time: Column, now: int, latest: int | None = None) -> Column:
    """The arrivals of rows without any: their own ticks, or the first after the finished tick `now`.

    Not after the tick `latest`, where there is one, unless that is finished.
    """
    first = now + 1
    return np.maximum(time, first) if latest is None else np.clip(time, first, max(first, latest))


@dataclass(frozen=True, eq=False)
class DelayRows:
    """The declarations with constants at the same positions: a row of cells and a delay for each."""

    positions: tuple[int, ...]
    cells: tuple[Column, ...]
    delays: Column


# Making the tables of thousands of declarations takes longer than looking up a small batch.
_KNOWN: WeakKeyDictionary[Values, dict[str, tuple[Input, tuple[DelayRows, ...]]]] = WeakKeyDictionary()


def tables_of(source: Input, values: Values) -> tuple[DelayRows, ...]:
    """The delay declarations of an input, those with fewer constants first."""
    known = _KNOWN.setdefault(values, {})
    of, tables = known.get(source.name, (None, ()))
    if of is not source:
        tables = _tables(source, values)
        known[source.name] = (source, tables)
    return tables


def _tables(source: Input, values: Values) -> tuple[DelayRows, ...]:
    tables = []
    for each in reversed(declared(source)):
        rows = [[*map(values.cell, row), delay] for row, delay in each.delays.items()]
        *columns, delays = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        tables.append(DelayRows(each.positions, tuple(columns), delays))
    return tuple(tables)


def delays(source: Input, columns: Sequence[Column], values: Values) -> Column:
    """δ of each fact: among the declarations that match it, the one with the most constants decides.

    An input without objects has one δ, and the result one row.
    """
    result = np.full(len(columns[0]) if columns else 1, source.delay, np.int64)
    for table in tables_of(source, values):
        if not table.positions:
            result[:] = table.delays[0]
            continue
        at = find_rows([columns[i] for i in table.positions], table.cells)
        matches = at >= 0
        result[matches] = table.delays[at[matches]]
    return result
