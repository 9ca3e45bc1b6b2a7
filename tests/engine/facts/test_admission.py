"""antelog/engine/facts/{admission,rejects}.py: how facts enter, by a plain account of each row."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.accounts import Counts
from antelog.arrow.ticks import LAST
from antelog.diagnostics import Source
from antelog.engine.facts.admission import Admitted, admit, beyond, delays
from antelog.engine.values.values import Values
from antelog.language import read
from antelog.language.syntax import number
from tests.specification.stream import delta

PROGRAM = """
input Temp(place, device, level, value, time) delay 1.
delay Temp(_, wt2, _, _, _) = 3.
delay Temp(_, wt2, high, _, _) = 2.
delay Temp(_, _, low, 0.5, _) = 4.
delay Temp(_, wt2, high, 91, _) = 5.
input Ping(time) delay 2.
Hot(P, T) :- Temp(P, X, high, V, T), V > 0, Ping(T).
query Hot(P, T).
"""
PLAN = antelog.parse(PROGRAM).plan
TEMP, PING = PLAN.inputs

PLACES = st.sampled_from(["a", 7, 7.0, Decimal(7), "7", True, None, -math.inf])
DEVICES = st.sampled_from(["wt2", "wt4", "wt2", "7", 7, None])
LEVELS = st.sampled_from(["high", "low", "high", None, 3, True])
READINGS = st.sampled_from([91, 91.0, 0.5, Decimal("0.50"), -1, None, math.nan, "n/a", math.inf, -math.inf])
TIMES = st.integers(-1, 9) | st.sampled_from([None, 3.0, 3.5, 2**53, 2**53 + 1, "3"])
ARRIVALS = st.integers(2, 9) | st.sampled_from([None, 4.0, 4.5, True])
ROWS = st.lists(st.tuples(PLACES, DEVICES, LEVELS, READINGS, TIMES, ARRIVALS), max_size=30)
USUAL = st.tuples(
    st.sampled_from(["a", "b"]),
    st.sampled_from(["wt2", "wt4"]),
    st.sampled_from(["high", "low"]),
    st.sampled_from([91, 0.5]),
    st.integers(0, 9),
    st.integers(0, 9),
)


def whole(value: object) -> int | None:
    """A tick, if the value is one; numbers in texts are read as in files."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or value % 1:
        return None
    return int(value)


def fault(objects: tuple[Any, ...], time: object, arrival: object, before: int, now: int) -> str | None:
    """Why a reading cannot be admitted."""
    place, device, level, value = objects
    t, a = whole(time), whole(arrival)
    if place in (None, -math.inf) or not isinstance(device, str) or not isinstance(level, str | bool):
        return "malformed"
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return "malformed"
    if t is None or not 0 <= t < 2**53 or a is None or not before < a <= now:
        return "malformed"
    if t > a:
        return "early"
    return "late" if a > t + bound(objects) else None


def bound(objects: tuple[Any, ...]) -> int:
    """δ by the declarations of the program above, from the most constants to the fewest."""
    _, device, level, value = objects
    if (device, level, value) == ("wt2", "high", 91):
        return 5
    if (level, value) == ("low", 0.5):
        return 4
    if device == "wt2":
        return 2 if level == "high" else 3
    return 1


def shown(values: Values, fact: tuple[Any, ...]) -> tuple[str, ...]:
    """The texts of a fact's values; where the program has texts, `true` is one."""
    numbers_or_texts = (float(value) if isinstance(value, Decimal) else value for value in fact)
    plain = (str(value).lower() if isinstance(value, bool) else value for value in numbers_or_texts)
    return tuple(values.texts(np.array([values.cell(value) for value in plain], np.int64)).to_pylist())


def facts_of(admitted: Admitted, values: Values, name: str) -> Counter[tuple[Any, ...]]:
    facts = admitted.facts[name]
    texts = [values.texts(column).to_pylist() for column in facts.columns]
    return Counter(zip(*texts, facts.time.tolist(), facts.arrival.tolist(), strict=True))


