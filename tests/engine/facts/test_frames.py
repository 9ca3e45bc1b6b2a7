"""antelog/engine/facts/frames.py: the tables users have, their columns and times."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antelog
from antelog.arrow.ticks import InTicks, times_of
from antelog.engine.facts.admission import Admitted, admit
from antelog.engine.facts.frames import static_rows
from antelog.engine.values.values import Values
from antelog.errors import DataError

RULES = """
input Reading(device, value, time) delay 1.
static Site(device).
Hot(X, T) :- Reading(X, V, T), Site(X), Off(X, T), V > 0.
query Hot(X, T).
"""
PLAN = antelog.parse(RULES).plan
TIMED = antelog.parse("tick 10 minutes." + RULES).plan

COLUMNS = {
    "device": ["a", "b", "a", None, "b"],
    "value": [1.0, 2.5, 1.0, 3.0, -1.0],
    "time": [0, 1, 0, 1, 9],
    "arrival": [1, 1, 0, 1, 2],
}
NAMES = list(COLUMNS)
ROWS = list(zip(*COLUMNS.values(), strict=True))
TABLE = pa.table(COLUMNS)


class OnlyArray:
    """A frame that has the smaller of Arrow's two interfaces."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return TABLE.to_batches()[0].__arrow_c_array__(requested_schema)


