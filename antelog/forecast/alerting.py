"""Lines of alerts: an answer becomes likely, or unlikely again, also where only time passes.

    3  revised   Malf wt2 1    chance 0.78
    4  likely    Malf wt2 1    chance 0.83    nothing came: the rest is as the last line has it

In come the lines of a step and the chances tick by tick, out go the lines with those of alerts among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.tables import Column, find
from antelog.forecast.beside import COLUMNS, HOLDS, Beside
from antelog.forecast.chances.chances import Chances
from antelog.forecast.judges.alerts import NO_ALERTS, Alerts, rung, without
from antelog.forecast.judges.following import Stretches
from antelog.forecast.judges.judging import Told, source_of
from antelog.forecast.kinds import LIKELY, UNLIKELY


@dataclass(frozen=True, eq=False)
class Watch:
    """The answers of a query that are watched: which are likely, and the last line of each open one.

    `lines` are those of the answers with these numbers, without their chances; None before the first.
    """

    alerts: Alerts
    number: Column
    lines: pa.Table | None


def nobody_watched() -> Watch:
    return Watch(NO_ALERTS, NO_ALERTS.likely, None)


@dataclass(frozen=True, eq=False)
class Said:
    """What was said of some answers at some ticks: the chances, how the model's grow, for which ticks.

    `line` is the row of the last line of each, or -1 if that was told in a step before.
    """

    told: Told
    found: Chances
    time: Column
    line: Column

    def take(self, at: Column) -> Said:
        found = replace(self.found, which=self.found.which.take(at))
        return Said(self.told.take(at), found, self.time.take(at), self.line.take(at))


@dataclass(frozen=True, eq=False)
class Watched:
    """What a step has shown of a watched query: what was said, the open stretches with the rows of their
    lines, the numbers of the answers that are settled, and the tick that is finished."""

    relation: Relation
    said: Sequence[Said]
    stretches: Stretches
    line: Column
    settled: Column
    now: int


def with_alerts(watch: Watch, lines: pa.Table, watched: Watched) -> tuple[Watch, pa.Table]:
    """The lines with those of alerts, in the order of the log."""
    pool = _Pool(watch, _bare(lines))
    number, tick, chance = (
        np.concatenate([np.zeros(0, kind), *(getattr(each.told, name) for each in watched.said)])
        for name, kind in (("number", np.int64), ("tick", np.int64), ("chance", np.float64))
    )
    threshold = watched.relation.alert
    assert threshold is not None
    alerts, found = rung(watch.alerts, number, tick, chance, threshold)
    parts, first = [lines], 0
    for each in watched.said:
        mine = np.flatnonzero((found.row >= first) & (found.row < first + len(each.told.tick)))
        if len(mine):
            some = each.take(found.row.take(mine) - first)
            parts.append(_lines(pool, some, found.likely[mine], lossy=HOLDS.names[0] in lines.column_names))
        first += len(each.told.tick)
    if len(parts) > 1:
        lines = _in_order(pa.concat_tables(parts), watched.relation)
    last = np.flatnonzero(watched.stretches.until > watched.now)
    own = watched.stretches.number.take(last)
    kept = pool.lines(watched.line.take(last), own)
    return Watch(without(alerts, watched.settled), own, kept), lines


class _Pool:
    """The lines told before that still stand, and those of a step."""

    def __init__(self, watch: Watch, lines: pa.Table) -> None:
        self._number = watch.number
        self._all = lines if watch.lines is None else pa.concat_tables([watch.lines, lines])

    def lines(self, row: Column, number: Column) -> pa.Table:
        """The lines in some rows of the step, or where the row is -1, those told before of these answers."""
        at = np.where(row >= 0, row + len(self._number), find(number, self._number))
        return self._all.take(pa.array(at))


def _bare(lines: pa.Table) -> pa.Table:
    return lines.drop_columns([n for n in (*COLUMNS.names, *HOLDS.names) if n in lines.column_names])


def _lines(pool: _Pool, said: Said, likely: np.ndarray, *, lossy: bool) -> pa.Table:
    """The last lines of answers, told again with their chances of now."""
    last = pool.lines(said.line, said.told.number)
    words = pa.array([LIKELY, UNLIKELY]).take(pa.array((~likely).astype(np.int64)))
    for name, column in (("tick", pa.array(said.told.tick)), ("change", words)):
        place = last.schema.get_field_index(name)
        last = last.set_column(place, last.schema.field(place), column)
    rows = np.arange(last.num_rows)
    beside = Beside(last.num_rows, lossy=lossy)
    beside.say(rows, said.told.chance, source_of(said.told))
    beside.grow(rows, said.time, said.found)
    if lossy:
        beside.hold(rows, said.found)
    return beside.table(last)


def _in_order(lines: pa.Table, relation: Relation) -> pa.Table:
    """Lines in the order of the log; an alert stands after the other line of its answer and tick."""
    names = ["tick", *([relation.answer.time] if relation.answer.time else []), *relation.answer.variables]
    return lines.take(pa.compute.sort_indices(lines, sort_keys=[(name, "ascending") for name in names]))
