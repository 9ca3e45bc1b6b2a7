"""Reads columns of times into ticks, and finds faults in some.

A time is a whole number; in a program that says how long a tick is, it may be a timestamp:
a typed one, or a text as in ISO 8601 (`2024-02-29`, `2024-02-29 13:45`, `2024-02-29T13:45:10.5Z`). There a
number may also count seconds or parts of them since 1970, see `antelog.language.epochs`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.arrow.arrays import mask_of
from antelog.arrow.grammar import NUMBER, STAMP
from antelog.arrow.kinds import Kind, kind_of, raw_values, written
from antelog.arrow.stamps import looks_like_stamp
from antelog.arrow.ticks import (
    LAST,
    UTC_ASSUMED,
    Ticks,
    assumes_utc,
    is_timestamp,
    no_tick,
    times_of,
    why_no_tick,
)
from antelog.errors import DataError
from antelog.files.cells import Fault, is_text
from antelog.language.epochs import TICKS, WORDS, Counting, far_note, last_tick, likely
from antelog.language.printer import value_text


@dataclass(frozen=True, eq=False)
class ParsedTimes:
    """The ticks of a column of times, and the faults of some."""

    read: Ticks
    fault: Fault

    @property
    def numbers(self) -> NDArray[np.int64]:
        return self.read.numbers


def ticks(array: pa.Array, what: str, counting: Counting, file: str) -> ParsedTimes:
    """The ticks of a column of times; `what` is what errors call one of them.

    Raises DataError for timestamps in a program that does not say how long a tick is.
    """
    is_texts = is_text(array.type)
    given = array.cast(pa.string()) if is_texts else array
    found = times_of(given, counting)
    stamps = looks_like_stamp(given) & ~found.whole if is_texts else np.array([is_timestamp(array.type)])
    if counting.tick is None and stamps.any():
        raise DataError(no_tick(f"{file}: the {what} is a timestamp"))

    def detail(i: int) -> str:
        if array.type == pa.bool_():
            return f"the {what} is not a whole number"
        shown = _shown(array[i])
        text = pa.array([shown if shown and shown.strip() else None], pa.string())
        reason = str(why_no_tick(what, found.take(np.array([i])), text, counting)[0])
        return reason if found.whole[i] else reason + _if_seconds(array[i].as_py(), counting)

    return ParsedTimes(found, Fault(~found.natural, detail))


def notes_on(found: ParsedTimes, counting: Counting, name: str, column: str) -> dict[str, str]:
    """Notes for the user on the times of an input, by name."""
    read = found.read
    notes = {f"{name}: {unit}": f"{name}: times are read as {WORDS[unit]} since 1970" for unit in read.units}
    if assumes_utc(read, counting):
        notes["zone"] = UTC_ASSUMED
    fine = found.numbers[(found.numbers <= LAST) & ~found.fault.applies]
    if counting.tick is not None and len(fine) and counting.unit != TICKS:
        furthest = int(fine.max())
        if furthest > last_tick(counting.tick):
            notes[f"{name}: far"] = far_note(furthest, counting, name, column)
    return notes


def looks_like_time(text: str) -> bool:
    """Whether a text is a number or a timestamp."""
    one = pa.array([text])
    return bool(mask_of(pc.match_substring_regex(one, f"{NUMBER}|{STAMP}"))[0])


def _if_seconds(value: object, counting: Counting) -> str:
    """Advice for a number with a fraction that looks like a time since 1970; empty for others."""
    try:
        number = float(str(value))
    except ValueError:
        return ""
    unit = likely(number)
    if unit is None or counting.tick is None or counting.unit is not None:
        return ""
    return (
        f"; to read it as {WORDS[unit]} since 1970, write `time: {unit}` in its input, or --time-unit {unit}"
    )


def _shown(time: pa.Scalar | None) -> str | None:
    """A time as errors show it, a typed one in the language's syntax; None for no time."""
    if isinstance(time, pa.UnionScalar):
        return _shown(time.value)
    if time is None or not time.is_valid:
        return None
    if is_text(time.type):
        return str(time)
    kind, value = kind_of(time.type), time.as_py() if kind_of(time.type) in (Kind.NUMBER, Kind.TEXT) else None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    assert kind is not None
    return value_text(written(raw_values(pa.repeat(time, 1), kind)[0], kind) if value is None else value)
