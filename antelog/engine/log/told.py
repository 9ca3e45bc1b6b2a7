"""What is told of the answers of a query, moment by moment.

In come the lives of derivations, out go for each moment the explanations to report and the status
of the answer. Some moments have a line although nothing changed: the last line said that the answer
would end by now if nothing came, and it is still open.

    Malf(wt2, 0) told at 0, with evidence at 1, over at 3
    moments 0, 1, 3: open, open, nothing; so possible, revised, rejected
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.engine.answers.lives import Lives, Wanted, lives
from antelog.engine.answers.minimal import minimal
from antelog.engine.answers.moments import Moments, and_more, confirmations, current, levels, moments
from antelog.engine.columns.spans import Spans
from antelog.engine.columns.tables import Column, Mask, marked
from antelog.engine.log.outlook import AsOf, Outlook, one_by_one, outlook
from antelog.engine.step.affected import Step
from antelog.engine.step.knowledge import Knowledge
from antelog.engine.values.values import Values

KINDS = ("possible", "revised", "confirmed", "rejected")
POSSIBLE, REVISED, CONFIRM, REJECT = range(4)  # the first two leave an answer open

Kinds: TypeAlias = NDArray[np.integer[Any]]
"""For each line, or each moment, the kind of change as its place in KINDS."""

STILL_OPEN = "open"
"""What stands for the change where answers are told as they are, whether or not something changed."""

NOTHING, OPEN, CONFIRMED = range(3)
"""The status of an answer at a moment."""

Share: TypeAlias = Callable[[str, Sequence[Column], Values], Mask]
"""Which answers of a query are asked for, given the cells of their variables, if not all are."""


@dataclass(frozen=True)
class Query:
    """What is asked: the answers of a query about some ticks, some kinds of changes, of a share of answers.

    `since` are the ticks from which on answers have not been given up. With `staged`, each line knows
    which answer it is about, and how far that has come.
    """

    name: str
    about: Spans
    only: Sequence[str] = KINDS
    share: Share | None = None
    since: int | None = None
    staged: bool = False


@dataclass(frozen=True, eq=False)
class Told:
    """What is told, moment by moment: the views that are told, and the answers' status.

    At moments that are `due` there is a line in any case. To find out which these are, one has to look
    `ahead` wherever a line leaves an answer open; that is kept, by moment.
    """

    found: Lives
    at: Moments
    kept: Mask
    status: NDArray[np.int8]
    due: Mask | None = None
    ahead: Outlook | None = None


def tell(knowledge: Knowledge, query: Query, step: Step) -> Told:
    """What is told after the step's first tick and up to its last."""
    rules = knowledge.rules
    relation = rules.relations[query.name]
    confirmed_only = set(query.only) == {"confirmed"} and not relation.unguarded
    past = query.name in rules.unsteady and not confirmed_only
    complete_by = step.now if confirmed_only else None
    wanted = Wanted(query.name, query.about, query.since, complete_by, past, query.share is not None)
    found = lives(knowledge, wanted, step)
    if confirmed_only:
        return _told(knowledge, query, found, confirmations(found, step.before, step.now))
    begun = replace(step, before=step.begin - 1) if past else step
    told = _told(knowledge, query, found, moments(found, begun.before, step.now))
    if not past:
        return told
    ahead = _ahead(knowledge, told, step)
    if len(ahead.tick) == 0:
        return replace(told, ahead=ahead.outlook.at(ahead.moment, len(told.status)))
    at, moved, new = and_more(found, told.at, step.now, ahead.answer, ahead.tick)
    due = np.zeros(len(at.tick), np.bool_)
    due[new] = True
    known = ahead.outlook.at(np.concatenate([moved.take(ahead.moment), new]), len(due))
    return replace(_told(knowledge, query, found, at), due=due, ahead=known)


def tell_current(knowledge: Knowledge, query: Query, step: Step) -> Told:
    """What is told of all answers at the tick a step ends with."""
    wanted = Wanted(query.name, query.about, query.since, apart=query.share is not None)
    found = lives(knowledge, wanted, step)
    return _told(knowledge, query, found, current(found, step.now))


def _told(knowledge: Knowledge, query: Query, found: Lives, at: Moments) -> Told:
    """Which views are told at moments, and the status of the answers."""
    relation, values = knowledge.rules.relations[query.name], knowledge.values
    kept = minimal(found, at, relation.answer.variables, values)
    complete = kept & (found.life.complete.take(at.view_of) <= at.then)
    status = np.zeros(len(at.tick), np.int8)
    status[at.view_at[marked(kept)]] = OPEN
    status[at.view_at[marked(complete)]] = CONFIRMED
    if query.share is not None:
        first = found.by_answer.first
        mine = query.share(query.name, [cells.take(first) for cells in found.answer], values)
        status[~mine.take(at.answer)] = NOTHING
    return Told(found, at, kept, status)