FRAMES: dict[str, Callable[[], Any]] = {
    "table": lambda: TABLE,
    "chunks": lambda: pa.concat_tables([TABLE[:2], TABLE[2:2], TABLE[2:]]),
    "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=2)),
    "capsule": OnlyArray,
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with an index": lambda: pd.DataFrame(COLUMNS, index=[5, 1, 8, 9, 2]),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"device": "category", "value": "category"}),
    "pandas with floats": lambda: pd.DataFrame(COLUMNS).astype({"time": float}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categories": lambda: pl.DataFrame(COLUMNS, schema_overrides={"device": pl.Categorical}),
    "tuples": lambda: ROWS,
    "generator": lambda: (row for row in ROWS),
    "dicts": lambda: [dict(zip(NAMES, row, strict=True)) for row in ROWS],
    "dicts without nulls": lambda: [
        {name: value for name, value in zip(NAMES, row, strict=True) if value is not None} for row in ROWS
    ],
    "other order": lambda: TABLE.select(NAMES[::-1]),
    "other names": lambda: TABLE.rename_columns(["x", "y", "z", "u"]),
    "own names of time and arrival": lambda: TABLE.rename_columns(["x", "y", "time", "arrival"]).select(
        ["arrival", "x", "time", "y"]
    ),
}


def outcome(admitted: Admitted, values: Values) -> dict[str, Any]:
    facts = admitted.facts["Reading"]
    types = admitted.types.get("Reading", (pa.null(), pa.null()))
    columns = [values.decode(*each).to_pylist() for each in zip(facts.columns, types, strict=True)]
    rows = list(zip(*columns, facts.time.tolist(), facts.arrival.tolist(), strict=True))
    return {"facts": rows, "counts": admitted.counts["Reading"], "rejects": admitted.rejects.to_pylist()}


def reading(frame: Any, **options: Any) -> dict[str, Any]:
    values = Values()
    return outcome(admit(PLAN, {"Reading": frame}, values, -1, 5, **options), values)


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_all_sorts_give_the_same(name: str) -> None:
    result = reading(FRAMES[name]())
    assert result["facts"] == [("b", 2.5, 1, 1), ("a", 1.0, 0, 0)]
    assert [reject["reason"] for reject in result["rejects"]] == ["malformed", "early"]
    assert result == reading(TABLE)


@pytest.mark.parametrize(
    "frame", [[], TABLE[:0], pd.DataFrame(), pl.DataFrame(), pa.table({}), pl.DataFrame(COLUMNS)[:0]]
)
def test_empty_frames(frame: Any) -> None:
    result = reading(frame)
    assert (result["facts"], result["counts"].given, result["rejects"]) == ([], 0, [])


def test_the_arrival_by_another_name() -> None:
    table = TABLE.rename_columns(["device", "value", "time", "received"])
    assert reading(table, arrival="received") == reading(TABLE)


def test_a_column_of_the_input_may_be_called_arrival() -> None:
    plan = antelog.parse("input P(arrival, time). Q(X, T) :- P(X, T). query Q(X, T).").plan
    values = Values()
    admitted = admit(plan, {"P": [("gate", 3, 4), ("gate", 3, 3)]}, values, -1, 5)
    assert admitted.counts["P"].admitted == admitted.counts["P"].late == 1
    table = pa.table({"arrival": ["gate"], "time": [3]})
    assert admit(plan, {"P": table}, values, -1, 5).facts["P"].arrival.tolist() == [3]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({"Readings": TABLE}, "the program has no input Readings; it has Reading, Off. Did you mean Reading"),
        ({"Site": TABLE}, "Site is background"),
        (
            {"Reading": TABLE.rename_columns(["device", "valeu", "time", "arrival"])},
            "Reading has no column valeu; its columns are device, value, time, and .* Did you mean value?",
        ),
        ({"Reading": TABLE.rename_columns(["device", "value", "time", "arival"])}, "Did you mean arrival?"),
        ({"Reading": TABLE.rename_columns(["x", "y", "Time", "z"])}, "no column Time.*Did you mean time?"),
        ({"Reading": TABLE.select(["device", "time"])}, "lack the column value; they have device, time"),
        ({"Reading": TABLE.rename_columns(["device", "value", "time", "time"])}, "several columns time"),
        ({"Reading": pa.table({"x": [1], "y": [1]})}, "Give them the same names or the same number"),
        ({"Reading": [("a", 1)]}, "given 2 columns; it has device, value, time"),
        ({"Reading": [("a", 1, 2), ("a", 1, 2, 3)]}, "row 2 of Reading has 4 values, the first row has 3"),
        ({"Reading": [("a", 1, 2), "abc"]}, "row 2 of Reading is of type str"),
        ({"Reading": [("a", 1, 2), {"device": "a"}]}, "row 2 of Reading is of type dict"),
        ({"Reading": [("a", object(), 2)]}, "column 2 of Reading holds something that is not a value"),
        ({"Reading": [{"device": "\ud800", "value": 1, "time": 2}]}, "column device of Reading holds"),
        ({"Reading": [("a", [1], 2)]}, "column value of Reading is of type list"),
        ({"Reading": COLUMNS}, "given as dict"),
        ({"Reading": 7}, "given as int"),
        ({"Reading": pd.DataFrame({"device": ["a", 1]})}, "cannot be read as an Arrow table"),
        ({"Reading": [("a", 1, dt.date(2024, 1, 1))]}, "time of Reading has timestamps.*`tick 10 minutes.`"),
        ({"Reading": [("a", 1, 1, dt.date(2024, 1, 1))]}, "the arrival of Reading has timestamps"),
    ],
)
def test_frames_that_do_not_fit(frames: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        admit(PLAN, frames, Values(), -1, 5)


# ---- times ----


def test_a_program_with_ticks_takes_timestamps_and_ticks() -> None:
    start = np.datetime64("2024-02-29T12:00", "ms")
    frame = {
        "device": ["a", "b", "c"],
        "value": [1, 2, 3],
        "time": start + np.array([0, 599_999, 600_000]),
        "arrival": start + np.array([599_999, 600_001, 1_900_000]),
    }
    values = Values()
    tick = int(dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC).timestamp()) // 600
    result = outcome(admit(TIMED, {"Reading": pd.DataFrame(frame)}, values, tick - 1, tick + 3), values)
    assert result["facts"] == [("a", 1, tick, tick), ("b", 2, tick, tick + 1)]
    assert result["rejects"][0]["detail"] == f"arrived at tick {tick + 3}, 1 tick after its deadline"
    plain = pa.table({**frame, "time": [tick, tick, tick + 1], "arrival": [tick, tick + 1, tick + 3]})
    values = Values()
    assert outcome(admit(TIMED, {"Reading": plain}, values, tick - 1, tick + 3), values) == result


