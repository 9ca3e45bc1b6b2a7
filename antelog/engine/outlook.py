"""What becomes of open answers if nothing more arrives, and by when they are decided."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antelog.engine.changes import Candidates, Moments
from antelog.engine.decoding import repeated
from antelog.engine.schema import SILENT
from antelog.engine.tables import NEVER, Column, Mask, marked
from antelog.engine.ticks import LAST
from antelog.engine.truth import Derivations, negated
from antelog.engine.world import World


def outlook(
    world: World,
    found: Candidates,
    at: Moments,
    kept: Mask,
    told: Mask,
    moment: Column,
    wanted: Mask,
) -> tuple[pa.Array, pa.Array]:
    """For each of these moments, if wanted: how the answer ends without more facts, and its last deadline."""
    line_at = np.full(len(at.tick), -1)
    lines = marked(wanted)
    line_at[moment[lines]] = lines
    confirmed, rejected, settled = (np.full(len(moment), tick) for tick in (NEVER, -1, -1))
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at[mine] if at.alone else line_at.take(at.view_at[mine])
        view = marked(kept[mine] & (line >= 0))
        if len(view) == 0:
            continue
        line, shown = line.take(view), told[mine].take(view)
        view += mine.start
        row = at.view_of.take(view)
        complete, failed, last = _as_of(world, block, row - found.starts[b], at.then.take(view))
        if block.layout.by_clock:
            complete = np.maximum(complete, found.time[row])
        np.minimum.at(confirmed, line, complete)
        if not shown.all():
            some = marked(shown)
            line, failed, last = line.take(some), failed.take(some), last.take(some)
        np.maximum.at(rejected, line, failed)
        np.maximum.at(settled, line, last)
    will = confirmed <= rejected
    tick = np.where(will, confirmed, rejected)
    change = repeated(("rejected", "confirmed"), will.view(np.int8))
    unknown = pa.array(~wanted | (tick > LAST))
    silent = pa.StructArray.from_arrays([change, pa.array(tick)], fields=list(SILENT), mask=unknown)
    return silent, pa.array(settled, mask=~wanted | (settled > LAST))


def _as_of(world: World, block: Derivations, row: Column, then: Column) -> tuple[Column, Column, Column]:
    """When rows become complete and when false, as it looked at a tick, and when what was open is certain."""
    places = len(block.layout.places)
    complete, failed, last = (np.full(len(row), tick) for tick in (np.int64(-1), NEVER, np.int64(-1)))
    for i in range(places):
        # Of facts that arrive later nothing was known.
        holds, due = block.holds[i].take(row), block.settled[i].take(row)
        true = holds <= then
        complete = np.maximum(complete, np.where(true, holds, NEVER))
        failed = np.minimum(failed, np.where(true, NEVER, due))
        last = np.maximum(last, np.where(true, -1, due))
    rows = block.rows.take(row) if block.layout.negations else block.rows
    for negation in block.layout.negations:
        holds, fails, settled = negated(world, block.layout, negation, rows, then)
        complete, failed = np.maximum(complete, holds), np.minimum(failed, fails)
        last = np.maximum(last, np.where(holds > then, settled, -1))
    return complete, failed, last
