"""What becomes of open answers if nothing more arrives, and by when they are decided.

Malf(wt2, 0) with Temp(wt2, high, 0) at tick 0, delay 1     rejected at 2, decided by 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.engine.answers.lives import Lives, spoken_for
from antelog.engine.answers.moments import Moments
from antelog.engine.columns.joins import pairs
from antelog.engine.columns.tables import NEVER, Column, Mask, marked
from antelog.engine.facts.ticks import LAST
from antelog.engine.log.schema import SILENT
from antelog.engine.step.atoms import with_asked
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.knowledge import Knowledge


@dataclass(frozen=True)
class Outlook:
    """What becomes of open answers if nothing more arrives: when they are `confirmed`, or else rejected.

    `decided` is the last deadline.
    """

    confirmed: Mask
    tick: Column
    decided: Column

    def take(self, at: Column) -> Outlook:
        return Outlook(self.confirmed.take(at), self.tick.take(at), self.decided.take(at))

    def at(self, place: Column, count: int) -> Outlook:
        """The same at some of so many places, and nothing elsewhere."""
        wide = Outlook(np.zeros(count, np.bool_), np.full(count, NEVER), np.full(count, NEVER))
        wide.confirmed[place], wide.tick[place], wide.decided[place] = self.confirmed, self.tick, self.decided
        return wide

    def columns(self, line: Column, change: pa.Array) -> list[pa.Array]:
        """The columns `if_silent` and `decided_by`, given the lines of answers and a text for every line."""
        tick, never = _spread(self.tick, line, len(change))
        silent = pa.StructArray.from_arrays([change, pa.array(tick)], fields=_FIELDS, mask=pa.array(never))
        decided, never = _spread(self.decided, line, len(change))
        return [silent, pa.array(decided, mask=never)]


def _spread(ticks: Column, line: Column, count: int) -> tuple[Column, Mask]:
    """Ticks on their lines, and which of so many lines have none."""
    column, never = np.zeros(count, np.int64), np.ones(count, np.bool_)
    column[line], never[line] = ticks, ticks > LAST
    return column, never


_FIELDS = list(SILENT)


def one_by_one(parts: Sequence[Outlook]) -> Outlook:
    """The outlooks of several, one after the other."""
    columns = zip(*((part.confirmed, part.tick, part.decided) for part in parts), strict=True)
    return Outlook(*map(np.concatenate, columns))


@dataclass(frozen=True)
class AsOf:
    """Moments of answers, and the ticks as of which to look ahead, at which they are as at these moments."""

    moment: Column
    then: Column


def outlook(knowledge: Knowledge, found: Lives, at: Moments, kept: Mask, seen: AsOf) -> Outlook:
    """For each of these moments how the answer ends without more facts, and its last deadline.

    An answer ends with the last of its explanations, of which only those that are told matter: others
    need more, and are over sooner. The answer stays open if a clock-driven pattern tells it by then.
    """
    moment, then = seen.moment, seen.then
    if at.alone and len(moment):
        (block,) = found.blocks
        end = _end(knowledge, block, at.answer.take(moment), then)
        return Outlook(end.complete <= end.failed, np.minimum(end.complete, end.failed), end.settled)
    confirmed, rejected, settled = (np.full(len(moment), tick) for tick in (NEVER, -1, -1))
    line_at = np.full(len(at.tick), -1)
    line_at[moment] = np.arange(len(moment))
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at.take(at.view_at[mine])
        view = marked(kept[mine] & (line >= 0))
        if len(view):
            line, view = line.take(view), view + mine.start
            end = _end(knowledge, block, at.view_of.take(view) - found.starts[b], then.take(line))
            np.minimum.at(confirmed, line, end.complete)
            np.maximum.at(rejected, line, end.failed)
            np.maximum.at(settled, line, end.settled)
    _go_on(knowledge, found, at, seen, (confirmed, rejected))
    return Outlook(confirmed <= rejected, np.minimum(confirmed, rejected), settled)


@dataclass(frozen=True)
class _End:
    """What becomes of derivations as they looked at some ticks, and when the last literal is decided."""

    complete: Column
    failed: Column
    settled: Column


def _end(knowledge: Knowledge, block: Derivations, row: Column, then: Column) -> _End:
    """The end of some rows of a block, as it looked at some ticks: nothing was known of later facts."""
    seen = with_asked(knowledge, block.take(row).as_of(then))
    return _End(seen.complete, seen.failed, seen.open_until)


def _go_on(knowledge: Knowledge, found: Lives, at: Moments, seen: AsOf, ends: tuple[Column, Column]) -> None:
    """Moves the ends of answers that a clock-driven pattern will tell by then."""
    confirmed, rejected = ends
    if all(block.prepared.clocked for block in found.blocks):
        return
    later: list[tuple[Column, Column, Column]] = []
    for b, block in enumerate(found.blocks):
        if not block.prepared.clocked:
            continue
        rows = found.rows(b)
        line, row = pairs(at.answer.take(seen.moment), found.number[rows])
        then, time = seen.then.take(line), found.time[rows].take(row)
        known = spoken_for(block).take(row) <= then if block.prepared.facts else np.ones(len(row), np.bool_)
        coming = marked(known & (time > then))
        if len(coming):
            line, row, then, time = (c.take(coming) for c in (line, row, then, time))
            end = _end(knowledge, block, row, then)
            np.minimum.at(confirmed, line, np.maximum(end.complete, time))
            later.append((line, time, end.failed))
    if not later:
        return
    line, begin, failed = map(np.concatenate, zip(*later, strict=True))
    while True:
        goes_on = marked((begin <= rejected.take(line)) & (rejected.take(line) < failed))
        if len(goes_on) == 0:
            return
        np.maximum.at(rejected, line.take(goes_on), failed.take(goes_on))
