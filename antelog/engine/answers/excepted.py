"""Named values that are not as all others are: each gets a line when it is named.

    Calm(X, T) :- not Alarm(X, T).     Alarm(a, 0) comes at 1, when all others are open
    rejected at 1: Calm(a, 0), with the explanations of all others and `a` in its place

The line comes from an extra derivation: that of all others, with the value put in. It is told one
tick before the line, where it is not shown (`hidden`), and is over at the tick of the line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.answers.lives import Life, Lives, together
from antelog.engine.columns.tables import NEVER, Column, Mask, distinct, find, keys_of, marked, pairs
from antelog.engine.matching.naming import FITS, NAMED_AT
from antelog.engine.step.affected import Step
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.knowledge import Knowledge
from antelog.engine.step.rows import Rows
from antelog.engine.values.encoding import OTHERS


@dataclass(frozen=True, eq=False)
class Links:
    """Rows with a named value, the row of all others that each belongs to, and since when it is named."""

    row: Column
    others: Column
    since: Column


def links(found: Lives) -> Links:
    """The rows that stand for named values, beside those that stand for all others."""
    parts: list[tuple[Column, Column, Column]] = []
    for b, block in enumerate(found.blocks):
        bound, naming = block.rows.bound, block.prepared.naming
        if naming is None or NAMED_AT not in bound:
            continue
        cell = bound[naming.variable]
        named, general = marked(cell != OTHERS), marked(cell == OTHERS)
        rest = [name for name in bound if name not in (naming.variable, NAMED_AT, FITS)]
        if rest:
            one, other = keys_of([[bound[n].take(at) for n in rest] for at in (named, general)])
        else:
            one, other = np.zeros(len(named), np.int64), np.zeros(len(general), np.int64)
        at = find(one, other)
        fits = marked(at >= 0)
        start = found.starts[b]
        since = bound[NAMED_AT].take(named.take(fits))
        parts.append((start + named.take(fits), start + general.take(at.take(fits)), since))
    if not parts:
        return Links(*(np.zeros(0, np.int64) for _ in range(3)))
    return Links(*map(np.concatenate, zip(*parts, strict=True)))


def with_excepted(knowledge: Knowledge, query: str, found: Lives, step: Step) -> tuple[Lives, int]:
    """With derivations for the lines of named values that have no explanation; from which row on they are."""
    linked = links(found)
    hidden = found.starts[-1]
    if len(linked.row) == 0:
        return found, hidden
    found = _without_late(found, linked)
    at = _lines(found, linked, step)
    blocks, lives = [*found.blocks], [_life_of(found, b) for b in range(len(found.blocks))]
    for b, block in enumerate(found.blocks):
        start = found.starts[b]
        mine = marked((at < NEVER) & (linked.row >= start) & (linked.row < found.starts[b + 1]))
        if len(mine):
            said = _said(
                block, linked.row.take(mine) - start, linked.others.take(mine) - start, at.take(mine)
            )
            tick = at.take(mine)
            blocks.append(said)
            lives.append(Life(tick - 1, np.full(len(tick), NEVER), tick))
    return together(knowledge, query, blocks, lives), hidden


def _without_late(found: Lives, linked: Links) -> Lives:
    """Without the answers of values that were confirmed with all others, and named only later."""
    complete, since = np.full(found.by_answer.count, NEVER), np.full(found.by_answer.count, NEVER)
    np.minimum.at(complete, found.number, found.life.complete)
    own, others = found.number.take(linked.row), found.number.take(linked.others)
    np.minimum.at(since, own, linked.since)
    late = np.zeros(found.by_answer.count, np.bool_)
    late[own[complete.take(others) < since.take(own)]] = True
    if not late.any():
        return found
    told = np.where(late.take(found.number), NEVER, found.life.told)
    return replace(found, life=replace(found.life, told=told))


def _life_of(found: Lives, block: int) -> Life:
    rows = found.rows(block)
    return Life(found.life.told[rows], found.life.complete[rows], found.life.end[rows])


def _lines(found: Lives, linked: Links, step: Step) -> Column:
    """For each link the tick at which its line says that the value is not as all others; else NEVER."""
    life, number, count = found.life, found.number, found.by_answer.count
    general = np.where(life.told < life.end, life.told, NEVER)
    first, complete = np.full(count, NEVER), np.full(count, NEVER)
    np.minimum.at(first, number, general)
    np.minimum.at(complete, number, life.complete)
    since = np.full(len(number), NEVER)
    since[linked.row] = linked.since
    own, others = number.take(linked.row), number.take(linked.others)
    named = found.by_answer.least(since).take(own)
    at = np.maximum(named, first.take(others))
    wanted = (at <= step.now) & (at > step.before) & (complete.take(others) >= at)
    # All others still are told then, by this derivation; and the value has no explanation of its own.
    wanted &= (life.told.take(linked.others) <= at) & (at < life.end.take(linked.others))
    wanted &= ~_explained(found, own, at)
    return np.where(wanted, at, NEVER)


def _explained(found: Lives, answer: Column, tick: Column) -> Mask:
    """Whether answers have an explanation at some ticks, or had one just before."""
    here, row = pairs(answer, found.number)
    then = tick.take(here)
    told, end = found.life.told.take(row), found.life.end.take(row)
    alive = (told < end) & (told <= then) & (then <= end)
    explained = np.zeros(len(answer), np.bool_)
    explained[here[alive]] = True
    return explained


def _said(block: Derivations, row: Column, others: Column, tick: Column) -> Derivations:
    """What is said of all others at some ticks, with the values of other rows put in."""
    holds, fails = block.holds.take(others, axis=1), block.fails.take(row, axis=1)
    true, false = holds <= tick, fails <= tick
    rows = Rows({name: column.take(row) for name, column in block.rows.bound.items()}, len(row))
    lines = (np.where(true, np.int64(-1), NEVER), np.where(false, tick, NEVER))
    return Derivations(block.prepared, rows, *lines, block.settled.take(row, axis=1))


def named_values(found: Lives, answer: Column, tick: Column) -> tuple[Column, Column]:
    """For answers of all others at some ticks the values that are named by then: whose, and the answers."""
    linked = links(found)
    if len(linked.row) == 0:
        return linked.row, linked.row
    others, own = found.number.take(linked.others), found.number.take(linked.row)
    here, link = pairs(answer, others)
    fine = marked(linked.since.take(link) <= tick.take(here))
    here, link = here.take(fine), link.take(fine)
    both = distinct(here * found.by_answer.count + own.take(link))
    line, value = np.divmod(both, max(found.by_answer.count, 1))
    return line, value
