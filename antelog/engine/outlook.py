"""What becomes of open answers if nothing more arrives, and by when they are decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.compile.plan import Time
from antelog.engine.awaited import Awaited, awaited, depends_on_facts
from antelog.engine.candidates import Candidates
from antelog.engine.deadlines import latest_tick
from antelog.engine.exceptions import nameable, own_since_as_of
from antelog.engine.layout import Layout
from antelog.engine.match import AS_OF, Rows
from antelog.engine.moments import Moments
from antelog.engine.naming import last_named
from antelog.engine.schema import SILENT
from antelog.engine.speaking import covered_since, last_of, speaking_since
from antelog.engine.tables import NEVER, Column, Mask, marked, or_never
from antelog.engine.ticks import LAST
from antelog.engine.truth import Derivations, negated
from antelog.engine.world import World


@dataclass(frozen=True)
class Outlook:
    """What becomes of open answers if nothing more arrives: when they are `confirmed`, or else rejected.

    `decided` is the last deadline.
    """

    confirmed: Mask
    tick: Column
    decided: Column

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


def outlook(
    world: World,
    found: Candidates,
    at: Moments,
    needed: Mask,
    told: Mask,
    own: Mask,
    moment: Column,
) -> Outlook:
    """For each of these moments how the answer ends without more facts, and its last deadline.

    Some views are told, and of these some on their `own`, others beside these.
    """
    if at.alone and len(moment):
        (block,) = found.blocks
        end = _end(world, found, block, 0, at.view_of.take(moment), at.then.take(moment))
        confirmed, rejected, settled = end.complete, end.failed, end.settled
    else:
        confirmed, rejected, settled = (np.full(len(moment), tick) for tick in (NEVER, -1, -1))
        _ends(world, found, at, needed, told, own, moment, (confirmed, rejected, settled))
    return Outlook(confirmed <= rejected, np.minimum(confirmed, rejected), settled)


@dataclass(frozen=True)
class _End:
    """What becomes of derivations as they looked at some ticks, and when the last literal is decided."""

    seen: Derivations
    begin: Column
    complete: Column
    failed: Column
    settled: Column


def _end(world: World, found: Candidates, block: Derivations, start: int, row: Column, then: Column) -> _End:
    """The end of some rows of a block, the first of which has the number `start`."""
    seen = _as_of(world, block, row - start, then)
    for each in found.gone:
        if found.blocks[each.block] is block:
            _bring_forward(seen, each.time, each.as_of(row - start, then))
    complete, begin = seen.complete, seen.holds.min(axis=0, initial=NEVER)
    # As `where` would have it with -1 elsewhere, but much faster.
    settled = ((seen.settled + 1) * (seen.holds > then)).max(axis=0, initial=0) - 1
    if block.layout.by_clock:
        time = found.time.take(row)
        complete = np.maximum(complete, time)
        begin = np.maximum(begin, time) if block.layout.places else time
    return _End(seen, begin, complete, seen.failed, settled)


def _bring_forward(seen: Derivations, time: str, ticks: Column) -> None:
    """Has a time that is open end so many ticks earlier."""
    for i, place in enumerate(seen.layout.places):
        if time in place.variables:
            for line in (seen.fails[i], seen.settled[i]):
                np.subtract(line, ticks, out=line, where=line < NEVER)


def _ends(
    world: World,
    found: Candidates,
    at: Moments,
    needed: Mask,
    told: Mask,
    own: Mask,
    moment: Column,
    ends: tuple[Column, Column, Column],
) -> None:
    """Writes down when the answers of some moments are confirmed or rejected, and the last deadline."""
    confirmed, rejected, settled = ends
    line_at = np.full(len(at.tick), -1)
    line_at[moment] = np.arange(len(moment))
    later: list[tuple[Column, Column, Column]] = []
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at.take(at.view_at[mine])
        asked = needed[mine]
        if block.layout.by_clock:
            asked = asked | _coming(found, at.view_of[mine], at.then[mine])
        view = marked(asked & (line >= 0))
        if len(view) == 0:
            continue
        line, shown = line.take(view), told[mine].take(view)
        speaks = own[mine].take(view)
        view += mine.start
        row, then = at.view_of.take(view), at.then.take(view)
        end = _of_instances(world, found, _end(world, found, block, found.starts[b], row, then), row, then)
        failed = _failed(world, end, then)
        np.minimum.at(confirmed, line, end.complete)
        np.maximum.at(settled, line[shown], end.settled[shown])
        if not speaks.all():
            others = marked(~speaks & (end.begin < end.failed))
            bound = block.rows.take(row.take(others) - found.starts[b])
            seen = replace(end.seen.take(others), rows=bound)
            begin = np.maximum(end.begin.take(others), _spoken_as_of(world, found, seen, then.take(others)))
            later.append((line.take(others), begin, failed.take(others)))
            some = marked(speaks)
            line, failed = line.take(some), failed.take(some)
        np.maximum.at(rejected, line, failed)
    _prolong(rejected, later)


def _of_instances(world: World, found: Candidates, end: _End, row: Column, then: Column) -> _End:
    """The end of derivations, some of which end when the last of what they stand for does."""
    which, one = found.instances.of_views(row, then)
    if len(which) == 0:
        return end
    failed, settled = end.failed.copy(), end.settled.copy()
    failed[which], settled[which] = -1, -1
    for b, block in enumerate(found.blocks):
        mine = marked((found.starts[b] <= one) & (one < found.starts[b + 1]))
        if len(mine):
            line, at = which.take(mine), then.take(which.take(mine))
            each = _end(world, found, block, found.starts[b], one.take(mine), at)
            until = _of_the_answer(world, found, end.seen, each.seen, at)
            np.maximum.at(failed, line, np.minimum(each.failed, until))
            np.maximum.at(settled, line, np.minimum(each.settled, until))
    return replace(end, failed=failed, settled=settled)


def _of_the_answer(
    world: World, found: Candidates, general: Derivations, seen: Derivations, then: Column
) -> Column:
    """Until when what derivations stand for belongs to the same answer: exceptions may have another time."""
    time = seen.layout.pattern.time.variable
    if time is None or time in general.rows.bound or time not in seen.rows.bound:
        return np.full(len(then), NEVER)
    since = own_since_as_of(found.blocks, seen, lambda block, row: _as_of(world, block, row, then))
    return since[frozenset({time})]


def _failed(world: World, end: _End, then: Column) -> Column:
    """When derivations are over, with those that may follow at later ticks than are looked at."""
    layout, rows, failed = end.seen.layout, end.seen.rows, end.failed
    times = layout.time_variables & layout.denied & rows.bound.keys() - {layout.pattern.time.variable}
    for time in sorted(times - layout.given):
        last = rows.bound[time] >= last_named(world, layout, time) - world.foresight.widest
        if last.any():
            apart = [i for i, each in enumerate(layout.literals) if not _follows(each.time, time, end.seen)]
            until = np.minimum(
                _some_fail(world, end.seen, apart, then), _last_fail(world, end.seen, time, apart, then)
            )
            failed = np.where(last, until, failed)
    return failed


def _last_fail(world: World, seen: Derivations, time: str, apart: Sequence[int], then: Column) -> Column:
    """When the facts that follow a time will not come any more, if there is a last tick that it can be."""
    layout, rows = seen.layout, seen.rows
    open_ = Rows({name: column for name, column in rows.bound.items() if name != time}, rows.count)
    latest = latest_tick(layout, Time(time, 0), open_)
    following = [i for i in range(len(layout.places)) if i not in apart]
    waiting = _waiting(world, layout, Rows({**rows.bound, time: latest}, rows.count), then, following)
    none = np.zeros((len(layout.places), rows.count), np.bool_)
    fails: Column = waiting.failing(none)[following].min(axis=0, initial=NEVER)
    return or_never(fails, latest == NEVER)


def _some_fail(world: World, seen: Derivations, some: Sequence[int], then: Column) -> Column:
    """When some literals of rows fail, whatever becomes of the others."""
    places, fails = len(seen.layout.places), seen.fails
    if depends_on_facts(world, seen.layout):
        among = [i for i in some if i < places]
        waiting = _waiting(world, seen.layout, seen.rows, then, among)
        fails = np.concatenate([waiting.failing(seen.holds[:places] < NEVER), fails[places:]])
    first: Column = fails[some].min(axis=0, initial=NEVER)
    return first


def _waiting(
    world: World, layout: Layout, rows: Rows, then: Column, among: Collection[int] | None = None
) -> Awaited:
    """What rows waited for at some ticks."""
    apart = layout.denied if layout.loose else frozenset[str]()
    return awaited(world, layout, Rows({**rows.bound, AS_OF: then}, rows.count), apart, among)


def _follows(time: Time, other: str, seen: Derivations) -> bool:
    """Whether a time gets later with another, by itself or as the last tick that it can be."""
    if time.variable is None or time.variable in seen.rows.bound:
        return time.variable == other
    return seen.layout.times.furthest(Time(other, 0), time) is not None


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


def _spoken_as_of(world: World, found: Candidates, seen: Derivations, then: Column) -> Column:
    """From when on rows are known and say more than others about more values, as it looked at some ticks."""
    covered, names = covered_since(seen), nameable(seen)
    known = last_of(covered, covered.keys() - names, seen.rows.count)
    if not seen.layout.loose:
        return known
    since = own_since_as_of(found.blocks, seen, lambda block, row: _as_of(world, block, row, then))
    return np.maximum(known, speaking_since(seen, covered, since, names))


def _as_of(world: World, block: Derivations, row: Column, then: Column) -> Derivations:
    """Some rows of a block as they looked at some ticks: of facts that arrived later nothing was known."""
    places = len(block.layout.places)
    refined = depends_on_facts(world, block.layout)
    # What rows bind matters only there, and to negated literals.
    rows = block.rows.take(row) if block.layout.negations or refined else Rows({}, len(row))
    arrived, settled = block.holds[:places].take(row, axis=1), block.settled.take(row, axis=1)
    true = arrived <= then
    holds, fails = or_never(arrived, ~true), or_never(settled[:places], true)
    if refined:
        waiting = _waiting(world, block.layout, rows, then)
        settled[:places], fails = waiting.due, waiting.failing(true)
    if block.layout.negations:
        known = [negated(world, block.layout, each, rows, then) for each in block.layout.negations]
        lines = [np.array(line, np.int64) for line in zip(*known, strict=True)]
        holds, fails, settled = (
            np.concatenate([line, more])
            for line, more in zip((holds, fails, settled[:places]), lines, strict=True)
        )
    return Derivations(block.layout, rows, holds, fails, settled)
