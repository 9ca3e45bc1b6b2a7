"""The model's chances of any answers of a case, reported or not, at the tick it has reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.values.encoding import OTHERS as OTHERS_CELL
from antelog.engine.values.values import Values
from antelog.forecast import forecasting
from antelog.forecast.forecasting import tables_of
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.forms import layout
from antelog.forecast.inference.known import AnswersAtTicks, Known, Learning, OddsOf
from antelog.forecast.rates.odds import Chain, Keys, Odds, completed
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


@dataclass(frozen=True, eq=False)
class OddsWithOthers(OddsOf):
    """Declared odds, with a part of another fact in each slot, as if that had been learned."""

    others: Others | None = None

    def __call__(self, chain: Chain, keys: Keys, epochs: Column) -> Odds:
        odds, others = super().__call__(chain, keys, epochs), self.others
        if others is None or not chain.slotted:
            return odds
        parts = [others.none, *[others.declared] * (len(chain.states) - 1), others.other]
        moves = np.zeros_like(odds.transitions)
        moves[:, :, -1] = np.array(parts, np.float64)
        moves[:, :, 0] = 1 - moves[:, :, -1]
        return completed(odds, replace(odds, transitions=moves), whole=False)


def by_model(engine: Engine, query: str, answers: Sequence[Answer], others: Others | None = None) -> Chances:
    """The model's chances of answers without open variables, by what is declared."""
    return _asked(
        engine, query, answers, OddsWithOthers(layout(engine.plan), {}, Learning(False), others=others)
    )


def by_learned_model(engine: Engine, query: str, answers: Sequence[Answer]) -> Chances:
    """The same, by what the engine has learned so far."""
    current = engine.forecaster.known
    return _asked(engine, query, answers, OddsOf(layout(engine.plan), current.series, current.learning))


def _asked(engine: Engine, query: str, answers: Sequence[Answer], odds: OddsOf) -> Chances:
    current, state = engine.forecaster.known, engine.state
    assert isinstance(current, forecasting.Forecasting)
    relation, values = engine.plan.relation(query), current.sightings.values
    cells = {
        name: np.array([_cell(values, dict(answer)[name]) for answer in answers], np.int64)
        for name in relation.answer.variables
    }
    time = relation.answer.time
    tick = np.array([dict(answer)[time] if time else 0 for answer in answers], np.int64)
    known = Known(engine.plan, tables_of(state, values), current.sightings, state.begin or 0, odds)
    return chances(known, query, AnswersAtTicks(cells, tick, np.full(len(answers), engine.now)))


def _cell(values: Values, value: Value | Special | None) -> int:
    if isinstance(value, Special) or value is None:
        return int(OTHERS_CELL)
    return values.cell(value)
