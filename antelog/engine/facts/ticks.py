"""Columns of times, as users have them, to ticks.

A time is a whole number, the tick itself; or, in a program that says how long a tick is, a
timestamp or a date. Tick 0 then begins with the year 1970 (UTC), so that a timestamp belongs to
tick floor(microseconds since 1970 / length of a tick). One without a time zone counts as UTC.

    tick 10 minutes: 2024-05-01 06:40 is tick 2857672; 7 is tick 7; 7.5 is none
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a

from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.frames import Array
from antelog.engine.values.plain import cells_of
from antelog.engine.values.values import Values
from antelog.errors import DataError
from antelog.given import said

Moment: TypeAlias = SupportsIndex | date
"""A tick by its number or, in a program that says how long a tick is, any moment in it."""

LAST = 2**53 - 1
"""No time is after this tick: up to here a double tells each whole number from the next."""

_FAR = 2**61
"""Stands for all numbers that are larger."""

_MICROSECONDS = {"s": Fraction(10**6), "ms": Fraction(10**3), "us": Fraction(1), "ns": Fraction(1, 10**3)}


@dataclass(frozen=True, eq=False)
class Ticks:
    """Times as ticks; `whole` says where there is one, elsewhere the number means nothing."""

    numbers: Column
    whole: Mask
    given: Array


def is_timestamp(type_: pa.DataType) -> bool:
    """Whether a column of this type is to be cut into ticks."""
    return bool(is_a.is_timestamp(type_) or is_a.is_date(type_))


def ticks_of(given: Array, length: int | None) -> Ticks:
    """The ticks of a column; `length` is that of a tick in microseconds, and must be known for timestamps."""
    if is_a.is_dictionary(given.type):
        given = given.cast(given.type.value_type)
    type_ = given.type
    there: Mask = np.ones(len(given), np.bool_)
    if given.null_count:
        there = given.is_valid().to_numpy(zero_copy_only=False)
    if is_timestamp(type_) and length is not None:
        return Ticks(_from_timestamps(given, length), there, given)
    if is_a.is_integer(type_):
        numbers = (given.fill_null(0) if given.null_count else given).to_numpy()
        if len(numbers) and (numbers.max() > _FAR or numbers.min() < -_FAR):
            numbers = np.clip(numbers, *_limits(numbers.dtype))
        return Ticks(numbers.astype(np.int64, copy=False), there, given)
    scratch = Values()
    doubles = scratch.numbers(cells_of(scratch, given)[0])
    whole: Mask = np.isfinite(doubles) & (np.floor(doubles) == doubles)  # texts are not-a-number here
    numbers = np.clip(np.where(whole, doubles, 0), -_FAR, _FAR).astype(np.int64)
    return Ticks(numbers, whole, given)


def no_tick(what: str) -> str:
    """What is said of a timestamp in a program that has no use for one."""
    return f"{what}, and the program does not say how long a tick is; declare it: `tick 10 minutes.`"


def tick_of(given: Moment, length: int | None) -> int:
    """The tick that somebody means by a number or a moment."""
    try:
        found = ticks_of(pa.array([given]), length)
    except (pa.ArrowException, ArithmeticError, ValueError, TypeError):
        found = None  # it is nothing that a column may have
    if found is not None and is_timestamp(found.given.type) and length is None:
        raise DataError(no_tick(f"{said(given)} is a timestamp"))
    if found is None or not found.whole[0] or not 0 <= found.numbers[0] <= LAST:
        or_when = "" if length is None else ", or a timestamp"
        raise DataError(f"{said(given)} is not a tick; give a whole number from 0 to {LAST}{or_when}")
    return int(found.numbers[0])


@cache
def _limits(dtype: np.dtype[np.integer[Any]]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return max(-_FAR, int(info.min)), min(_FAR, int(info.max))


def _from_timestamps(given: Array, length: int) -> Column:
    if is_a.is_date(given.type):
        given = given.cast(pa.date32()).cast(pa.timestamp("s"))
    each = _MICROSECONDS[given.type.unit] / length
    # What is further away than this is beyond the last tick anyway, and its number could overflow.
    far = min(int((LAST + 1) / each) + 1, 2**63 - 1)
    counts = np.clip(given.cast(pa.int64()).fill_null(0).to_numpy(), -far, far)
    rounds, rest = np.divmod(counts, np.int64(each.denominator))
    ticks: Column = rounds * np.int64(each.numerator) + rest * np.int64(each.numerator) // each.denominator
    return ticks


def as_given(ticks: Ticks, rows: Column) -> tuple[Column, pa.Array, Mask]:
    """For some rows what was given for a time: as cells (UNBOUND: nothing), and as texts.

    And which have no text, for they are of no use whatever their column is (see `values.plain`).
    """
    scratch = Values()
    cells, bad = cells_of(scratch, ticks.given.take(pa.array(rows)))
    return cells, scratch.texts(cells), np.zeros(len(rows), np.bool_) if bad is None else bad
