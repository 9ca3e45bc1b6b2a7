"""Times in texts, and numbers since 1970, as ticks: what `antelog.spark.job.epochs` does for DataFrames."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.arrays import mask_of
from antelog.arrow.grammar import nature_of_times
from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import is_timestamp, times_of
from antelog.compile.nodes.plan import Input
from antelog.language.epochs import Counting
from antelog.spark.job.job import ARRIVED
from antelog.spark.settings import MALFORMED


def in_ticks(table: pa.Table, source: Input, counting: Counting) -> pa.Table:
    """The rows of an input with times and arrivals as ticks; a text that is no time makes a row malformed."""
    found = {name: table.column(name).combine_chunks() for name in table.column_names}
    wrong = [found[MALFORMED].cast(pa.string())] if MALFORMED in found else []
    for name, word in ((source.columns[-1], "time"), (ARRIVED, "arrival")):
        if name in found:
            given = found[name]
            found[name] = _ticks(given, counting)
            if kind_of(given.type) is Kind.TEXT:
                wrong.append(_no_time(given, found[name], word, counting))
                found[MALFORMED] = pc.coalesce(*wrong)
    return pa.table(found)


def _ticks(given: pa.Array, counting: Counting) -> pa.Array:
    """Texts and whole numbers as whole numbers; others as they are, but for numbers that count since 1970."""
    is_text = kind_of(given.type) is Kind.TEXT
    if not is_text and (counting.only_ticks or is_timestamp(given.type)):
        return given
    if not (is_text or kind_of(given.type) is Kind.NUMBER):
        return given  # the engine says what is wrong with it
    found = times_of(given, counting)
    if is_text or pa.types.is_integer(given.type):
        return pa.array(found.numbers, pa.int64(), mask=~found.whole)
    doubles = given.cast(pa.float64()).to_numpy(zero_copy_only=False)
    there = mask_of(given.is_valid())
    return pa.array(np.where(found.whole, found.numbers, doubles), pa.float64(), mask=~there)


def _no_time(text: pa.Array, ticks: pa.Array, word: str, counting: Counting) -> pa.Array:
    """An error message for each text that is no time; a missing one is left to the engine."""
    reason = pc.binary_join_element_wise(
        f"the {word} `", text.cast(pa.string()), f"` is not {nature_of_times(counting.tick)}", ""
    )
    return pc.if_else(pc.and_(text.is_valid(), pc.invert(ticks.is_valid())), reason, None)
