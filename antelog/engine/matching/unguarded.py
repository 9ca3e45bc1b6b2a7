"""The rows of an unguarded variable: one for each value that has been seen, and one for all others.

Calm(X, T) :- not Alarm(X, T).     a has been seen since 1
T = 0: X = a, from 1 on; and X = all others
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.room import make_room
from antelog.engine.columns.tables import spread
from antelog.engine.facts.seen import FROM_THE_START
from antelog.engine.matching.knowledge import Knowledge
from antelog.engine.matching.partials import Partial, fitting
from antelog.engine.matching.rows import Background, Rows
from antelog.engine.values.encoding import OTHERS


def with_seen(known: Knowledge, prepared: Prepared, background: Background, part: Partial) -> Partial:
    """Each row once for every value its unguarded variable may be."""
    assert prepared.seen is not None
    values = known.seen[prepared.seen]
    cells = np.append(values.cells, OTHERS)
    since = np.append(values.since, FROM_THE_START)
    counts = np.full(part.rows.count, len(cells))
    make_room(counts)
    row, which = spread(np.zeros(part.rows.count, np.int64), counts)
    whole = part.take(row)
    (variable,) = prepared.pattern.unguarded
    bound = {**whole.rows.bound, variable: cells.take(which)}
    rows = Rows(bound, len(row), since.take(which))
    whole = replace(whole, rows=rows)
    return whole.take(fitting(prepared, rows, background, known.values))
