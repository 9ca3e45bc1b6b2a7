"""The model's chances of any answers of a case, reported or not, at the tick it has reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.values.encoding import OTHERS as OTHERS_CELL
from antelog.engine.values.values import Values
from antelog.forecast import forecasting
from antelog.forecast.forecasting import tables_of
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.known import AnswersAtTicks, Known
from antelog.forecast.rates.odds import Chain, Keys, Odds
from antelog.forecast.rates.slots import shared
from antelog.language.syntax import Value
from antelog.process import Engine
from tests.engine.replay import Compiled, frames
from tests.specification.answers import Answer
from tests.specification.chains import Others
from tests.specification.terms import Special
from tests.strategies import Case


def engine_at(case: Case, plan: Plan, now: int) -> Engine:
    """The engine after everything that arrives up to a tick, some ticks at a time."""
    engine = Engine(Compiled(plan))
    for end in sorted({now // 2, now}):
        if end > engine.now:
            engine.advance(end, frames(case.facts, plan, engine.now, end))
    return engine


@dataclass(frozen=True)
class KnownWithOthers(Known):
    """Declared odds, with a part of another fact in each slot, as if that had been counted."""

    others: Others | None = None

    def odds(self, chain: Chain, keys: Keys, stretches: Column) -> Odds:
        odds, others = super().odds(chain, keys, stretches), self.others
        if others is None or not chain.slotted:
            return odds
        parts = [others.none, *[others.declared] * (len(chain.states) - 1), others.other]
        return shared(odds, np.array([parts], np.float64), np.ones(keys.count, np.bool_))


def by_model(engine: Engine, query: str, answers: Sequence[Answer], others: Others | None = None) -> Chances:
    """The chances of answers without open variables, by what is declared."""
    current, state = engine.forecaster.known, engine.state
    assert isinstance(current, forecasting.Forecasting)
    relation, values = engine.plan.relation(query), current.sightings.values
    cells = {
        name: np.array([_cell(values, dict(answer)[name]) for answer in answers], np.int64)
        for name in relation.answer.variables
    }
    time = relation.answer.time
    tick = np.array([dict(answer)[time] if time else 0 for answer in answers], np.int64)
    tables, begin = tables_of(state, values), state.begin or 0
    known = KnownWithOthers(
        engine.plan, tables, current.sightings, begin, {}, current.learning, others=others
    )
    return chances(known, query, AnswersAtTicks(cells, tick, np.full(len(answers), engine.now)))


def _cell(values: Values, value: Value | Special | None) -> int:
    if isinstance(value, Special) or value is None:
        return int(OTHERS_CELL)
    return values.cell(value)
