"""The moments at which the answers of a query may change between two ticks.

An answer can change only at a tick at which a literal of one of its derivations becomes true or
false. At each of these the explanations it has then are compared with those it had before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antelog.engine.candidates import Candidates
from antelog.engine.tables import Column, Mask, changed, distinct, marked, spread
from antelog.engine.truth import Derivations


@dataclass(frozen=True)
class Moments:
    """Answers at the ticks at which they may change.

    `answer` is the number of the answer's group. Of those that had derivations `before`, that is the
    first moment; the others had none until then, and nothing was told of them. A *view* is a
    derivation at a moment; those of one derivation stand side by side, in the order of time, and
    those of a block too. If all derivations are `alone`, each moment has one view, of the same number.
    """

    answer: Column
    tick: Column
    view_of: Column
    view_at: Column
    alone: bool = False

    @cached_property
    def then(self) -> Column:
        """The tick of each view."""
        return self.tick if self.alone else self.tick.take(self.view_at)

    def of_views(self, views: Column) -> Column:
        """The moments of some views."""
        return views if self.alone else self.view_at.take(views)

    def view_then(self, found: Candidates, row: Column, tick: Column) -> Column:
        """The views of derivations at the last moments of their answers by then; -1 where there is none."""
        start = int(self.tick.min(initial=0))
        size = int(self.tick.max(initial=0)) + 1 - start
        number = found.number.take(row)
        keys = self.answer * size + (self.tick - start)
        moment = np.searchsorted(keys, number * size + (tick - start), "right") - 1
        since = moment - np.searchsorted(self.answer, number)
        return np.where(since < 0, -1, np.searchsorted(self.view_of, row) + since)

    def views(self, found: Candidates, block: int) -> slice:
        """The views of a block."""
        first, last = np.searchsorted(self.view_of, [found.starts[block], found.starts[block + 1]])
        return slice(int(first), int(last))


def moments(found: Candidates, before: int, now: int, starting: bool) -> Moments:
    """The moments of all answers that change after `before` and up to `now`; if these are one, of all.

    If time is `starting`, the first tick is one of each.
    """
    shift = (now - before).bit_length()
    owner = found.number << shift
    events = [owner + 1] if starting and before < now else []
    for b, block in enumerate(found.blocks):
        rows = found.rows(b)
        mine = owner[rows]
        # What happens before a derivation exists, or after it is over, changes nothing.
        since, until = np.maximum(found.begin[rows] - 1, before), np.minimum(found.end[rows], now)
        for line in _lines(found, block, rows):
            during = marked(((line > since) & (line <= until)).ravel())
            events.append((line + (mine - before)).ravel().take(during))
        if block.layout.loose:
            own = found.own[rows]
            during = marked((own > before) & (own <= now))
            events.append(mine[during] + (own[during] - before))
    for line in (found.exceptions.tick, found.exceptions.over):
        during = marked((line > before) & (line <= now))
        events.append(owner[found.exceptions.of[during]] + (line[during] - before))
    happened = distinct(np.concatenate(events)) if events else np.zeros(0, np.int64)
    key = (
        _with_first(happened, shift, _existing(found, before))
        if before < now
        else np.arange(found.by_answer.count) << shift
    )
    if len(found.speakers.of):
        key = _with_speakers(found, key, shift, _existing(found, before))
    answer, tick = key >> shift, (key & ((1 << shift) - 1)) + before
    if found.by_answer.alone:
        return Moments(answer, tick, answer, np.arange(len(answer)), alone=True)
    sizes = np.bincount(answer, minlength=found.by_answer.count)
    per_row = sizes.take(found.number)
    view_of, view_at = spread((np.cumsum(sizes) - sizes).take(found.number), per_row)
    return Moments(answer, tick, view_of, view_at)


def _with_speakers(found: Candidates, key: Column, shift: int, existing: Mask) -> Column:
    """Moments as sorted keys, with those of other answers that may speak for derivations of an answer."""
    count = found.by_answer.count
    answers = distinct(found.number[found.speakers.of] * count + found.number[found.speakers.one])
    answer, other = np.divmod(answers, count)
    first, last = np.searchsorted(key, other << shift), np.searchsorted(key, (other + 1) << shift)
    which, at = spread(first, last - first)
    theirs = (answer.take(which) << shift) | (key.take(at) & ((1 << shift) - 1))
    both = distinct(np.concatenate([answer, other]))
    return distinct(np.concatenate([key, theirs, both[existing[both]] << shift]))


def _lines(found: Candidates, block: Derivations, rows: slice) -> Iterator[Column]:
    """The ticks at which something happens to the derivations of a block, in one table or several."""
    places = len(block.layout.places)
    if places:
        # A fact comes, or it does not.
        yield np.minimum(block.holds[:places], block.fails[:places])
    yield from (*block.holds[places:], *block.fails[places:])
    if block.layout.by_clock:
        yield found.time[rows]


def _existing(found: Candidates, before: int) -> Mask:
    """The answers that have a derivation at a tick."""
    there = (found.begin <= before) & (before < found.end)
    if found.by_answer.alone:
        return there
    existing = np.zeros(found.by_answer.count, np.bool_)
    existing[found.number[there]] = True
    return existing


def _with_first(happened: Column, shift: int, existing: Mask) -> Column:
    """Moments as sorted keys, and before those of some answers one at which nothing has happened yet."""
    answer = happened >> shift
    first = marked(changed(answer))
    first = first[existing.take(answer.take(first))]
    added, room = first + np.arange(len(first)), np.ones(len(happened) + len(first), np.bool_)
    room[added] = False
    key = np.empty(len(room), np.int64)
    key[marked(room)], key[added] = happened, answer.take(first) << shift
    return key


def confirmations(found: Candidates, before: int, now: int) -> Moments:
    """The moments at which answers are confirmed."""
    complete = found.by_answer.least(found.complete)
    chosen = marked((complete > before) & (complete <= now))
    ready = (found.complete > before) & (found.complete <= now) & (found.complete == complete[found.number])
    view_of = marked(ready)
    place = np.full(found.by_answer.count, -1)
    place[chosen] = np.arange(len(chosen))
    return Moments(chosen, complete[chosen], view_of, place[found.number[view_of]])


@dataclass(frozen=True)
class Views:
    """For each view, whether the derivation exists and is not over, has all its literals, and is told.

    It is `merged` if another that speaks for more values says the same (None: no derivation ever is),
    and told `beside` others of the same answer then.
    """

    alive: Mask
    complete: Mask
    shown: Mask
    merged: Mask | None
    beside: Mask


def views(found: Candidates, at: Moments) -> Views:
    row, then = at.view_of, at.then
    alive = (found.begin.take(row) <= then) & (then < found.end.take(row))
    merged = None
    if found.apart:
        merged = alive & ((then < found.own.take(row)) | (then < found.known.take(row)))
    shown = alive & (found.told.take(row) <= then)
    beside = shown if merged is None else alive & (found.beside.take(row) <= then)
    return Views(alive, alive & (found.complete.take(row) <= then), shown, merged, beside)


def levels(found: Candidates, row: Column, then: Column) -> NDArray[np.int16]:
    """How many literals of derivations, in their order, are true at some ticks."""
    level = np.zeros(len(row), np.int16)
    ends = np.searchsorted(row, found.starts)
    for b, block in enumerate(found.blocks):
        mine = slice(ends[b], ends[b + 1])
        of, at = row[mine] - found.starts[b], then[mine]
        for line in block.holds:
            level[mine] += line.take(of) <= at
    return level
