"""Reads columns of times into ticks, and finds faults in some.

A time is a whole number; in a program that says how long a tick is, it may be a timestamp:
a typed one, or a text as in ISO 8601 (`2024-02-29`, `2024-02-29 13:45`, `2024-02-29T13:45:10.5Z`). There a
number may also count seconds or parts of them since 1970, see `antelog.language.epochs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.arrow.arrays import mask_of
from antelog.arrow.kinds import Kind, kind_of, raw_values, written
from antelog.arrow.ticks import LAST, Ticks, is_timestamp, no_tick, ticks_of, times_of, why_no_tick
from antelog.errors import DataError
from antelog.files.cells import Fault, is_text
from antelog.files.grammar import NUMBER, STAMP, WHOLE_TIME, ZONED, nature_of_times
from antelog.language.epochs import TICKS, WORDS, Counting, far_note, last_tick, likely
from antelog.language.printer import value_text


@dataclass(frozen=True, eq=False)
class ParsedTimes:
    """The ticks of a column of times, the faults of some, and the units that were recognised."""

    numbers: NDArray[np.int64]
    faults: Sequence[Fault]
    units: tuple[str, ...] = ()

    @property
    def faulty(self) -> NDArray[np.bool_]:
        faulty: NDArray[np.bool_] = np.logical_or.reduce([fault.applies for fault in self.faults])
        return faulty


def ticks(array: pa.Array, what: str, counting: Counting, file: str) -> ParsedTimes:
    """The ticks of a column of times; `what` is what errors call one of them.

    Raises DataError for timestamps in a program that does not say how long a tick is.
    """
    if is_text(array.type):
        return _from_texts(array.cast(pa.string()), what, counting, file)
    if counting.tick is None and is_timestamp(array.type):
        raise _no_tick(what, file)
    if array.type == pa.bool_():
        fault = Fault(np.ones(len(array), np.bool_), lambda _: f"the {what} is not a whole number")
        return ParsedTimes(np.zeros(len(array), np.int64), [fault])
    found = times_of(array, counting)

    def detail(i: int) -> str:
        reason = _reason(what, found, i, _shown(array[i]))
        return reason if found.whole[i] else reason + _if_seconds(array[i].as_py(), counting)

    return ParsedTimes(found.numbers, [Fault(~found.natural, detail)], found.units)


def notes_on(found: ParsedTimes, counting: Counting, name: str, column: str) -> dict[str, str]:
    """Notes for the user on the times of an input, by name."""
    notes = {f"{name}: {unit}": f"{name}: times are read as {WORDS[unit]} since 1970" for unit in found.units}
    fine = found.numbers[(found.numbers <= LAST) & ~found.faulty]
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


def _reason(what: str, times: Ticks, i: int, text: str | None, nature: str = "a whole number") -> str:
    """The reason why a time is no tick; `text` is the time as errors show it, None if there is none."""
    return str(why_no_tick(what, times.take(np.array([i])), pa.array([text], pa.string()), nature)[0])


def _shown(time: pa.Scalar | None) -> str | None:
    """A typed time as errors show it, in the language's syntax; None for no time."""
    if isinstance(time, pa.UnionScalar):
        return _shown(time.value)
    if time is None or not time.is_valid:
        return None
    kind, value = kind_of(time.type), time.as_py() if kind_of(time.type) in (Kind.NUMBER, Kind.TEXT) else None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    assert kind is not None
    return value_text(written(raw_values(pa.repeat(time, 1), kind)[0], kind) if value is None else value)


def _no_tick(what: str, file: str) -> DataError:
    return DataError(no_tick(f"{file}: the {what} is a timestamp"))


def _from_texts(texts: pa.Array, what: str, counting: Counting, file: str) -> ParsedTimes:
    texts, tick = pc.fill_null(texts, ""), counting.tick
    whole = mask_of(pc.match_substring_regex(texts, WHOLE_TIME))
    numbers = np.zeros(len(texts), np.int64)
    units: tuple[str, ...] = ()
    if whole.any():
        plain = _whole_numbers(texts if whole.all() else texts.filter(pa.array(whole)))
        found = times_of(pa.array(plain), counting)
        numbers[whole], units = found.numbers, found.units
    if not whole.all():
        stamps = mask_of(pc.match_substring_regex(texts, STAMP)) & ~whole
        if stamps.any() and tick is None:
            raise _no_tick(what, file)
        if tick is not None:
            others = mask_of(pc.match_substring_regex(texts, NUMBER)) & ~whole
            for rows, found in (
                (stamps, _stamps(texts.filter(pa.array(stamps)), tick)),
                (others, _numbers(texts.filter(pa.array(others)), counting)),
            ):
                numbers[rows], whole[rows] = found.numbers, found.whole
                units = (*units, *found.units)
    times, nature = Ticks(numbers, whole, texts, units), nature_of_times(tick)

    def detail(i: int) -> str:
        text = texts[i].as_py()
        reason = _reason(what, times, i, text if text.strip() else None, nature)
        return reason if whole[i] else reason + _if_seconds(text, counting)

    return ParsedTimes(numbers, [Fault(~times.natural, detail)], units)


def _whole_numbers(texts: pa.Array) -> NDArray[np.int64]:
    plain = pc.replace_substring_regex(texts, r"^\s*\+?|(\.0*)?\s*$", "")
    numbers: NDArray[np.int64] = plain.cast(pa.int64()).to_numpy()
    return numbers


def _numbers(texts: pa.Array, counting: Counting) -> Ticks:
    """The ticks of texts such as `1714603200.5`."""
    plain = pc.replace_substring_regex(texts, r"^\s*\+?|\s*$", "")
    return times_of(plain.cast(pa.float64()), counting)


def _stamps(texts: pa.Array, tick: int) -> Ticks:
    """The ticks of texts that look like timestamps."""
    texts = pc.utf8_trim_whitespace(texts)
    # What lies below a microsecond decides nothing: a tick is at least as long.
    texts = pc.replace_substring_regex(texts, r"[.,]([0-9]{1,6})[0-9]*", r".\1")
    zoned = mask_of(pc.match_substring_regex(texts, ZONED))
    numbers = np.zeros(len(texts), np.int64)
    whole = np.zeros(len(texts), np.bool_)
    for rows, type_ in ((~zoned, pa.timestamp("us")), (zoned, pa.timestamp("us", "UTC"))):
        if rows.any():
            found = ticks_of(_cast(texts.filter(pa.array(rows)), type_), tick)
            numbers[rows], whole[rows] = found.numbers, found.whole
    return Ticks(numbers, whole, texts)


def _cast(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    """Timestamps, or nothing for texts that are none, as 30 February is."""
    try:
        return texts.cast(type_)
    except pa.ArrowInvalid:
        return pa.concat_arrays([_cast_one(texts.slice(i, 1), type_) for i in range(len(texts))])


def _cast_one(text: pa.Array, type_: pa.DataType) -> pa.Array:
    try:
        return text.cast(type_)
    except pa.ArrowInvalid:
        return pa.nulls(1, type_)
