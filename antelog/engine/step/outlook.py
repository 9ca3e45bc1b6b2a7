"""The outlook of open answers: how they end if nothing more arrives, and by when they are decided.

    Malf(wt2, 0) with Temp(wt2, high, 0) at tick 0, delay 1     rejected at 2, decided by 3

Some moments have a line although nothing changed: the last line announced that the answer would end by now
if nothing came, and it is still open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import TooLargeError, pairs
from antelog.engine.columns.tables import NEVER, Column, marked
from antelog.engine.step.atoms import with_amounts, with_asked
from antelog.engine.step.derivations import Derivations, Knowledge, spoken_for
from antelog.engine.step.explanations import Explanations, Outlook, explanations, kinds
from antelog.engine.step.lives import and_more
from antelog.engine.step.query import KINDS, POSSIBLE, REVISED, Step, StepQuery


def outlook(known: Knowledge, reported: Explanations, moment: Column, then: Column) -> Outlook:
    """How the answers at some moments end without more facts, and the last deadline, as of the ticks `then`.

    An answer ends with the last of its reported explanations: others need more, and are over sooner. It stays
    open if a clock-driven pattern derives it by then.
    """
    found, at, kept = reported.found, reported.at, reported.kept
    if at.alone and len(moment):
        (block,) = found.blocks
        return _end(known, block, at.answer.take(moment), then).outlook
    ends = _End(*(np.full(len(moment), tick) for tick in (NEVER, -1, -1)))
    line_at = np.full(len(at.tick), -1)
    line_at[moment] = np.arange(len(moment))
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        line = line_at.take(at.view_at[mine])
        view = marked(kept[mine] & (line >= 0))
        if len(view):
            line, view = line.take(view), view + mine.start
            end = _end(known, block, at.view_of.take(view) - found.starts[b], then.take(line))
            np.minimum.at(ends.complete, line, end.complete)
            np.maximum.at(ends.failed, line, end.failed)
            np.maximum.at(ends.decided, line, end.decided)
    _go_on(known, reported, moment, then, ends)
    return ends.outlook


@dataclass(frozen=True)
class _End(ColumnSet):
    """The ends of derivations, or of answers: when complete, when failed, and the last deadline."""

    complete: Column
    failed: Column
    decided: Column

    @property
    def outlook(self) -> Outlook:
        return Outlook(self.complete <= self.failed, np.minimum(self.complete, self.failed), self.decided)


def _end(known: Knowledge, block: Derivations, row: Column, then: Column) -> _End:
    """The end of some rows of a block as of some ticks; they may go on with final values of aggregates."""
    found = block.take(row).as_of(then)
    try:
        seen = with_asked(known, found, since=then)
        end = _End(seen.complete, seen.failed, seen.open_until)
        for each in with_amounts(known, found.owned_by(np.arange(len(row)))):
            later = with_asked(known, each, since=then.take(each.owner))
            np.minimum.at(end.complete, each.owner, later.complete)
            np.maximum.at(end.failed, each.owner, later.failed)
    except TooLargeError:
        if len(row) < 2:
            raise
        middle = len(row) // 2
        one, other = (
            _end(known, block, row[half], then[half]) for half in (slice(middle), slice(middle, None))
        )
        return one.and_then(other)
    return end


def _go_on(known: Knowledge, reported: Explanations, moment: Column, then: Column, ends: _End) -> None:
    """Moves the ends of answers that a clock-driven pattern will derive by then."""
    found, answer = reported.found, reported.at.answer.take(moment)
    confirmed, rejected = ends.complete, ends.failed
    if all(block.prepared.clocked for block in found.blocks):
        return
    later: list[tuple[Column, Column, Column]] = []
    for b, block in enumerate(found.blocks):
        if not block.prepared.clocked:
            continue
        rows = found.rows(b)
        line, row = pairs(answer, found.number[rows])
        since, time = then.take(line), found.time[rows].take(row)
        spoken = spoken_for(block).take(row) <= since if block.prepared.facts else np.ones(len(row), np.bool_)
        coming = marked(spoken & (time > since))
        if len(coming):
            line, row, since, time = (c.take(coming) for c in (line, row, since, time))
            end = _end(known, block, row, since)
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


# ---- lines that are overdue ----


def with_overdue(known: Knowledge, query: StepQuery, reported: Explanations) -> Explanations:
    """Adds the moments that lines named before, by which nothing has happened."""
    ahead = _ahead(known, reported, query.step)
    if len(ahead.tick) == 0:
        return replace(reported, ahead=ahead.outlook.at(ahead.moment, len(reported.status)))
    at, moved, new = and_more(reported.found, reported.at, query.step.now, ahead.answer, ahead.tick)
    due = np.zeros(len(at.tick), np.bool_)
    due[new] = True
    outlooks = ahead.outlook.at(np.concatenate([moved.take(ahead.moment), new]), len(due))
    return replace(explanations(known, query, reported.found, at), due=due, ahead=outlooks)


@dataclass(frozen=True, eq=False)
class _Ahead:
    """Outlooks of answers at moments whose lines leave them open, and at ticks when lines are due."""

    moment: Column
    answer: Column
    tick: Column
    outlook: Outlook


def _ahead(known: Knowledge, reported: Explanations, step: Step) -> _Ahead:
    """Outlooks of all open answers whose next line is in the step or later, and the lines that are due.

    A line that is due may name a later tick, and so on: all such ticks within the step.
    """
    at = reported.at
    kind = kinds(reported, KINDS)
    line = marked(kind >= 0)
    following = np.append(at.answer.take(line[1:]) == at.answer.take(line[:-1]), [False])
    until = np.append(at.tick.take(line[1:]), [0])
    until = np.where(following, until, step.now + 1)
    leaves_open = (kind.take(line) == POSSIBLE) | (kind.take(line) == REVISED)
    kept = marked(leaves_open & (until > step.before))
    first, until = line.take(kept), until.take(kept)
    moment, then = first, at.tick.take(first)
    answers, ticks, outlooks = [moment[:0]], [then[:0]], []
    while True:
        outlooks.append(outlook(known, reported, moment, then))
        late = marked(outlooks[-1].tick < until)
        if len(late) == 0:
            return _Ahead(first, np.concatenate(answers), np.concatenate(ticks), Outlook.and_then(*outlooks))
        moment, until, then = moment.take(late), until.take(late), outlooks[-1].tick.take(late)
        answers.append(at.answer.take(moment))
        ticks.append(then)
