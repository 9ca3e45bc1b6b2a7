"""Steps whose chances are made where the run is: what workers send of them, and how it is put together.

Chances that are learned rest on the facts of all keys. So workers send lines with their cells, and new facts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pyarrow as pa

from antelog.accounts import Counts
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import Facts
from antelog.engine.kernel import FinishedStep
from antelog.engine.state import with_cells
from antelog.engine.step.lines import Lines, joined
from antelog.engine.step.wording import log_order
from antelog.engine.values.values import SavedValues, Values


@dataclass(frozen=True)
class FactsJudged:
    """Counts of facts by fate, sentences, rows set aside; without chances also lines and new facts."""

    counts: Mapping[str, Counts] = field(default_factory=dict)
    notes: Sequence[str] = ()
    rows: Sequence[int] = ()
    calls: int = 0  # of functions
    failed: int = 0
    weight: int = 0  # of the lines
    lines: Mapping[str, Lines] = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)
    values: SavedValues = field(default_factory=Values().saved)

    def carrying(self, lines: Mapping[str, Lines], facts: Mapping[str, Facts], of: Values) -> FactsJudged:
        """Adds lines and facts, and of the values those that they have."""
        values = Values()
        cells = partial(values.recoded, of=of)
        said = {name: _recoded(each, cells) for name, each in lines.items()}
        new = {name: with_cells(each, cells) for name, each in facts.items()}
        return replace(self, lines=said, facts=new, values=values.saved())


class StepKeeper:
    """Keeps the last steps of a worker, in place of a forecaster, for the process that makes the chances."""

    def __init__(self) -> None:
        self.steps = deque[FinishedStep](maxlen=2)  # a run is one step ahead of the chances

    def advanced(self, step: FinishedStep) -> tuple[StepKeeper, dict[str, pa.Table]]:
        self.steps.append(step)
        return self, {}

    def members(self) -> dict[str, bytes]:
        return {}


def put_together(
    plan: Plan, parts: Sequence[FactsJudged], values: Values
) -> tuple[dict[str, Lines], dict[str, Facts]]:
    """The lines of all workers by query, in the order of the log, and their facts by input."""
    lines, facts = dict[str, list[Lines]](), dict[str, list[Facts]]()
    for part in parts:
        cells = partial(values.recoded, of=Values.from_saved(part.values))
        for name, each in part.lines.items():
            lines.setdefault(name, []).append(_recoded(each, cells))
        for name, new in part.facts.items():
            facts.setdefault(name, []).append(with_cells(new, cells))
    whole = {name: one.and_then(*others) for name, (one, *others) in facts.items()}
    return {name: _in_order(plan, name, each) for name, each in lines.items()}, whole


def _in_order(plan: Plan, query: str, parts: Sequence[Lines]) -> Lines:
    whole = joined(parts)
    order = log_order(whole.table, plan.relation(query))
    if order is None:
        return whole
    cells = tuple(column.take(order) for column in whole.cells)
    of_lines = (each.take(order) for each in (whole.tick, whole.kind, whole.stage))
    return Lines(whole.table.take(order), cells, *of_lines)


def _recoded(lines: Lines, cells: Callable[[Column], Column]) -> Lines:
    return replace(lines, cells=(*map(cells, lines.cells[:-1]), lines.cells[-1]))
