"""Lines told again: what was said last of an open answer, when its chance alone has changed.

    3  revised   Malf wt2 1    chance 0.78
    4  likely    Malf wt2 1    chance 0.83    nothing came: the rest is as the last line has it

The last line of each open answer is kept, without its chance. While a step is put together, every line has
two columns more: the number of its answer, and its place among the lines of the step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column
from antelog.forecast.columns import NAMES
from antelog.forecast.judges.following import Stretches

NUMBER, LINE = "answer's number", "line's place"


@dataclass(frozen=True, eq=False)
class Kept:
    """The last lines of the open answers with these numbers; None before the first."""

    number: Column
    lines: pa.Table | None


def nothing_kept() -> Kept:
    return Kept(np.zeros(0, np.int64), None)


class Pool:
    """The lines told before that still stand, and those of a step."""

    def __init__(self, kept: Kept, lines: pa.Table) -> None:
        self._number = kept.number
        bare = lines.drop_columns([name for name in NAMES if name in lines.column_names])
        self._all = bare if kept.lines is None else pa.concat_tables([kept.lines, bare])

    def lines(self, place: Column, number: Column) -> pa.Table:
        """The lines at some places of the step, or where that is -1, those kept of these answers."""
        at = np.where(place >= 0, place + len(self._number), find(number, self._number))
        return self._all.take(pa.array(at))

    def kept(self, stretches: Stretches, place: Column, now: int) -> Kept:
        """The last lines of the answers that are open at the end of the step."""
        last = np.flatnonzero(stretches.until > now)
        number = stretches.number.take(last)
        return Kept(number, self.lines(place.take(last), number))


def again(lines: pa.Table, tick: Column, change: pa.Array) -> pa.Table:
    """Lines told again at other ticks, as other changes."""
    for name, column in (("tick", pa.array(tick)), ("change", change)):
        place = lines.schema.get_field_index(name)
        lines = lines.set_column(place, lines.schema.field(place), column)
    return lines


def marked(lines: pa.Table, number: Column, place: Column) -> pa.Table:
    return lines.append_column(NUMBER, pa.array(number)).append_column(LINE, pa.array(place))


def unmarked(lines: pa.Table) -> pa.Table:
    return lines.drop_columns([NUMBER, LINE])


def in_order(parts: list[pa.Table], relation: Relation) -> pa.Table:
    """Lines in the order of the log; what is told again stands after other lines of its answer and tick."""
    if len(parts) == 1:
        return parts[0]
    lines = pa.concat_tables(parts)
    names = ["tick", *([relation.answer.time] if relation.answer.time else []), *relation.answer.variables]
    lines = lines.append_column("#", pa.array(np.arange(lines.num_rows)))
    keys = [(name, "ascending") for name in (*names, "#")]
    return lines.take(pc.sort_indices(lines, sort_keys=keys)).drop_columns(["#"])