MADE = pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda columns: pd.DataFrame(columns).astype("category"),
        lambda columns: list(zip(*columns.values(), strict=True)),
        lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    ],
)


@MADE
def test_times_as_texts_are_read_in_every_frame(frame: Callable[[Any], Any]) -> None:
    columns = {
        "device": ["a", "b", "c", "d"],
        "value": [1, 2, 3, 4],
        "time": ["2024-02-29 12:09", "2024-02-29T13:10:00+01:00", "noon", " "],
        "arrival": ["2024-02-29 12:10", "2024-02-29 12:19:59.5Z", "2024-02-29 12:10", "2024-02-29"],
    }
    tick, values = int(dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC).timestamp()) // 600, Values()
    found = outcome(admit(TIMED, {"Reading": frame(columns)}, values, -1, tick + 3), values)
    assert found["facts"] == [("a", 1, tick, tick + 1), ("b", 2, tick + 1, tick + 1)]
    assert [each["detail"] for each in found["rejects"]] == [
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
    ]


def test_a_time_before_the_ticks_begin() -> None:
    frame = pa.table({"device": ["a"], "value": [1], "time": [dt.date(1969, 1, 1)]})
    (reject,) = admit(TIMED, {"Reading": frame}, Values(), -1, 5).rejects.to_pylist()
    assert reject["detail"] == 'the time `"1969-01-01"` is before tick 0'


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
@MADE
def test_floats_that_are_no_numbers_are_set_aside(frame: Callable[[Any], Any], number: float) -> None:
    given = frame({"device": ["a", "b"], "value": [1.0, number], "time": [0, 0]})
    admitted = admit(PLAN, {"Reading": given}, Values(), -1, 0)
    assert admitted.facts["Reading"].count == 1
    assert admitted.places.tolist() == [1]
    assert admitted.rejects.column("reason").to_pylist() == ["malformed"]


EPOCH = (
    "tick 10 minutes. input Temp(x, time{}) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T)."
)
SECONDS = 1_714_603_200  # 2024-05-01 22:40, in tick 2857672


@pytest.mark.parametrize(
    "time",
    [
        *(2857672, SECONDS, SECONDS + 599, SECONDS + 0.5, SECONDS * 10**3, SECONDS * 10**6, SECONDS * 10**9),
        *(float(SECONDS), Decimal(SECONDS * 1000), datetime(2024, 5, 1, 22, 40, tzinfo=UTC)),
    ],
)
def test_numbers_that_count_since_1970(time: object) -> None:
    engine = antelog.Engine(antelog.parse(EPOCH.format("")))
    engine.advance(2857673, {"Temp": [{"x": "a", "time": time, "arrival": time}]})
    assert [(row["T"], row["tick"]) for row in engine.answers("Hot").to_pylist()] == [(2857672, 2857673)]
    assert engine.status.counts.admitted == 1


