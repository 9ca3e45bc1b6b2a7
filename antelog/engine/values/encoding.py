"""Arrow columns as cells: types, values of no use, and numbers and ids.

A column as some library stored it becomes one of a usual type, that every other function can work with.
Values that nobody could show are of no use: texts that are not UTF-8, dates beyond the years 1 to 9999. Such
a value costs its own row, and stops nothing. A distinct value that needs an id gets it from `intern`, once.

    run_end_encoded<int32, string_view>    string
    91.0: the bits of the double; wt2: an id; null: UNBOUND
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.engine.columns import tables
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.types import Item, Kind, has_no_double, kind_of_column, nearest_double, raw_values

# ---- columns in a usual type ----


Array: TypeAlias = pa.Array | pa.ChunkedArray

_DAY = 24 * 3_600 * 10**6
_YEARS = (-719_162 * _DAY, 2_932_897 * _DAY - 1)
"""The years 1 to 9999 in microseconds since 1970: calendars, and most other libraries, end there."""
_MOST = 2**63 - 1


def refusal(type_: pa.DataType) -> str | None:
    """The reason why a column of a type can have no value at all; None if it can."""
    if isinstance(type_, pa.BaseExtensionType) and type_.extension_name not in _KNOWN:
        # It may even have no hash, and what its storage means only its library knows.
        return f"is of the type {type_} of some library, which stores it as {type_.storage_type}"
    if is_a.is_union(type_):
        return next(filter(None, (refusal(field.type) for field in type_)), None)
    value = type_.value_type if is_a.is_dictionary(type_) or is_a.is_run_end_encoded(type_) else type_
    if value is not type_:
        return refusal(value)
    return None if kind_of_column(_plain_type(type_)) is not None else f"is of type {type_}"


def plain(column: Array) -> Array:
    """A column that is not refused, in a usual type."""
    type_ = column.type
    if isinstance(column, pa.ChunkedArray) and _is_nested(type_):
        parts = [plain(chunk) for chunk in column.chunks]
        types = {part.type for part in parts}
        if len(types) > 1:  # some have a dictionary, some cannot
            parts = [part.dictionary_decode() if is_a.is_dictionary(part.type) else part for part in parts]
        return pa.chunked_array(parts) if parts else plain(pa.array([], type_))
    if isinstance(type_, pa.BaseExtensionType):
        return _KNOWN[type_.extension_name](column)
    if is_a.is_run_end_encoded(type_):
        return plain(pc.run_end_decode(column))
    if is_a.is_dictionary(type_):
        given = column.dictionary
        distinct = plain(given)
        if distinct.null_count:  # Arrow cannot unify such ones
            return distinct.take(column.indices)
        return column if distinct is given else pa.DictionaryArray.from_arrays(column.indices, distinct)
    if is_a.is_date64(type_):
        days = column.cast(pa.int64()).fill_null(0).to_numpy() // (_DAY // 1_000)
        days = np.clip(days, -(2**31), 2**31 - 1).astype(np.int32)
        return pa.array(days, pa.int32(), mask=_mask(column.is_null())).cast(pa.date32())
    usual = _plain_type(type_)
    return column if usual == type_ else column.cast(usual)


_KNOWN: dict[str, Callable[[pa.Array], pa.Array]] = {
    "arrow.bool8": lambda column: column.storage.cast(pa.bool_()),
    "arrow.json": lambda column: plain(column.storage),
    "arrow.uuid": lambda column: pa.array([v and str(v) for v in column.to_pylist()], pa.string()),
}
"""What becomes of the types that are Arrow's own, but not among its usual ones."""


def _is_nested(type_: pa.DataType) -> bool:
    is_extension = isinstance(type_, pa.BaseExtensionType)
    return is_extension or is_a.is_dictionary(type_) or is_a.is_run_end_encoded(type_)


def _plain_type(type_: pa.DataType) -> pa.DataType:
    if isinstance(type_, pa.BaseExtensionType) or is_a.is_string_view(type_):
        return pa.string()
    if is_a.is_binary_view(type_):
        return pa.binary()
    if is_a.is_decimal32(type_) or is_a.is_decimal64(type_):
        return pa.decimal128(type_.precision, type_.scale)
    return pa.date32() if is_a.is_date64(type_) else type_


