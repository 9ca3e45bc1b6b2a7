"""Rows that leave a time open which can be one of a few ticks only, each of which has a row of its own.

`P(T) :- Go(T), Done(U), not Late(U), U <= T.` waits for a Done at one of the ticks up to T. What is
said of them all is over as soon as each is over, or an exception: nothing is left then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.exceptions import Links, Variants, linked
from antelog.engine.layout import variables_of
from antelog.engine.naming import few_ticks
from antelog.engine.tables import Column, Mask, marked
from antelog.engine.truth import Derivations
from antelog.engine.world import World


@dataclass(frozen=True)
class _Ticks:
    """The rows of a block whose time `name` can be a few ticks only, and those of another for each tick.

    `few` says which rows these are. `of` is a row of the block, `one` a row of the other. It is an
    exception from `since` on, and `over` when its fact has come or never will.
    """

    name: str
    few: Mask
    other: int
    of: Column
    one: Column
    since: Column
    over: Column


def ended(
    world: World, blocks: Sequence[Derivations], found: Sequence[Variants], first: Sequence[int]
) -> tuple[list[Derivations], Links]:
    """The blocks, with such rows over when nothing is left of them; and what these stand for.

    `first` has the number of the first derivation of each block.
    """
    blocks, links = list(blocks), []
    # What rows stand for is in later blocks, which have more variables; these are dealt with before.
    for number in reversed(range(len(blocks))):
        for few in _few(world, number, blocks, found):
            blocks[number] = _ended(blocks[number], few, blocks[few.other].failed.take(few.one))
            of, one = first[number] + few.of, first[few.other] + few.one
            links.append(Links(of, one, np.full(len(of), -1), few.over))
    return blocks, linked(links)


def _few(
    world: World, number: int, blocks: Sequence[Derivations], found: Sequence[Variants]
) -> Iterator[_Ticks]:
    block = blocks[number]
    if not block.layout.loose:
        return
    for name, few in few_ticks(world, block.layout, block.rows):
        names = frozenset({name})
        for other, each in enumerate(found):
            if each.block.get(names) == number and few.any():
                at = each.at[names]
                one = marked((at >= 0) & few.take(at))
                since, over = each.excepted[names].take(one), each.over[names].take(one)
                yield _Ticks(name, few, other, at.take(one), one, since, over)


def _ended(block: Derivations, few: _Ticks, failed: Column) -> Derivations:
    """The block with its rows false as soon as nothing is left of them, because of what came last.

    What they stand for has `failed` by then, or is an exception.
    """
    by_fact, by_negation = np.full((2, block.rows.count), np.int64(-1))
    end = np.minimum(np.minimum(few.since, few.over), failed)
    waits = few.over > end
    np.maximum.at(by_negation, few.of[waits], end[waits])
    np.maximum.at(by_fact, few.of[~waits], end[~waits])
    last = np.maximum(by_fact, by_negation)
    fails, sooner = block.fails.copy(), few.few & (last < block.failed)
    for i, literal in enumerate(block.layout.literals):
        false = sooner & (last == (by_fact if i < len(block.layout.places) else by_negation))
        if few.name in variables_of(literal):
            fails[i][false] = last[false]
    return replace(block, fails=fails)
