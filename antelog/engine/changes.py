"""What happens to the answers of a query between two ticks.

An answer can change only at a tick at which a literal of one of its derivations becomes true or
false. At each of these the explanations it has then are compared with those it had before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.compile.bounds import static_variables
from antelog.compile.plan import Var
from antelog.engine.layout import Layout
from antelog.engine.match import ONE, Rows
from antelog.engine.tables import Column, Groups, Mask, distinct, groups, keys_of, spread
from antelog.engine.truth import Derivations, World, derivations, term_column, time_column
from antelog.engine.values import UNBOUND

ANY_TIME = np.int64(-1)
"""The time of an answer whose time is still open."""

NOTHING, OPEN, CONFIRMED = 0, 1, 2


@dataclass(frozen=True)
class Candidates:
    """All derivations of the answers that may have changed, and the groups they form by answer.

    Derivation `i` is row `row[i]` of `blocks[block[i]]`.
    """

    blocks: tuple[Derivations, ...]
    block: Column
    row: Column
    answer: tuple[Column, ...]
    time: Column
    considered: Column
    by_answer: Groups


def candidates(world: World, name: str, ticks: Column | None) -> Candidates:
    """The derivations of all answers about these ticks (None: of all)."""
    blocks: list[Derivations] = []
    for number, layout in enumerate(world.layouts[name]):
        about = ticks if layout.sliced else None
        blocks += derivations(world, name, number, _seed(layout, ticks), about, bare=False)
    relation = world.relations[name]
    parts = [_answers(found, world) for found in blocks]
    answer = tuple(
        np.concatenate([np.zeros(0, np.int64), *(part[0][i] for part in parts)])
        for i in range(len(relation.variables))
    )
    time = np.concatenate([np.zeros(0, np.int64), *(part[1] for part in parts)])
    counts = np.array([found.rows.count for found in blocks], np.int64)
    block = np.repeat(np.arange(len(blocks)), counts)
    clocked = np.array([found.layout.by_clock for found in blocks], np.bool_)
    considered = np.where(clocked[block], time, -1) if len(blocks) else time
    (key,) = keys_of([[*answer, time]])
    return Candidates(
        tuple(blocks),
        block,
        spread(np.zeros(len(blocks), np.int64), counts),
        answer,
        time,
        considered,
        groups(key),
    )


def _seed(layout: Layout, ticks: Column | None) -> Rows:
    """Answers that no fact gives a time are looked at when their time has come."""
    if layout.by_clock and layout.pattern.time.variable is not None and ticks is not None:
        return Rows({layout.pattern.time.variable: ticks - layout.pattern.time.offset}, len(ticks))
    return ONE


def _answers(found: Derivations, world: World) -> tuple[list[Column], Column]:
    """The answers of rows; what they leave open has a mark of its own."""
    pattern, rows = found.layout.pattern, found.rows
    known = rows.bound.keys()
    answer = [
        np.full(rows.count, UNBOUND)
        if isinstance(term, Var) and term.name not in known
        else term_column(term, rows, world.values)
        for term in pattern.answer
    ]
    if pattern.time.variable is not None and pattern.time.variable not in known:
        return answer, np.full(rows.count, ANY_TIME)
    return answer, time_column(pattern.time, rows)


@dataclass(frozen=True)
class Moments:
    """Answers at the ticks at which they may change, the first moment of each being `before`.

    `answer` is the number of the answer's group. A *view* is a derivation at a moment; those of
    one derivation stand side by side, in the order of time.
    """

    answer: Column
    tick: Column
    view_of: Column
    view_at: Column


def moments(found: Candidates, before: int, now: int) -> Moments:
    number = found.by_answer.numbers
    owner, tick = [np.arange(found.by_answer.count)], [np.full(found.by_answer.count, before)]
    for b, block in enumerate(found.blocks):
        mine = number[found.block == b]
        for line in (*block.holds, *block.fails, found.considered[found.block == b]):
            during = (line > before) & (line <= now)
            owner.append(mine[during])
            tick.append(line[during])
    key = np.concatenate(owner) * (now - before + 1) + (np.concatenate(tick) - before)
    key = distinct(key)
    answer, tick_of = np.divmod(key, now - before + 1)
    first = np.searchsorted(answer, np.arange(found.by_answer.count))
    sizes = np.diff(first, append=len(answer))
    per_row = sizes[number]
    view_of = np.repeat(np.arange(len(number)), per_row)
    return Moments(answer, tick_of + before, view_of, spread(first[number], per_row))


@dataclass(frozen=True)
class Views:
    """For each view, which of the derivation's literals are true, and what that makes of it.

    The masks of true literals are kept by block; `position` says where in that of its block a
    view stands.
    """

    true: list[Mask]
    position: Column
    alive: Mask
    complete: Mask
    shown: Mask
    level: Column


def views(found: Candidates, at: Moments) -> Views:
    tick = at.tick[at.view_at]
    alive, complete, shown = (np.zeros(len(tick), np.bool_) for _ in range(3))
    position, level = np.zeros(len(tick), np.int64), np.zeros(len(tick), np.int64)
    true = []
    for b, block in enumerate(found.blocks):
        mine = found.block[at.view_of] == b
        row, then = found.row[at.view_of[mine]], tick[mine]
        held = block.holds[:, row] <= then
        true.append(held)
        position[mine] = np.arange(len(row))
        failed = (block.fails[:, row] <= then).any(axis=0)
        ready = found.considered[at.view_of[mine]] <= then
        alive[mine] = ~failed & ready & _covered(block, held)
        complete[mine] = alive[mine] & held.all(axis=0)
        places = len(block.layout.places)
        waits_for_facts = (~held[:places]).any(axis=0)
        due = ~waits_for_facts & (found.time[at.view_of[mine]] <= then)
        shown[mine] = alive[mine] & (held.any(axis=0) | due)
        level[mine] = held.sum(axis=0)
    return Views(true, position, alive, complete, shown, level)


def _covered(block: Derivations, held: Mask) -> Mask:
    """Whether the true literals give all of a row's variables their values."""
    layout = block.layout
    given = set(static_variables(layout.pattern))
    if layout.by_clock and layout.pattern.time.variable is not None:
        given.add(layout.pattern.time.variable)
    covered = np.ones(held.shape[1], np.bool_)
    for name in block.rows.bound:
        if name not in given:
            binding = [i for i, place in enumerate(layout.places) if name in place.variables]
            covered &= held[binding].any(axis=0)
    return covered
