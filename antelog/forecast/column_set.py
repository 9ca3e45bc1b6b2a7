"""Column sets: frozen dataclasses whose fields are columns of one length, or tuples of such columns."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

import numpy as np

from antelog.engine.columns.tables import Column, Mask, positions


class ColumnSet:
    """Columns with a row for each thing; subclasses name them."""

    @property
    def columns(self) -> list[Any]:
        return [getattr(self, each.name) for each in fields(self)]  # type: ignore[arg-type]  # of subclasses

    def take(self, at: Column | Mask) -> Self:
        """Some of the rows, in this order."""
        rows = positions(at)
        return type(self)(*(_taken(column, rows) for column in self.columns))

    def and_then(self, *others: Self) -> Self:
        """The rows of several, one after the other."""
        parts = zip(*(each.columns for each in (self, *others)), strict=True)
        return type(self)(*map(_joined, parts))


def _taken(column: Any, rows: Column) -> Any:
    if isinstance(column, tuple):
        return tuple(each.take(rows, axis=0) for each in column)
    return column.take(rows, axis=0)


def _joined(parts: tuple[Any, ...]) -> Any:
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(each) for each in zip(*parts, strict=True))
    return np.concatenate(parts)
