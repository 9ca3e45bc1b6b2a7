"""Types of columns in the log: how Arrow's many types come down to few.

    int64 and double: double      int64 and string: MIXED

Types follow the program and the types of the facts, never single values; in a stream they only get wider.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache, reduce
from sys import float_info
from typing import TypeAlias

import pyarrow as pa
import pyarrow.types as is_a

from antelog.arrow.kinds import Kind, Raw, kind_of, type_of_kind
from antelog.language.moments import DURATION, TIME
from antelog.language.terms import WHOLE

Item: TypeAlias = str | int | Decimal | tuple[Kind, Raw]  # a value that no double holds exactly

Plain: TypeAlias = Item | float  # any value, as Python has it


@cache
def output_type(type_: pa.DataType) -> pa.DataType:
    """The type in which the values of an Arrow type are reported. Raises TypeError if there can be none."""
    type_ = type_.value_type if is_a.is_dictionary(type_) else type_
    match kind_of(type_):
        case None:
            raise TypeError(f"no value is of type {type_}")
        case Kind.NUMBER if is_a.is_integer(type_):
            return type_ if is_a.is_uint64(type_) else pa.int64()
        case Kind.NUMBER if is_a.is_decimal(type_):
            return decimals(type_.precision - type_.scale, type_.scale)
        case Kind.NUMBER:
            return pa.float64()
        case kind:
            return type_of_kind(kind, nanoseconds=getattr(type_, "unit", None) == "ns")


def whole_numbers(digits: int) -> pa.DataType:
    if digits <= 18:
        return pa.int64()
    return pa.decimal128(38, 0) if digits <= 38 else pa.decimal256(76, 0) if digits <= 76 else pa.float64()


def decimals(before: int, after: int) -> pa.DataType:
    if after <= 0:
        return whole_numbers(before)
    digits = before + after
    if digits <= float_info.dig:
        return pa.float64()  # surely holds them all, and different ones differ
    return pa.decimal128(digits, after) if digits <= 38 else pa.decimal256(76, after)


def kind_of_item(item: Item) -> Kind:
    if isinstance(item, str):
        return Kind.TEXT
    return item[0] if isinstance(item, tuple) else Kind.NUMBER


def shortest(number: float) -> Decimal:
    """The decimal that a double is written as: the one called 0.1 is not quite a tenth."""
    return Decimal(repr(number))


def as_plain(value: Decimal) -> int | float | None:
    """A decimal as a whole number, or as the double that is written like it; None if there is neither."""
    double = shortest(float(value)) == value
    if value == value.to_integral_value() and not (double and int(value) not in WHOLE):
        return int(value)
    return float(value) if double else None


def nearest_double(item: Plain) -> float:
    if isinstance(item, str | tuple):
        return math.nan
    try:
        return float(item)
    except OverflowError:
        return math.inf if item > 0 else -math.inf


def saved_item(item: Item) -> str:
    """An item as a text that `item_from_saved` reads, given the kind."""
    if isinstance(item, tuple):
        return item[1].hex() if isinstance(item[1], bytes) else str(item[1])
    return str(item)


def has_no_double(number: int | Decimal, nearest: float) -> bool:
    """Whether a number is neither its nearest double nor what that is written as."""
    return number != nearest and not (isinstance(number, Decimal) and number == shortest(nearest))


def item_from_saved(kind: int, text: str) -> Item:
    match Kind(kind):
        case Kind.TEXT:
            return text
        case Kind.NUMBER:
            number = Decimal(text)
            return int(text) if number == number.to_integral_value() else number
        case Kind.BYTES:
            return Kind.BYTES, bytes.fromhex(text)
        case other:
            return other, int(text)


Types: TypeAlias = tuple[pa.DataType, ...]
Seen: TypeAlias = Mapping[str, Sequence[pa.DataType]]  # by predicate, with or without the time

NOTHING = pa.null()  # the type of a column without any value so far

MIXED = pa.dense_union([pa.field("number", pa.float64()), pa.field("text", pa.string())])
"""The type of values of several kinds, reported as texts in the language's syntax: `"1"` and 1 differ."""


def types_of_rows(given: Mapping[str, Iterable[Sequence[str | int | float]]]) -> dict[str, Types]:
    return {
        name: tuple(reduce(wider, map(type_of, column), NOTHING) for column in zip(*rows, strict=True))
        for name, rows in given.items()
    }


@lru_cache(maxsize=1024)
def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The common type of the values of two types."""
    one, other = _as_output(one), _as_output(other)
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


_DIGITS = 76  # the most digits of a decimal


def _whole(type_: pa.DataType) -> int:
    """The most digits before the point of numbers of a type."""
    return type_.precision - type_.scale if is_a.is_decimal(type_) else len(str(2**type_.bit_width))


def _fraction(type_: pa.DataType) -> int:
    """The most digits behind the point of numbers of a type other than doubles."""
    return type_.scale if is_a.is_decimal(type_) else 0


@lru_cache(maxsize=1024)
def declared(type_: pa.DataType, declaration: str | None) -> pa.DataType:
    """The type of a column that the program declares as numbers or texts; other values are set aside."""
    if declaration is None:
        return _as_output(type_)
    if declaration in ("integer", TIME, DURATION):  # which are numbers of ticks
        return pa.int64()
    if declaration == "text":
        return pa.string()
    leaves = [field.type for field in type_] if is_a.is_union(type_) else [type_]
    numbers = [each for each in map(_as_output, leaves) if kind_of(each) is Kind.NUMBER]
    both = reduce(wider, numbers, NOTHING)
    return both if is_a.is_decimal(both) and both.scale else wider(both, pa.int64())


def _as_output(type_: pa.DataType) -> pa.DataType:
    if type_ == MIXED:
        return MIXED
    if is_a.is_union(type_):
        return reduce(wider, (field.type for field in type_), NOTHING)
    return output_type(type_)


def type_of(value: str | int | float) -> pa.DataType:
    if isinstance(value, str):
        return pa.string()
    if isinstance(value, float):
        return pa.float64()
    return pa.int64() if -(2**63) <= value < 2**63 else whole_numbers(len(str(abs(value))))
