"""Rows that leave a time open which has a last tick: they stand for nothing once no such tick is left.

`P(T) :- Go(T), Done(U), not Late(U), U <= T.` waits for a Done at one of the ticks up to T. A tick is
gone when Done has come, or cannot come any more. It is gone, too, when it is an exception, for
negated literals have a row for each tick they are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.plan import Time
from antelog.engine.deadlines import excluded_ticks, first_tick, latest_tick
from antelog.engine.exceptions import Links, Variants, linked, over, position
from antelog.engine.layout import variables_of
from antelog.engine.naming import few_ticks
from antelog.engine.tables import NEVER, Column, Mask, changed, marked, spread
from antelog.engine.truth import Derivations
from antelog.engine.world import World


@dataclass(frozen=True)
class Gone:
    """Of the rows of a block that leave a `time` open, how many of the last ticks it can be are gone.

    `count` for each row. Each of these ticks has a line: `of` is the row, `rank` which tick it is from
    the last, and `since` when it is gone. Sorted by `of`.
    """

    block: int
    time: str
    count: Column
    of: Column
    rank: Column
    since: Column

    def as_of(self, row: Column, then: Column) -> Column:
        """The same for some rows at some ticks: what is gone later is not."""
        count = self.count.take(row)
        first = np.searchsorted(self.of, row)
        which, at = spread(first, np.searchsorted(self.of, row, "right") - first)
        later = marked(self.since.take(at) > then.take(which))
        np.minimum.at(count, which.take(later), self.rank.take(at.take(later)))
        return count


@dataclass(frozen=True)
class _Ticks:
    """The rows `of` a block that leave a `time` open, and the row of another for each tick: `one`.

    What a row says of that tick is over by `end`: its fact has come or never will by `decided`, or
    it is an exception. The ticks may be those from `first` to `last` but those `excluded`; in some rows
    all are `named`.
    """

    time: str
    other: int
    of: Column
    one: Column
    tick: Column
    end: Column
    decided: Column
    first: Column
    last: Column
    excluded: Sequence[Column]
    named: Mask


def ended(
    world: World, blocks: Sequence[Derivations], found: Sequence[Variants], first: Sequence[int]
) -> tuple[list[Derivations], Links, tuple[Gone, ...]]:
    """The blocks with such rows false when nothing is left of them.

    And the rows for all ticks, where these are named, or else which ticks are gone. `first` has the
    number of the first derivation of each block.
    """
    blocks, links, gone = list(blocks), [], []
    # Rows of single ticks are in later blocks, which have more variables; those are dealt with before.
    for number in reversed(range(len(blocks))):
        for ticks in _ticks(world, number, blocks, found):
            named = ticks.named.take(ticks.of)
            of, one = first[number] + ticks.of[named], first[ticks.other] + ticks.one[named]
            links.append(Links(of, one, np.full(len(of), -1), ticks.decided[named]))
            gone.append(_gone(number, ticks))
            blocks[number] = _ended(blocks[number], ticks, gone[-1])
    return blocks, linked(links), tuple(gone)


def _ticks(
    world: World, number: int, blocks: Sequence[Derivations], found: Sequence[Variants]
) -> Iterator[_Ticks]:
    block = blocks[number]
    layout, rows = block.layout, block.rows
    if rows.count == 0:
        return
    for time in sorted(layout.time_variables - rows.bound.keys()):
        last = latest_tick(layout, Time(time, 0), rows)
        if (last == NEVER).all():
            continue
        first = first_tick(layout, Time(time, 0), rows)
        excluded = excluded_ticks(layout, Time(time, 0), rows)
        few = dict(few_ticks(world, layout, rows)) if layout.loose else {}
        named = few.get(time, np.zeros(rows.count, np.bool_))
        names = frozenset({time})
        for other, each in enumerate(blocks):
            if each.layout is layout and each.rows.bound.keys() == rows.bound.keys() | names:
                known = found[other]
                at = known.at[names] if names in known.at else position(each, block)
                one = marked((at >= 0) & (last.take(at) < NEVER))
                decided = over(each, names).take(one)
                since = known.excepted.get(names, np.full(each.rows.count, NEVER)).take(one)
                end = np.minimum(np.minimum(since, decided), each.failed.take(one))
                tick = each.rows.bound[time].take(one)
                yield _Ticks(time, other, at.take(one), one, tick, end, decided, first, last, excluded, named)


def _gone(number: int, ticks: _Ticks) -> Gone:
    """Which of the last ticks are there, one after the other without a gap."""
    parts = [(ticks.of, ticks.tick, ticks.end)]
    for tick in ticks.excluded:  # such a tick is gone from the first
        of = marked((ticks.last < NEVER) & (tick < ticks.last) & (tick > ticks.first))
        parts.append((of, tick.take(of), np.full(len(of), -1)))
    of, tick, end = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort([-tick, of])
    of, tick, end = of.take(order), tick.take(order), end.take(order)
    once = marked(changed(of) | changed(tick))  # two may exclude the same
    of, tick, end = of.take(once), tick.take(once), end.take(once)
    start = marked(changed(of))
    rank = np.arange(len(of)) - np.repeat(start, np.diff(np.append(start, len(of))))
    there = marked((tick == ticks.last.take(of) - rank) & ~ticks.named.take(of))
    of, rank = of.take(there), rank.take(there)
    count = np.bincount(of, minlength=len(ticks.last))
    return Gone(number, ticks.time, count, of, rank, end.take(there))


def _ended(block: Derivations, ticks: _Ticks, gone: Gone) -> Derivations:
    """The block with its rows false as soon as nothing is left of them, because of what came last."""
    by_fact, by_negation = np.full((2, block.rows.count), np.int64(-1))
    denied = ticks.end < ticks.decided
    np.maximum.at(by_negation, ticks.of[denied], ticks.end[denied])
    np.maximum.at(by_fact, ticks.of[~denied], ticks.end[~denied])
    about = [ticks.time in variables_of(literal) for literal in block.layout.literals]
    places = len(block.layout.places)
    awaited = block.fails[:places][about[:places]].min(axis=0, initial=NEVER)
    left = ~ticks.named & (ticks.last - gone.count >= ticks.first)
    by_fact = np.where(left, np.maximum(by_fact, awaited - gone.count), by_fact)
    last, some = np.maximum(by_fact, by_negation), ticks.named | (gone.count > 0)
    fails, sooner = block.fails.copy(), some & (last < block.failed)
    for i, concerned in enumerate(about):
        if concerned:
            false = sooner & (last == (by_fact if i < places else by_negation))
            fails[i][false] = last[false]
    return replace(block, fails=fails)
