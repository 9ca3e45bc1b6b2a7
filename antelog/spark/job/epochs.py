"""Converts numbers since 1970 to ticks by Spark's own functions, with the results of `antelog.engine`.

A column of numbers and its counting give a column of ticks.
`antelog.arrow.ticks` does the same for Arrow, and `antelog.language.epochs` decides for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DecimalType, FractionalType, IntegralType, LongType

from antelog.arrow.ticks import LARGEST, LAST
from antelog.files.grammar import EXACT
from antelog.language.epochs import MICROSECONDS, Counting


def typed_ticks(column: Column, type_: DataType, counting: Counting) -> Column:
    """A column of ticks for a column of times: whole numbers and fractions; other types are unchanged."""
    if counting.only_ticks:
        return column
    if isinstance(type_, IntegralType):
        ticks = whole_ticks(column.cast("bigint"), counting)
        # What is recognised gets smaller; what a unit is said of may not.
        return ticks if counting.unit or isinstance(type_, LongType) else ticks.cast(type_)
    if isinstance(type_, FractionalType | DecimalType):
        number = column.cast("double")
        return f.coalesce(double_ticks(number, counting).cast("double"), number)
    return column


def whole_ticks(number: Column, counting: Counting) -> Column:
    """The ticks of a column of long whole numbers."""
    if counting.tick is None or not counting.ranges:
        return number
    each = {r.unit: MICROSECONDS[r.unit] / counting.tick for r in counting.ranges}
    numerator, denominator = (
        _of_unit(number, counting, {unit: getattr(e, part) for unit, e in each.items()})
        for part in ("numerator", "denominator")
    )
    counts = number
    if counting.unit is not None:
        # What is further away than this is beyond the last tick anyway, and its number could overflow.
        far = min(int((LAST + 1) / each[counting.unit]) + 1, 2**63 - 1)
        counts = f.when(number > far, far).when(number < -far, -far).otherwise(number)
    rest = f.pmod(counts, denominator)
    ticks = _floor(counts, denominator) * numerator + _floor(rest * numerator, denominator)
    return f.coalesce(ticks.cast("bigint"), number)


def double_ticks(number: Column, counting: Counting) -> Column:
    """The ticks of a column of doubles, as long whole numbers; null for those that are none."""
    whole = f.when((f.rint(number) == number) & number.between(-EXACT, EXACT), number).cast("bigint")
    if counting.tick is None or not counting.ranges:
        return whole
    factors = {r.unit: float(MICROSECONDS[r.unit]) for r in counting.ranges}
    counts = f.rint(number * _of_unit(number, counting, factors))
    near = f.when(counts > LARGEST, float(LARGEST)).when(counts < -LARGEST, -float(LARGEST)).otherwise(counts)
    micros, tick = near.cast("bigint"), f.lit(counting.tick)
    return f.coalesce(_floor(micros, tick), whole)


def _of_unit(number: Column, counting: Counting, values: Mapping[str, int | float]) -> Column:
    """The value for the unit that each number counts; null for ticks."""
    found: Any = f  # it has a `when`, as conditions have
    for each in counting.ranges:
        found = found.when((number >= each.first) & (number <= each.last), f.lit(values[each.unit]))
    return cast(Column, found)


def _floor(one: Column, other: Column) -> Column:
    """The quotient, rounded down; Spark's own is rounded to 0."""
    up = f.call_function("div", -1 - one, other)
    return f.when(one < 0, -1 - up).otherwise(f.call_function("div", one, other))
