"""Arrow columns to cells: 91.0 by its bits, wt2 by an id that `intern` gives, null as UNBOUND."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a

from antelog.arrow.arrays import Array, parts_of_union
from antelog.arrow.kinds import Kind, kind_of_column, raw_values
from antelog.engine.columns import tables
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.types import Item, has_no_double, nearest_double

UNBOUND = -1  # the cell of no value: null, not-a-number, or an unbound variable
OTHERS = -2  # the cell of all values that neither a fact nor the background nor a rule names
FIRST_ID = -(2**51)  # the cell of the first id: 0xFFF8000000000000
LAST_ID = -3  # the last cell of ids

_INFINITIES = np.array([math.inf, -math.inf]).view(np.int64)

_EXACT = 2**53  # up to here a double holds every whole number

Intern = Callable[[list[Item]], Column]


def encode(array: Array, intern: Intern) -> Column:
    """The cells of a column. Raises TypeError if no value can be of its type."""
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


def infinite(cells: Column) -> Mask:
    """Masks the infinities among cells: they are not numbers, and no fact may have one."""
    found: Mask = (cells == _INFINITIES[0]) | (cells == _INFINITIES[1])
    return found


def encode_numbers(numbers: Iterable[int | float | Decimal], intern: Intern) -> Column:
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


def _whole_numbers(array: Array, intern: Intern) -> Column:
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


def _doubles(array: Array) -> Column:
    # Adding zero turns -0.0 into 0.0, and copies: the cells must not be a view of the caller's data.
    numbers = array.fill_null(math.nan).to_numpy() + 0.0
    cells: Column = numbers.view(np.int64)
    cells[np.isnan(numbers)] = UNBOUND
    return cells


def _by_distinct(array: Array, kind: Kind, intern: Intern) -> Column:
    if len(array) <= tables.FEW and is_a.is_string(array.type) and not array.null_count:
        return intern(array.to_pylist())
    if not (chunks := _encoded(array)):
        return np.zeros(0, np.int64)
    distinct = chunks[0].dictionary
    # One more than there are distinct values, for the rows without any.
    cells = np.full(len(distinct) + 1, UNBOUND, np.int64)
    there = distinct.is_valid().to_numpy(zero_copy_only=False)
    cells[:-1][there] = _distinct(distinct.drop_null(), kind, intern)
    found = [cells.take(chunk.indices.fill_null(len(distinct)).to_numpy()) for chunk in chunks]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _encoded(array: Array) -> list[pa.DictionaryArray]:
    """The chunks of a column, all with the same dictionary."""
    if not is_a.is_dictionary(array.type):
        array = array.dictionary_encode()  # with one dictionary for all parts
    elif isinstance(array, pa.ChunkedArray) and array.num_chunks > 1:
        array = array.unify_dictionaries()
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def _distinct(array: pa.Array, kind: Kind, intern: Intern) -> Column:
    if is_a.is_decimal(array.type):
        return encode_numbers(array.to_pylist(), intern)
    if kind is Kind.NUMBER:
        return encode(array, intern)
    if kind is Kind.TEXT:
        return intern(array.to_pylist())
    return intern([(kind, raw) for raw in raw_values(array, kind)])


def _union(array: Array, intern: Intern) -> Column:
    cells = np.full(len(array), UNBOUND, np.int64)
    for rows, part in parts_of_union(array):
        cells[rows] = encode(part, intern)
    return cells


def are_named(cells: Column) -> Mask:
    return (cells >= FIRST_ID) & (cells <= LAST_ID)


def are_nothing(cells: Column) -> Mask:
    """Masks the cells that are reported as null: no value, and all others."""
    found: Mask = (cells == UNBOUND) | (cells == OTHERS)
    return found


def all_named(cells: Column) -> bool:
    return len(cells) == 0 or bool(cells.min() >= FIRST_ID and cells.max() <= LAST_ID)
