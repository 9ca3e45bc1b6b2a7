"""Converts times in texts, and numbers since 1970, to ticks by Spark's own functions.

A column of texts or numbers and its counting give a column of ticks, with the results of `antelog.engine`.
`antelog.arrow.ticks` does the same for Arrow, and `antelog.language.epochs` decides for both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import (
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    LongType,
    StringType,
    TimestampNTZType,
)

from antelog.arrow.grammar import (
    DATE,
    EXACT,
    NUMBER,
    SKIPPED_IN,
    STAMP,
    TO_ISO,
    WHOLE_TIME,
    ZONED,
    Rewrites,
    nature_of_times,
    rewrites_of,
)
from antelog.arrow.ticks import FAR, LARGEST, LAST
from antelog.language.epochs import MICROSECONDS, Counting
from antelog.language.moments import DEFAULT_ZONE, Timescale

_HOUR, _MINUTE = r"([T ][0-9]{2})", r"([T ][0-9]{2}:[0-9]{2})"


def typed_ticks(column: Column, type_: DataType, counting: Counting) -> Column:
    """A column of ticks for a column of times: whole numbers, fractions, texts, dates and what has no offset.

    Other types are unchanged.
    """
    if isinstance(type_, StringType):
        return text_ticks(column, counting)
    if isinstance(type_, TimestampNTZType | DateType) and counting.timescale is not None:
        return _local_ticks(column, counting, of_dates=isinstance(type_, DateType))
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


def text_ticks(text: Column, counting: Counting) -> Column:
    """The ticks of a column of texts, as long whole numbers; null for those that are no times."""
    text = text if counting.form is None else _rewritten(text, rewrites_of(counting.form))
    is_whole = text.rlike(WHOLE_TIME)
    whole = f.when(is_whole, f.regexp_extract(text, r"[+-]?[0-9]+", 0).try_cast("bigint"))
    if counting.timescale is None:
        return whole
    # Seconds may have a fraction; and a reader of JSON may write 1714603200.5 as 1.7146032005E9.
    others = f.when(text.rlike(NUMBER) & ~is_whole, f.trim(text).try_cast("double"))
    stamps = _stamps(text)
    clock, moment = (stamps.try_cast(f"timestamp{kind}") for kind in ("_ntz", ""))
    return f.coalesce(
        whole_ticks(whole, counting),
        double_ticks(others, counting),
        f.when(stamps.rlike(DATE), _local_ticks(clock, counting, of_dates=True)),
        f.when(stamps.rlike(ZONED), _ticks_at(f.unix_micros(moment), counting.timescale)),
        f.when(~stamps.rlike(ZONED), _local_ticks(clock, counting)),
    )


def _stamps(text: Column) -> Column:
    """The texts that look like timestamps, as Spark reads them; null for all others."""
    stamps = f.when(text.rlike(STAMP), f.regexp_replace(f.trim(text), ",", "."))
    stamps = _rewritten(stamps, TO_ISO)
    for short, rest in ((_HOUR, ":00:00"), (_MINUTE, ":00")):  # Spark reads a zone behind seconds only
        stamps = f.regexp_replace(stamps, rf"{short}(Z|[+-][0-9:]+)$", f"$1{rest}$2")
    return stamps


def _rewritten(text: Column, rewrites: Rewrites) -> Column:
    for pattern, replacement in rewrites:
        text = f.regexp_replace(text, pattern, re.sub(r"\\([0-9])", r"$\1", replacement))
    return text


def _local_ticks(clock: Column, counting: Counting, *, of_dates: bool = False) -> Column:
    """The ticks of what a clock in the zone of the times shows; null for what it skips.

    In an hour that comes twice it is the earlier one; a day begins when its clock goes on.
    """
    assert counting.timescale is not None
    begin = f.lit("1970-01-01").cast("timestamp_ntz")
    shown = f.timestamp_diff("MICROSECOND", begin, clock.cast("timestamp_ntz"))
    zone = counting.zone or DEFAULT_ZONE
    if of_dates and counting.timescale.of_days:
        return _ticks_at(shown, replace(counting.timescale, zone=DEFAULT_ZONE))
    if zone == DEFAULT_ZONE:
        return _ticks_at(shown, counting.timescale)
    moment = f.to_utc_timestamp(f.timestamp_micros(shown), zone)
    ticks = _ticks_at(f.unix_micros(moment), counting.timescale)
    return ticks if of_dates else f.when(f.unix_micros(f.from_utc_timestamp(moment, zone)) == shown, ticks)


def no_time(column: Column, type_: DataType, name: str, counting: Counting) -> Column | None:
    """An error message for each text that is no time, and for what clocks skip, else null; None: for none.

    What is missing is left to the engine.
    """
    if not isinstance(type_, StringType if counting.tick is None else StringType | TimestampNTZType):
        return None
    skipped, not_one = f"` {SKIPPED_IN} {counting.zone}", f"` is not {nature_of_times(counting.tick)}"
    stamps = _stamps(column) if isinstance(type_, StringType) else column
    clock = stamps.try_cast("timestamp_ntz").isNotNull() if counting.zone else f.lit(False)
    said = f.concat(f.lit(f"the {name} `"), column.cast("string"), f.when(clock, skipped).otherwise(not_one))
    return f.when(column.isNotNull() & typed_ticks(column, type_, counting).isNull(), said)


def whole_ticks(number: Column, counting: Counting) -> Column:
    """The ticks of a column of long whole numbers."""
    if counting.timescale is None or not counting.ranges:
        return number
    even = counting.timescale.even  # if not, ticks are those of moments, which are counted in microseconds
    length = counting.timescale.length if even else 1
    each = {r.unit: MICROSECONDS[r.unit] / length for r in counting.ranges}
    numerator, denominator = (
        _of_unit(number, counting, {unit: getattr(e, part) for unit, e in each.items()})
        for part in ("numerator", "denominator")
    )
    counts = number
    if counting.unit is not None:
        # What is further away than this is beyond the last tick anyway, and its number could overflow.
        far = min(int(((LAST if even else FAR) + 1) / each[counting.unit]) + 1, 2**63 - 1)
        counts = f.when(number > far, far).when(number < -far, -far).otherwise(number)
    rest = f.pmod(counts, denominator)
    ticks = _floor(counts, denominator) * numerator + _floor(rest * numerator, denominator)
    ticks = ticks.cast("bigint")
    return f.coalesce(ticks if even else _ticks_at(ticks, counting.timescale), number)


def double_ticks(number: Column, counting: Counting) -> Column:
    """The ticks of a column of doubles, as long whole numbers; null for those that are none."""
    whole = f.when((f.rint(number) == number) & number.between(-EXACT, EXACT), number).cast("bigint")
    if counting.timescale is None or not counting.ranges:
        return whole
    factors = {r.unit: float(MICROSECONDS[r.unit]) for r in counting.ranges}
    counts = f.rint(number * _of_unit(number, counting, factors))
    near = f.when(counts > LARGEST, float(LARGEST)).when(counts < -LARGEST, -float(LARGEST)).otherwise(counts)
    return f.coalesce(_ticks_at(near.cast("bigint"), counting.timescale), whole)


def _ticks_at(micros: Column, timescale: Timescale) -> Column:
    """The ticks of moments, in microseconds since 1970."""
    if timescale.even:
        return _floor(micros, f.lit(timescale.length))
    near = f.when(micros > FAR, FAR).when(micros < -FAR, -FAR).otherwise(micros)
    local = f.unix_micros(f.from_utc_timestamp(f.timestamp_micros(near), timescale.zone))
    return _floor(local + timescale.ahead, f.lit(timescale.length))


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