def of_no_use(column: Array) -> Mask | None:
    """A mask of the values of a plain column that are of no use, if any are."""
    if is_a.is_string(column.type) or is_a.is_large_string(column.type):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            return _not_utf8(column)
    return _beyond(column)


def why_of_no_use(type_: pa.DataType) -> str:
    """The reason why such a value of a column of this type is of no use."""
    type_ = type_.value_type if is_a.is_dictionary(type_) else type_
    if is_a.is_date(type_) or is_a.is_timestamp(type_):
        return "is beyond the years 1 to 9999"
    if is_a.is_duration(type_):
        return "is longer than 292,000 years"
    return "is no time of day" if is_a.is_time(type_) else "is not UTF-8 text"


def _beyond(column: Array) -> Mask | None:
    """A mask of the dates, times and durations that are too far away to be shown."""
    type_ = column.type
    if is_a.is_dictionary(type_):
        type_ = type_.value_type
    if not is_a.is_temporal(type_) or is_a.is_interval(type_):
        return None
    column = column.cast(type_) if type_ != column.type else column
    if is_a.is_date(type_):
        counts, unit = column.cast(pa.int32()), _DAY
    else:
        counts = column.cast(pa.int32() if type_.bit_width == 32 else pa.int64())
        unit = {"s": 10**6, "ms": 1_000, "us": 1, "ns": 0}[type_.unit]
    if is_a.is_time(type_):
        first, last = 0, _DAY - 1
    else:
        first, last = _YEARS if not is_a.is_duration(type_) else (-_MOST, _MOST)
    least, most = (first // unit, last // unit) if unit else (first * 1_000, last * 1_000 + 999)
    numbers = counts.fill_null(0).to_numpy()
    found = (numbers < max(least, -_MOST)) | (numbers > min(most, _MOST))
    return found if found.any() else None


def _not_utf8(column: Array) -> Mask:
    """A mask of the texts that are not UTF-8."""
    if is_a.is_union(column.type):
        raise ValueError("a text in it is not UTF-8")
    if is_a.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    large = is_a.is_large_string(column.type)
    return np.array(
        [not _is_utf8(each) for each in column.cast(pa.large_binary() if large else pa.binary()).to_pylist()],
        np.bool_,
    )


def _is_utf8(data: bytes | None) -> bool:
    try:
        (data or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def _without(column: Array, bad: Mask) -> Array:
    """The column with nulls in place of values of no use."""
    if is_a.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.if_else(pa.array(bad), pa.scalar(None, column.type), column)


def _mask(array: Array) -> Mask:
    mask: Mask = array.to_numpy(zero_copy_only=False) if isinstance(array, pa.Array) else array.to_numpy()
    return mask.astype(np.bool_)


# ---- cells ----


UNBOUND = -1
"""The cell of no value: null, not-a-number, or a variable that has none."""
OTHERS = -2
"""The cell of all values that nothing names: no fact, no background, no rule has it."""

LAST_ID = -3
"""Ids end here."""

_INFINITIES = np.array([math.inf, -math.inf]).view(np.int64)

_EXACT = 2**53
"""Up to here a double holds every whole number."""

Intern = Callable[[list[Item]], Column]


def encode(array: pa.Array | pa.ChunkedArray, intern: Intern) -> Column:
    """The cells of a column. Raises TypeError if its type is one no value can have."""
    type_ = array.type
    if is_a.is_union(type_):
        return _union(array, intern)
    kind = kind_of_column(type_)
    if kind is None:
        raise TypeError(f"no value is of type {type_}")
    if is_a.is_integer(type_):
        return _whole_numbers(array, intern)
    if is_a.is_floating(type_):
        return _doubles(array.cast(pa.float64()))
    if is_a.is_null(type_):
        return np.full(len(array), UNBOUND, np.int64)
    return _by_distinct(array, kind, intern)


def cells_of(column: Array, intern: Intern) -> tuple[Column, Mask | None]:
    """The cells of a plain column, and which values are of no use, if any are; these have no cell."""
    bad = _beyond(column)
    try:
        return encode(column if bad is None else _without(column, bad), intern), bad
    except UnicodeDecodeError:
        bad = _not_utf8(column)
        return encode(_without(column, bad), intern), bad


def infinite(cells: Column) -> Mask:
    """A mask of the infinities among cells. They are no numbers, and no fact may have one."""
    found: Mask = (cells == _INFINITIES[0]) | (cells == _INFINITIES[1])
    return found


def encode_numbers(numbers: Iterable[int | float | Decimal], intern: Intern) -> Column:
    """The cells of numbers one by one."""
    return np.array([_number(number, intern) for number in numbers], np.int64)


def _number(number: int | float | Decimal, intern: Intern) -> int:
    nearest = nearest_double(number)
    if math.isnan(nearest):
        return UNBOUND
    if isinstance(number, Decimal) and number == number.to_integral_value():
        number = int(number)
    if isinstance(number, float) or not has_no_double(number, nearest):
        return int(np.float64(nearest + 0.0).view(np.int64))
    return int(intern([number])[0])


def _whole_numbers(array: pa.Array | pa.ChunkedArray, intern: Intern) -> Column:
    numbers = array.fill_null(0).to_numpy()
    doubles = numbers.astype(np.float64)
    cells: Column = doubles.view(np.int64)
    if len(numbers) and (numbers.max() > _EXACT or numbers.min() < -_EXACT):
        with np.errstate(invalid="ignore"):  # the largest numbers round to doubles that are too large
            again = doubles.astype(numbers.dtype)
        inexact = (again != numbers) | (doubles >= float(np.iinfo(numbers.dtype).max))
        cells[inexact] = intern(numbers[inexact].tolist())
    if array.null_count:
        cells[array.is_null().to_numpy(zero_copy_only=False)] = UNBOUND
    return cells


def _doubles(array: pa.Array | pa.ChunkedArray) -> Column:
    # Adding zero turns -0.0 into 0.0, and copies: the cells must not be a view of the caller's data.
    numbers = array.fill_null(math.nan).to_numpy() + 0.0
    cells: Column = numbers.view(np.int64)
    cells[np.isnan(numbers)] = UNBOUND
    return cells


def _by_distinct(array: pa.Array | pa.ChunkedArray, kind: Kind, intern: Intern) -> Column:
    if len(array) <= tables.FEW and is_a.is_string(array.type) and not array.null_count:
        return intern(array.to_pylist())
    chunks = _encoded(array)
    if not chunks:
        return np.zeros(0, np.int64)
    distinct = chunks[0].dictionary
    # One more than there are distinct values, for the rows without any.
    cells = np.full(len(distinct) + 1, UNBOUND, np.int64)
    if distinct.null_count:
        there = distinct.is_valid().to_numpy(zero_copy_only=False)
        cells[:-1][there] = _distinct(distinct.drop_null(), kind, intern)
    else:
        cells[:-1] = _distinct(distinct, kind, intern)
    found = [_cells_at(cells, chunk.indices) for chunk in chunks]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _encoded(array: pa.Array | pa.ChunkedArray) -> list[pa.DictionaryArray]:
    """The parts of a column, all with the same dictionary."""
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    if len(chunks) > 1:
        whole = array if is_a.is_dictionary(array.type) else array.dictionary_encode()
        return list(whole.unify_dictionaries().chunks)
    return [chunk if is_a.is_dictionary(chunk.type) else chunk.dictionary_encode() for chunk in chunks]


def _cells_at(cells: Column, indices: pa.Array) -> Column:
    if indices.null_count:
        indices = indices.fill_null(len(cells) - 1)
    found: Column = cells.take(indices.to_numpy())
    return found


def _distinct(array: pa.Array, kind: Kind, intern: Intern) -> Column:
    if is_a.is_decimal(array.type):
        return encode_numbers(array.to_pylist(), intern)
    if kind is Kind.NUMBER:
        return encode(array, intern)
    if kind is Kind.TEXT:
        return intern(array.to_pylist())
    return intern([(kind, raw) for raw in raw_values(array, kind)])


def _union(array: pa.Array | pa.ChunkedArray, intern: Intern) -> Column:
    parts = [np.zeros(0, np.int64)]
    for part in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        chunk = part.take(pa.array(np.arange(len(part))))  # the offsets of a slice are those of the whole
        cells = np.full(len(chunk), UNBOUND, np.int64)
        codes = chunk.type_codes.to_numpy()
        for child, code in enumerate(chunk.type.type_codes):
            rows = np.flatnonzero(codes == code)
            at = chunk.offsets.to_numpy()[rows] if chunk.type.mode == "dense" else rows
            cells[rows] = encode(chunk.field(child), intern)[at]
        parts.append(cells)
    return np.concatenate(parts)
