"""Arrow arrays of Python values, of several types, of unusual types, and with values that are of no use."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow.kinds import kind_of_column

Array: TypeAlias = pa.Array | pa.ChunkedArray

_SAFE_DIGITS = 18  # a number of so many is within 64 bits
MOST_DIGITS = 76  # the most digits of a whole number that fits into a column


def array_of(values: Sequence[object]) -> pa.Array:
    """An array of Python values; those of several types become a dense union."""
    # Arrow's decimals have neither infinities nor not-a-number; its floats do.
    values = [float(v) if isinstance(v, Decimal) and not v.is_finite() else v for v in values]
    sorts: list[object] = list(map(type, values))
    if dt.datetime in sorts:
        # Arrow would turn those without a time zone into UTC if others have one.
        sorts = [v.tzinfo is None if isinstance(v, dt.datetime) else type(v) for v in values]
    distinct = list(dict.fromkeys(sorts))
    if len([sort for sort in distinct if sort is not type(None)]) < 2:
        return _of_one_sort(values)
    pairs = list(zip(values, sorts, strict=True))
    children = [_of_one_sort([v for v, s in pairs if s is sort]) for sort in distinct]
    numbers = {sort: number for number, sort in enumerate(distinct)}
    codes = np.array([numbers[sort] for sort in sorts], np.int8)
    offsets = np.empty(len(values), np.int32)
    for code, child in enumerate(children):
        offsets[codes == code] = np.arange(len(child))
    return pa.UnionArray.from_dense(pa.array(codes), pa.array(offsets), children)


def _of_one_sort(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except OverflowError:  # whole numbers beyond 64 bits
        return pa.array([None if value is None else Decimal(value) for value in values])


def digits_of(texts: pa.Array) -> pa.Array | None:
    """The numbers that texts are, if all have digits only, and at most 18; else None."""
    if not pc.all(pc.ascii_is_decimal(texts), skip_nulls=False).as_py():
        return None
    longest = pc.max(pc.binary_length(texts)).as_py()
    return texts.cast(pa.int64()) if longest is not None and longest <= _SAFE_DIGITS else None


def parts_of_union(column: Array) -> Iterator[tuple[NDArray[np.int64], pa.Array]]:
    """The rows and the values of each type of a union."""
    first = 0
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        whole = chunk.take(pa.array(np.arange(len(chunk))))  # the offsets of a slice are those of the whole
        codes = whole.type_codes.to_numpy()
        for child, code in enumerate(whole.type.type_codes):
            rows = np.flatnonzero(codes == code)
            at = whole.offsets.to_numpy()[rows] if whole.type.mode == "dense" else rows
            yield first + rows, whole.field(child).take(pa.array(at))
        first += len(chunk)


def table_of(columns: Mapping[str, Array], rows: int, schema: pa.Schema) -> pa.Table:
    """A table of columns cast to the types of a schema, with nulls in those that are missing."""
    found = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(rows, field.type)
        for field in schema
    ]
    return pa.table(found, schema=schema)


# ---- tables as bytes ----


def to_blob(table: pa.Table | pa.RecordBatch) -> bytes:
    """Writes a table in Arrow's stream format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_blob(blob: bytes) -> pa.Table:
    return pa.ipc.open_stream(blob).read_all()


# ---- unusual types, and values of no use ----


_DAY = 24 * 3_600 * 10**6
_YEARS = (-719_162 * _DAY, 2_932_897 * _DAY - 1)  # the years 1 to 9999, as in calendars and most libraries
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
    """Converts a column that is not refused to a usual type."""
    type_ = column.type
    is_extension = isinstance(type_, pa.BaseExtensionType)
    is_nested = is_extension or is_a.is_dictionary(type_) or is_a.is_run_end_encoded(type_)
    if isinstance(column, pa.ChunkedArray) and is_nested:
        parts = [plain(chunk) for chunk in column.chunks]
        types = {part.type for part in parts}
        if len(types) > 1:  # some have a dictionary, some cannot
            parts = [part.dictionary_decode() if is_a.is_dictionary(part.type) else part for part in parts]
        return pa.chunked_array(parts) if parts else plain(pa.array([], type_))
    if is_extension:
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
        return pa.array(days, pa.int32(), mask=mask_of(column.is_null())).cast(pa.date32())
    usual = _plain_type(type_)
    return column if usual == type_ else column.cast(usual)


_KNOWN: dict[str, Callable[[pa.Array], pa.Array]] = {
    "arrow.bool8": lambda column: column.storage.cast(pa.bool_()),
    "arrow.json": lambda column: plain(column.storage),
    "arrow.uuid": lambda column: pa.array([v and str(v) for v in column.to_pylist()], pa.string()),
}
"""Conversions of Arrow's own extension types."""


def _plain_type(type_: pa.DataType) -> pa.DataType:
    if isinstance(type_, pa.BaseExtensionType) or is_a.is_string_view(type_):
        return pa.string()
    if is_a.is_binary_view(type_):
        return pa.binary()
    if is_a.is_decimal32(type_) or is_a.is_decimal64(type_):
        return pa.decimal128(type_.precision, type_.scale)
    return pa.date32() if is_a.is_date64(type_) else type_


def of_no_use(column: Array) -> NDArray[np.bool_] | None:
    """Masks the values of a plain column that are of no use; None if there are none."""
    if is_a.is_string(column.type) or is_a.is_large_string(column.type):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            return not_utf8(column)
    return out_of_range(column)


def why_of_no_use(type_: pa.DataType) -> str:
    """The reason why such a value of a column of this type is of no use."""
    type_ = type_.value_type if is_a.is_dictionary(type_) else type_
    if is_a.is_date(type_) or is_a.is_timestamp(type_):
        return "is beyond the years 1 to 9999"
    if is_a.is_duration(type_):
        return "is longer than 292,000 years"
    return "is not a time of day" if is_a.is_time(type_) else "is not UTF-8 text"


def out_of_range(column: Array) -> NDArray[np.bool_] | None:
    """Masks dates, times and durations that are too far away to be shown; None if there are none."""
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


def not_utf8(column: Array) -> NDArray[np.bool_]:
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


def without(column: Array, bad: NDArray[np.bool_]) -> Array:
    """Replaces values of no use by nulls."""
    if is_a.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.if_else(pa.array(bad), pa.scalar(None, column.type), column)


def in_one_piece(column: Array) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def mask_of(array: Array) -> NDArray[np.bool_]:
    mask = array.to_numpy(zero_copy_only=False) if isinstance(array, pa.Array) else array.to_numpy()
    return np.asarray(mask, np.bool_)


_RANKS = 2**40  # the largest range of numbers that are ranks as they are


def ranks_of(column: Array) -> NDArray[np.int64]:
    """Natural numbers in the order of the values, with null at the end."""
    values = in_one_piece(column)
    if values.null_count == len(values):
        return np.zeros(len(values), np.int64)
    if is_a.is_integer(values.type):
        least, most = pc.min_max(values).as_py().values()
        if most - least < _RANKS:
            return np.asarray(pc.fill_null(pc.subtract(values, least), most - least + 1), np.int64)
    encoded = values.dictionary_encode()
    ranks = np.append(pc.rank(encoded.dictionary, tiebreaker="dense"), len(encoded.dictionary) + 1)
    found: NDArray[np.int64] = ranks.astype(np.int64).take(pc.fill_null(encoded.indices, len(ranks) - 1))
    return found
