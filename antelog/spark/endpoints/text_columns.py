"""Texts to values by Spark's own functions: numbers, ticks, and what is wrong with those that are neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as f

from antelog.files.grammar import EXACT, NO_NUMBER, NUMBER, ROUNDED, STAMP, WHOLE_TIME, nature_of_times
from antelog.language.epochs import Counting
from antelog.spark.job.epochs import double_ticks, whole_ticks
from antelog.spark.settings import MALFORMED

Kind: TypeAlias = Literal["number", "text", "time"]


@dataclass(frozen=True)
class Value:
    """A column, and what is wrong with its value, as a text that is null if it is fine."""

    column: Column
    complaint: Column


def value_of(text: Column, name: str, kind: Kind, counting: Counting) -> Value:
    """The values that texts stand for. What is missing is left to the program's own checks."""
    if kind == "text":
        return Value(text, nothing())
    if kind == "number":
        return _number(text, name)
    return _time(text, name, counting)


def nothing() -> Column:
    return f.lit(None).cast("string")


def malformed() -> Column:
    """Whether a row is known to be of no use."""
    return f.col(MALFORMED).isNotNull()


def _number(text: Column, name: str) -> Value:
    number = f.when(text.rlike(NUMBER), f.trim(text).try_cast("double"))
    whole = text.rlike(r"^\s*[+-]?[0-9]+\s*$")
    said = f.concat(f.lit("value `"), text, f.lit(f"` of column {name} "))
    complaint = f.when(
        text.isNotNull() & (number.isNull() | (f.abs(number) == float("inf"))),
        f.concat(said, f.lit(NO_NUMBER)),
    ).when(
        whole & (f.abs(number) > EXACT),
        f.concat(said, f.lit(ROUNDED)),
    )
    return Value(number, complaint)


def _time(text: Column, name: str, counting: Counting) -> Value:
    tick, is_whole = counting.tick, text.rlike(WHOLE_TIME)
    whole = f.when(is_whole, f.regexp_extract(text, r"[+-]?[0-9]+", 0).try_cast("bigint"))
    if tick is not None:
        # Seconds may have a fraction; and a reader of JSON may write 1714603200.5 as 1.7146032005E9.
        others = f.when(text.rlike(NUMBER) & ~is_whole, f.trim(text).try_cast("double"))
        whole = f.coalesce(whole_ticks(whole, counting), double_ticks(others, counting))
        plain = f.regexp_replace(f.trim(text), ",", ".")
        stamp = f.unix_micros(f.when(text.rlike(STAMP), plain.try_cast("timestamp")))
        # Rounded down, before 1970 too.
        ticks = (stamp - f.pmod(stamp, f.lit(tick))) / tick
        whole = f.coalesce(whole, ticks.cast("bigint"))
    complaint = f.when(
        text.isNotNull() & whole.isNull(),
        f.concat(f.lit(f"the {name} `"), text, f.lit(f"` is not {nature_of_times(tick)}")),
    )
    return Value(whole, complaint)
