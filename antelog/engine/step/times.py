"""Times beside the ticks of lines, in a program that says how long a tick is.

    tick      time                  change    T         T_time                decided_by  decided_by_time
    2955024   2026-03-09 04:00 UTC  possible  2955023   2026-03-09 03:50 UTC  2955026     2026-03-09 04:20 UTC

Where ticks are counted from 0 their times are null.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.ticks import begins
from antelog.compile.nodes.plan import Relation
from antelog.language.moments import Timescale, timed


def with_times(table: pa.Table, relation: Relation, timescale: Timescale) -> pa.Table:
    """The lines of a query, with a column of times after each one of ticks."""
    columns: list[pa.Array | pa.ChunkedArray] = []
    fields: list[pa.Field] = []
    for field, column in zip(table.schema, table.columns, strict=True):
        columns.append(column)
        fields.append(field)
        if field.name in ("tick", relation.answer.time, "if_silent", "decided_by"):
            ticks = pc.struct_field(column, "tick") if field.name == "if_silent" else column
            columns.append(_times(ticks, timescale))
            fields.append(pa.field(timed(field.name), columns[-1].type))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _times(ticks: pa.Array | pa.ChunkedArray, timescale: Timescale) -> pa.Array | pa.ChunkedArray:
    """The times at which ticks begin; null where there is no tick, or it is counted from 0."""
    there = timescale.ticks
    known = pc.and_(pc.greater_equal(ticks, there.start), pc.less(ticks, there.stop))
    return begins(pc.if_else(known, ticks, None), timescale)