# ---- what was said to happen in silence, and has not ----


@dataclass(frozen=True, eq=False)
class _Ahead:
    """What is known ahead of answers: at moments whose lines leave them open, and then where lines are due.

    These are at ticks that the line before names, and by which nothing has happened.
    """

    moment: Column
    answer: Column
    tick: Column
    outlook: Outlook


def _ahead(knowledge: Knowledge, told: Told, step: Step) -> _Ahead:
    """What is known ahead of all open answers whose next line is in the step or later, and what is due.

    The line that is due then may name a later tick, and so on: all such ticks within the step.
    """
    at = told.at
    kind = kinds(told, KINDS)
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
        outlooks.append(outlook(knowledge, told.found, at, told.kept, AsOf(moment, then)))
        late = marked(outlooks[-1].tick < until)
        if len(late) == 0:
            return _Ahead(first, np.concatenate(answers), np.concatenate(ticks), one_by_one(outlooks))
        moment, until, then = moment.take(late), until.take(late), outlooks[-1].tick.take(late)
        answers.append(at.answer.take(moment))
        ticks.append(then)


# ---- kinds of changes ----


def kinds(told: Told, only: Sequence[str], since: int | None = None) -> NDArray[np.int8]:
    """For each moment after `since` the kind of change if it is asked for, or -1."""
    at, status = told.at, told.status
    was = np.zeros_like(status)
    # As a mask would have it, but much faster.
    np.multiply(status[:-1], (at.answer[1:] == at.answer[:-1]).view(np.int8), out=was[1:])
    kind: NDArray[np.int8] = _kind_table(tuple(only)).take(len(_STATUS) * was + status)
    nothing = at.tick <= (at.before if since is None else since)
    if "revised" in only:
        again = (kind == REVISED) & ~nothing
        again = marked(again if told.due is None else again & ~told.due)
        nothing[again] = ~_revised(told, again)
    np.putmask(kind, nothing, -1)
    return kind


_STATUS = (NOTHING, OPEN, CONFIRMED)


@cache
def _kind_table(only: tuple[str, ...]) -> NDArray[np.int8]:
    """The kind of change from one status (the line) to another (the column), if it is asked for, or -1."""
    table = np.full((len(_STATUS), len(_STATUS)), -1, np.int8)
    table[NOTHING, OPEN] = POSSIBLE
    table[OPEN, OPEN] = REVISED
    table[OPEN, NOTHING] = REJECT
    table[[NOTHING, OPEN], CONFIRMED] = CONFIRM
    unwanted = [number for number, name in enumerate(KINDS) if name not in only]
    table[np.isin(table, unwanted)] = -1
    return table.ravel()


def _revised(told: Told, moment: Column) -> Mask:
    """Whether the explanations told at some moments differ from those before."""
    at, found = told.at, told.found
    if at.alone:
        (block,) = found.blocks
        row, then, before = at.answer.take(moment), at.tick.take(moment), at.tick.take(moment - 1)
        holds = block.holds.take(row, axis=1)
        more: Mask = np.logical_or.reduce((holds > before) & (holds <= then), axis=0)
        return more
    level = levels(found, at)
    view = marked(told.kept)
    row, place, true = at.view_of.take(view), at.view_at.take(view), level.take(view)
    same = (row[1:] == row[:-1]) & (place[1:] == place[:-1] + 1) & (true[1:] == true[:-1])
    size = len(at.tick)
    told_at = np.bincount(place, minlength=size)
    stayed = np.bincount(place[1:][same], minlength=size)
    count = told_at.take(moment)
    result: Mask = (stayed.take(moment) != count) | (told_at.take(moment - 1) != count)
    return result


def opened(told: Told, before: int) -> int:
    """By how many more answers are open at their last moments than at `before`."""
    found, answer = told.found, told.at.answer
    open_, was = told.status == OPEN, np.zeros(len(answer), np.bool_)
    np.logical_and(open_[:-1], answer[1:] == answer[:-1], out=was[1:])
    since = told.at.tick > before
    # Each answer that was open at one moment and is not at the next, or the other way round, counts once.
    more, less = open_ & ~was & since, was & ~open_ & since
    return found.count(answer.take(marked(more))) - found.count(answer.take(marked(less)))
