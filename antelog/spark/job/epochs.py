"""Reads columns of times on Spark into ticks, by `antelog.arrow.ticks`, which does it everywhere.

A time that is none has no tick, and a message that says why. What needs no reading is left as it is: numbers
that are ticks, and timestamps of Spark, which are moments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DataType, DateType, NumericType, StringType, TimestampNTZType

from antelog.arrow.arrays import mask_of
from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import times_of
from antelog.engine.facts.rejects import about_time
from antelog.language.epochs import Counting
from antelog.spark.settings import CLOCK, spare


@dataclass(frozen=True)
class ParsedColumn:
    """A column of values, and one of error messages, null where the value is valid.

    Of times there is one that says how the clock showed them, too.
    """

    column: Column
    complaint: Column
    shown: Column | None = None


def clock_of(parsed: Iterable[ParsedColumn]) -> list[Column]:
    """The column `CLOCK` of rows with such columns, if one of these is of times."""
    shown = [each.shown for each in parsed if each.shown is not None]
    return [f.greatest(*shown, *shown[:1]).alias(CLOCK)] if shown else []


def parsed_times(column: Column, type_: DataType, word: str, counting: Counting) -> ParsedColumn | None:
    """The ticks of a column of times, which messages call by a word; None if it needs no reading."""
    kinds = [(StringType, True), (NumericType, not counting.only_ticks)]
    kinds += [(each, counting.tick is not None) for each in (TimestampNTZType, DateType)]
    if not any(here and isinstance(type_, each) for each, here in kinds):
        return None

    def read(given: pa.Array) -> pa.Array:
        spare()
        return ticks_read(given, word, counting)

    found = arrow_udf(read, "ticks bigint, said string, shown tinyint")(column)  # type: ignore[call-overload]  # wants a default
    return ParsedColumn(found["ticks"], found["said"], found["shown"])


def needs_reading(type_: pa.DataType, counting: Counting) -> bool:
    """Whether times of an Arrow type need reading."""
    kind = kind_of(type_)
    dated = kind in (Kind.MOMENT, Kind.DATE) and counting.tick is not None
    return dated or kind is Kind.TEXT or (kind is Kind.NUMBER and not counting.only_ticks)


def ticks_read(given: pa.Array, word: str, counting: Counting) -> pa.Array:
    """A struct for each time: its tick, what is wrong with it, and how the clock showed it.

    What is missing is left to the engine.
    """
    times = times_of(given, counting)
    wrong = np.flatnonzero(~times.whole & mask_of(given.is_valid()))
    said = np.full(len(given), None, object)
    said[wrong] = about_time(word, times, wrong, counting).to_pylist()
    parts = [pa.array(times.numbers, pa.int64(), mask=~times.whole), pa.array(said.tolist(), pa.string())]
    shown = np.zeros(len(given), np.int8) if times.local is None else times.local
    return pa.StructArray.from_arrays([*parts, pa.array(shown)], ["ticks", "said", "shown"])
