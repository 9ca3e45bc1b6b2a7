"""Lines of alerts: an answer becomes likely, or unlikely again, also where only time passes.

    query Malf(X, T) alert 80%.
    chances 0.78 at 3, 0.83 at 4    a line at 4: likely

In come the chances of open answers tick by tick, out go the lines of alerts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Column, Mask
from antelog.forecast.beside import Beside
from antelog.forecast.chances.shapes import Chances
from antelog.forecast.judges.alerts import Alerts, alert_changes
from antelog.forecast.judges.judging import Told, source_of
from antelog.forecast.kinds import LIKELY, UNLIKELY
from antelog.forecast.retelling import Pool, again, marked


@dataclass(frozen=True, eq=False)
class Said:
    """What was said of some answers at some ticks: the chances, how the model's grow, for which ticks.

    `line` is the place of the last line of each, or -1 if that was told in a step before.
    """

    told: Told
    found: Chances
    time: Column
    line: Column

    @property
    def source(self) -> Column:
        """Who says each chance, as a number of `beside.SOURCES`; -1 for nobody."""
        return source_of(self.told)

    def take(self, at: Column) -> Said:
        found = replace(self.found, which=self.found.which.take(at))
        return Said(self.told.take(at), found, self.time.take(at), self.line.take(at))


def alert_lines(
    alerts: Alerts, said: Sequence[Said], threshold: float, pool: Pool, *, lossy: bool
) -> tuple[Alerts, list[pa.Table]]:
    """What is alerted after a step, and its lines of alerts."""
    number, tick, chance = (
        np.concatenate([np.zeros(0, kind), *(getattr(each.told, name) for each in said)])
        for name, kind in (("number", np.int64), ("tick", np.int64), ("chance", np.float64))
    )
    after, found = alert_changes(alerts, number, tick, chance, threshold)
    parts, first = [], 0
    for each in said:
        mine = np.flatnonzero((found.row >= first) & (found.row < first + len(each.told.tick)))
        if len(mine):
            some = each.take(found.row.take(mine) - first)
            parts.append(_lines(pool, some, found.likely[mine], lossy))
        first += len(each.told.tick)
    return after, parts


def _lines(pool: Pool, said: Said, likely: Mask, lossy: bool) -> pa.Table:
    """The last lines of answers, told again with their chances of now."""
    words = pa.array([LIKELY, UNLIKELY]).take(pa.array((~likely).astype(np.int64)))
    last = again(pool.lines(said.line, said.told.number), said.told.tick, words)
    rows = np.arange(last.num_rows)
    beside = Beside(last.num_rows, lossy=lossy)
    beside.say(rows, said.told.chance, said.source)
    beside.grow(rows, said.time, said.found)
    if lossy:
        beside.hold(rows, said.found)
    return marked(beside.table(last), said.told.number, np.full(len(rows), -1))
