"""The change log of a query between two ticks, as an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.engine.candidates import Candidates, candidates, tells_apart
from antelog.engine.counting import total
from antelog.engine.decoding import repeated
from antelog.engine.explaining import explanations
from antelog.engine.minimal import minimal
from antelog.engine.moments import Moments, Views, confirmations, levels, moments, views
from antelog.engine.outlook import outlook
from antelog.engine.schema import table_schema
from antelog.engine.tables import Column, Mask, distinct, in_order, inverse, marked, numbered
from antelog.engine.values import Values
from antelog.engine.world import World

KINDS = ("possible", "revised", "confirmed", "rejected")
NOTHING, OPEN, CONFIRMED = 0, 1, 2
"""The status of an answer at a moment."""

_POSSIBLE, _REVISED, _CONFIRMED, _REJECTED = range(4)  # the first two leave an answer open

Share: TypeAlias = Callable[[str, Sequence[Column], Values], Mask]
"""Which answers of a query are asked for, given the cells of their variables, if not all are."""


@dataclass(frozen=True)
class Told:
    """What is told of answers, moment by moment: the views that are told, and the answers' status.

    Some are told on their `own`, as long as they speak for themselves, and others of the answer beside these.
    Views are `needed` also where they are said with another, of which they may be the slowest instance.
    An answer is `quiet` where one about more values has been confirmed, which it is an instance of
    (None: no answer ever is).
    """

    found: Candidates
    at: Moments
    needed: Mask
    views: Mask
    own: Mask
    status: NDArray[np.int8]
    quiet: Mask | None


def tell(
    world: World,
    name: str,
    ticks: Column | None,
    before: int,
    now: int,
    only: Sequence[str] = KINDS,
    share: Share | None = None,
) -> Told:
    """What is told after `before` and up to `now`; answers that are not in the share have no status."""
    if set(only) == {"confirmed"} and not tells_apart(world.layouts[name]):
        found = candidates(world, name, ticks, (before, now), now)
        at = confirmations(found, before, now)
    else:
        found = candidates(world, name, ticks, (before, now))
        at = moments(found, before, now, before < world.begin)
    seen = views(found, at)
    kept, needed = minimal(world, found, at, seen)
    told, complete = kept & seen.shown, kept & seen.complete
    own = told
    if seen.merged is not None:
        said = np.zeros(len(at.tick), np.bool_)
        said[at.of_views(marked(told))] = True
        spoken = said.take(at.view_at)
        spoken_for = kept & seen.merged
        own = told | _unspoken(found, at, seen, spoken_for, needed) | (spoken_for & complete & ~spoken)
        told = own | (kept & seen.beside & spoken)
    status = np.zeros(len(at.tick), np.int8)
    status[at.of_views(marked(told))] = OPEN
    status[at.of_views(marked(complete))] = CONFIRMED
    if share is not None:
        first = found.by_answer.first
        mine = share(name, [cells.take(first) for cells in found.answer], world.values)
        status[~mine.take(at.answer)] = NOTHING
    quiet = None
    if seen.merged is not None:
        quiet = status == CONFIRMED
        quiet[at.of_views(marked(seen.complete & ~seen.merged))] = False
        quiet[at.of_views(_left_out(found, at, marked(seen.complete & seen.merged)))] = False
    return Told(found, at, needed, told, own, status, quiet)


def _unspoken(found: Candidates, at: Moments, seen: Views, spoken_for: Mask, needed: Mask) -> Mask:
    """Which of the views that others speak for have to be told: those others are needless, they are not.

    One that others speak for in turn speaks for none, unless it has to be told itself.
    """
    unspoken, said = np.zeros(len(needed), np.bool_), needed & ~spoken_for
    view = marked(spoken_for)
    then = at.then.take(view)
    which, speaker = found.speakers.of_views(at.view_of.take(view), then)
    by = at.view_then(found, speaker, then.take(which))
    of, by = view[which[by >= 0]], by[by >= 0]
    known = np.array([len(block.rows.bound) for block in found.blocks])
    level = known[np.searchsorted(found.starts, at.view_of[of], "right") - 1]
    for number in distinct(level).tolist():  # those that leave more open first, which speak for others
        mine = level == number
        unspoken[of[mine & seen.shown[by]]] = True
        unspoken[of[mine & said[by]]] = False
        said |= unspoken
    return unspoken


def _left_out(found: Candidates, at: Moments, view: Column) -> Column:
    """Of complete views those that others speak for, but only in answers that were confirmed before.

    What was said then may have had exceptions, and nothing is told of an answer that is confirmed.
    """
    if len(view) == 0:
        return view
    row = at.view_of.take(view)
    which, speaker = found.speakers.of_views(row, at.then.take(view))
    confirmed = found.by_answer.least(found.complete)[found.number[speaker]]
    late = confirmed < found.complete[row[which]]
    left_out = np.zeros(len(view), np.bool_)
    left_out[which[late]] = True
    left_out[which[~late]] = False
    return view[left_out]


@dataclass(frozen=True)
class Changes:
    """What happened to the answers of a query: the log, and by how many more of them are open.

    If only confirmed answers are asked for, nobody looks whether others are open, and `opened` is None.
    """

    log: pa.Table
    opened: int | None


def nothing_changed(empty: pa.Table, only: Sequence[str]) -> Changes:
    return Changes(empty, 0 if knows_open(only) else None)


def joined(parts: Sequence[Changes]) -> Changes:
    """What happened, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    return Changes(pa.concat_tables([part.log for part in parts]), total(*(part.opened for part in parts)))


