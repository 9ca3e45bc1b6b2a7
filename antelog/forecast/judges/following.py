"""Tracks open answers until they are decided: the states they were in, and whether they were confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antelog.engine.columns import tables
from antelog.engine.columns.joins import RowIndex, find, find_by, index_of, spread
from antelog.engine.columns.tables import (
    Column,
    Mask,
    distinct,
    groups,
    in_order,
    keys_of,
    numbered,
    once,
    run_ends,
)
from antelog.engine.step.lines import pattern_of
from antelog.engine.step.query import CONFIRM, KINDS, REJECT, REVISED

LOST = len(KINDS)  # the kind of lines of answers that were decided out of sight, with an unknown outcome
_EXACT = 8  # ages up to this one are a class each; then come 9 to 16, 17 to 32, and so on
_BUCKETS = 64
_WAITING = 8  # recent answers become older ones when their number squared is as many times that of these


@dataclass(frozen=True, eq=False)
class AnswerLines(tables.ColumnSet):
    """Lines: cells and ticks of the answers, ticks of the lines, kinds, stages, and numbers of answers."""

    answer: tuple[Column, ...]
    tick: Column
    kind: Column
    stage: Column
    number: Column

    @property
    def count(self) -> int:
        return len(self.tick)

    @cached_property
    def index(self) -> RowIndex:
        return index_of(self.answer)

    def of(self, number: Column) -> AnswerLines:
        """The lines of answers with these numbers."""
        return self.take(find(self.number, number) >= 0)


@dataclass(frozen=True, eq=False)
class TrackedAnswers:
    """Open answers: the last line of each, and all lines of each, from which its states follow.

    A step with few lines must not go through all open answers: those `older` wait until they have a line.
    """

    recent: AnswerLines
    older: AnswerLines
    gone: Column  # the rows of the older ones that are decided, or among the recent ones
    lines: AnswerLines
    older_lines: AnswerLines  # by number and tick
    next: int  # the number of the next answer
    now: int  # the last tick up to which they were followed

    @cached_property
    def last(self) -> AnswerLines:
        """The last lines of all open answers."""
        return self._older.and_then(self.recent)

    @property
    def _older(self) -> AnswerLines:
        stays = np.ones(self.older.count, np.bool_)
        stays[self.gone] = False
        return self.older.take(stays)

    @property
    def every_line(self) -> AnswerLines:
        return self.older_lines.and_then(self.lines)

    def renumbered(self, by: int) -> TrackedAnswers:
        parts = (self.recent, self.older, self.lines, self.older_lines)
        recent, older, lines, older_lines = (replace(each, number=each.number + by) for each in parts)
        return replace(self, recent=recent, older=older, lines=lines, older_lines=older_lines)

    def with_last(self, last: AnswerLines, lines: AnswerLines, next_: int) -> TrackedAnswers:
        """The open answers with these last lines, and of these all lines."""
        nothing = nobody(len(last.answer))
        return replace(nothing, recent=last, lines=lines.of(last.number), next=next_, now=self.now)

    def settled(self) -> TrackedAnswers:
        """Puts recent ones to the older ones once they are many."""
        open_ = self.recent.kind <= REVISED
        if (np.count_nonzero(open_) + len(self.gone)) ** 2 < _WAITING * self.older.count:
            return self
        older = self._older.and_then(self.recent.take(open_))
        lines = self.every_line
        order = in_order([lines.number, lines.tick - lines.tick.min(initial=0)])
        lines = lines.take(order)
        lines = lines.take(find(lines.number, np.concatenate([older.number, self.recent.number])) >= 0)
        waiting, empty = self.recent.take(~open_), lines.take(np.zeros(0, np.int64))
        return replace(self, recent=waiting, older=older, gone=self.gone[:0], lines=empty, older_lines=lines)


def nobody(width: int) -> TrackedAnswers:
    empty = np.zeros(0, np.int64)
    open_, lines = (AnswerLines((empty,) * each, empty, empty, empty, empty) for each in (width, 0))
    return TrackedAnswers(open_, open_, empty, lines, lines, 0, -1)


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
    lines, rows, following = _numbered(before, lines)
    if every:
        rows = tables.marked(~np.isin(np.arange(before.older.count), before.gone))
    earlier = before.recent.and_then(before.older.take(rows))
    all_ = earlier.and_then(lines)
    line = np.concatenate([np.full(earlier.count, -1), np.arange(lines.count)])
    order = in_order([all_.number, all_.tick - all_.tick.min(initial=0)])
    all_, line = all_.take(order), line.take(order)
    last = run_ends(all_.number)
    until = np.where(last, now + 1, np.append(all_.tick[1:], [0])[: all_.count])
    since = np.maximum(all_.tick, before.now + 1)
    open_ = tables.marked((all_.kind <= REVISED) & (until > since))
    stretches = Stretches(all_.answer, all_.number, all_.stage, since, until, line).take(open_)
    newest = all_.take(last)
    time, settled = newest.answer[-1], newest.tick
    if delay is not None:
        settled = np.where(time < 0, settled, np.maximum(time + delay, settled))
    done = np.isin(newest.kind, (CONFIRM, REJECT, LOST)) & (settled <= now)
    over = tables.marked(done & (newest.kind != LOST))
    some, final = newest.take(over), settled.take(over)
    confirmed = some.kind == CONFIRM
    noted = before.lines
    if counted and lines.count:
        first = np.maximum(lines.tick, before.now + 1)
        noted = noted.and_then(replace(lines, answer=(), tick=first))
    kept = noted
    state_of, states = np.zeros((2, 0), np.int64)
    if len(over):
        old = _of_numbers(before.older_lines, some.number)
        state_of, states = _states(old.and_then(noted.of(some.number)), some, ends)
    if done.any():
        kept = noted.take(find(noted.number, newest.number[done]) < 0)
    tick = np.where(confirmed, some.tick, final)
    decided = DecidedAnswers(some.answer, some.number, tick, final, confirmed, state_of, states)
    after = replace(
        before,
        recent=newest.take(~done),
        gone=np.append(before.gone, rows),
        lines=kept,
        next=following,
        now=now,
    )
    lost = newest.number[done & (newest.kind == LOST)]
    return FollowedStep(after.settled(), decided, stretches, lines.number, lost)


def _of_numbers(lines: AnswerLines, number: Column) -> AnswerLines:
    """The lines of answers, given all lines by number."""
    first = np.searchsorted(lines.number, number)
    _, at = spread(first, np.searchsorted(lines.number, number, "right") - first)
    return lines.take(at)


def _numbered(before: TrackedAnswers, lines: AnswerLines) -> tuple[AnswerLines, Column, int]:
    """Numbers the answers of lines; also returns their rows among the older ones, and the next number."""
    if lines.count == 0:
        return lines, lines.tick, before.next
    numbers = np.full(lines.count, -1)
    known, new = keys_of([before.recent.answer, lines.answer])
    at = find(new, known)
    numbers[at >= 0] = before.recent.number.take(at[at >= 0])
    rows = find_by(before.older.index, before.older.answer, lines.answer)
    rows[find(rows, before.gone) >= 0] = -1
    numbers[rows >= 0] = before.older.number.take(rows[rows >= 0])
    fresh = tables.marked(numbers < 0)
    first, which = once(new.take(fresh))
    numbers[fresh] = before.next + which
    return replace(lines, number=numbers), distinct(rows[rows >= 0]), before.next + len(first)


def _states(lines: AnswerLines, decided: AnswerLines, ends: Column) -> tuple[Column, Column]:
    """The states that decided answers were in, each once, given all their lines."""
    of = find(lines.number, decided.number)
    order = in_order([of, lines.tick - lines.tick.min(initial=0)])
    lines, of = lines.take(order), of.take(order)
    until = np.append(lines.tick[1:], [0])[: lines.count]
    open_ = tables.marked((lines.kind <= REVISED) & ~run_ends(of) & (until > lines.tick))
    of, stage, until, since = (
        of.take(open_),
        lines.stage.take(open_),
        until.take(open_),
        lines.tick.take(open_),
    )
    time = decided.answer[-1].take(of) + ends_of(ends, stage)
    first, last = age_bucket(since + 1 - time), age_bucket(until - 1 - time)
    whose, silent = spread(first, np.where(until > since + 1, last - first + 1, 0))
    at = np.concatenate([np.arange(len(of)), whose])
    bucket = np.concatenate([age_bucket(since - time), silent])
    of, states = of.take(at), state_of(stage.take(at), bucket, np.arange(len(at)) >= len(stage))
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
