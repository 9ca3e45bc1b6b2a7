"""A judge of open answers, and the table of judges.

    judge = judge.learn(rows, outcome)    what became of answers in states they have been in
    judge.predict(rows)                   the chance that each answer is confirmed

To add a judge, write a module with a class that has these methods, and a line for it in JUDGES. What it may
know of an answer is in its row; chances do not depend on how a run is cut as long as `predict` uses only
outcomes of epochs up to `rows.as_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, Self, runtime_checkable

from antelog.engine.columns.tables import Numbers
from antelog.forecast.outcomes.outcomes import nothing_known
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes
from antelog.forecast.rates.tally import Cells, KnownEpoch


class Judge(Protocol):
    """Predicts the chances of open answers, and learns from the outcomes of decided ones."""

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chance of each row; NaN where it is unknown."""
        ...

    def learn(self, rows: AnswerRows, outcome: RowOutcomes) -> Self:
        """The judge after a lesson. Lessons come in the order of their epochs."""
        ...


@runtime_checkable
class Summing(Protocol):
    """A judge that adds lessons up once they may be used."""

    def up_to(self, as_of: KnownEpoch) -> Self: ...


@runtime_checkable
class Recodable(Protocol):
    """A judge with cells of answers, which are rewritten when values are dropped."""

    def with_cells(self, cells: Cells) -> Self: ...


MODEL, OUTCOMES, BOTH, SEVERAL = "model", "outcomes", "both", "several"
"""The names in the column `chance_from`: of one judge, of two, of more."""

JUDGES: Mapping[str, Callable[[int], Judge]] = {OUTCOMES: nothing_known}
"""The judges besides the model of facts, by name: each made for answers with a key of some columns."""

Judges = Mapping[str, Callable[[int], Judge]]
