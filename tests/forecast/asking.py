"""The model's chances of any answers of a case, reported or not, at the tick it has reached."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.values.encoding import OTHERS as OTHERS_CELL
from antelog.engine.values.values import Values
from antelog.forecast import forecasting
from antelog.forecast.inference.background import tables_of
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.forms import layout
from antelog.forecast.inference.learning import Learning, OddsOf
from antelog.forecast.inference.table import AnswersAtTicks, Known
from antelog.language.syntax import Value
from antelog.process import Engine
from tests.engine.replay import Compiled, frames
from tests.specification.answers import Answer
from tests.specification.terms import Special
from tests.strategies import Case


def engine_at(case: Case, plan: Plan, now: int) -> Engine:
    """The engine after everything that arrives up to a tick, some ticks at a time."""
    engine = Engine(Compiled(plan))
    for end in sorted({now // 2, now}):
        if end > engine.now:
            engine.advance(end, frames(case.facts, plan, engine.now, end))
    return engine


def by_model(engine: Engine, query: str, answers: Sequence[Answer]) -> Chances:
    """The model's chances of answers without open variables."""
    current, state = engine.forecaster.known, engine.state
    assert isinstance(current, forecasting.Forecasting)
    relation, values = engine.plan.relation(query), current.sightings.values
    cells = {
        name: np.array([_cell(values, dict(answer)[name]) for answer in answers], np.int64)
        for name in relation.answer.variables
    }
    time = relation.answer.time
    tick = np.array([dict(answer)[time] if time else 0 for answer in answers], np.int64)
    known = Known(
        engine.plan,
        tables_of(state, values),
        current.sightings,
        state.begin or 0,
        OddsOf(layout(engine.plan), {}, Learning(False)),
    )
    return chances(known, query, AnswersAtTicks(cells, tick, np.full(len(answers), engine.now)))


def _cell(values: Values, value: Value | Special | None) -> int:
    if isinstance(value, Special) or value is None:
        return int(OTHERS_CELL)
    return values.cell(value)
