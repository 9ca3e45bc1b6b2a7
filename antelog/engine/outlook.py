"""What becomes of open answers if nothing more arrives, and by when they are decided."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antelog.engine.changes import Candidates, Moments
from antelog.engine.tables import NEVER, Column, Mask
from antelog.engine.truth import Derivations, World, negated

SILENT = pa.struct([("change", pa.string()), ("tick", pa.int64())])


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
    count = len(at.tick)
    confirmed, rejected, settled = (
        np.full(count, NEVER),
        np.full(count, np.int64(-1)),
        np.full(count, np.int64(-1)),
    )
    asked = np.zeros(count, np.bool_)
    asked[moment[wanted]] = True
    for b, block in enumerate(found.blocks):
        view = np.flatnonzero(kept & asked[at.view_at] & (found.block[at.view_of] == b))
        if len(view) == 0:
            continue
        then = at.tick[at.view_at[view]]
        holds, fails, last = _as_of(world, block, found.row[at.view_of[view]], then)
        complete = np.maximum(holds.max(axis=0, initial=-1), found.considered[at.view_of[view]])
        np.minimum.at(confirmed, at.view_at[view], complete)
        mine = told[view]
        where = at.view_at[view[mine]]
        np.maximum.at(rejected, where, fails.min(axis=0, initial=NEVER)[mine])
        open_ = np.where(holds > then, last, -1).max(axis=0, initial=-1)
        np.maximum.at(settled, where, open_[mine])
    will = confirmed <= rejected
    tick = np.where(will, confirmed, rejected)[moment]
    known = wanted & (tick < NEVER)
    change = pa.array(np.where(will[moment], "confirmed", "rejected"), pa.string())
    silent = pa.StructArray.from_arrays([change, pa.array(tick)], fields=list(SILENT), mask=pa.array(~known))
    last = settled[moment]
    return silent, pa.array(last, mask=~wanted | (last >= NEVER))


def _as_of(world: World, block: Derivations, row: Column, then: Column) -> tuple[Column, Column, Column]:
    """When literals become true, false and certain, as it looked at the tick given for each row."""
    holds, fails, settled = (part[:, row].copy() for part in (block.holds, block.fails, block.settled))
    places = len(block.layout.places)
    later = (holds[:places] > then) & (holds[:places] < NEVER)
    fails[:places][later] = settled[:places][later]
    holds[:places][later] = NEVER
    rows = block.rows.take(row)
    for i, negation in enumerate(block.layout.negations, places):
        holds[i], fails[i], settled[i] = negated(world, negation, rows, then)
    return holds, fails, settled
