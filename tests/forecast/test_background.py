"""antelog/forecast/inference: static facts are written once in the cells of the forecast's values."""

from __future__ import annotations

import antelog
from antelog.engine.state import start
from antelog.engine.values.values import Values
from antelog.forecast.forecasting import columns_in, tables_of
from antelog.process import Engine

RULES = """
static Site(x: text, y: text). Site(wt2, north). Site(wt4, south).
static Empty(x: text).
input A(x: text, time).
chance A(_, _) = 5%.
P(X, T) :- Site(X, Y), not Empty(X), A(X, T).
query P(X, T).
"""


def test_columns_stand_for_the_same_values() -> None:
    state, values = start(antelog.parse(RULES).plan), Values(["south"])
    tables = tables_of(state, values)
    assert tables["Empty"] == ()
    assert [set(column.tolist()) for column in tables["Site"]] == [
        {values.cell("wt2"), values.cell("wt4")},
        {values.cell("north"), values.cell("south")},
    ]
    again = tables_of(state, values)["Site"]
    assert all(one is other for one, other in zip(tables["Site"], again, strict=True))
    assert len(list(columns_in(values))) == 2
    assert list(columns_in(Values())) == []


def test_many_static_facts_stay_when_other_values_are_forgotten() -> None:
    engine = Engine(antelog.parse(RULES), static={"Site": [(f"s{i}", "east") for i in range(5_000)]})
    engine.advance(0, {"A": [("s1", 0)]})
    values = engine.forecaster.known.sightings.values
    engine.advance(1, {"A": [("s2", 1)]})
    assert engine.forecaster.known.sightings.values is values  # nothing is written anew
