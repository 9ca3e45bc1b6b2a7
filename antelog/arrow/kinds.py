"""Kinds of values, of which a column of an Arrow type can have one.

How a value is stored makes no difference: a timestamp in milliseconds equals one in nanoseconds, a
dictionary's text a plain one, a decimal is a number.

    int32, double, decimal: NUMBER      string, dictionary of large_string: TEXT      list: none
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cache

import pyarrow as pa
import pyarrow.types as is_a


class Kind(IntEnum):
    """The kinds of values. Values of different kinds are never equal, and have no order."""

    NOTHING = 0
    NUMBER = 1
    TEXT = 2
    BOOL = 3
    DATE = 4
    TIME = 5
    MOMENT = 6
    INSTANT = 7
    DURATION = 8
    BYTES = 9


_KINDS: tuple[tuple[Callable[[pa.DataType], bool], Kind], ...] = (
    (is_a.is_null, Kind.NOTHING),
    (lambda t: is_a.is_integer(t) or is_a.is_floating(t) or is_a.is_decimal(t), Kind.NUMBER),
    (lambda t: is_a.is_string(t) or is_a.is_large_string(t) or is_a.is_string_view(t), Kind.TEXT),
    (is_a.is_boolean, Kind.BOOL),
    (is_a.is_date, Kind.DATE),
    (is_a.is_time, Kind.TIME),
    (lambda t: is_a.is_timestamp(t) and t.tz is None, Kind.MOMENT),
    (is_a.is_timestamp, Kind.INSTANT),
    (is_a.is_duration, Kind.DURATION),
    (lambda t: is_a.is_binary(t) or is_a.is_large_binary(t), Kind.BYTES),
    (lambda t: is_a.is_fixed_size_binary(t) or is_a.is_binary_view(t), Kind.BYTES),
)


@cache
def kind_of(type_: pa.DataType) -> Kind | None:
    """The kind of the values of an Arrow type; None if no value can be of that type (a list, …)."""
    return next((kind for test, kind in _KINDS if test(type_)), None)


@cache
def kind_of_column(type_: pa.DataType) -> Kind | None:
    """The kind of the values of a column; None if they may be of several."""
    return kind_of(type_.value_type if is_a.is_dictionary(type_) else type_)
