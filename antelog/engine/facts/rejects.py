"""Facts that are set aside, with their reasons: `arrived at tick 9, 6 ticks after its deadline`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import FAILED
from antelog.arrow.arrays import in_one_piece, why_of_no_use, without
from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import LAST, Ticks, why_no_tick
from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Column
from antelog.engine.facts.frames import naming, what_fits
from antelog.engine.values.encoding import infinite
from antelog.engine.values.functions import FailedCall
from antelog.engine.values.values import UNBOUND, Values
from antelog.language.epochs import LIKELY, Counting, last_tick, remedy

LATE, EARLY, MALFORMED, CONFLICTING = "late", "early", "malformed", "conflicting"

SCHEMA = pa.schema(
    [
        ("input", pa.string()),
        ("values", pa.string()),
        ("time", pa.int64()),
        ("arrival", pa.int64()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""Rejects: `values` are those of the objects, as a JSON list; time and arrival are null if not whole.

Of a call that failed, `input` is the function, and `values` are its arguments.
"""


@cache
def none() -> pa.Table:
    return SCHEMA.empty_table()


def of_calls(calls: Sequence[FailedCall]) -> pa.Table:
    """The rejects of calls that have raised."""
    rows = [
        {"input": each.function, "values": each.arguments, "reason": FAILED, "detail": each.error}
        for each in calls
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def sentence(*parts: str | Column | pa.Array) -> pa.Array:
    """Joins texts and columns of texts or numbers to sentences."""
    texts = [pc.cast(pa.array(p), pa.string()) if isinstance(p, np.ndarray) else p for p in parts]
    return pc.binary_join_element_wise(*texts, "")


def ticks(number: Column) -> pa.Array:
    """`1 tick`, `2 ticks`, …"""
    return sentence(number, pc.if_else(pa.array(number == 1), " tick", " ticks"))


def about_value(name: str, kind: str | None, column: Column, values: Values, rows: Column) -> pa.Array:
    """The reasons why values do not fit a column of numbers or texts (None: either)."""
    cells = column[rows]
    what = what_fits(kind or "number")  # where either will do, only an infinity is neither
    wrong = sentence("value `", pc.fill_null(values.texts(cells), ""), f"` of column {name} is not a {what}")
    return pc.if_else(pa.array(cells == UNBOUND), f"column {name} has no value", wrong)


def about_time(what: str, times: Ticks, rows: Column, counting: Counting) -> pa.Array:
    """The reasons why times or arrivals are not natural numbers up to LAST."""
    odd, values = times.take(rows), Values()
    with naming(f"the {what}", odd.given.type):
        cells, bad = values.encode_usable(odd.given)
    texts = values.texts(cells)
    if kind_of(odd.given.type) is Kind.TEXT:  # without the quotes of the language, as it was written
        given = in_one_piece(odd.given if bad is None else without(odd.given, bad)).cast(pa.string())
        texts = pc.if_else(pc.equal(pc.utf8_trim_whitespace(given), ""), None, given)
    said = why_no_tick(what, odd, texts, counting)
    if bad is None:
        return said
    return pc.if_else(pa.array(bad), f"the {what} {why_of_no_use(odd.given.type)}", said)


def with_remedy(said: pa.Array, time: Column, counting: Counting, source: Input) -> pa.Array:
    """Adds a remedy to reasons where times are most likely no ticks: a longer delay does not help there."""
    tick, column = counting.tick, source.columns[-1]
    rest = time > (LAST if tick is None else last_tick(tick))
    for each in LIKELY:
        # Without the length of a tick a number from 1980 on is odd, with it one after 3000.
        here = (time >= each.first) & (time <= each.last)
        here &= (time >= 4 * each.first) if tick is None else rest
        if here.any():
            words = remedy(each.unit, counting, source.name, column)
            said = pc.if_else(pa.array(here), sentence(said, f"; {words}"), said)
        rest &= ~here
    if rest.any():
        words = remedy(None, counting, source.name, column)
        said = pc.if_else(pa.array(rest), sentence(said, f"; {words}"), said)
    return said


def json_rows(columns: Sequence[Column], count: int, values: Values) -> pa.Array:
    """The values of `count` rows as JSON lists; values without JSON syntax are quoted."""
    if not columns:
        return pa.array(["[]"] * count, pa.string())
    written = [_json(cells, values) for cells in columns]
    return sentence("[", pc.binary_join_element_wise(*written, ", "), "]")


def _json(cells: Column, values: Values) -> pa.Array:
    texts = values.texts(cells)
    numbers = (values.kinds(cells) == Kind.NUMBER) & ~infinite(cells)
    bare = pc.or_(pa.array(numbers), pc.starts_with(texts, '"'))
    return pc.fill_null(pc.if_else(bare, texts, sentence('"', texts, '"')), "null")
