"""Rows that stand for all values but some, and the rows of those values.

A row that leaves a variable of a negated literal open speaks for every value nobody has named. A
row of a named value says the same as that one until a negated literal of theirs becomes true or
false at different ticks, or one of them need not wait for a fact any more and the other must, for
delays may be declared for values. From then on the named value is an exception, and has answers of
its own.

Two variables may be open, or more; so for each row all rows matter that leave some of its
variables open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np

from antelog.engine.layout import Layout, variables_of
from antelog.engine.tables import NEVER, Column, Mask, find, keys_of, spread
from antelog.engine.truth import Derivations

Names = frozenset[str]
NONE: Names = frozenset()
AsOf: TypeAlias = Callable[[Derivations, Column], Derivations]
"""Makes of some rows of a block what they looked like at some tick, which may be another one for each."""


@dataclass(frozen=True)
class Variants:
    """The rows of a block, with some of their variables left open.

    block      for each set of variables the block of the rows without them (-1: there is none)
    at         and which row of it that is for each row (-1: none)
    own_since  the tick from which on no row without some of these variables speaks for it
    excepted   from when on it is an exception from that row, and `over` until when: a fact about
               these variables has come by then, or one never will
    spoken     until when that row may speak for it: both say the same, and all in between
    """

    block: Mapping[Names, int]
    at: Mapping[Names, Column]
    own_since: Mapping[Names, Column]
    excepted: Mapping[Names, Column]
    over: Mapping[Names, Column]
    spoken: Mapping[Names, Column]


def variants(blocks: Sequence[Derivations]) -> tuple[Variants, ...]:
    return tuple(_variants(number, blocks) for number in range(len(blocks)))


def nameable(block: Derivations) -> Names:
    """The variables of a block's rows that values may be named for."""
    if not block.layout.loose:
        return NONE
    return frozenset((block.layout.denied & block.rows.bound.keys()) - block.layout.given)


def _variants(number: int, blocks: Sequence[Derivations]) -> Variants:
    mine = blocks[number]
    names = nameable(mine)
    if not names:
        return Variants({}, {}, {}, {}, {}, {})
    block, at = _without(mine, names, blocks)
    apart = _all_apart(mine, names, {each: blocks[b] for each, b in block.items() if b >= 0}, at)
    own_since = {each: _own(each, apart) for each in at if each}
    excepted = {
        each: np.maximum.reduce([apart[NONE, each], *(apart[NONE, frozenset({name})] for name in each)])
        for each in at
        if each
    }
    sets = list(_subsets(names))
    spoken = {each: _same_until(NONE, each, sets, apart) for each in excepted}
    return Variants(block, at, own_since, excepted, {each: over(mine, each) for each in excepted}, spoken)


def own_since_as_of(blocks: Sequence[Derivations], seen: Derivations, as_of: AsOf) -> Mapping[Names, Column]:
    """From when on some rows seemed to be their own, when they looked as `seen`, at some tick."""
    names = nameable(seen)
    block, at = _without(seen, names, blocks)
    others = {
        each: as_of(blocks[b], np.maximum(at[each], 0))
        for each, b in block.items()
        if each and b >= 0 and blocks[b].rows.count
    }
    here = {each: np.where(places >= 0, np.arange(len(places)), -1) for each, places in at.items()}
    apart = _all_apart(seen, names, {NONE: seen, **others}, here)
    return {each: _own(each, apart) for each in here if each}


def _without(
    mine: Derivations, names: Names, blocks: Sequence[Derivations]
) -> tuple[Mapping[Names, int], Mapping[Names, Column]]:
    """For each set of some of the names the block of the rows without them, and where in it they are."""
    same = {
        frozenset(mine.rows.bound.keys() - other.rows.bound.keys()): b
        for b, other in enumerate(blocks)
        if other.layout is mine.layout and other.rows.bound.keys() <= mine.rows.bound.keys()
    }
    block = {each: same.get(each, -1) for each in _subsets(names)}
    at = {
        each: np.full(mine.rows.count, -1) if b < 0 else position(mine, blocks[b])
        for each, b in block.items()
    }
    return block, at


def _all_apart(
    mine: Derivations, names: Names, others: Mapping[Names, Derivations], at: Mapping[Names, Column]
) -> Mapping[tuple[Names, Names], Column]:
    """For each two sets of variables from when on the rows without them say something different."""
    dropped = list(_subsets(names))
    lines: dict[Names, Column] = {}
    known: dict[Names, Mask] = {}
    for each in reversed(dropped):
        general, known[each] = _general(mine, names, each, lines, known)
        lines[each] = _lines(others[each], at[each], general) if each in others else general
        known[each] = known[each] | (at[each] >= 0)
    return {
        (one, other): apart_from(lines[one], lines[other])
        for one in dropped
        for other in dropped
        if one < other
    }


def over(block: Derivations, names: Names) -> Column:
    """By when a fact about these variables has come, or one never will."""
    places = block.layout.places
    about = [i for i, place in enumerate(places) if names & place.variables]
    failed = block.fails[: len(places)].min(axis=0, initial=NEVER)
    first: Column = np.minimum(failed, block.holds[about].min(axis=0, initial=NEVER))
    return first


def _subsets(names: Names) -> Iterator[Names]:
    """All sets of these names, smaller ones first."""
    for size in range(len(names) + 1):
        yield from map(frozenset, combinations(sorted(names), size))