def test_times_that_were_read_are_not_read_again() -> None:
    program = antelog.parse(
        "tick 100 ms. input Temp(x, time) delay 1. Hot(X, T) :- Temp(X, T). query Hot(X, T)."
    )
    far = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 10
    assert times_of(pa.array([far]), program.plan.counting("Temp")).units == ("ms",)
    frame = pa.table({"x": ["a"], "time": [far], "the arrival": [far]})
    for arrival, time in (("the arrival", far // 100), (InTicks("the arrival"), far)):
        engine = antelog.Engine(program, arrival=arrival)
        assert engine.advance(far, {"Temp": frame})["Hot"].column("T").to_pylist() == [time]


def test_a_state_goes_on_with_another_unit(tmp_path: Path) -> None:
    program = antelog.parse(EPOCH.format(": ms"))
    engine = antelog.Engine(program)
    engine.advance(2857672, {"Temp": [("a", SECONDS * 1000)]})
    engine.save(tmp_path / "state")
    again = antelog.Engine.restore(tmp_path / "state", program.with_times({"Temp": "s"}))
    (row,) = again.advance(2857673, {"Temp": [("a", SECONDS + 600)]})["Hot"].slice(0, 1).to_pylist()
    assert (row["change"], row["T"]) == ("confirmed", 2857672)


@pytest.mark.parametrize(
    ("tick", "time", "said"),
    [
        ("tick 10 minutes. ", 10**11, "if it counts milliseconds since 1970, write `time: ms` in `input"),
        ("tick 10 minutes. ", 10**9 // 5, "--time-unit Temp=s"),
        ("", SECONDS * 1000, "if it counts milliseconds since 1970, say how long a tick is: `tick 1 minute"),
        ("", 10**6, None),
    ],
)
def test_a_late_fact_whose_time_is_odd(tick: str, time: int, said: str | None) -> None:
    text = EPOCH.format("").replace("tick 10 minutes. ", tick)
    engine = antelog.Engine(antelog.parse(text))
    engine.advance(time + 9, {"Temp": [{"x": "a", "time": time, "arrival": time + 9}]})
    (detail,) = engine.rejects.column("detail").to_pylist()
    assert detail.startswith(f"arrived at tick {time + 9}, 8 ticks after its deadline")
    assert said in detail if said else detail.endswith("deadline")


@pytest.mark.parametrize(
    ("units", "why"), [({"Tmep": "ms"}, "Did you mean Temp"), ({"Temp": "milliseconds"}, "Write ms.")]
)
def test_units_that_do_not_fit(units: dict[str, str], why: str) -> None:
    with pytest.raises(DataError, match=why):
        antelog.parse(EPOCH.format("")).with_times(units)
    with pytest.raises(DataError, match="where a tick has a length"):
        antelog.parse("input A(x, time). P(X, T) :- A(X, T). query P(X, T).").with_times({"A": "ms"})


def test_extra_columns_are_left_out_and_others_mapped() -> None:
    program = antelog.parse("input Temp(device, level, time). Hot(X, T) :- Temp(X, a, T). query Hot(X, T).")
    table = pa.table({"device": ["a"], "level": ["high"], "time": [0], "note": [[1]]})
    other = table.rename_columns(["sensor", "level", "time", "device"])
    expected = antelog.Engine(program).advance(0, {"Temp": [("a", "high", 0)]})["Hot"]
    for frame, called in ((table, None), (other, {"device": "sensor"}), (other, {"Temp.device": "sensor"})):
        assert antelog.Engine(program).advance(0, {"Temp": frame}, map=called)["Hot"].equals(expected)
    for called, message in (
        ({"devise": "sensor"}, "the map has devise, which is not a column of an input. Did you mean device?"),
        ({"device": "sensr"}, "the facts of Temp have no column sensr, as the map says; they have sensor"),
    ):
        with pytest.raises(DataError, match=message):
            antelog.Engine(program).advance(0, {"Temp": other}, map=called)


# ---- background ----

SITES = antelog.parse(
    "static Site(x, n: number). input P(x, time). Q(X, N, T) :- P(X, T), Site(X, N). query Q(X, N, T)."
).plan


def test_columns_of_the_background_are_matched_by_name_or_by_position() -> None:
    table = pa.table({"n": [1.0, 2.5], "x": ["a", "b"]})
    assert static_rows(SITES, {"Site": table}) == {"Site": [("a", 1), ("b", 2.5)]}
    assert static_rows(SITES, {"Site": [("a", 1)]}) == {"Site": [("a", 1)]}
    assert static_rows(SITES, {"Site": []}) == {"Site": []}
