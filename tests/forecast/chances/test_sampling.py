"""antelog/forecast/chances/{sampling,questions}.py: a sample says what exact chances are, but for its error.

And nothing else changes it: not how a run is cut, nor which answers are asked for beside one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, note, reject

import antelog
from antelog.engine.columns.tables import Numbers
from antelog.forecast.chances import questions, sampling
from antelog.forecast.chances.shapes import Chances
from antelog.forecast.engine import Engine
from tests.engine.replay import runnable
from tests.forecast.asking import by_model, engine_at
from tests.forecast.limits import at_most
from tests.odds import Asked, forecasts
from tests.specification.answers import Answer

LARGE = """
input  E(x: text, kind: text, time) delay 1 (80%, {late}%).
chance E(_, start, _) = 5%.
chance E(_, a, _) = 5%, again 30%.
chance E(_, b, _) = 5%.
P(X, T) :- E(X, start, T), E(X, a, U), E(X, b, U+{gap}), U > T, U <= T+{far}.
query P(X, T).
"""
"""Whether a `b` comes some ticks after an `a` depends on all ticks between: 2 ** gap nodes."""


def large(gap: int, late: int = 20, far: int = 60) -> antelog.Program:
    return antelog.parse(LARGE.format(gap=gap, late=late, far=far))


def answer(x: str = "x1", tick: int = 0) -> Answer:
    return (("X", x), ("T", tick))


def forecast(found: Chances, row: int) -> list[tuple[int, float]]:
    mine = found.growth.of == found.which[row]
    return list(zip(found.growth.at[mine].tolist(), found.growth.chance[mine].tolist(), strict=True))


def near(exact: Numbers, by_sample: Numbers) -> None:
    """Equal within five standard errors of a sample."""
    error = 5 * np.sqrt(exact * (1 - exact).clip(0) / sampling.SAMPLES) + 5 / sampling.SAMPLES
    assert (np.abs(exact - by_sample) <= error).all(), (exact, by_sample)


@given(forecasts())
def test_a_sample_agrees_with_exact_chances(asked: Asked) -> None:
    note(str(asked))
    compiled = runnable(asked.case.checked)
    if compiled is None or not any(source.chances for source in compiled.plan.inputs):
        reject()
    engine = engine_at(asked.case, compiled.plan, asked.now)
    for query, told in asked.answers:
        if any(value is None for _, value in told):
            continue
        exact = by_model(engine, query, [told])
        with at_most(0):
            found = by_model(engine, query, [told])
        assert (found.which < 0).tolist() == (exact.which < 0).tolist()
        if found.which[0] < 0:
            continue
        assert found.sampled.all()
        assert not exact.sampled.any()
        near(exact.chance, found.chance)
        known = ~np.isnan(exact.holds)
        assert known.tolist() == (~np.isnan(found.holds)).tolist()
        near(exact.holds[known], found.holds[known])
        wanted, got = forecast(exact, 0), forecast(found, 0)
        for tick in range(-3, 12):
            near(by(wanted, tick), by(got, tick))


def by(grown: list[tuple[int, float]], tick: int) -> Numbers:
    """The chance by a tick."""
    return np.array([max((chance for at, chance in grown if at <= tick), default=0.0)])


SMALL = """
input  Temp(x: text, level: text, time) delay 2 (50%, 30%, {last}){slot}.
chance Temp(_, high, _) = 20%, again 70%.
chance Temp(_, low, _) = 25%, again 50%.
{rule}
query P(X, T).
"""


@pytest.mark.parametrize("last", ["20%", "10%"])  # with 10 %, a tenth is lost
@pytest.mark.parametrize("slot", ["", ", one per x"])
@pytest.mark.parametrize(
    "rule",
    [
        "P(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).",
        "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).",
        "P(X, T) :- not Temp(X, high, T+1), not Temp(X, low, T+2). P(X, T) :- Temp(X, high, T+3).",
    ],
)
def test_late_lost_and_exclusive_facts(rule: str, slot: str, last: str) -> None:
    program = antelog.parse(SMALL.format(rule=rule, slot=slot, last=last))
    asked = [answer(x, tick) for x in ("x1", "x2") for tick in (0, 1, 2)]
    engine = Engine(program)
    for now, facts in ((0, [("x1", "high", 0)]), (2, [("x1", "low", 1), ("x2", "high", 2)])):
        engine.advance(now, {"Temp": facts})
        exact = by_model(engine, "P", asked)
        with at_most(0):
            found = by_model(engine, "P", asked)
        near(exact.column(), found.column())
        assert found.sampled.all()
        if last == "10%":
            near(exact.holds[exact.which], found.holds[found.which])
        for row in range(len(asked)):
            for tick in range(now, 9):
                near(by(forecast(exact, row), tick), by(forecast(found, row), tick))


def test_what_is_too_large_is_drawn() -> None:
    said = []
    for gap in (3, 20):
        engine = Engine(large(gap))
        engine.advance(0, {"E": [("x1", "start", 0)]})
        engine.advance(6, {"E": [("x1", "a", 5)]})
        said.append(by_model(engine, "P", [answer(), answer("x2", 1)]))
    small, far = said
    assert not small.sampled.any()
    assert far.sampled.all()
    # Whether the `b` is 3 ticks after the `a` or 20 makes no difference to a chance, but to its time.
    chance = far.column()[0]
    assert chance == pytest.approx(small.column()[0], abs=0.02)
    assert chance > 0.15
    grown = forecast(far, 0)
    assert [at for at, _ in grown] == sorted(at for at, _ in grown)
    assert [chance for _, chance in grown] == sorted(chance for _, chance in grown)
    assert grown[-1][1] == chance
    assert grown[0][0] >= 25


def test_what_cannot_be_drawn_is_bounded() -> None:
    rare = """
    input  E(x: text, time).
    chance E(_, _) = 0.1%.
    P(X, T) :- E(X, T+1), E(X, T+2).
    P(X, T) :- E(X, T+1), E(X, T+3).
    query P(X, T).
    """
    engine = Engine(antelog.parse(rare))
    engine.advance(0, {"E": []})
    with at_most(0):
        found = by_model(engine, "P", [answer()])
    # Of 4,096 courses none has two facts. Either rule alone has one in a million.
    assert 1e-6 * (1 - 1e-9) <= found.chance[0] <= 2e-6


def test_which_answers_are_asked_for_makes_no_difference() -> None:
    engine = Engine(large(20))
    engine.advance(9, {"E": [(f"x{i}", "a", i % 9) for i in range(20)]})
    every = [answer(f"x{i}", i % 5) for i in range(20)]
    together = by_model(engine, "P", every)
    for number in (0, 7, 19):
        alone = by_model(engine, "P", [every[number]])
        assert alone.column()[0] == pytest.approx(together.column()[number], abs=1e-12)
        assert forecast(alone, 0) == pytest.approx(forecast(together, number))


@pytest.mark.parametrize("late", [20, 10])  # with 10 %, a tenth is lost
def test_how_a_run_is_cut_makes_no_difference(late: int) -> None:
    facts = [(f"x{i % 3}", ("start", "a", "b")[i % 7 % 3], i // 3) for i in range(60)]

    def run(ends: list[int]) -> pa.Table:
        engine, parts = Engine(large(5, late, far=9)), []
        for end in ends:
            new = [fact for fact in facts if engine.now < fact[-1] <= end]
            parts.append(engine.advance(end, {"E": new})["P"])
        return pa.concat_tables(parts)

    with at_most(100):
        cut, by_tick = run([4, 5, 13, 30]), run(list(range(31)))
    assert cut.num_rows > 10
    assert "sampled" in cut.column("chance_from").to_pylist()
    order = [("tick", "ascending"), ("X", "ascending"), ("T", "ascending"), ("change", "ascending")]
    assert cut.sort_by(order).equals(by_tick.sort_by(order))


def test_who_says_so() -> None:
    engine = Engine(large(20))
    (line,) = engine.advance(0, {"E": [("x1", "start", 0)]})["P"].to_pylist()
    assert line["chance_from"] == "sampled"
    assert line["forecast"][-1]["chance"] == line["chance"]
    (row,) = engine.answers("P").to_pylist()
    assert row["chance_from"] == "sampled"


def test_a_diagram_is_tried_once() -> None:
    engine = Engine(large(20))
    engine.advance(0, {"E": [("x1", "start", 0)]})
    known = questions.diagram.cache_info().misses
    engine.advance(1, {"E": [("x1", "a", 1)]})
    by_model(engine, "P", [answer()])
    assert questions.diagram.cache_info().misses == known


def test_the_limit_counts_states_of_all_chains() -> None:
    inputs = "\n".join(f"input A{i}(x: text, time). chance A{i}(_, _) = 50%." for i in range(9))
    rules = f"P(X, T) :- {', '.join(f'A{i}(X, T+{i})' for i in range(9))}. query P(X, T)."
    engine = Engine(antelog.parse(f"{inputs}\n{rules}"))
    engine.advance(0, {"A0": [("x1", 0)]})
    exact = by_model(engine, "P", [answer()])
    assert not exact.sampled.any()
    assert exact.chance[0] == pytest.approx(0.5**8)
    with at_most(500):  # there are few nodes, but 2 ** 9 states of the nine chains
        found = by_model(engine, "P", [answer()])
    assert found.sampled.all()
    assert found.chance[0] == pytest.approx(0.5**8)  # all have to come: the bounds are exact