def knows_open(only: Sequence[str]) -> bool:
    """Whether one who asks for these kinds of changes learns which answers are open."""
    return not set(only) <= {"confirmed"}


def changes(
    world: World,
    name: str,
    ticks: Column | None,
    before: int,
    now: int,
    only: Sequence[str] = KINDS,
    share: Share | None = None,
) -> Changes:
    """What happened to the answers of a query after `before` and up to `now`; some kinds of changes only."""
    told = tell(world, name, ticks, before, now, only, share)
    kind = _kinds(told, before, only)
    moment = marked(kind >= 0)
    log = lines(world, name, told, moment, kind.take(moment))
    return Changes(log, _opened(told, before) if knows_open(only) else None)


def answers(world: World, name: str, ticks: Column | None, now: int, share: Share | None = None) -> pa.Table:
    """The answers that are open at a tick, and those confirmed at it."""
    told = tell(world, name, ticks, now, now, share=share)
    still = marked(told.status == OPEN)
    open_ = lines(world, name, told, still, np.full(len(still), _REVISED))
    done = changes(world, name, ticks, now - 1, now, ("confirmed",), share)
    return pa.concat_tables([open_, done.log])


def count(world: World, name: str, ticks: Column | None, now: int, share: Share | None = None) -> int:
    """How many answers are open at a tick."""
    return int(np.count_nonzero(tell(world, name, ticks, now, now, share=share).status == OPEN))


def _opened(told: Told, before: int) -> int:
    """By how many more answers are open at their last moments than before."""
    open_, answer = told.status == OPEN, told.at.answer
    last = np.ones(len(answer), np.bool_)
    np.not_equal(answer[1:], answer[:-1], out=last[:-1])
    now, then = np.count_nonzero(open_ & last), np.count_nonzero(open_ & (told.at.tick == before))
    return int(now) - int(then)


def _kinds(told: Told, before: int, only: Sequence[str]) -> NDArray[np.int8]:
    """For each moment the kind of change if it is asked for, or -1."""
    at, status = told.at, told.status
    was = np.full_like(status, NOTHING)
    # As a mask would have it, but much faster.
    np.multiply(status[:-1], (at.answer[1:] == at.answer[:-1]).view(np.int8), out=was[1:])
    kind: NDArray[np.int8] = _kind_table(tuple(only)).take(3 * was + status)
    nothing = np.asarray(at.tick == before)
    if "revised" in only:
        again = marked(kind == _REVISED)
        nothing[again] = ~_revised(told, again)
    if told.quiet is not None:
        nothing |= (kind == _CONFIRMED) & told.quiet & (was != OPEN)
    np.putmask(kind, nothing, -1)
    return kind


@lru_cache(maxsize=64)
def _kind_table(only: tuple[str, ...]) -> NDArray[np.int8]:
    """The kind of change from one status (the line) to another (the column), if it is asked for, or -1."""
    table = np.full((3, 3), -1, np.int8)
    table[NOTHING, OPEN], table[OPEN, OPEN], table[OPEN, NOTHING] = _POSSIBLE, _REVISED, _REJECTED
    table[[NOTHING, OPEN], CONFIRMED] = _CONFIRMED
    unwanted = [number for number, name in enumerate(KINDS) if name not in only]
    table[np.isin(table, unwanted)] = -1
    return table.ravel()


