"""antelog/forecast/forecaster.py: what was learned, where rules are changed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import antelog
from antelog.engine.saving import FORECAST
from antelog.errors import StateError
from antelog.forecast.forecasting import resumed
from antelog.process import Engine
from tests.forecast.making import replayed

RULES = """
input Temp(device: text, level: text, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
Cold(X, T) :- Temp(X, low, T), Temp(X, low, T+{}).
query Malf(X, T) alert 30%.
query Cold(X, T).
"""
OLD, NEW = antelog.parse(RULES.format(2)), antelog.parse(RULES.format(3))
DICE = Random(3)
FACTS = [
    (device, DICE.choice(["high", "high", "low"]), tick)
    for device in ("wt2", "wt4", "wt5")
    for tick in range(140)
    if DICE.random() < 0.7
]


def advanced(engine: Engine, until: int) -> dict[str, list[dict[str, Any]]]:
    """The lines up to a tick, step by step."""
    found = replayed(engine, {"Temp": FACTS}, range(engine.now + 1, until + 1))
    return {name: table.to_pylist() for name, table in found.items()}


def test_a_query_that_is_the_same_keeps_its_chances() -> None:
    plain, changed = Engine(OLD, model="learn"), Engine(OLD, model="learn")
    for engine in (plain, changed):
        advanced(engine, 90)
    change = changed.change_rules(NEW, accept=True)
    assert change is not None
    assert changed.model.plan == NEW.plan
    later = advanced(plain, 140), advanced(changed, 140)
    assert later[0]["Malf"] == later[1]["Malf"]
    assert any(line["chance_from"] == "outcomes" for line in later[1]["Malf"])
    one, other = (each.scores().to_pylist()[0] for each in (plain, changed))
    assert one["query"] == "Malf"
    assert one == other


def test_a_changed_one_begins_anew() -> None:
    engine = Engine(OLD, model="learn")
    advanced(engine, 90)
    change = engine.change_rules(NEW, accept=True)
    assert change is not None
    lines = change.changes["Cold"].to_pylist()
    assert {line["chance_from"] for line in lines if line["change"] != "confirmed"} == {None}
    assert change.anew == ("Cold",)
    later = advanced(engine, 140)["Cold"]
    assert any(line["chance_from"] == "outcomes" for line in later)


def test_judges_that_have_no_say_have_none_about_changed_queries() -> None:
    engine = Engine(OLD, model="learn", judges=["outcomes"])
    advanced(engine, 90)
    engine.change_rules(NEW, accept=True)
    later = [line for lines in advanced(engine, 140).values() for line in lines]
    assert {line["chance_from"] for line in later} == {"outcomes", None}


def test_a_state_with_forecasts_goes_on() -> None:
    engine = Engine(OLD, model="learn")
    advanced(engine, 90)
    other = Engine.from_bytes(engine.to_bytes(), NEW, accept=True)
    engine.change_rules(NEW, accept=True)
    assert advanced(other, 140) == advanced(engine, 140)
    again = Engine.from_bytes(other.to_bytes(), NEW)
    assert again.answers("Malf").to_pylist() == other.answers("Malf").to_pylist()


def test_patterns_in_another_order_are_learned_of_anew() -> None:
    rules = "Q(X, T) :- Temp(X, high, T), Temp(X, high, T+1). Q(X, T) :- Temp(X, low, T), Temp(X, low, T+1)."
    declared = "input Temp(device: text, level: text, time) delay 1. query Q(X, T). "
    one, two = rules.split(". Q")
    old, new = antelog.parse(f"{declared}{rules}"), antelog.parse(f"{declared}Q{two} {one}.")
    engine = Engine(old, model="learn")
    advanced(engine, 90)
    change = engine.change_rules(new)
    assert change is not None
    assert change.anew == ("Q",)


def test_a_state_of_another_version_is_refused() -> None:
    engine = Engine(OLD, model="learn")
    there = engine.forecaster.members()
    known = f"{FORECAST}known.json"
    with pytest.raises(StateError, match="of another version of antelog: replay the facts"):
        resumed(OLD.plan, {**there, known: there[known].replace(b"TrackedAnswers", b"OpenAnswers")})
