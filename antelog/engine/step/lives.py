"""Lives: the derivations of answers by answer, and the moments when one begins, gets evidence, or is over.

Malf(wt2, 0)   supported 0, evidence 1, over 3      moments 0, 1, 3      *views* of the derivation at 0, 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.terms import Var, variables_in
from antelog.engine.columns.joins import find_rows, make_room, spread
from antelog.engine.columns.tables import (
    NEVER,
    Column,
    Groups,
    Mask,
    changed,
    distinct,
    groups,
    marked,
    sorting,
)
from antelog.engine.step.derivations import Derivations, Knowledge, Life, answer_time, life_of
from antelog.engine.step.matching import Twins
from antelog.engine.step.query import StepQuery
from antelog.engine.step.rows import key_of, term_column
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import UNBOUND, Values


@dataclass(frozen=True, eq=False)
class Lives:
    """All derivations of the answers that may have changed, and the groups they form by answer."""

    blocks: tuple[Derivations, ...]
    starts: tuple[int, ...]  # the first row of each block, and the end
    answer: tuple[Column, ...]
    time: Column
    life: Life
    by_answer: Groups
    number: Column  # the group of each row
    twins: Twins | None = None  # of which only one is here

    def count(self, answer: Column) -> int:
        """The number of answers in some groups, with twins."""
        if self.twins is None:
            return len(answer)
        cells = self.answer[self.twins.position].take(self.by_answer.first.take(answer))
        return int(self.twins.sizes(cells).sum())

    def rows(self, block: int) -> slice:
        return slice(self.starts[block], self.starts[block + 1])


def lives(known: Knowledge, query: StepQuery, blocks: Sequence[Derivations]) -> Lives:
    width = len(known.rules.relations[query.name].answer.variables) + 1
    answers = [[*answer_of(found, known.values), answer_time(found)] for found in blocks]
    *answer, time = _stacked(answers, width)
    parts = [life_of(found, query.step) for found in blocks]
    life = Life(*_stacked([[part.supported, part.complete, part.end] for part in parts], 3))
    alone = len(blocks) == 1 and blocks[0].rows.latest is None
    if alone and blocks[0].rows.bound.keys() <= blocks[0].prepared.pattern.answered:
        every = np.arange(blocks[0].rows.count)
        by_answer = Groups(every, every, alone=True)  # no two rows have the same answer
    else:
        by_answer = groups(key_of([*answer, time]))
    starts = tuple(accumulate([found.rows.count for found in blocks], initial=0))
    number = by_answer.order if by_answer.alone else by_answer.numbers
    found = Lives(tuple(blocks), starts, tuple(answer), time, life, by_answer, number, known.twins(query))
    return _without_decided(found)


def answer_of(found: Derivations, values: Values) -> list[Column]:
    """The cells of the answers of derivations; UNBOUND for open variables."""
    rows = found.rows
    return [
        term_column(term, rows, values)
        if variables_in([term]) <= rows.bound.keys()
        else np.full(rows.count, UNBOUND)
        for term in found.prepared.pattern.answer
    ]


def _without_decided(found: Lives) -> Lives:
    """Drops answers of values that had been decided with all others before they were seen."""
    late = np.zeros(found.by_answer.count, np.bool_)
    complete = None
    for b, block in enumerate(found.blocks):
        seen = block.rows.seen
        if seen is None or not (seen > 0).any():
            continue
        if complete is None:
            complete = found.by_answer.least(found.life.complete)
        rows, pattern = found.rows(b), block.prepared.pattern
        own = [*(cells[rows] for cells in found.answer), found.time[rows]]
        general = [
            np.full_like(cells, OTHERS) if term == Var(pattern.unguarded[0]) else cells
            for term, cells in zip((*pattern.answer, None), own, strict=True)
        ]
        number = found.number[rows]
        others = find_rows(general, own)
        late[number[complete.take(number.take(others)) < seen]] = True
    if not late.any():
        return found
    supported = np.where(late.take(found.number), NEVER, found.life.supported)
    return replace(found, life=replace(found.life, supported=supported))


def _stacked(parts: Sequence[Sequence[Column]], width: int) -> list[Column]:
    """Tables with the same columns, one below the other."""
    if len(parts) == 1:
        return list(parts[0])
    empty = np.zeros(0, np.int64)
    return [np.concatenate([empty, *(part[i] for part in parts)]) for i in range(width)]


# ---- moments ----


@dataclass(frozen=True, eq=False)
class Moments:
    """Answers at the ticks at which they may change; views of a derivation, or block, are side by side."""

    before: int  # the first moment of answers that were supported already
    answer: Column  # the number of the answer's group
    tick: Column
    view_of: Column
    view_at: Column
    alone: bool = False  # no answer has more than one derivation

    @cached_property
    def then(self) -> Column:
        """The tick of each view."""
        return self.tick.take(self.view_at)

    def views(self, found: Lives, block: int) -> slice:
        first, last = np.searchsorted(self.view_of, [found.starts[block], found.starts[block + 1]])
        return slice(int(first), int(last))


def moments_of(query: StepQuery, found: Lives) -> Moments:
    """The moments that matter for a query: those at which answers are confirmed, or all."""
    step = query.step
    if query.confirmed_only:
        return confirmations(found, step.before, step.now)
    return moments(found, step.begin - 1 if query.past else step.before, step.now)


def moments(found: Lives, before: int, now: int) -> Moments:
    """The moments of all answers that change after `before` and up to `now`."""
    life = found.life
    shift = (now - before + 1).bit_length()
    owner = found.number << shift
    there = _there(found, now)
    events = [np.zeros(0, np.int64)]
    for line in (life.supported, life.end):
        during = marked(there & (line > before) & (line <= now))
        events.append(owner.take(during) + (line.take(during) - before))
    for b, block in enumerate(found.blocks):
        rows = found.rows(b)
        mine, since = owner[rows] - before, np.maximum(life.supported[rows], before)
        until = np.where(there[rows], np.minimum(life.end[rows], now + 1), -1)
        for line in block.steps:
            during = marked((line > since) & (line < until))
            events.append(mine.take(during) + line.take(during))
    happened = distinct(np.concatenate(events))
    existing = np.zeros(found.by_answer.count, np.bool_)
    existing[found.number[there & (life.supported <= before) & (before < life.end)]] = True
    answer = happened >> shift
    at = marked(changed(answer))
    at = at[existing.take(answer.take(at))]
    # Before those of answers that existed, there is a moment at which nothing has happened yet.
    key = np.insert(happened, at, answer.take(at) << shift) if len(at) else happened
    return _seen(found, before, key, shift, there)


def and_more(
    found: Lives, at: Moments, now: int, answer: Column, tick: Column
) -> tuple[Moments, Column, Column]:
    """Adds moments at which nothing happens; also gives the places of the old and of the new moments."""
    shift = (now - at.before + 1).bit_length()
    old = (at.answer << shift) + (at.tick - at.before)
    more = (answer << shift) + (tick - at.before)
    fresh = distinct(more)
    place = np.searchsorted(old, fresh)
    new = marked((place == len(old)) | (np.append(old, -1).take(place) != fresh))
    place = place.take(new)
    key = np.insert(old, place, fresh.take(new))
    moved = np.arange(len(old)) + np.bincount(place, minlength=len(old) + 1).cumsum()[:-1]
    whole = _seen(found, at.before, key, shift, _there(found, now))
    return whole, moved, np.searchsorted(key, more)


def _there(found: Lives, now: int) -> Mask:
    """A mask of the rows supported at some tick up to `now`."""
    return (found.life.supported < found.life.end) & (found.life.supported <= now)


def current(found: Lives, now: int) -> Moments:
    """One moment for every answer: the present."""
    there = (found.life.supported <= now) & (now < found.life.end)
    key = np.arange(found.by_answer.count) << 1
    return _seen(found, now, key, 1, there)


def _seen(found: Lives, before: int, key: Column, shift: int, there: Mask) -> Moments:
    """Moments as sorted keys, and the views at these."""
    answer, tick = key >> shift, (key & ((1 << shift) - 1)) + before
    life = found.life
    if found.by_answer.alone:  # each answer is its derivation
        alive = there.take(answer) & (life.supported.take(answer) <= tick) & (tick < life.end.take(answer))
        view_at = marked(alive)
        return Moments(before, answer, tick, answer.take(view_at), view_at, alone=True)
    owner, last = found.number << shift, (1 << shift) - 1
    sizes = np.bincount(answer, minlength=found.by_answer.count)
    every = sizes.take(found.number)
    if int(every.sum()) <= 4 * len(every):
        # Where they are few, looking at all moments of an answer is cheaper than finding first and last.
        view_of, view_at = spread((np.cumsum(sizes) - sizes).take(found.number), every)
        then = tick.take(view_at)
        during = marked(
            (life.supported.take(view_of) <= then) & (then < life.end.take(view_of)) & there.take(view_of)
        )
        view_of, view_at = view_of.take(during), view_at.take(during)
    else:
        first = np.searchsorted(key, owner + np.clip(life.supported - before, 0, last))
        beyond = np.searchsorted(key, owner + np.clip(life.end - before, 0, last))
        counts = np.where(there, np.maximum(beyond - first, 0), 0)
        make_room(counts)
        view_of, view_at = spread(first, counts)
    return Moments(before, answer, tick, view_of, view_at, found.by_answer.alone)


def confirmations(found: Lives, before: int, now: int) -> Moments:
    complete = found.by_answer.least(found.life.complete)
    chosen = marked((complete > before) & (complete <= now))
    ready = found.life.complete == complete.take(found.number)
    ready &= (found.life.complete > before) & (found.life.complete <= now)
    view_of = marked(ready)
    place = np.full(found.by_answer.count, -1)
    place[chosen] = np.arange(len(chosen))
    alone = found.by_answer.alone
    return Moments(before, chosen, complete[chosen], view_of, place[found.number[view_of]], alone)


def levels(found: Lives, at: Moments) -> NDArray[np.int16]:
    """How far each view has come: the number of its true literals, and of quarters that values reached."""
    level = np.zeros(len(at.view_of), np.int16)
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        of, then = at.view_of[mine] - found.starts[b], at.then[mine]
        for line in block.steps:
            level[mine] += line.take(of) <= then
    return level


def views_of(at: Moments, reported: Mask, moment: Column) -> tuple[Column, Column]:
    """The views reported at moments: for each its line (which of the moments) and its number."""
    if at.alone:
        view = np.full(len(at.tick), -1)
        view[at.view_at] = np.arange(len(at.view_at))
        view = view.take(moment)
        line = marked(view >= 0)
        return line, view.take(line)
    view = marked(reported)
    place = at.view_at.take(view)
    counts = np.bincount(place, minlength=len(at.tick))
    first = np.cumsum(counts) - counts
    line, sought = spread(first.take(moment), counts.take(moment))
    return line, view.take(sorting(place).take(sought))
