"""A judge of open answers, and the table of judges.

    judge = judge.learn(rows, outcome)      what became of answers in states they have been in
    judge = judge.learn_lines(lines, now)   what became of answers, with what was known at each line
    judge.predict(rows)                     for each row the chance that its answer is confirmed
    judge = judge.settled(now)              at the end of a step

To add a judge, write a module with a class that has these methods, and a line for it in JUDGES. What it may
know of an answer is in its row. A step has many ticks: `predict` goes for each row by what was decided before
the row's tick, so chances do not depend on how a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.errors import DataError
from antelog.forecast.columns import JUDGE_NAMES, OUTCOMES, VALUES
from antelog.forecast.outcomes.outcomes import nothing_known
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes, SettledLines
from antelog.forecast.rates.tally import Cells
from antelog.forecast.values.fitting import can_fit
from antelog.forecast.values.latest import NO_FEATURES, QueryFeatures
from antelog.forecast.values.looks import looks_of
from antelog.forecast.values.values_judge import nothing_fitted
from antelog.lazily import brought_by


class Judge(Protocol):
    """Predicts the chances of open answers, and learns from the outcomes of decided ones."""

    @property
    def columns(self) -> Mapping[str, float]:
        """The names of the columns of `predict`, and what each weighs before anything is known of it."""
        ...

    @property
    def rows(self) -> int:
        """About how many rows of its state there are; none before it has learned anything."""
        ...

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chances of each row, one column for each of its `columns`; NaN where they are unknown."""
        ...

    def learn(self, rows: AnswerRows, outcome: RowOutcomes) -> Self:
        """The judge after the lesson of a step."""
        ...

    def learn_lines(self, lines: SettledLines, now: int) -> Self:
        """The judge after the lines about answers that were settled in a step, which ends at `now`."""
        ...

    def settled(self, now: int) -> Self:
        """The judge after a step that ended at `now`."""
        ...

    def at_tick(self, tick: int) -> Self:
        """The judge as it is kept in a model that was learned up to a tick."""
        ...

    def merged(self, others: Sequence[Self]) -> Self:
        """One judge from those of several workers with different keys."""
        ...

    def part(self, mine: Callable[[Column], Mask]) -> Self:
        """The judge of a worker, given which cells of the partition key are its own."""
        ...

    def renewed(self, newer: Self) -> Self:
        """The judge that goes on learning about its keys; what all keys share is that of a newer model."""
        ...

    def with_cells(self, cells: Cells) -> Self:
        """A copy with rewritten cells."""
        ...


OF_MODEL = 2.0
"""What the model of facts weighs before anything is known of it."""


@dataclass(frozen=True, eq=False)
class JudgeSettings:
    """The input of a new judge of a query.

    The number of columns in the key of its answers, the longest half-life, and the features of its answers.
    """

    keys: int
    half_life: float | None
    features: QueryFeatures = NO_FEATURES


NewJudge = Callable[[JudgeSettings], Judge | None]
"""Makes a judge before anything is known; None where it could never say anything."""

Judges = Mapping[str, NewJudge]

JUDGES: Judges = {
    OUTCOMES: lambda given: nothing_known(given.keys, given.half_life),
    VALUES: lambda given: nothing_fitted(given.features.width) if given.features.looks else None,
}
"""The judges besides the model of facts, by name."""


def check_values(plan: Plan, names: Collection[str] | None, *, learns: bool) -> None:
    """Raises DataError if the judge of values is named, and can say nothing about a plan."""
    if VALUES not in (names or ()):
        return
    if learns and not can_fit():
        raise DataError(
            f"the judge {VALUES!r} learns with scikit-learn, which is not installed: "
            f"{brought_by(VALUES)}. Or name other judges"
        )
    if {*(names or ())} == {VALUES} and not any(looks_of(plan, query.name) for query in plan.queries):
        raise DataError(
            f"no query compares values, as `V >= 90` does, so there is nothing for the judge {VALUES!r} to "
            "look at: name other judges, or leave them out"
        )


def check_judges(names: Collection[str] | None) -> None:
    """Raises DataError if there is no judge of a name, or if there is none at all."""
    known = ", ".join(JUDGE_NAMES)
    for name in names or ():
        if name not in JUDGE_NAMES:
            raise DataError(f"there is no judge {name!r}; there are {known}")
    if names is not None and not names:
        raise DataError(f"without a judge there are no chances: name some of {known}, or leave it out")
