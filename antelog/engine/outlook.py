"""What becomes of open answers if nothing more arrives, and by when they are decided."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from antelog.engine.candidates import Candidates, speaking_since
from antelog.engine.decoding import repeated
from antelog.engine.exceptions import own_since_as_of
from antelog.engine.moments import Moments
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
    later: list[tuple[Column, Column, Column]] = []
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at[mine] if at.alone else line_at.take(at.view_at[mine])
        asked = kept[mine]
        if block.layout.by_clock and not at.alone:
            asked = asked | _coming(found, at.view_of[mine], at.then[mine])
        view = marked(asked & (line >= 0))
        if len(view) == 0:
            continue
        line, shown = line.take(view), told[mine].take(view)
        view += mine.start
        row = at.view_of.take(view)
        complete, failed, last, begin = _as_of(world, block, row - found.starts[b], at.then.take(view))
        if block.layout.by_clock:
            time = found.time.take(row)
            complete = np.maximum(complete, time)
            begin = np.maximum(begin, time) if block.layout.places else time
        np.minimum.at(confirmed, line, complete)
        if not shown.all():
            some, others = marked(shown), marked(~shown & (begin < failed))
            then = at.then.take(view.take(others))
            begin = np.maximum(begin.take(others), _own_as_of(world, found, b, row.take(others), then))
            later.append((line.take(others), begin, failed.take(others)))
            line, failed, last = line.take(some), failed.take(some), last.take(some)
        np.maximum.at(rejected, line, failed)
        np.maximum.at(settled, line, last)
    _prolong(rejected, later)
    will = confirmed <= rejected
    tick = np.where(will, confirmed, rejected)
    change = repeated(("rejected", "confirmed"), will.view(np.int8))
    unknown = pa.array(~wanted | (tick > LAST))
    silent = pa.StructArray.from_arrays([change, pa.array(tick)], fields=list(SILENT), mask=unknown)
    return silent, pa.array(settled, mask=~wanted | (settled > LAST))


def _prolong(rejected: Column, later: Sequence[tuple[Column, Column, Column]]) -> None:
    """Moves on the ticks at which nothing would be told any more, where other derivations are by then.

    Of these, each has the line it belongs to, from when on it is told, and when it is over.
    """
    if not any(len(line) for line, _, _ in later):
        return
    line, begin, failed = map(np.concatenate, zip(*later, strict=True))
    while True:
        goes_on = marked((begin <= rejected.take(line)) & (rejected.take(line) < failed))
        if len(goes_on) == 0:
            return
        np.maximum.at(rejected, line.take(goes_on), failed.take(goes_on))


def _coming(found: Candidates, row: Column, then: Column) -> Mask:
    """Which derivations need no fact any more at some ticks, and are looked at when their time has come."""
    coming: Mask = (
        (found.known.take(row) <= then) & (found.time.take(row) > then) & (found.begin.take(row) < NEVER)
    )
    return coming


def _own_as_of(world: World, found: Candidates, b: int, row: Column, then: Column) -> Column:
    """From when on rows of a block are told that say no more than others, as it looked at some ticks."""
    own = np.full(len(row), np.int64(-1))
    merged = marked(then < found.own.take(row))
    if len(merged):
        then = then.take(merged)
        rows = row.take(merged) - found.starts[b]
        own[merged] = speaking_since(
            *own_since_as_of(found.blocks, b, rows, lambda block, some: _looked(world, block, some, then))
        )
    return own


def _looked(world: World, block: Derivations, row: Column, then: Column) -> Derivations:
    """Rows as they looked at some ticks."""
    seen = block.take(row)
    places = len(block.layout.places)
    true = seen.holds[:places] <= then
    seen.fails[:places] = np.where(true, NEVER, seen.settled[:places])
    seen.holds[:places] = np.where(true, seen.holds[:places], NEVER)
    for i, negation in enumerate(block.layout.negations, places):
        known = negated(world, block.layout, negation, seen.rows, then)
        seen.holds[i], seen.fails[i], seen.settled[i] = known
    return seen


def _as_of(
    world: World, block: Derivations, row: Column, then: Column
) -> tuple[Column, Column, Column, Column]:
    """As it looked at a tick, when rows become complete and when false, when what was open is certain, and
    when some of it is true."""
    places = len(block.layout.places)
    complete, failed, last, some = (np.full(len(row), tick) for tick in (-1, NEVER, -1, NEVER))
    for i in range(places):
        # Of facts that arrive later nothing was known.
        holds, due = block.holds[i].take(row), block.settled[i].take(row)
        true = holds <= then
        arrived = np.where(true, holds, NEVER)
        complete, some = np.maximum(complete, arrived), np.minimum(some, arrived)
        failed = np.minimum(failed, np.where(true, NEVER, due))
        last = np.maximum(last, np.where(true, -1, due))
    rows = block.rows.take(row) if block.layout.negations else block.rows
    for negation in block.layout.negations:
        holds, fails, settled = negated(world, block.layout, negation, rows, then)
        complete, some = np.maximum(complete, holds), np.minimum(some, holds)
        failed = np.minimum(failed, fails)
        last = np.maximum(last, np.where(holds > then, settled, -1))
    return complete, failed, last, some