def _revised(told: Told, moment: Column) -> Mask:
    """Whether a derivation has more evidence than before at some moments, is told anew, or no longer."""
    at, found = told.at, told.found
    if at.alone and len(found.exceptions.of) == 0:
        row, then, before = at.answer.take(moment), at.tick.take(moment), at.tick.take(moment - 1)
        holds = found.blocks[0].holds.take(row, axis=1)
        since: Mask = (holds > before) & (holds <= then)
        more: Mask = np.logical_or.reduce(since, axis=0)
        return more
    asked = np.zeros(len(at.tick), np.bool_)
    asked[moment] = asked[moment - 1] = True
    view = marked(asked.take(at.view_at))
    row, place = at.view_of.take(view), at.view_at.take(view)
    level = np.where(told.views.take(view), levels(found, row, at.then.take(view)), -1)
    differs = level[1:] != level[:-1]
    if len(found.exceptions.of):
        excepted = _exceptions(told).take(view)
        differs |= excepted[1:] != excepted[:-1]
    revised = np.zeros(len(at.tick), np.bool_)
    revised[place[1:][differs & (row[1:] == row[:-1])]] = True
    return revised.take(moment)


def _exceptions(told: Told) -> Column:
    """For each view that is told a number that tells its exceptions from others."""
    view = marked(told.views)
    which, but = told.found.exceptions.of_views(told.at.view_of[view], told.at.then[view])
    number = np.zeros(len(told.views), np.int64)
    # So that the sums of different ones differ.
    mixed = (but + 1) * _MIXED
    np.add.at(number, view[which], (mixed ^ (mixed >> 29)) * _MIXED)
    return number


_MIXED = np.int64(0x1E3779B97F4A7C15)


def _in_sequence(values: Values, cells: Column, type_: pa.DataType) -> tuple[pa.Array, Column, Column]:
    """An array of values, and for each row which of them it has and which place that has in order."""
    known = values.spoken(cells) if pa.types.is_string(type_) else None
    if known is not None:
        texts, place = known
        return texts, place, place
    different, which = numbered(cells)
    array = values.decode(different, type_)
    return array, which, inverse(pc.array_sort_indices(array).to_numpy()).take(which)


def lines(world: World, name: str, told: Told, moment: Column, kind: NDArray[np.integer[Any]]) -> pa.Table:
    """What is told at moments, in the order of the log."""
    relation, types = world.relations[name], world.types[name]
    schema = table_schema(relation, world.layouts[name], types)
    if len(moment) == 0:
        return schema.empty_table()
    found, at = told.found, told.at
    row = at.answer.take(moment)
    if not found.by_answer.alone:
        row = found.by_answer.first.take(row)
    tick, time = at.tick.take(moment), found.time.take(row)
    untimed = time < 0
    someday = bool(untimed.any())
    sorting = [tick - tick.min(), np.where(untimed, time.max() + 1, time) if someday else time - time.min()]
    values: list[tuple[pa.Array, Column]] = []
    for variable, cells in zip(relation.variables, found.answer, strict=True):
        array, which, place = _in_sequence(world.values, cells.take(row), types[variable])
        values.append((array, which))
        sorting.append(place)
    order = in_order(sorting)
    moment, kind = moment.take(order), kind.take(order)
    rejected = kind == _REJECTED
    open_ = marked(kind <= _REVISED)
    ahead = outlook(world, found, at, told.needed, told.views, told.own, moment.take(open_))
    to_come = np.full_like(kind, _REJECTED)
    to_come[open_[ahead.confirmed]] = _CONFIRMED
    words = repeated(KINDS, np.concatenate([kind, to_come]))
    columns = [pa.array(tick.take(order)), words[: len(kind)]]
    columns += (array.take(pa.array(which.take(order))) for array, which in values)
    if relation.time is not None:
        columns.append(pa.array(time.take(order), mask=untimed.take(order) if someday else None))
    shown, because = explanations(world, name, found, at, told.views, moment, rejected)
    columns += [shown, *ahead.columns(open_, words[len(kind) :]), because]
    return pa.Table.from_arrays(columns, schema=schema)
