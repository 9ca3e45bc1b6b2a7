"""antelog/arrow/{arrays,grammar,stamps,ticks}.py: times as ticks, whatever they are stored as."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from antelog.arrow.arrays import array_of
from antelog.arrow.ticks import LAST, no_tick, ticks_of, times_of, why_no_tick
from antelog.files.cells import cells_of_text_file
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale

SECONDS = 1_714_603_200  # 2024-05-01 22:40, in tick 2857672
MOMENTS = pa.array(["2024-02-29T12:09:59", "1970-01-01", "1969-12-31T23:59", None]).cast(pa.timestamp("us"))
TICKS = [int(dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC).timestamp()) // 600, 0, -1, None]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_timestamps_are_cut_into_ticks(unit: str, zone: str | None) -> None:
    given = MOMENTS.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    for form in (given, pa.chunked_array([given]), given.dictionary_encode()):
        ticks = ticks_of(form, Timescale(600_000_000))
        found = [n if w else None for n, w in zip(ticks.numbers.tolist(), ticks.whole.tolist(), strict=True)]
        assert found == TICKS


@pytest.mark.parametrize("length", [1, 7, 1_500_007, 1_000_000, 86_400_000_000])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_ticks_of_any_length(length: int, unit: str) -> None:
    counts = [0, 1, -1, 1_709_208_599, -5, 2**63 - 1, -(2**63) + 1]
    ticks = ticks_of(pa.array(counts, pa.timestamp(unit)), Timescale(length))
    nanoseconds = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    for count, found in zip(counts, ticks.numbers.tolist(), strict=True):
        exact = count * nanoseconds // (1000 * length)
        if abs(exact) <= LAST:
            assert found == exact
        else:
            assert abs(found) > LAST
            assert (found < 0) == (exact < 0)


@pytest.mark.parametrize("type_", [pa.date32(), pa.date64()])
def test_dates_are_cut_into_ticks(type_: pa.DataType) -> None:
    given = pa.array([dt.date(1970, 1, 2), dt.date(1969, 12, 31)], type_)
    assert ticks_of(given, Timescale(600_000_000)).numbers.tolist() == [144, -144]


def test_each_number_is_read_by_itself() -> None:
    given = pa.array([7, SECONDS, SECONDS * 1000, None, -SECONDS, 10**11, 2**63 - 1])
    found = times_of(given, Counting(Timescale(600_000_000)))
    assert found.numbers.tolist() == [7, 2857672, 2857672, 0, -SECONDS, 10**11, 2**61]
    assert found.whole.tolist() == [True, True, True, False, True, True, True]
    assert found.units == ("s", "ms")
    for i in range(len(given)):
        alone = times_of(given[i : i + 1], Counting(Timescale(600_000_000)))
        assert alone.numbers.tolist() == found.numbers[i : i + 1].tolist()
    said = times_of(given, Counting(Timescale(600_000_000), "ms"))
    assert said.numbers.tolist()[:3] == [0, 2857, 2857672]
    assert said.units == ()
    assert times_of(given, Counting(Timescale(600_000_000), "ticks")).numbers.tolist()[1] == SECONDS
    assert times_of(given, Counting()).numbers.tolist()[1] == SECONDS


@pytest.mark.parametrize("more", ["", "0", "999999999999999999", "9223372036854775808", "0x1F", " 7", "+7"])
def test_texts_of_digits_are_read_as_others_are(more: str) -> None:
    texts = ["7", "007", "2857672", "1714603200", "99999999999", "0" * 17 + "5", *([more] if more else [])]
    for counting in (Counting(), Counting(Timescale(600_000_000)), Counting(Timescale(1), "ms")):
        alone, among = times_of(pa.array(texts), counting), times_of(pa.array([*texts, "+1"]), counting)
        assert alone.numbers.tolist() == among.numbers.tolist()[:-1]
        assert alone.whole.tolist() == among.whole.tolist()[:-1]
        assert alone.units == among.units
    for type_ in (None, "number", "integer", "double"):
        cells, other = (cells_of_text_file(pa.array([*texts, *more]), "c", type_) for more in ([], ["+1"]))
        assert cells[0].to_pylist() == other[0].to_pylist()[:-1]
        assert [each.applies.tolist() for each in cells[1]] == [x.applies.tolist()[:-1] for x in other[1]]


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_are_the_times_that_are_written_in_them(type_: pa.DataType) -> None:
    texts = [
        *(
            "2024-05-01 22:40",
            " 2024-05-01T22:49:59.999999999Z ",
            "2024-05-02T00:40+0200",
            "2024-05-01T17:40-05",
        ),
        *("2024-05-01 22:41:07,5", "1714603200", "1714603200.5", "2857672", "2857672.0"),
        *("noon", "2024-02-30", "", None, "7.5"),
    ]
    given = pa.array(texts).cast(type_)
    for form in (given, pa.chunked_array([given[:3], given[3:]])):
        found = times_of(form, Counting(Timescale(600_000_000)))
        assert found.numbers[:9].tolist() == [2857672] * 9
        assert found.whole.tolist() == [True] * 9 + [False] * 5
        assert found.units == ("s",)
    without = times_of(given, Counting())
    assert without.numbers[without.whole].tolist() == [1714603200, 2857672, 2857672]
    shown = pa.array(["2024-05-01", "noon"])
    assert why_no_tick("time", times_of(shown, Counting()), shown).to_pylist() == [
        f"the time `2024-05-01` {no_tick('is a timestamp')}",
        "the time `noon` is not a whole number",
    ]


def test_times_of_several_types_in_one_column() -> None:
    moment = dt.datetime(2024, 5, 1, 22, 40, tzinfo=dt.UTC)
    texts = ["2024-05-01 22:40", "noon", None]
    given = array_of([7, moment, moment.replace(tzinfo=None), *texts, 1.0 * SECONDS])
    found = times_of(given, Counting(Timescale(600_000_000)))
    assert found.numbers.tolist() == [7, 2857672, 2857672, 2857672, 0, 0, 2857672]
    assert found.whole.tolist() == [True, True, True, True, False, False, True]


@pytest.mark.parametrize("type_", [pa.float16(), pa.float32(), pa.decimal128(9, 2), pa.decimal256(50, 2)])
def test_numbers_that_may_have_fractions(type_: pa.DataType) -> None:
    given = pa.array([7.0, 7.5, -3.0, None]).cast(type_)
    for form in (given, pa.chunked_array([given]), given.dictionary_encode()):
        found = ticks_of(form, None)
        assert found.whole.tolist() == [True, False, True, False]
        assert found.natural.tolist() == [True, False, False, False]
        assert found.numbers.tolist() == [7, 0, -3, 0]


OTHERS = ["7", True, b"7", dt.date(1970, 1, 8), dt.timedelta(seconds=7), float("inf"), float("nan")]


@pytest.mark.parametrize("other", OTHERS)
def test_other_values_are_no_ticks(other: Any) -> None:
    assert ticks_of(pa.array([other]), None).whole.tolist() == [False]
    assert ticks_of(array_of([7, other, Decimal(8), 9.0]), None).whole.tolist() == [True, False, True, True]


def test_the_reason_why_a_time_is_no_tick() -> None:
    texts = ["7.5", "-1", str(2**53), None]
    times = ticks_of(array_of([Decimal("7.5"), -1, 2**53, None]), None)
    assert why_no_tick("time", times, pa.array(texts)).to_pylist() == [
        "the time `7.5` is not a whole number",
        "the time `-1` is before tick 0",
        f"the time `{2**53}` is after tick {LAST}, the last there is",
        "the time is missing",
    ]
