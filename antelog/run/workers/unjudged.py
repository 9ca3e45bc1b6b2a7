"""Steps whose chances are made where the run is: what workers send of them, and how it is put together.

Chances that are learned rest on the facts of all keys. So workers send lines with their cells, and new facts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.history import Facts
from antelog.engine.kernel import FinishedStep
from antelog.engine.step.lines import Lines
from antelog.engine.values.values import SavedValues, Values
from antelog.run.workers.channel import WorkerMessage

_CELLS, _FACTS = "cells of ", "facts of "  # before names of columns, and of tables


class StepKeeper:
    """Keeps the last steps of a worker, in place of a forecaster, for the process that makes the chances."""

    def __init__(self) -> None:
        self.steps = deque[FinishedStep](maxlen=2)  # a run is one step ahead of the chances

    def advanced(self, step: FinishedStep) -> tuple[StepKeeper, dict[str, pa.Table]]:
        self.steps.append(step)
        return self, {}

    def members(self) -> dict[str, bytes]:
        return {}


def packed(
    lines: Mapping[str, Lines], facts: Mapping[str, Facts], of: Values
) -> tuple[SavedValues, dict[str, pa.Table]]:
    """Lines and facts as tables, whose cells are of other values: those that they have."""
    values, tables = Values(), dict[str, pa.Table]()
    for name, each in lines.items():
        cells = [*(values.recoded(column, of) for column in each.cells[:-1]), each.cells[-1]]
        table = each.table
        for number, column in enumerate([*cells, each.kind.astype(np.int64), each.stage]):
            table = table.append_column(f"{_CELLS}{number}", pa.array(column))
        tables[name] = table
    for name, new in facts.items():
        if new.count:
            columns = [*(values.recoded(column, of) for column in new.columns), new.time, new.arrival]
            tables[_FACTS + name] = pa.table(columns, [*map(str, range(len(columns)))])
    return values.saved(), tables


def lines_of(plan: Plan, query: str, parts: Sequence[WorkerMessage], values: Values) -> Lines:
    """The lines of a query by all workers, in the order of the log."""
    from antelog.forecast.lines import lines_in_order  # noqa: PLC0415 - few forecast

    relation, tables = plan.relation(query), []
    width = len(relation.answer.variables)
    for part in parts:
        table, of = part.tables[query], Values.from_saved(part.said.values)
        for name in (f"{_CELLS}{number}" for number in range(width)):
            column = pa.array(values.recoded(table.column(name).to_numpy(), of))
            table = table.set_column(table.schema.get_field_index(name), name, column)
        tables.append(table)
    whole = lines_in_order(tables, relation)
    names = [f"{_CELLS}{number}" for number in range(width + 3)]
    *cells, kind, stage = (whole.column(name).to_numpy() for name in names)
    return Lines(whole.drop_columns(names), tuple(cells), whole.column("tick").to_numpy(), kind, stage)


def facts_of(plan: Plan, parts: Sequence[WorkerMessage], values: Values) -> dict[str, Facts]:
    """The new facts of all workers."""
    found: dict[str, list[Facts]] = {}
    for part in parts:
        of = Values.from_saved(part.said.values)
        for source in plan.inputs:
            if (table := part.tables.get(_FACTS + source.name)) is not None:
                *columns, time, arrival = (column.to_numpy() for column in table.columns)
                cells = tuple(values.recoded(column, of) for column in columns)
                found.setdefault(source.name, []).append(Facts(cells, time, arrival))
    return {name: reduce(Facts.and_then, each) for name, each in found.items()}
