"""antelog/forecast/chances/{singly,rows}.py: few answers one by one have the chances that columns give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, note, reject

import antelog
from antelog.forecast.chances import singly
from antelog.forecast.chances.forms import Form
from antelog.forecast.chances.rows import Row
from antelog.forecast.chances.shapes import Chances
from antelog.forecast.engine import Engine
from tests.engine.few import at_most
from tests.engine.replay import runnable
from tests.forecast.asking import by_model, engine_at
from tests.odds import Asked, forecasts
from tests.specification.answers import Answer


def both(engine: Engine, query: str, answers: Sequence[Answer]) -> tuple[Chances, Chances]:
    """The chances of answers as columns, and one by one."""
    with at_most(0):
        columns = by_model(engine, query, answers)
    return columns, by_model(engine, query, answers)


def same(engine: Engine, query: str, answers: Sequence[Answer]) -> None:
    """Both ways give the same, up to rounding."""
    columns, single = both(engine, query, answers)
    near(single.column(), columns.column())
    near(
        np.append(single.holds, np.nan).take(single.which),
        np.append(columns.holds, np.nan).take(columns.which),
    )
    for one, other in zip(single.which.tolist(), columns.which.tolist(), strict=True):
        mine, theirs = single.growth.of == one, columns.growth.of == other
        assert single.growth.at[mine].tolist() == columns.growth.at[theirs].tolist()
        near(single.growth.chance[mine], columns.growth.chance[theirs])


def near(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@given(forecasts())
def test_both_ways_give_the_same(asked: Asked) -> None:
    note(str(asked))
    compiled = runnable(asked.case.checked)
    if compiled is None or not any(source.chances for source in compiled.plan.inputs):
        reject()
    engine = engine_at(asked.case, compiled.plan, asked.now)
    for query in {query for query, _ in asked.answers}:
        same(engine, query, [a for q, a in asked.answers if q == query and None not in dict(a).values()])


TEXT = """
input Temp(x: text, level: text, time) delay 2 (60%, 20%, 10%), one per x.
chance Temp(_, high, _) = 5%, again 80%.
chance Temp(_, low, _) = 20%.
P(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Temp(X, low, T+2).
query P(X, T).
"""
ANSWERS = [tuple({"X": x, "T": t}.items()) for x in ("wt2", "wt7") for t in range(3, 7)]
FACTS = [("wt2", "high", 5), ("wt2", "high", 6), ("wt7", "high", 5), ("wt7", "low", 6)]


@pytest.fixture
def engine() -> Engine:
    engine = Engine(antelog.parse(TEXT))
    engine.advance(6, {"Temp": FACTS})
    return engine


def test_what_was_worked_out_of_a_row_is_kept(engine: Engine) -> None:
    by_model(engine, "P", ANSWERS)
    before = singly.worked_out.cache_info()
    assert by_model(engine, "P", ANSWERS).column().max() > 0.5
    after = singly.worked_out.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + len(ANSWERS))


def test_many_answers_and_large_formulas_go_as_columns(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[singly.Single | None] = []
    real = singly.worked_out

    def noted(form: Form, row: Row) -> singly.Single | None:
        asked.append(real(form, row))
        return asked[-1]

    monkeypatch.setattr(singly, "worked_out", noted)
    with at_most(len(ANSWERS) - 1):
        by_model(engine, "P", ANSWERS)
    assert not asked  # so many answers are not few
    real.cache_clear()
    with at_most(len(ANSWERS)):
        found = by_model(engine, "P", ANSWERS)
    assert asked == [None]  # the diagram has more nodes and states than that
    assert found.column().tolist() == pytest.approx(by_model(engine, "P", ANSWERS).column().tolist())