@given(ROWS | st.lists(USUAL, max_size=30), st.integers(-1, 4), st.integers(5, 8))
def test_admit_does_what_a_look_at_each_row_would(rows: list[tuple[Any, ...]], before: int, now: int) -> None:
    values = Values()
    admitted = admit(PLAN, {"Temp": rows}, values, before, now)
    expected: dict[tuple[Any, ...], int] = {}
    reasons: list[str] = []
    for *objects, time, arrival in rows:
        reason = fault(tuple(objects), time, arrival, before, now)
        if reason is None:
            fact = (*shown(values, tuple(objects)), whole(time))
            expected[fact] = min(expected.get(fact, now), int(arrival))
        else:
            reasons.append(reason)
    wanted = Counter((*fact, arrival) for fact, arrival in expected.items())
    assert facts_of(admitted, values, "Temp") == wanted
    assert admitted.rejects.column("reason").to_pylist() == reasons
    lost = Counter(reasons)
    assert admitted.counts["Temp"] == Counts(
        admitted=len(expected),
        repeated=len(rows) - len(reasons) - len(expected),
        late=lost["late"],
        early=lost["early"],
        malformed=lost["malformed"],
    )


@given(st.lists(USUAL), st.sampled_from(["wt2", "other", "high"]))
def test_delays_are_those_of_the_specification(rows: list[tuple[Any, ...]], first: str) -> None:
    vocabulary = read(Source(PROGRAM, "test")).vocabulary
    values = Values()
    values.cell(first)  # cells depend on what came before; delays must not
    columns = [np.array([values.cell(row[i]) for row in rows], np.int64) for i in range(4)]
    plain = [[number(v) if isinstance(v, float) else v for v in row[:4]] for row in rows]
    expected = [delta(vocabulary["Temp"], (*row, 0)) for row in plain]
    assert delays(TEMP, columns, values).tolist() == expected
    assert expected == [bound(row[:4]) for row in rows]


def test_thousands_of_refinements() -> None:
    declared = "\n".join(f"delay P(d{i}, _, _) = {i % 5}." for i in range(0, 6_000, 3))
    declared += "".join(f"delay P(d{i}, {j}, _) = 7." for i in range(0, 90, 3) for j in range(0, 90, 3))
    rules = "Q(X, T) :- P(X, 1, T). query Q(X, T)."
    plan = antelog.parse(f"input P(d, v, time) delay 9.\n{declared}\n{rules}").plan
    values = Values()
    devices = values.encode(pa.array([f"d{i}" for i in range(100)] * 100))
    numbers = values.encode(pa.array(np.repeat(np.arange(100), 100)))
    found = delays(plan.inputs[0], (devices, numbers), values)
    assert found.tolist() == [
        9 if i % 3 else 7 if i < 90 and j < 90 and not j % 3 else i % 5
        for j in range(100)
        for i in range(100)
    ]


def test_a_refinement_without_constants_is_the_default() -> None:
    rules = "delay P(_, _) = 1. delay P(a, _) = 2. Q(X, T) :- P(X, T). query Q(X, T)."
    plan = antelog.parse(f"input P(d, time) delay 9. {rules}").plan
    values = Values()
    found = delays(plan.inputs[0], [values.encode(pa.array(["a", "b"]))], values)
    assert found.tolist() == [2, 1]


# ---- arrivals ----


def test_without_an_arrival_facts_arrive_when_they_can() -> None:
    values = Values()
    admitted = admit(PLAN, {"Ping": [(t,) for t in (0, 2, 3, 4, 5, 6)]}, values, 2, 5)
    assert facts_of(admitted, values, "Ping") == Counter([(2, 3), (3, 3), (4, 4), (5, 5)])
    found = [(r["reason"], r["time"], r["arrival"]) for r in admitted.rejects.to_pylist()]
    assert found == [("late", 0, 3), ("early", 6, 5)]


def test_a_fact_counts_once_at_its_first_arrival() -> None:
    first = [(1, "a", "x", 1, 3, 4), (1.0, "a", "x", 1.0, 3.0, 3), (1, "a", "x", 1, 3, 4)]
    values = Values()
    admitted = admit(PLAN, {"Temp": [*first, (1, "b", "x", 1, 3, 4)]}, values, 0, 9)
    facts = Counter([("1", "a", "x", "1", 3, 3), ("1", "b", "x", "1", 3, 4)])
    assert facts_of(admitted, values, "Temp") == facts
    assert admitted.counts == {"Temp": Counts(admitted=2, repeated=2), "Ping": Counts()}
    assert admitted.facts["Ping"].count == 0
    assert admitted.facts["Ping"].columns == ()


