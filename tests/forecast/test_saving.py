"""antelog/forecast/saving.py: what forecasts need to go on, beside the engine's state."""

from __future__ import annotations

import msgspec
import pytest

import antelog
from antelog.engine.saving import FORECAST
from antelog.errors import StateError
from antelog.forecast.saving import members, resumed
from antelog.process import Engine

PROGRAM = antelog.parse("""
input Temp(device: text, level: text, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Malf(X, T) alert 30%.
""")
FACTS = [(device, "high", tick) for device in ("wt2", "wt4") for tick in range(70) if tick % 7 < 4]


def engine() -> Engine:
    found = Engine(PROGRAM, model="learn")
    found.advance(59, {"Temp": [fact for fact in FACTS if fact[-1] < 59]})
    return found


def kept() -> dict[str, bytes]:
    known = engine().forecaster.known
    return members(known)


def test_there_and_back() -> None:
    written = kept()
    names = {"head.json", "values.json", "known.json", "known.arrow"}
    assert {name.removeprefix(FORECAST) for name in written} >= names
    assert members(resumed(PROGRAM.plan, written)) == written


def test_scores_that_are_none() -> None:
    written = kept()
    head = msgspec.json.decode(written[FORECAST + "head.json"])
    head["scores"]["Malf"] = {"lines": -1}
    with pytest.raises(StateError):
        resumed(PROGRAM.plan, {**written, FORECAST + "head.json": msgspec.json.encode(head)})
