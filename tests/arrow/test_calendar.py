"""antelog/arrow/ticks.py: ticks of days and weeks are those of the program's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from antelog import Engine, parse
from antelog.arrow.ticks import begins, tick_of, ticks_at, times_of
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale, moment

MINUTE = 60_000_000
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu")


def by_definition(moment: int, timescale: Timescale) -> int:
    """The tick of a moment: days are those of the zone, weeks begin on Monday."""
    time = (EPOCH + timedelta(microseconds=moment)).astimezone(ZoneInfo(timescale.zone))
    days, rest = divmod(timescale.length, DAY)
    if rest:
        return moment // timescale.length
    first = date(1969, 12, 29) if days % 7 == 0 else date(1970, 1, 1)
    return (time.date() - first).days // days


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("length", [10 * MINUTE, HOUR, 36 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY])
def test_ticks_of_moments(zone: str, length: int) -> None:
    timescale = Timescale(length, zone)
    moments = np.arange(19_000 * DAY, 20_500 * DAY, 13 * HOUR + 7 * MINUTE + 1)
    ticks = ticks_at(moments, timescale)
    assert ticks.tolist() == [by_definition(each, timescale) for each in moments.tolist()]
    begun = begins(pa.array(ticks), timescale).cast(pa.int64()).to_numpy()
    assert [timescale.begin(tick) for tick in ticks.tolist()] == begun.tolist()
    assert ticks_at(begun, timescale).tolist() == ticks.tolist()
    assert (begun <= moments).all()
    assert set(ticks_at(begun - 1, timescale) - ticks) == {-1}


@pytest.mark.parametrize(
    ("time", "tick", "began"),
    [
        ("2024-03-30T22:59:59Z", "2024-03-30", "2024-03-30T00:00:00+01:00"),
        ("2024-03-30T23:00:00Z", "2024-03-31", "2024-03-31T00:00:00+01:00"),
        ("2024-03-31T21:59:59Z", "2024-03-31", "2024-03-31T00:00:00+01:00"),  # after 23 hours
        ("2024-03-31T22:00:00Z", "2024-04-01", "2024-04-01T00:00:00+02:00"),
        ("2024-10-26T22:00:00Z", "2024-10-27", "2024-10-27T00:00:00+02:00"),
        ("2024-10-27T22:59:59Z", "2024-10-27", "2024-10-27T00:00:00+02:00"),  # after 25 hours
        ("2024-10-27T23:00:00Z", "2024-10-28", "2024-10-28T00:00:00+01:00"),
    ],
)
def test_days_of_23_and_25_hours(time: str, tick: str, began: str) -> None:
    berlin = Timescale(DAY, "Europe/Berlin")
    found = tick_of(time, berlin)
    assert found == (date.fromisoformat(tick) - date(1970, 1, 1)).days
    assert moment(found, berlin) == tick
    assert berlin.time(found).isoformat() == began
    hours = Timescale(HOUR, "Europe/Berlin")
    assert tick_of(time, hours) == tick_of(time, Timescale(HOUR)), "hours are not affected"


@pytest.mark.parametrize("zone", ZONES)
def test_a_date_is_a_day_of_the_zone(zone: str) -> None:
    for length, tick in ((DAY, 19_786), (7 * DAY, 2827)):
        timescale = Timescale(length, zone)
        given = pa.array([date(2024, 3, 4)])
        for form in (given, given.cast(pa.string()), given.cast(pa.date64())):
            assert times_of(form, Counting(timescale)).numbers.tolist() == [tick]
        assert tick_of(moment(tick, timescale), timescale) == tick


def test_numbers_that_count_since_1970() -> None:
    time = 1_711_839_600  # 2024-03-30T23:00Z
    berlin = Timescale(DAY, "Europe/Berlin")
    for unit, counts in (("s", time), ("ms", time * 10**3), ("us", time * 10**6), ("ns", time * 10**9)):
        counting = Counting(berlin, unit)
        given = pa.array([counts, counts - 1, -(2**63), 2**63 - 1])
        found = times_of(given, counting).numbers.tolist()
        assert found[:2] == [19_813, 19_812]
        assert found[2] < 0
        assert found[3] > 100_000
    assert times_of(pa.array([time + 0.5]), Counting(berlin, "s")).numbers.tolist() == [19_813]


def test_an_engine_counts_days_of_its_zone() -> None:
    program = parse(
        'tick 1 day. zone "Europe/Berlin". input P(x, time). Again(X, T) :- P(X, T), P(X, T-1). '
        "query Again(X, T)."
    )
    facts = [("a", "2024-03-30T23:30Z"), ("a", "2024-03-31T22:30Z"), ("b", "2024-03-31T23:30Z")]
    lines = Engine(program).advance("2024-04-02", {"P": facts})["Again"].to_pylist()
    confirmed = [each for each in lines if each["change"] == "confirmed"]
    assert [each["X"] for each in confirmed] == ["a"]
    assert confirmed[0]["T_time"].isoformat() == "2024-04-01T00:00:00+02:00"