def test_handing_over_does_not_change_the_frame() -> None:
    column = np.array([-0.0, 1.0, math.nan])
    columns = {"place": column, "device": ["a"] * 3, "level": ["x"] * 3, "value": column, "time": [1] * 3}
    table = pa.table(columns)
    admit(PLAN, {"Temp": table}, Values(), 0, 3)
    assert np.signbit(column[0])
    assert column[1:].tolist()[:1] == [1.0]


# ---- rejects ----

BEYOND = f"is after tick {LAST}, the last there is"


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ((1, "a", "x", 1, 3, 6), "late", "arrived at tick 6, 2 ticks after its deadline"),
        ((1, "a", "x", 1, 3, 5), "late", "arrived at tick 5, 1 tick after its deadline"),
        ((1, "a", "x", 1, 7, 5), "early", "arrived at tick 5, 2 ticks before its time"),
        ((None, "a", "x", 1, 3, 4), "malformed", "column place has no value"),
        ((1, "a", None, 1, 3, 4), "malformed", "column level has no value"),
        ((1, "a", "x", math.nan, 3, 4), "malformed", "column value has no value"),
        ((1, "a", "x", math.inf, 3, 4), "malformed", "value `inf` of column value is not a number"),
        ((1, "a", "x", Decimal("-inf"), 3, 4), "malformed", "value `-inf` of column value is not a number"),
        ((1, "a", "x", Decimal("NaN"), 3, 4), "malformed", "column value has no value"),
        ((math.inf, "a", "x", 1, 3, 4), "malformed", "value `inf` of column place is not a number"),
        ((1, "a", 3, 1, 3, 4), "malformed", "value `3` of column level is not a text"),
        ((1, "a", "x", "n/a", 3, 4), "malformed", 'value `"n/a"` of column value is not a number'),
        ((1, "a", "x", True, 3, 4), "malformed", "value `true` of column value is not a number"),
        ((1, "a", "x", 1, None, 4), "malformed", "the time is missing"),
        ((1, "a", "x", 1, math.inf, 4), "malformed", "the time `inf` is not a whole number"),
        ((1, "a", "x", 1, 3.5, 4), "malformed", "the time `3.5` is not a whole number"),
        ((1, "a", "x", 1, "noon", 4), "malformed", "the time `noon` is not a whole number"),
        ((1, "a", "x", 1, -4, 4), "malformed", "the time `-4` is before tick 0"),
        ((1, "a", "x", 1, 2**60, 4), "malformed", f"the time `{2**60}` {BEYOND}"),
        ((1, "a", "x", 1, 2**53 + 1, 4), "malformed", f"the time `{2**53 + 1}` {BEYOND}"),
        ((1, "a", "x", 1, 2.0**53, 4), "malformed", f"the time `{2**53}` {BEYOND}"),
        ((1, "a", "x", 1, 10**30, 4), "malformed", f"the time `{10**30}` {BEYOND}"),
        ((1, "a", "x", 1, 3, None), "malformed", "the arrival is missing"),
        ((1, "a", "x", 1, 3, 3.5), "malformed", "the arrival `3.5` is not a whole number"),
        ((1, "a", "x", 1, 3, 2), "malformed", "arrived at tick 2, but tick 2 was already over"),
        ((1, "a", "x", 1, 3, 10), "malformed", "arrives at tick 10, but this batch ends with tick 9"),
    ],
)
def test_reasons(row: tuple[Any, ...], reason: str, detail: str) -> None:
    fine = (1, "a", "x", 1, 3, 4)
    admitted = admit(PLAN, {"Temp": [fine, row, fine]}, Values(), 2, 9)
    (reject,) = admitted.rejects.to_pylist()
    assert (reject["input"], reject["reason"], reject["detail"]) == ("Temp", reason, detail)
    assert admitted.counts["Temp"].admitted == admitted.counts["Temp"].repeated == 1


