"""A step with chances: new facts are seen, and open lines get the columns that say how likely they are.

    tick  change    X    T  …  chance  forecast                      chance_from
    1     possible  wt2  0     0.64    [[2, 0.14], [3, 0.43], …]     model

In come what a step has told and the facts that came in it, out go the same lines with more columns. The
kernel knows nothing of this, and tells the same with and without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.engine import Finished
from antelog.engine.log.changes import Lines
from antelog.engine.state import State
from antelog.engine.values.values import Values
from antelog.forecast.answers import Asked
from antelog.forecast.chances import Chances, Known, chances
from antelog.forecast.forms import Form, forms
from antelog.forecast.sightings import Family, Sightings, forgotten, nothing_seen, seen

FORECAST = pa.list_(pa.struct([("tick", pa.int64()), ("chance", pa.float64())]))
COLUMNS = pa.schema(
    [("chance", pa.float64()), ("forecast", FORECAST), ("chance_from", pa.string())]
)
"""What a line has besides; null where no chance is known."""

_OPEN = ("possible", "revised")


@dataclass(frozen=True)
class Forecasting:
    """What forecasts need besides the kernel's state: what has been seen of each family of chains."""

    sightings: Sightings


def is_declared(plan: Plan) -> bool:
    """Whether a program says itself how likely facts are."""
    return any(source.chances for source in plan.inputs)


def families(plan: Plan) -> tuple[Family, ...]:
    """What has to be seen for the queries of a plan."""
    found = (form.families for form in forms(plan).values() if isinstance(form, Form))
    return tuple(dict.fromkeys(family for own in found for family in own))


def start(plan: Plan) -> Forecasting:
    return Forecasting(nothing_seen(families(plan)))


def told(
    plan: Plan, before: Forecasting, finished: Finished
) -> tuple[Forecasting, dict[str, pa.Table]]:
    """What is known after a step, and its lines with their chances."""
    own = families(plan)
    sightings = seen(before.sightings, own, finished.facts, finished.values)
    after = Forecasting(sightings)
    log = {
        name: with_chances(plan, after, finished.state, Told(name, each.lines, finished.values))
        for name, each in finished.told.items()
    }
    reach = max((f.reach for f in forms(plan).values() if isinstance(f, Form)), default=0)
    first = dict.fromkeys((family.name for family in own), finished.state.now - reach)
    return Forecasting(forgotten(sightings, first)), log


@dataclass(frozen=True, eq=False)
class Told:
    """Lines of a query, and what their cells stand for."""

    query: str
    lines: Lines
    values: Values


def with_chances(plan: Plan, forecasting: Forecasting, state: State, told: Told) -> pa.Table:
    """Lines with their chances, as of their ticks."""
    table = told.lines.table
    change = table.column("change").to_numpy(zero_copy_only=False) if table.num_rows else np.zeros(0, object)
    at = np.flatnonzero((change == _OPEN[0]) | (change == _OPEN[1]))
    asked = _asked(plan, told, forecasting.sightings.values, at)
    tables = _tables(state, forecasting.sightings.values)
    known = Known(plan, tables, forecasting.sightings, state.begin or 0)
    return _beside(table, at, chances(known, told.query, asked))


def _asked(plan: Plan, told: Told, values: Values, at: np.ndarray) -> Asked:
    """Some lines as answers whose chances are asked for."""
    relation = plan.relation(told.query)
    *cells, time = (column.take(at) for column in told.lines.cells)
    own = {
        name: values.recoded(column, told.values)
        for name, column in zip(relation.variables, cells, strict=True)
    }
    tick = told.lines.table.column("tick").to_numpy().take(at)
    return Asked(own, np.zeros_like(time) if relation.time is None else time, tick)


def _tables(state: State, values: Values) -> Mapping[str, list[tuple[int, ...]]]:
    """The background in the forecast's own cells."""
    return {
        name: [
            tuple(row) for row in
            np.array([values.recoded(np.array(c, np.int64), state.values) for c in zip(*rows, strict=True)]).T.tolist()
        ] if rows else []
        for name, rows in state.static.tables.items()
    }  # fmt: skip


def _beside(table: pa.Table, at: np.ndarray, found: Chances) -> pa.Table:
    """A table with the chances of some of its rows."""
    which = np.full(table.num_rows, -1)
    which[at] = found.which
    take = pa.array(which, mask=which < 0)
    lists = pa.array([[{"tick": t, "chance": c} for t, c in each] for each in found.forecast], FORECAST)
    by = pa.array(["model"] * len(found.chance), pa.string())
    columns = [pa.array(found.chance, pa.float64()).take(take), lists.take(take), by.take(take)]
    for field, column in zip(COLUMNS, columns, strict=True):
        table = table.append_column(field, column)
    return table
