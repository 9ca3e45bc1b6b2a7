"""Kinds of the values of Arrow columns; storage and texts of values that the language cannot write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
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


# ---- values other than numbers and texts ----

Raw: TypeAlias = int | bytes  # the storage of a value other than a number or a text


# kind -> the type its values have when they come out, in microseconds and in nanoseconds
_OUT: dict[Kind, tuple[pa.DataType, pa.DataType]] = {
    Kind.TIME: (pa.time64("us"), pa.time64("ns")),
    Kind.MOMENT: (pa.timestamp("us"), pa.timestamp("ns")),
    Kind.INSTANT: (pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC")),
    Kind.DURATION: (pa.duration("us"), pa.duration("ns")),
    Kind.NOTHING: (pa.null(),) * 2,
    Kind.TEXT: (pa.string(),) * 2,
    Kind.BOOL: (pa.bool_(),) * 2,
    Kind.DATE: (pa.date32(),) * 2,
    Kind.BYTES: (pa.binary(),) * 2,
}
_STORED = {Kind.DATE: pa.int32(), Kind.BOOL: pa.int8()}
_NANOSECONDS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def type_of_kind(kind: Kind, *, nanoseconds: bool = False) -> pa.DataType:
    """The type in which values of a kind other than numbers are reported."""
    return _OUT[kind][nanoseconds]


def raw_values(array: pa.Array, kind: Kind) -> list[Raw]:
    """The storage of values other than numbers and texts: nanoseconds, days, 0 or 1."""
    if kind is Kind.BYTES:
        return list(array.to_pylist())
    if kind in _STORED:
        return list(array.cast(type_of_kind(kind)).cast(_STORED[kind]).to_pylist())
    factor = _NANOSECONDS[array.type.unit]
    counts = array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64())
    return [count * factor for count in counts.to_pylist()]


def from_raw(raws: Sequence[Raw | None], type_: pa.DataType) -> pa.Array:
    """The Arrow array of values other than numbers and texts, from their storage."""
    kind = kind_of(type_)
    if kind is Kind.BYTES:
        return pa.array(raws, type_)
    if kind in _STORED:
        return pa.array(raws, _STORED[kind]).cast(type_)
    factor = _NANOSECONDS[type_.unit]
    return pa.array([None if raw is None else int(raw) // factor for raw in raws], pa.int64()).cast(type_)


def written(raw: Raw, kind: Kind) -> str:
    """The text of a value other than a number or a text: `true`, `2024-02-29`, …"""
    if isinstance(raw, bytes):
        return raw.hex()
    if kind is Kind.DURATION:
        whole, rest = divmod(abs(raw), 1_000_000_000)
        digits = f"{whole}.{rest:09}".rstrip("0").rstrip(".")
        return f"{'-' if raw < 0 else ''}{digits} seconds"
    type_ = type_of_kind(kind, nanoseconds=raw % 1_000 != 0)
    return str(pc.cast(from_raw([raw], type_), pa.string())[0].as_py())
