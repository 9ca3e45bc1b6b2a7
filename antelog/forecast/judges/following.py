"""Tracks open answers until they are decided: the states they were in, and whether they were confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antelog.engine.columns import tables
from antelog.engine.columns.joins import RowIndex, find, find_by, index_of, spread
from antelog.engine.columns.tables import Column, Mask, distinct, groups, keys_of, marked, numbered, once
from antelog.engine.step.lines import pattern_of
from antelog.engine.step.query import CONFIRM, KINDS, REJECT, REVISED

LOST = len(KINDS)  # the kind of lines of answers that were decided out of sight, with an unknown outcome
_EXACT = 8  # ages up to this one are a class each; then come 9 to 16, 17 to 32, and so on
_BUCKETS = 64
_FEWER = 8  # with as many times fewer lines than those of open answers, a step must not go through these
_WAITING = 8  # recent lines become older ones when their number squared is as many times that of all


@dataclass(frozen=True, eq=False)
class AnswerLines(tables.RowSet):
    """Lines: cells and ticks of the answers, ticks of the lines, kinds, stages, and numbers of answers."""

    answer: tuple[Column, ...]
    tick: Column
    kind: Column
    stage: Column
    number: Column

    @cached_property
    def last(self) -> AnswerLines:
        """The last line of each answer, where they are by answer and tick."""
        return self.take(tables.run_ends(self.number))

    @cached_property
    def index(self) -> RowIndex:
        return index_of(self.answer)


@dataclass(frozen=True, eq=False)
class TrackedAnswers:
    """Open answers: all lines of each, by answer and tick, from which the states it was in follow.

    A step with few lines must not go through all of them: the `older` ones wait until there is another.
    """

    recent: AnswerLines
    older: AnswerLines  # by number
    gone: Column  # numbers of answers of older lines that are decided, or whose lines are recent by now
    next: int  # the number of the next answer
    now: int  # the last tick up to which they were followed

    @property
    def lines(self) -> AnswerLines:
        return self.older.take(find(self.older.number, self.gone) < 0).and_then(self.recent)

    @cached_property
    def last(self) -> AnswerLines:
        """The last lines of all open answers."""
        return self.lines.last

    def with_lines(self, lines: AnswerLines) -> TrackedAnswers:
        return replace(self, recent=lines, older=lines.take(self.gone[:0]), gone=self.gone[:0])

    def arranged(self, lines: int, *, every: bool) -> TrackedAnswers:
        """Makes all lines recent ones for a step with many lines, and older ones of too many for few."""
        count = self.recent.count + self.older.count
        if every or lines * _FEWER > count:
            return self.with_lines(self.lines) if self.older.count else self
        if (self.recent.count + len(self.gone)) ** 2 < _WAITING * count:
            return self
        every_line, last = self.lines, self.last
        waits = find(every_line.number, last.number[last.kind <= REVISED]) >= 0
        older = every_line.take(waits)
        older = older.take(tables.sorting(older.number))
        return replace(self, recent=every_line.take(~waits), older=older, gone=self.gone[:0])


def nobody(width: int) -> TrackedAnswers:
    empty = np.zeros(0, np.int64)
    lines = AnswerLines((empty,) * width, empty, empty, empty, empty)
    return TrackedAnswers(lines, lines, empty, 0, -1)


@dataclass(frozen=True, eq=False)
class DecidedAnswers:
    """Answers that are decided, and the states each has been in."""

    answer: tuple[Column, ...]
    number: Column
    tick: Column
    settled: Column  # when nothing could come any more: else confirmed ones count before similar others
    confirmed: Mask
    state_of: Column  # positions among the decided
    states: Column


@dataclass(frozen=True, eq=False)
class Stretches(tables.ColumnSet):
    """Ticks of a step in which open answers stayed in a stage, from `since` to `until`."""

    answer: tuple[Column, ...]
    number: Column
    stage: Column
    since: Column
    until: Column
    line: Column  # the line with which that began, or -1 if it began before the step


@dataclass(frozen=True, eq=False)
class FollowedStep:
    """The answers tracked after a step, those decided in it, and the stretches in between."""

    after: TrackedAnswers
    decided: DecidedAnswers
    stretches: Stretches
    numbers: Column  # those of the answers of its lines
    lost: Column  # those of answers with an unknown outcome


def followed(
    before: TrackedAnswers,
    lines: AnswerLines,
    now: int,
    delay: int | None,
    ends: Column,
    *,
    counted: bool = True,
    every: bool = True,
) -> FollowedStep:
    """Follows answers through a step that ends at `now`; an answer at T is decided by T + delay, if known.

    If not `every` stretch is asked for, there are those of answers with a line in it.
    """
    before = before.arranged(lines.count, every=every)
    lines, waited, following = _numbered(before, lines)
    earlier = before.recent.and_then(before.older.take(_rows_of(before.older, waited)))
    whole = earlier.and_then(lines)
    line = np.concatenate([np.full(earlier.count, -1), np.arange(lines.count)])
    order = tables.in_order([whole.number, whole.tick - whole.tick.min(initial=0)])
    whole, line = whole.take(order), line.take(order)
    ends_here = tables.run_ends(whole.number)
    until = np.where(ends_here, now + 1, np.append(whole.tick[1:], [0])[: whole.count])
    since, is_open = np.maximum(whole.tick, before.now + 1), whole.kind <= REVISED
    open_ = marked(is_open & (until > since))
    stretches = Stretches(whole.answer, whole.number, whole.stage, since, until, line).take(open_)
    newest = whole.last
    time, settled = newest.answer[-1], newest.tick
    if delay is not None:
        settled = np.where(time < 0, settled, np.maximum(time + delay, settled))
    done: Mask = np.isin(newest.kind, (CONFIRM, REJECT, LOST)) & (settled <= now)
    over = marked(done & (newest.kind != LOST))
    some, final, place = newest.take(over), settled.take(over), np.full(newest.count, -1)
    confirmed, place[over] = some.kind == CONFIRM, np.arange(len(over))
    which: Column = np.cumsum(ends_here) - ends_here
    of = place.take(which)
    passed = marked((of >= 0) & is_open & (until > whole.tick))
    state_of, states = _states(whole.take(passed), until.take(passed), of.take(passed), ends)
    tick = np.where(confirmed, some.tick, final)
    decided = DecidedAnswers(some.answer, some.number, tick, final, confirmed, state_of, states)
    recent = whole.take(~done.take(which)) if counted else newest.take(~done)
    gone = np.append(before.gone, waited)
    after = replace(before, recent=recent, gone=gone, next=following, now=now)
    lost = newest.number[done & (newest.kind == LOST)]
    return FollowedStep(after, decided, stretches, lines.number, lost)


def _rows_of(lines: AnswerLines, number: Column) -> Column:
    """The rows of answers with these numbers, given lines by number."""
    first = np.searchsorted(lines.number, number)
    _, rows = spread(first, np.searchsorted(lines.number, number, "right") - first)
    return rows


def _numbered(before: TrackedAnswers, lines: AnswerLines) -> tuple[AnswerLines, Column, int]:
    """Numbers the answers of lines; also returns the numbers of older ones, and the next number."""
    if lines.count == 0:
        return lines, lines.tick, before.next
    known, new = keys_of([before.recent.answer, lines.answer])
    numbers = np.append(before.recent.number, -1).take(find(new, known))
    waiting = before.older.last
    waited = np.append(waiting.number, -1).take(find_by(waiting.index, waiting.answer, lines.answer))
    waited[find(waited, before.gone) >= 0] = -1
    numbers = np.maximum(numbers, waited)
    fresh = marked(numbers < 0)
    first, which = once(new.take(fresh))
    numbers[fresh] = before.next + which
    return replace(lines, number=numbers), distinct(waited[waited >= 0]), before.next + len(first)


def _states(lines: AnswerLines, until: Column, of: Column, ends: Column) -> tuple[Column, Column]:
    """The states that answers were in from lines until others, each once."""
    time, since = lines.answer[-1] + ends_of(ends, lines.stage), lines.tick
    first, last = age_bucket(since + 1 - time), age_bucket(until - 1 - time)
    whose, silent = spread(first, np.where(until > since + 1, last - first + 1, 0))
    at = np.concatenate([np.arange(lines.count), whose])
    bucket = np.concatenate([age_bucket(since - time), silent])
    of = of.take(at)
    states = state_of(lines.stage.take(at), bucket, np.arange(len(at)) >= lines.count)
    (key,) = keys_of([[of, states]])
    different = groups(key).first
    return of.take(different), states.take(different)


def age_bucket(age: Column) -> Column:
    """Numbers the classes of ages: each age around 0, then longer and longer stretches."""
    different, which = numbered(age)  # few are, and logarithms take long
    size = np.abs(different)
    steps = np.where(
        size <= _EXACT, size, _EXACT - 3 + np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)
    )
    bucket: Column = np.minimum(np.maximum(np.sign(different) * steps + _BUCKETS // 2, 0), _BUCKETS - 1)
    return bucket.take(which)


def ends_of(ends: Column, stage: Column) -> Column:
    """For each stage the tick up to which its pattern counts: ages of answers are counted from there."""
    return np.append(ends, 0).take(pattern_of(stage))  # the last one is that of no pattern


def state_of(stage: Column, bucket: Column, silent: Mask) -> Column:
    """Numbers the states: a stage, a class of ages, and whether the answer was silent since its last line."""
    return (stage * _BUCKETS + bucket) * 2 + silent


def either_of(state: Column) -> Column:
    """Numbers states regardless of silence."""
    return state // 2


def stage_of(state: Column) -> Column:
    return state // (2 * _BUCKETS)
