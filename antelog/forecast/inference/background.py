"""The background in the cells of the forecast: written once, for it never changes.

    Site(north) is the row (3,) with the engine, whose 3 stands for north    a column [1] here, 1 being north

Takes the engine's state and returns columns whose cells stand for the forecast's own values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.engine.state import State
from antelog.engine.values.values import Values
from antelog.forecast.inference.table import Tables

Rows: TypeAlias = Sequence[tuple[int, ...]]

# To write thousands of facts anew takes longer than all else a small step does.
_WRITTEN: WeakKeyDictionary[Values, dict[str, tuple[Rows, Sequence[Column]]]] = WeakKeyDictionary()


def tables_of(state: State, values: Values) -> Tables:
    """The background in the cells of these values."""
    written = _WRITTEN.setdefault(values, {})
    for name, rows in state.static.tables.items():
        if name not in written or written[name][0] is not rows:
            columns = (np.array(column, np.int64) for column in zip(*rows, strict=True))
            written[name] = rows, tuple(values.recoded(column, state.values) for column in columns)
    return {name: written[name][1] for name in state.static.tables}


def columns_in(values: Values) -> Iterator[Column]:
    """The columns of the background in cells of these values; these values must be kept."""
    for _, columns in _WRITTEN.get(values, {}).values():
        yield from columns
