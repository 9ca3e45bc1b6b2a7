"""The values that have been seen in the columns unguarded variables lead to, and since when.

    Calm(X, T) :- not Alarm(X, T).     Alarm(a, 0) arrived at 1: a, since 1

The constants and the background in these columns have been seen from the start. A set only grows, for a value
has answers of its own from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from antelog.compile.nodes.columns import SeenColumns
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, groups, marked
from antelog.engine.facts.facts import Facts
from antelog.engine.values.values import Values

FROM_THE_START = -1


@dataclass(frozen=True, eq=False)
class SeenValues:
    """Different values, each with the tick since when it has been seen."""

    cells: Column
    since: Column

    def and_more(self, cells: Column, since: Column) -> SeenValues:
        """The seen values and more, each seen at its tick unless it was seen before."""
        same = groups(cells)
        first = cells.take(same.first)
        new = marked(find(first, self.cells) < 0)
        if len(new) == 0:
            return self
        added = first.take(new), same.least(since).take(new)
        return SeenValues(np.concatenate([self.cells, added[0]]), np.concatenate([self.since, added[1]]))


Seen: TypeAlias = Mapping[SeenColumns, SeenValues]
"""For the columns of each unguarded variable the values seen there."""


def seen_from_the_start(
    wanted: Iterable[SeenColumns], tables: Mapping[str, Sequence[tuple[int, ...]]], values: Values
) -> Seen:
    """The constants and the background in some columns."""
    found = {}
    for columns in wanted:
        cells = [values.cell(value) for value in columns.constants]
        cells += [row[column.position] for column in columns.statics for row in tables[column.name]]
        different = np.array(sorted(set(cells)), np.int64)
        found[columns] = SeenValues(different, np.full(len(different), FROM_THE_START))
    return found


def seen_with(seen: Seen, facts: Mapping[str, Facts]) -> Seen:
    """The seen values, with those of further facts."""
    found = dict(seen)
    for columns, known in seen.items():
        new = [
            (facts[c.name].columns[c.position], facts[c.name].arrival)
            for c in columns.inputs
            if c.name in facts
        ]
        if new:
            found[columns] = known.and_more(*map(np.concatenate, zip(*new, strict=True)))
    return found
