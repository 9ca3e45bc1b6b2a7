"""Tracks open answers until they are decided: the states they were in, and whether they were confirmed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns import tables
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import Column, Mask, groups, in_order, keys_of, numbered, once, run_ends
from antelog.engine.step.lines import pattern_of
from antelog.engine.step.query import CONFIRM, KINDS, REJECT, REVISED

LOST = len(KINDS)  # the kind of lines of answers that were decided out of sight, with an unknown outcome
_EXACT = 8  # ages up to this one are a class each; then come 9 to 16, 17 to 32, and so on
_BUCKETS = 64


@dataclass(frozen=True, eq=False)
class AnswerLines(tables.ColumnSet):
    """Lines of a query: cells and ticks of the answers, ticks of the lines, kinds of changes, stages."""

    answer: tuple[Column, ...]
    tick: Column
    kind: Column
    stage: Column

    @property
    def count(self) -> int:
        return len(self.tick)


@dataclass(frozen=True, eq=False)
class TrackedAnswers:
    """Open answers with their numbers, the last line of each, and the states they have been in."""

    last: AnswerLines
    number: Column
    state_of: Column  # numbers of answers, each pair with one of `states` once
    states: Column
    next: int  # the number of the next answer
    now: int  # the last tick up to which they were followed


def nobody(width: int) -> TrackedAnswers:
    empty = np.zeros(0, np.int64)
    return TrackedAnswers(AnswerLines((empty,) * width, empty, empty, empty), empty, empty, empty, 0, -1)


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
) -> FollowedStep:
    """Follows answers through a step that ends at `now`; an answer at T is decided by T + delay, if known."""
    numbers, following = _numbered(before, lines)
    number = np.concatenate([before.number, numbers])
    every = before.last.and_then(lines)
    line = np.concatenate([np.full(before.last.count, -1), np.arange(lines.count)])
    order = in_order([number - number.min(initial=0), every.tick - every.tick.min(initial=0)])
    number, every, line = number.take(order), every.take(order), line.take(order)
    last = run_ends(number)
    until = np.where(last, now + 1, np.append(every.tick[1:], [0])[: len(number)])
    since = np.maximum(every.tick, before.now + 1)
    open_ = np.flatnonzero((every.kind <= REVISED) & (until > since))
    stretches = Stretches(every.answer, number, every.stage, since, until, line).take(open_)
    goal = ends_of(ends, stretches.stage)
    state_of, states = _states(before, stretches, goal) if counted else (before.state_of, before.states)
    end = np.flatnonzero(last)
    number, every, time = number.take(end), every.take(end), every.answer[-1].take(end)
    settled = every.tick
    if delay is not None:
        settled = np.where(time < 0, every.tick, np.maximum(time + delay, every.tick))
    done = np.isin(every.kind, (CONFIRM, REJECT, LOST)) & (settled <= now)
    over = np.flatnonzero(done & (every.kind != LOST))
    of, some, final = number.take(over), every.take(over), settled.take(over)
    confirmed, at = some.kind == CONFIRM, find(state_of, of)
    tick = np.where(confirmed, some.tick, final)
    decided = DecidedAnswers(some.answer, of, tick, final, confirmed, at[at >= 0], states[at >= 0])
    kept = np.flatnonzero(~done)
    still = find(state_of, number.take(kept)) >= 0
    after = TrackedAnswers(
        every.take(kept), number.take(kept), state_of[still], states[still], following, now
    )
    lost = number[done & (every.kind == LOST)]
    return FollowedStep(after, decided, stretches, numbers, lost)


def _numbered(before: TrackedAnswers, lines: AnswerLines) -> tuple[Column, int]:
    """The numbers of the answers of lines, and the next number to give."""
    if lines.count == 0:
        return lines.tick, before.next
    known, new = keys_of([before.last.answer, lines.answer])
    at = find(new, known)
    fresh = np.flatnonzero(at < 0)
    numbers = np.where(at < 0, -1, before.number.take(at) if len(before.number) else -1)
    first, which = once(new.take(fresh))
    numbers[fresh] = before.next + which
    return numbers, before.next + len(first)


def _states(before: TrackedAnswers, open_: Stretches, end: Column) -> tuple[Column, Column]:
    """The states of answers so far, with those of a step, each once."""
    time = open_.answer[-1] + end
    reported = np.flatnonzero(open_.line >= 0)
    since = open_.since + (open_.line >= 0)
    first, last = age_bucket(since - time), age_bucket(open_.until - 1 - time)
    whose, bucket = spread(first, np.where(open_.until > since, last - first + 1, 0))
    at = np.concatenate([reported, whose])
    bucket = np.concatenate([age_bucket((open_.since - time).take(reported)), bucket])
    silent = np.arange(len(at)) >= len(reported)
    of = np.concatenate([before.state_of, open_.number.take(at)])
    states = np.concatenate([before.states, state_of(open_.stage.take(at), bucket, silent)])
    (key,) = keys_of([[of, states]])
    once = groups(key).first
    return of.take(once), states.take(once)


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
