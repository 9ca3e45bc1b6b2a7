"""Ticks of columns of times given by users, and the reasons why some are none.

    tick 10 minutes: 2024-05-01 22:40 is tick 2857672, and so is 1714603200; 7 is tick 7; 7.5 is none

A whole number is the tick itself, or counts since 1970 (see `antelog.language.epochs`). A timestamp is in
tick floor(microseconds since 1970 / length of a tick); where ticks are whole days, days of the program's zone
count. Without an offset it is of the zone of its counting, else of UTC; a date begins at midnight there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import SupportsIndex, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow import grammar
from antelog.arrow.arrays import Array, digits_of, in_one_piece, mask_of, parts_of_union
from antelog.arrow.grammar import Rewrites
from antelog.arrow.kinds import Kind, kind_of
from antelog.errors import DataError
from antelog.given import short_repr
from antelog.language.epochs import MICROSECONDS, TICKLESS, TICKS, Counting
from antelog.language.moments import DEFAULT_ZONE, Timescale

Moment: TypeAlias = SupportsIndex | date | str
"""A tick by its number or, in a program with the length of a tick, any moment in it, also as a text."""

LAST = 2**53 - 1  # the last tick: up to here a double tells each whole number from the next
FAR = 2**61  # stands for all larger numbers
LARGEST = 2**63 - 1024  # the largest number that a double and an integer of 64 bits can both be


LOCAL, TWICE, SKIPPED = 1, 2, 3  # how often a clock showed a time; it goes back, and forward


class InTicks(str):
    """The name of an arrival column in frames whose times are ticks already, and must not be read again."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Ticks:
    """Times as ticks, where `whole`; `local` is LOCAL, TWICE or SKIPPED for one without an offset, else 0."""

    numbers: NDArray[np.int64]
    whole: NDArray[np.bool_]
    given: Array
    units: tuple[str, ...] = ()
    local: NDArray[np.int8] | None = None

    @property
    def natural(self) -> NDArray[np.bool_]:
        """Masks the whole numbers from 0 to LAST."""
        # Negative numbers are the largest, taken as numbers without a sign.
        return self.whole & (self.numbers.view(np.uint64) <= LAST)

    def take(self, rows: NDArray[np.int64]) -> Ticks:
        local = None if self.local is None else self.local[rows]
        return Ticks(self.numbers[rows], self.whole[rows], self.given.take(pa.array(rows)), self.units, local)

    def shown(self, how: int) -> NDArray[np.bool_]:
        """Masks the times without an offset whose `local` is this or higher."""
        return np.zeros(len(self.whole), np.bool_) if self.local is None else self.local >= how


# ---- texts that are timestamps ----


def looks_like_stamp(texts: pa.Array) -> NDArray[np.bool_]:
    return mask_of(pc.fill_null(pc.match_substring_regex(texts, grammar.STAMP), False))


def rewritten(texts: pa.Array, rewrites: Rewrites) -> pa.Array:
    for pattern, replacement in rewrites:
        texts = pc.replace_substring_regex(texts, pattern, replacement)
    return texts


def stamps_of(texts: pa.Array) -> Iterator[tuple[NDArray[np.int64], pa.Array]]:
    """Yields the rows and values of timestamps with a zone, without one, and of dates, null if wrong."""
    texts = pc.utf8_trim_whitespace(texts)
    if not pc.all(pc.match_substring_regex(texts, grammar.ISO)).as_py():
        texts = rewritten(texts, grammar.TO_ISO)
    # What lies below a microsecond decides nothing: a tick is at least as long.
    texts = pc.replace_substring_regex(texts, r"[.,]([0-9]{1,6})[0-9]*", r".\1")
    zoned, dates = (mask_of(pc.match_substring_regex(texts, each)) for each in (grammar.ZONED, grammar.DATE))
    for here, type_ in (
        (zoned, pa.timestamp("us", "UTC")),
        (~zoned & ~dates, pa.timestamp("us")),
        (dates, pa.date32()),
    ):
        if here.any():
            yield np.flatnonzero(here), _cast(texts.filter(pa.array(here)), type_)


