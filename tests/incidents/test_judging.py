"""antelog/incidents/{alerts,judging}.py: where each kind of alert begins and ends, and when alerts ring."""

import numpy as np
import pytest

from antelog.incidents.alerts import CONFIRMED, POSSIBLE, Alerts, LoggedLines, alerts_at, levels_that_differ
from antelog.incidents.judging import (
    ALL_KEYS,
    Incidents,
    JudgedSpan,
    Lead,
    judged,
    quartiles,
    quiet_ticks,
    wilson,
)

SPAN = JudgedSpan(0, 200)
KINDS = ("right", "too late", "neither", "false")


def incidents(*rows: tuple[int, int, int]) -> Incidents:
    return Incidents.of(*(np.array(each, np.int64) for each in zip(*rows, strict=True)))


def kinds(ticks: list[int], given: Incidents, lead: Lead, key: int = 0) -> list[str]:
    at = np.array(ticks, np.int64)
    alerts = Alerts(np.zeros_like(at), np.full_like(at, key), at, at)
    return [KINDS[each] for each in judged(alerts, given, lead, SPAN).kind.tolist()]


def test_each_kind_begins_and_ends_where_it_is_said_to() -> None:
    given, lead = incidents((0, 100, 110)), Lead(2, 10, 5)
    at = {89: "false", 90: "right", 98: "right", 99: "too late", 100: "too late", 101: "neither"}
    at |= {110: "neither", 115: "neither", 116: "false", 190: "false", 191: "neither"}
    assert dict(zip(at, kinds(list(at), given, lead), strict=True)) == at
    within = Lead(2, 10, 5, within=True)
    assert kinds([99, 100, 110, 111], given, within) == ["too late", "right", "right", "neither"]
    after = Lead(-3, 10, 5)
    assert kinds([100, 103, 104], given, after) == ["right", "right", "neither"]


def test_keys() -> None:
    given, lead = incidents((0, 100, 100), (1, 150, 150), (ALL_KEYS, 50, 50)), Lead(1, 10, 5)
    assert kinds([45, 95, 145], given, lead) == ["right", "right", "false"]
    assert kinds([45, 95, 145], given, lead, 1) == ["right", "false", "right"]
    assert kinds([45, 95, 145], given, lead, ALL_KEYS) == ["right", "right", "right"]
    assert kinds([], given, lead) == []


def test_incidents_of_a_key_that_overlap_are_one() -> None:
    found = incidents((0, 10, 20), (0, 20, 25), (0, 26, 27), (1, 12, 13))
    assert (found.begin.tolist(), found.end.tolist()) == ([10, 26, 12], [25, 27, 13])


def test_time_outside_incidents_counts_once() -> None:
    given = incidents((0, 100, 110), (0, 112, 120), (ALL_KEYS, 105, 130), (0, 199, 300))
    lead = Lead(1, 10, 5)
    assert quiet_ticks(given, np.array([0]), lead, SPAN) == 201 - (135 - 100 + 1) - 2
    assert quiet_ticks(given, np.array([0, 7]), lead, SPAN) == 201 - (36 + 2 + 31) / 2
    assert quiet_ticks(given, np.array([ALL_KEYS]), lead, SPAN) == 201 - 38


def lines(*rows: tuple[int, int, str]) -> LoggedLines:
    """Lines of one query and key: answer, tick, and a change, or a chance as a text."""
    answer, tick, change = zip(*rows, strict=True)
    chance = [float(each) if each[0].isdigit() else np.nan for each in change]
    zeros = np.zeros(len(rows), np.int64)
    is_open = np.array([each == "possible" or each[0].isdigit() for each in change])
    confirmed = np.array([each == "confirmed" for each in change])
    return LoggedLines(zeros, np.array(answer), zeros, np.array(tick), np.array(chance), is_open, confirmed)


@pytest.mark.parametrize(
    ("level", "settle", "ticks"),
    [
        (POSSIBLE, 0, [1, 9, 11]),
        (0.6, 0, [3, 9, 11]),
        (CONFIRMED, 0, [9, 11]),
        (CONFIRMED, 1, [9, 11]),
        (CONFIRMED, 2, [9]),
    ],
)
def test_alerts_begin_where_none_is_on(level: float, settle: int, ticks: list[int]) -> None:
    logged = lines(
        (1, 1, "0.2"), (1, 3, "0.7"), (2, 4, "0.9"), (1, 5, "0.1"), (3, 6, "0.7"), (2, 6, "rejected"),
        (3, 7, "rejected"), (1, 7, "rejected"), (4, 9, "confirmed"), (5, 11, "confirmed"),
    )  # fmt: skip
    assert alerts_at(level, logged, settle).tick.tolist() == ticks


def test_rows_at_chances_differ_by_a_tenth() -> None:
    caught = [(0.9, 0), (0.8, 3), (0.7, 4), (0.6, 7), (0.5, 9), (0.4, 20)]
    assert list(levels_that_differ(caught, 40)) == [0.7, 0.5, 0.4]
    assert list(levels_that_differ([(0.9, 0), (0.8, 0)], 40)) == []


def test_intervals_and_quartiles() -> None:
    assert wilson(0, 0) is None
    assert wilson(17, 30) == pytest.approx((0.4185, 0.7038), abs=1e-4)
    assert wilson(30, 30) == pytest.approx((0.9173, 1.0), abs=1e-4)
    assert quartiles(np.array([4, 1, 3, 2])) == (1, 2, 3)
    assert quartiles(np.array([], np.int64)) is None
