"""The types of columns: which type the values of several columns are told in.

Types follow the program and the types of the facts, never the values a table happens to have. While
a stream goes on they only ever get wider: whole numbers become doubles where doubles come as well,
and columns of several kinds become texts in the language's syntax.

    int64 and double: double      int64 and string: MIXED
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import TypeAlias

import pyarrow as pa
import pyarrow.types as is_a

from antelog.engine.values.kinds import Kind, decimals, kind_of, told_as, whole_numbers

Types: TypeAlias = tuple[pa.DataType, ...]
Seen: TypeAlias = Mapping[str, Sequence[pa.DataType]]
"""For inputs and static predicates the types of their columns; that of the time may be left out."""

NOTHING = pa.null()
"""The type of a column that no value has been seen for."""

MIXED = pa.dense_union([pa.field("number", pa.float64()), pa.field("text", pa.string())])
"""Stands for values of several kinds, whichever these are. They are told as texts in the language's
syntax, in which the text `"1"` and the number `1` differ."""


def types_of_rows(given: Mapping[str, Iterable[Sequence[str | int | float]]]) -> dict[str, Types]:
    """The types of the columns of facts that are given as Python values."""
    return {
        name: tuple(reduce(wider, map(type_of, column), NOTHING) for column in zip(*rows, strict=True))
        for name, rows in given.items()
    }


@lru_cache(maxsize=1024)
def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type in which the values of two types are told."""
    one, other = _told(one), _told(other)
    if other in (one, NOTHING):
        return one
    if one == NOTHING:
        return other
    if not kind_of(one) is kind_of(other) is Kind.NUMBER:
        return MIXED
    if is_a.is_floating(one) or is_a.is_floating(other):
        return pa.float64()
    if _fraction(one) or _fraction(other):
        before, after = max(map(_whole, (one, other))), max(map(_fraction, (one, other)))
        return decimals(before, after) if before + after <= _DIGITS else MIXED
    return max(one, other, whole_numbers(20), key=lambda type_: type_.bit_width)


_DIGITS = 76
"""The most digits a decimal can have."""


def _whole(type_: pa.DataType) -> int:
    """How many digits numbers of a type have before the point, at most."""
    return type_.precision - type_.scale if is_a.is_decimal(type_) else len(str(2**type_.bit_width))


def _fraction(type_: pa.DataType) -> int:
    """How many digits numbers of a type, which is no double, have behind the point, at most."""
    return type_.scale if is_a.is_decimal(type_) else 0


@lru_cache(maxsize=1024)
def declared(type_: pa.DataType, declaration: str | None) -> pa.DataType:
    """The type of a column which the program says has numbers or texts; others are set aside."""
    if declaration is None:
        return _told(type_)
    if declaration == "text":
        return pa.string()
    leaves = [field.type for field in type_] if is_a.is_union(type_) else [type_]
    numbers = [each for each in map(_told, leaves) if kind_of(each) is Kind.NUMBER]
    both = reduce(wider, numbers, NOTHING)
    return both if is_a.is_decimal(both) and both.scale else wider(both, pa.int64())


def _told(type_: pa.DataType) -> pa.DataType:
    if type_ == MIXED:
        return MIXED
    if is_a.is_union(type_):
        return reduce(wider, (field.type for field in type_), NOTHING)
    return told_as(type_)


def type_of(value: str | int | float) -> pa.DataType:
    if isinstance(value, str):
        return pa.string()
    if isinstance(value, float):
        return pa.float64()
    return pa.int64() if -(2**63) <= value < 2**63 else whole_numbers(len(str(abs(value))))