def position(mine: Derivations, block: Derivations) -> Column:
    """For each row the one of a block with fewer variables that has the same values; -1 if there is none."""
    names = list(block.rows.bound)
    if not names:
        return np.full(mine.rows.count, 0 if block.rows.count else -1)
    return find(*keys_of([[rows.bound[name] for name in names] for rows in (mine.rows, block.rows)]))


def _general(
    mine: Derivations,
    names: Names,
    each: Names,
    lines: Mapping[Names, Column],
    known: Mapping[Names, Mask],
) -> tuple[Column, Mask]:
    """What more general rows say in place of one that is not there, and whether any of them is there.

    A literal says the same without variables it has not. Else if one of them says something of its own,
    it does; and a time is left open last, for what is said of all times is nearly nothing.
    """
    open_ = (names - each - mine.layout.time_variables) or (names - each)
    if not open_:
        places, negations = len(mine.layout.places), len(mine.layout.negations)
        nothing = np.full((2 * negations, mine.rows.count), NEVER)
        return np.concatenate([mine.settled[:places], nothing]), np.zeros(mine.rows.count, np.bool_)
    most = general = lines[each | open_]
    for name in sorted(open_):
        general = np.where(general == most, lines[each | {name}], general)
    for name in sorted(names - each):
        same = _lines_without(mine.layout, name)
        general[same] = np.where(known[each | {name}], lines[each | {name}][same], general[same])
    return general, np.logical_or.reduce([known[each | {name}] for name in names - each])


@lru_cache(maxsize=4096)
def _lines_without(layout: Layout, name: str) -> list[int]:
    """Which lines are of literals that have no such variable; negated literals have two each."""
    literals = (*layout.literals, *layout.negations)
    return [i for i, literal in enumerate(literals) if name not in variables_of(literal)]


def _lines(block: Derivations, at: Column, general: Column) -> Column:
    """By when facts have come and when negated literals are true and false; or else in more general rows."""
    places = len(block.layout.places)
    lines = np.concatenate([block.settled[:places], block.holds[places:], block.fails[places:]])
    return np.where(at >= 0, lines[:, at], general) if lines.shape[1] else general


def apart_from(one: Column, other: Column) -> Column:
    """The first tick at which two rows say something different."""
    first: Column = np.where(one != other, np.minimum(one, other), NEVER).min(axis=0, initial=NEVER)
    return first


def _own(names: Names, apart: Mapping[tuple[Names, Names], Column]) -> Column:
    """The tick from which on a row speaks for itself, if these of its variables came from no fact.

    A row without some of them speaks for it as long as it does so itself, and as all rows in
    between say the same. Once it speaks for itself a row goes on to.
    """
    sets = list(_subsets(names))
    own = {names: np.full(len(next(iter(apart.values()))), np.int64(-2))}
    for each in reversed(sets[:-1]):
        above = [other for other in reversed(sets) if each < other]
        until = {other: _same_until(each, other, sets, apart) for other in above}
        since = until[names]
        for _ in above:
            for other in above:
                since = np.where((own[other] <= since) & (since < until[other]), until[other], since)
        own[each] = since
    return own[NONE]


def _same_until(
    one: Names, other: Names, sets: Sequence[Names], apart: Mapping[tuple[Names, Names], Column]
) -> Column:
    between = [apart[each, other] for each in sets if one <= each < other]
    first: Column = np.minimum.reduce(between)
    return first


@dataclass(frozen=True)
class Links:
    """From `tick` on and before `over`, the derivation `one` belongs to the derivation `of`.

    As an exception from it, as what it stands for, or as one that may speak for it. Sorted by `of`.
    """

    of: Column
    one: Column
    tick: Column
    over: Column

    def take(self, at: Mask) -> Links:
        return Links(self.of[at], self.one[at], self.tick[at], self.over[at])

    def of_views(self, row: Column, then: Column) -> tuple[Column, Column]:
        """For derivations at some ticks what belongs to them: pairs of a position and a derivation."""
        if len(self.of) == 0:
            return self.of, self.of
        first = np.searchsorted(self.of, row, "left")
        counts = np.searchsorted(self.of, row, "right") - first
        which, at = spread(first, counts)
        now = (self.tick[at] <= then[which]) & (then[which] < self.over[at])
        return which[now], self.one[at[now]]


def exceptions(found: Sequence[Variants], first: Sequence[int]) -> Links:
    """All exceptions; `first` has the number of the first derivation of each block."""
    every = (
        Links(of, one, found[number].excepted[names][rows], found[number].over[names][rows])
        for number, names, rows, one, of in generals(found, first)
    )
    return linked([links.take(links.tick < links.over) for links in every])


def generals(
    found: Sequence[Variants], first: Sequence[int]
) -> Iterator[tuple[int, Names, Column, Column, Column]]:
    """Rows of blocks that have more general ones: the block, without which variables, the numbers of both."""
    for number, own in enumerate(found):
        for names in own.excepted:
            rows = np.flatnonzero(own.at[names] >= 0)
            if own.block[names] >= 0 and len(rows):
                yield number, names, rows, first[number] + rows, first[own.block[names]] + own.at[names][rows]


def linked(parts: Sequence[Links]) -> Links:
    """All of them."""
    empty = np.zeros(0, np.int64)
    whole = [
        np.concatenate([empty, *columns])
        for columns in ([getattr(p, name) for p in parts] for name in ("of", "one", "tick", "over"))
    ]
    order = np.argsort(whole[0], kind="stable")
    return Links(*(column[order] for column in whole))