def test_rejects_show_the_row() -> None:
    rows = [
        (b"\xff", "wt2", "x", 90.0, 1, 9),
        (7, 'say "x"', "x", None, "noon", 4.5),
        ("p", "wt2", True, 2**60 + 1, 1, 9),
        (math.inf, "wt2", "x", -math.inf, 1, 9),
    ]
    table = admit(PLAN, {"Temp": rows, "Ping": [(1,)]}, Values(), 3, 9).rejects
    assert table.select(["input", "values", "time", "arrival"]).to_pylist() == [
        {"input": "Temp", "values": '["ff", "wt2", "x", 90]', "time": 1, "arrival": 9},
        {"input": "Temp", "values": '[7, "say \\"x\\"", "x", null]', "time": None, "arrival": None},
        {"input": "Temp", "values": f'["p", "wt2", "true", {2**60 + 1}]', "time": 1, "arrival": 9},
        {"input": "Temp", "values": '["inf", "wt2", "x", "-inf"]', "time": 1, "arrival": 9},
        {"input": "Ping", "values": "[]", "time": 1, "arrival": 4},
    ]


def test_rows_after_the_last_tick_are_counted_and_malformed_ones_set_aside() -> None:
    plan = antelog.parse("input P(x: number, time) delay 1. Q(X, T) :- P(X, T). query Q(X, T).").plan
    found = beyond(plan, {"P": [(1, 5, 5), (2, 99, 99), ("seven", 6, 6)]}, 4, arrival="arrival")
    assert found.counts == {"P": Counts(after_until=2, malformed=1)}
    assert found.rejects["reason"].to_pylist() == ["malformed"]
    assert found.places.tolist() == [2]


# ---- frames of which most rows, or all of them, cannot be used ----

RULES = "input Temp(x, level: number, time) delay 1. Hot(X, T) :- Temp(X, L, T), L > 9. query Hot(X, T)."


def engine(tick: str = "tick 10 minutes. ") -> antelog.Engine:
    return antelog.Engine(antelog.parse(tick + RULES))


def frame(times: list[Any], level: Any = 10) -> pd.DataFrame:
    return pd.DataFrame({"x": "a", "level": level, "time": times})


@pytest.mark.parametrize(
    ("tick", "given", "said"),
    [
        (
            "tick 10 minutes. ",
            frame(["noon"] * 4032),
            r"^Temp: none of its 4,032 rows can be used: the time `noon` is not a whole number or a",
        ),
        ("", frame(["2024-03-04"] * 2), "`2024-03-04` is a timestamp, and the program does not say how long"),
        ("", frame([0, 0, 0], "high"), "value `high` of column level is not a number"),
        ("", frame([None, None]), "none of its 2 rows can be used: the time is missing"),
        ("", [("a", 10, 0.5), ("a", 10, 1.5), ("a", None, 0)], "mostly the time `0.5` is not a whole number"),
    ],
)
def test_a_frame_of_no_use_is_an_error_and_nothing_is_taken(tick: str, given: Any, said: str) -> None:
    running = engine(tick)
    with pytest.raises(antelog.DataError, match=said):
        running.advance(5, {"Temp": given})
    assert (running.now, running.rejects.num_rows) == (-1, 0)
    assert running.advance(5, {"Temp": frame([5])})["Hot"].num_rows == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            frame(["2024-03-04T00Z", "noon", "noon"]),
            r"^Temp: 2 of 3 rows were set aside \(2 malformed\); the time `noon` is not .*; `rejects` of",
        ),
        (frame([5] * 9 + [0] * 11 + [None]), r"12 of 21 rows were set aside \(11 late, 1 malformed\); arr"),
        (frame(list(range(1_000_000, 1_000_020))), r"20 of 20 rows were set aside \(20 early\)"),
    ],
)
def test_more_than_half_of_a_frame_is_a_warning_at_the_callers_line(given: Any, said: str) -> None:
    running = engine()
    running.advance(3)
    end = 999_999 if "early" in said else "2024-03-05" if "noon" in said else 5
    with pytest.warns(antelog.DataWarning, match=said) as caught:
        running.advance(end, {"Temp": given})
    assert caught[0].filename == __file__
    assert running.rejects.num_rows > 1


@pytest.mark.parametrize(
    "given",
    [
        [("a", 10, "noon")],  # one row says nothing of others
        [("a", 10, 5), ("a", 10, None)],
        [("a", 10, 0)] * 12,  # late, as some are where a few come at a time
        [("a", 10, 0)] * 12 + [("a", 10, 5)] * 12,
        [("a", 10, 5)] * 40,
        [],
    ],
)
def test_single_facts_that_are_set_aside_are_ordinary(given: Any) -> None:
    running = engine()
    running.advance(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        running.advance(5, {"Temp": given})
