"""Stretches of time without facts, through which answers driven by the clock would fill many lines.

    OK(X, T-2) :- Turbine(X), not Shdn(X, T).     facts about 2024-01-01 00:10 and about 2124-01-01

Each of the 5 million ticks between has an answer for each turbine. The lines are estimated from the first
ticks. A recording stops before too many; a run that goes on begins time anew at the later fact. Shorter
stretches are gone through piece by piece, so that their lines are never all in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.errors import DataError
from antelog.run.sinks.result import StepResult, fact_text
from antelog.run.waiting import DueRows, arrivals_of

MOST = 1_000_000
"""Lines that may fill a stretch."""

SAMPLE = 512
"""Ticks over which lines are counted; a stretch is longer."""

_PIECE = 50_000
"""About the lines of a piece."""

_LONGEST = 1_000_000
"""Ticks of a piece, at most."""


@dataclass(frozen=True)
class Stretch:
    """The ticks up to `last` between two facts, given as texts; an empty text stands for no fact."""

    last: int
    before: str = ""
    next: str = ""


def speaks_by_the_clock(plan: Plan) -> bool:
    """Whether some query may have answers at ticks without facts."""
    return any(each.clocked for query in plan.queries for each in prepared(plan).patterns[query.name])


def end_fact(plan: Plan, batch: DueRows, *, last: bool = False) -> str:
    """The first or the last fact to arrive in a batch, as text; empty if there is none."""
    if not batch.rows:
        return ""
    choose, number = (max, -1) if last else (min, 0)
    name = choose(batch.rows, key=lambda each: int(arrivals_of(batch.rows[each])[number]))
    columns = next(source.columns for source in plan.inputs if source.name == name)
    *values, time = (batch.rows[name].column(column)[number].as_py() for column in columns)
    return fact_text(name, values, time, plan.timescale)


@dataclass(frozen=True)
class Sampled:
    """The lines by query in the second half of the first ticks of a stretch, and its ticks to come.

    Snapshots have a line for each query at least, and `unseen` changes behind them. If they begin later, all
    these ticks are `hidden`, and only changes count.
    """

    by_query: Mapping[str, int]
    rest: int
    snapshots: bool
    hidden: bool
    unseen: int

    @classmethod
    def of(cls, steps: list[StepResult], before: int, last: int) -> Sampled:
        middle, changed, shown = before + SAMPLE // 2, Counter[str](), Counter[str]()
        for step in steps:
            changes = step.tables if step.changes is None else step.changes
            changed.update({name: _after(middle, table) for name, table in changes.items()})
            if step.changes is not None and step.tick > middle:
                shown.update({name: max(1, table.num_rows) for name, table in step.tables.items()})
        hidden = not shown and any(step.changes is not None for step in steps)
        return cls(shown or changed, last - before - SAMPLE, bool(shown), hidden, changed.total())

    def too_many(self, most: int) -> bool:
        """Whether the rest would have more lines than may be shown; hidden ones only take time."""
        return self.lines > (MOST if self.hidden else most)

    @property
    def lines(self) -> int:
        """The lines that the rest would have, at this rate."""
        return sum(self.by_query.values()) * self.rest // (SAMPLE // 2)

    @property
    def query(self) -> str:
        """The query with the most lines."""
        return max(self.by_query, key=lambda name: self.by_query[name], default="")

    @property
    def piece(self) -> int:
        """The ticks with about as many lines, or unseen changes, as are taken at a time."""
        lines = max(self.unseen, sum(self.by_query.values()))
        return min(max(1, _PIECE * (SAMPLE // 2) // max(1, lines)), _LONGEST)


def _after(tick: int, table: pa.Table) -> int:
    return int((table.column("tick").to_numpy() > tick).sum()) if table.num_rows else 0


def sentence(stretch: Stretch, sampled: Sampled) -> str:
    """Names the two facts, the query, and how many lines would lie between them."""
    where = f"after {stretch.before}"
    if stretch.next:
        where = f"between {stretch.before or 'the beginning'} and {stretch.next}"
    return (
        f"{where} lie {sampled.rest + SAMPLE:,} ticks without facts, and "
        + ("snapshots of all" if sampled.snapshots else f"{sampled.query}, which needs none,")
        + f" would fill them with about {sampled.lines:,} lines"
    )


def refused(stretch: Stretch, sampled: Sampled) -> DataError:
    if sampled.snapshots:
        why = sentence(stretch, sampled)
        return DataError(f"{why}. Is a time wrong? Else say which to show, with --since and --until")
    return DataError(
        f"{sentence(stretch, sampled)}. Is a time wrong? Else end before with --until, leave out the facts "
        f"before, or give the rule of {sampled.query} a condition on a fact: then it has answers there only"
    )