def _cast(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    try:
        return texts.cast(type_)
    except pa.ArrowInvalid:
        if len(texts) == 1:
            return pa.nulls(1, type_)
        return pa.concat_arrays([_cast(texts.slice(i, 1), type_) for i in range(len(texts))])


# ---- columns of times ----


def is_timestamp(type_: pa.DataType) -> bool:
    return bool(is_a.is_timestamp(type_) or is_a.is_date(type_))


def ticks_of(given: Array, timescale: Timescale | None) -> Ticks:
    """The ticks of a column of numbers, which are ticks, or of timestamps. Users' columns need `times_of`."""
    given = _plain(given)
    if is_timestamp(given.type) and timescale is not None:
        return _from_timestamps(given, Counting(timescale), timescale)
    numbers, whole, _ = _numbers(given)
    return Ticks(_near(numbers), whole, given)


def times_of(given: Array, counting: Counting) -> Ticks:
    """The ticks of a user's column, in which numbers may count since 1970, and may be texts."""
    given = _plain(given)
    if is_a.is_union(given.type):
        return _together(given, ((rows, times_of(part, counting)) for rows, part in parts_of_union(given)))
    if kind_of(given.type) is Kind.TEXT:
        return _from_texts(given, counting)
    timescale = counting.timescale
    if timescale is not None and is_timestamp(given.type):
        return _from_timestamps(given, counting, timescale)
    if timescale is None or counting.only_ticks:
        return ticks_of(given, timescale)
    counted, whole, doubles = _numbers(given)
    numbers = counted
    if doubles is None and numbers.max(initial=0) < counting.ranges[0].first:
        return Ticks(_near(numbers), whole, given)  # as mostly
    units = []
    for each in counting.ranges:
        counts, micro = counted if doubles is None else doubles, MICROSECONDS[each.unit]
        here = (counts >= each.first) & (counts <= each.last)
        if not here.any():
            continue
        if doubles is None:
            here &= whole
            ticks = _in_ticks(counted, micro, timescale)
        else:
            counts = np.clip(np.rint(np.where(here, counts, 0) * float(micro)), -LARGEST, LARGEST)
            ticks = _in_ticks(counts.astype(np.int64), Fraction(1), timescale)
        numbers, whole = np.where(here, ticks, numbers), whole | here
        if counting.unit is None:
            units.append(each.unit)
    return Ticks(_near(numbers), whole, given, tuple(units))


def _together(given: Array, parts: Iterable[tuple[NDArray[np.int64], Ticks]]) -> Ticks:
    """The ticks of a column from those of some of its rows; the others have none."""
    numbers, whole = np.zeros(len(given), np.int64), np.zeros(len(given), np.bool_)
    units: dict[str, None] = {}
    local = np.zeros(len(given), np.int8)
    for rows, found in parts:
        numbers[rows], whole[rows] = found.numbers, found.whole
        units.update(dict.fromkeys(found.units))
        local[rows] = 0 if found.local is None else found.local
    return Ticks(numbers, whole, given, tuple(units), local if local.any() else None)


def _from_texts(given: Array, counting: Counting) -> Ticks:
    texts = in_one_piece(pc.fill_null(given, ""))
    if counting.form is not None:
        texts = rewritten(texts, grammar.rewrites_of(counting.form))
    if (numbers := digits_of(texts)) is not None:
        return replace(times_of(numbers, counting), given=given)  # as mostly
    whole = mask_of(pc.match_substring_regex(texts, grammar.WHOLE_TIME))
    parts: list[tuple[NDArray[np.bool_], Callable[[pa.Array], Ticks]]] = [
        (whole, lambda some: times_of(_trimmed(some, r"(\.0*)?").cast(pa.int64()), counting))
    ]
    if counting.tick is not None and not whole.all():
        stamps = looks_like_stamp(texts) & ~whole
        others = mask_of(pc.match_substring_regex(texts, grammar.NUMBER)) & ~whole
        parts += [
            (stamps, lambda some: _together(some, ((r, times_of(s, counting)) for r, s in stamps_of(some)))),
            (others, lambda some: times_of(_trimmed(some).cast(pa.float64()), counting)),
        ]
    return _together(
        given,
        (
            (np.flatnonzero(rows), read(texts if rows.all() else texts.filter(pa.array(rows))))
            for rows, read in parts
            if rows.any()
        ),
    )


def _trimmed(texts: pa.Array, end: str = "") -> pa.Array:
    """Strips blanks, a plus before and an `end` after the texts of numbers."""
    if pc.all(pc.ascii_is_decimal(texts)).as_py():
        return texts  # as mostly
    return pc.replace_substring_regex(texts, rf"^\s*\+?|{end}\s*$", "")


def _plain(given: Array) -> Array:
    return given.cast(given.type.value_type) if is_a.is_dictionary(given.type) else given


def _numbers(given: Array) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64] | None]:
    """The numbers of a column, a mask of whole ones, and doubles if there may be fractions."""
    if is_a.is_integer(given.type):
        numbers = (given.fill_null(0) if given.null_count else given).to_numpy()
        if numbers.dtype == np.uint64:
            numbers = np.minimum(numbers, np.uint64(2**63 - 1))
        return numbers.astype(np.int64, copy=False), mask_of(given.is_valid()), None
    doubles = _doubles(given)
    finite = np.isfinite(doubles)
    whole: NDArray[np.bool_] = finite & (np.floor(doubles) == doubles)
    numbers = np.clip(np.where(whole, doubles, 0), -LARGEST, LARGEST).astype(np.int64)
    return numbers, whole, doubles


