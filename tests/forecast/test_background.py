"""antelog/forecast/inference: static facts are written once in the cells of the forecast's values."""

from __future__ import annotations

import antelog
from antelog.process import Engine

RULES = """
static Site(x: text, y: text). Site(wt2, north). Site(wt4, south).
static Empty(x: text).
input A(x: text, time).
chance A(_, _) = 5%.
P(X, T) :- Site(X, Y), not Empty(X), A(X, T).
query P(X, T).
"""


def test_many_static_facts_stay_when_other_values_are_forgotten() -> None:
    engine = Engine(antelog.parse(RULES), static={"Site": [(f"s{i}", "east") for i in range(5_000)]})
    engine.advance(0, {"A": [("s1", 0)]})
    values = engine.forecaster.known.sightings.values
    engine.advance(1, {"A": [("s2", 1)]})
    assert engine.forecaster.known.sightings.values is values  # nothing is written anew
