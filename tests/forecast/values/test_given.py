"""`given`: inputs of which no rule speaks, and whose values chances look at."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.errors import StateError
from antelog.forecast.columns import COLUMNS
from antelog.process import Engine

RULES = """
input Temp(motor: text, value: number, time).
input Load(motor: text, percent: number, time) delay 1.
Hot(X, T) :- Temp(X, V, T), V >= 90, Temp(X, W, T+1), W >= 90.
query Hot(X, T){}.
"""
PLAIN, GIVEN = antelog.parse(RULES.format("")), antelog.parse(RULES.format(" given Load(X, L, T)"))
TICKS = 600


@cache
def facts() -> dict[str, list[tuple[Any, ...]]]:
    """Every other reading is hot, and the next one as well where the load is high."""
    random = np.random.default_rng(0)
    temp: list[tuple[Any, ...]] = []
    load: list[tuple[Any, ...]] = []
    for tick in range(0, TICKS, 2):
        for motor in ("a", "b"):
            percent = float(random.integers(0, 100))
            load.append((motor, percent, tick))
            temp += [(motor, 91.0, tick), (motor, 91.0 if percent > 60 else 20.0, tick + 1)]
    return {"Temp": temp, "Load": load}


def run(engine: Engine, ends: list[int]) -> pa.Table:
    parts = []
    for end in ends:
        new = {name: [row for row in rows if engine.now < row[-1] <= end] for name, rows in facts().items()}
        parts.append(engine.advance(end, new)["Hot"])
    return pa.concat_tables(parts)


@cache
def learned() -> Engine:
    engine = Engine(GIVEN, model="learn")
    run(engine, [TICKS])
    return engine


def test_what_no_rule_says_is_learned() -> None:
    other = Engine(PLAIN, model="learn")
    run(other, [TICKS])
    brier, without = (each.scores().to_pylist()[0]["brier"] for each in (learned(), other))
    assert brier < 0.5 * without


def test_no_answer_changes() -> None:
    plain, given = (
        run(Engine(each, model="learn"), [99, TICKS]).drop_columns(COLUMNS.names) for each in (PLAIN, GIVEN)
    )
    assert plain.equals(given)


def test_cuts_do_not_matter() -> None:
    whole, cut = (run(Engine(GIVEN, model="learn"), ends) for ends in ([TICKS], [*range(TICKS + 1)]))
    first, second = (each["chance"].to_numpy() for each in (whole, cut))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)


def test_a_model_that_looks_at_other_inputs_is_refused() -> None:
    with pytest.raises(StateError, match="Hot is not the same in both"):
        Engine(PLAIN, model=learned().model)
    Engine(GIVEN, model=learned().model)


def test_where_chances_look_at_something_else_learning_begins_anew() -> None:
    engine = Engine(PLAIN, model="learn")
    run(engine, [99])
    change = engine.change_rules(GIVEN, accept=True)
    assert change is not None
    assert change.anew == ("Hot",)
    assert "values" in run(engine, [TICKS])["chance_from"].to_pylist()


def test_the_key_is_one_of_what_is_looked_at_too() -> None:
    assert GIVEN.plan.key["Load"] == 0
    # A load of all motors has no motor, so that its facts would belong to every part.
    rules = RULES.replace("input Load(motor: text, ", "input Load(").format(" given Load(L, T)")
    assert not antelog.parse(rules).plan.key
