"""The model of facts: computes chances from the formula of a query, rates of facts, and facts so far.

Malf(wt2, 0) at tick 1: a fact came at 0, one may still come at 1; chance 0.8, by tick 2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.tables import Column, Numbers
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.table import AnswersAtTicks, Known
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes


@dataclass(frozen=True, eq=False)
class FactModel:
    """The model of facts of a query. It learns from facts as they come, and nothing from outcomes."""

    known: Known
    relation: Relation

    def chances(self, answer: tuple[Column, ...], tick: Column) -> Chances:
        """The chances of answers at ticks, how they grow, and whether the answers hold."""
        own = self.relation.answer
        time = np.zeros_like(tick) if own.time is None else answer[-1]
        cells = dict(zip(own.variables, answer[:-1], strict=True))
        return chances(self.known, self.relation.name, AnswersAtTicks(cells, time, tick))

    def predict(self, rows: AnswerRows) -> Numbers:
        return self.chances(rows.answer, rows.tick).column()

    def learn(self, _rows: AnswerRows, _outcome: RowOutcomes) -> Self:
        return self