def _doubles(given: Array) -> NDArray[np.float64]:
    """The nearest doubles of numbers; not-a-number for all other values."""
    doubles = np.full(len(given), math.nan)
    if is_a.is_union(given.type):
        for rows, part in parts_of_union(given):
            doubles[rows] = _doubles(_plain(part))
    elif kind_of(given.type) is Kind.NUMBER:
        doubles[:] = given.cast(pa.float64(), safe=False).fill_null(math.nan)
    return doubles


def _near(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Clips numbers so that they can be added and subtracted without overflow."""
    if len(numbers) and (numbers.max() > FAR or numbers.min() < -FAR):
        return np.clip(numbers, -FAR, FAR)
    return numbers


UTC_ASSUMED = (
    "times without an offset are taken as those of UTC, as the program has no zone: declare one, as in "
    '`zone "Europe/Berlin".`, or give `time_zones=`'
)


def assumes_utc(times: Ticks, counting: Counting) -> bool:
    """Whether times have no offset, and no zone is declared."""
    return counting.zone is None and bool(times.shown(LOCAL).any())


def comes_twice(rows: int, name: str) -> str:
    """The note about rows with times that the clock showed twice."""
    count = f"{rows:,} row{'' if rows == 1 else 's'}"
    return f"{name}: {count} without an offset in an hour that comes twice: the earlier one is taken"


def notes_on_clocks(times: Ticks, counting: Counting, name: str) -> set[str]:
    """Notes about the times of an input without an offset."""
    twice = int((times.shown(TWICE) & times.whole).sum())
    found = {comes_twice(twice, name)} if twice else set[str]()
    return found | {UTC_ASSUMED} if assumes_utc(times, counting) else found


def no_tick(what: str) -> str:
    """The message about a timestamp in a program without the length of a tick."""
    return f"{what}, and the program does not say how long a tick is; declare it: `tick 10 minutes.`"


def why_no_tick(what: str, times: Ticks, texts: pa.Array, counting: Counting = TICKLESS) -> pa.Array:
    """The reasons why times are no ticks; `texts` are the times as errors show them, null for none."""
    shown = pc.binary_join_element_wise(f"the {what} `", pc.fill_null(texts, ""), "` ", "")
    is_text, skipped = kind_of(times.given.type) is Kind.TEXT, times.shown(SKIPPED)
    nature = "a whole number or a timestamp" if is_text and counting.tick is not None else "a whole number"
    stamps = looks_like_stamp(times.given) if is_text and counting.tick is None else skipped
    hints = np.full(len(texts), "", object)
    for row in np.flatnonzero(~times.whole & ~skipped) if is_text and counting.tick is not None else ():
        if (form := grammar.format_like(str(texts[row]))) is not None:
            month_first = form.find("%m") < form.find("%d")
            order = f" with the {'month' if month_first else 'day'} first" if "%m" in form else ""
            hints[row] = f"; --time-format '{form}' reads it{order}"
    reasons = np.select(
        [skipped, ~times.whole & stamps, ~times.whole, times.numbers < 0],
        [
            f"is not a time there is: clocks go forward over it in {counting.zone}",
            no_tick("is a timestamp"),
            f"is not {nature}",
            "is before tick 0",
        ],
        f"is after tick {LAST}, the last there is",
    )
    reasons = reasons.astype(object) + hints
    wrong = pc.binary_join_element_wise(shown, pa.array(reasons.tolist(), pa.string()), "")
    return pc.if_else(texts.is_null(), f"the {what} is missing", wrong)


def in_ticks_of(timescale: Timescale | None) -> Counting:
    """The counting of what users type: numbers are ticks, and timestamps are of the program's zone."""
    return Counting(timescale, TICKS, None if timescale is None else timescale.zone)


def tick_of(given: Moment, timescale: Timescale | None) -> int:
    if type(given) is int and 0 <= given <= LAST:
        return given  # as mostly
    found, stamp = None, False
    try:
        column = pa.array([given])
        stamp = looks_like_stamp(column)[0] if isinstance(given, str) else is_timestamp(column.type)
        if stamp or not isinstance(given, str):
            found = times_of(column, in_ticks_of(timescale))
    except (pa.ArrowException, ArithmeticError, ValueError, TypeError):
        pass  # it is nothing that a column may have
    if stamp and timescale is None:
        raise DataError(no_tick(f"{short_repr(given)} is a timestamp"))
    if found is None or not found.whole[0] or not 0 <= found.numbers[0] <= LAST:
        or_when = "" if timescale is None else ", or a timestamp"
        raise DataError(f"{short_repr(given)} is not a tick; give a whole number from 0 to {LAST}{or_when}")
    return int(found.numbers[0])


def _from_timestamps(given: Array, counting: Counting, timescale: Timescale) -> Ticks:
    whole, of_dates = mask_of(given.is_valid()), is_a.is_date(given.type)
    stamps = given.cast(pa.date32()).cast(pa.timestamp("s")) if of_dates else given
    counts, unit = stamps.cast(pa.int64()).fill_null(0).to_numpy(), MICROSECONDS[stamps.type.unit]
    if of_dates and timescale.of_days:
        return Ticks(_in_ticks(counts, unit, replace(timescale, zone=DEFAULT_ZONE)), whole, given)
    if stamps.type.tz is not None:
        return Ticks(_in_ticks(counts, unit, timescale), whole, given)
    local, zone = whole.astype(np.int8), counting.zone or DEFAULT_ZONE
    if zone != DEFAULT_ZONE:
        clock = pa.array(_near(_multiplied(counts, unit, FAR)), pa.timestamp("us"))
        # In an hour that comes twice it is the earlier one; what is skipped would be when the clock goes on.
        first = pc.assume_timezone(clock, zone, ambiguous="earliest", nonexistent="latest")
        last = pc.assume_timezone(clock, zone, ambiguous="latest", nonexistent="latest")
        if not of_dates:  # midnight, if there is none, is when the day begins
            local[mask_of(pc.not_equal(first, last)) & whole] = TWICE
            local[mask_of(pc.not_equal(pc.local_timestamp(first), clock)) & whole] = SKIPPED
        counts, unit = first.cast(pa.int64()).to_numpy(), Fraction(1)
    return Ticks(_in_ticks(counts, unit, timescale), whole & (local < SKIPPED), given, (), local)


def ticks_at(moments: NDArray[np.int64], timescale: Timescale) -> NDArray[np.int64]:
    """The ticks of moments, in microseconds since 1970."""
    return _in_ticks(moments, Fraction(1), timescale)


def tick_at(moment: int, timescale: Timescale) -> int:
    return int(ticks_at(np.array([moment]), timescale)[0])


def begins(ticks: Array, timescale: Timescale) -> pa.Array | pa.ChunkedArray:
    """The times at which ticks begin, in the zone."""
    begun = pc.subtract(pc.multiply(ticks, timescale.length), timescale.ahead)
    if not timescale.of_days:
        return begun.cast(pa.timestamp("us", timescale.zone))
    midnights = begun.cast(pa.timestamp("us"))
    # Where clocks leave out midnight, the day begins when they go on.
    return pc.assume_timezone(midnights, timescale.zone, ambiguous="earliest", nonexistent="latest")


def _in_ticks(counts: NDArray[np.int64], unit: Fraction, timescale: Timescale) -> NDArray[np.int64]:
    """The ticks of moments, given as counts since 1970 of a unit in microseconds."""
    if timescale.even:
        return _multiplied(counts, unit / timescale.length, LAST)
    moments = pa.array(_near(_multiplied(counts, unit, FAR)), pa.timestamp("us", timescale.zone))
    local = pc.local_timestamp(moments).cast(pa.int64()).to_numpy()
    ticks: NDArray[np.int64] = (local + timescale.ahead) // timescale.length
    return ticks


def _multiplied(counts: NDArray[np.int64], each: Fraction, most: int) -> NDArray[np.int64]:
    """Numbers multiplied by a fraction and rounded down, clipped beyond `most`."""
    # What is further away could overflow.
    far = min(int((most + 1) / each) + 1, 2**63 - 1)
    counts = np.clip(counts, -far, far)
    rounds, rest = np.divmod(counts, np.int64(each.denominator))
    whole = np.int64(each.numerator)
    return rounds * whole + rest * whole // each.denominator
