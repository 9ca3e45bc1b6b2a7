"""Frozen dataclasses of columns with one row per thing, whose rows can be selected and joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from antelog.engine.columns.tables import Column, Mask, positions


class ColumnSet:
    """Columns of equal length, named by subclasses.

    A field is an array with rows along `axis`, a column set, or a tuple or mapping of such. Other fields, and
    those in `shared`, describe all rows together and stay as they are.
    """

    axis: ClassVar[int] = 0
    shared: ClassVar[frozenset[str]] = frozenset()

    def take(self, at: Column | Mask) -> Self:
        """Selects rows, in this order."""
        kind: Any = type(self)
        rows, own, axis = positions(at), self.__dict__, kind.axis
        taken = [own[n] if n in kind.shared else _taken(own[n], rows, axis) for n in _names(kind)]
        found: Self = kind(*taken)
        return found

    def and_then(self, *others: Self) -> Self:
        """Appends the rows of other sets; shared fields are those of the last set."""
        kind: Any = type(self)
        values = {name: [getattr(each, name) for each in (self, *others)] for name in _names(kind)}
        joined = (v[-1] if name in kind.shared else _joined(v, kind.axis) for name, v in values.items())
        found: Self = kind(*joined) if others else self
        return found


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _taken(value: Any, rows: Column, axis: int) -> Any:
    if type(value) is np.ndarray:
        return value.take(rows, axis)
    if isinstance(value, ColumnSet):
        return value.take(rows)
    if type(value) is tuple:
        return tuple([_taken(each, rows, axis) for each in value])
    if isinstance(value, Mapping):
        return {name: _taken(each, rows, axis) for name, each in value.items()}
    return value


def _joined(values: list[Any], axis: int) -> Any:
    last = values[-1]
    if type(last) is np.ndarray:
        return np.concatenate(values, axis)
    if isinstance(last, ColumnSet):
        return values[0].and_then(*values[1:])
    if type(last) is tuple:
        return tuple(_joined([*each], axis) for each in zip(*values, strict=True))
    if isinstance(last, Mapping):
        return {name: _joined([each[name] for each in values], axis) for name in last}
    return last
