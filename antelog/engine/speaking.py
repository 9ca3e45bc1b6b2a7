"""Which derivations speak for themselves, and which others speak for them as long as these say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from antelog.engine.exceptions import (
    Links,
    Names,
    Variants,
    apart_from,
    generals,
    linked,
    nameable,
    position,
)
from antelog.engine.tables import NEVER, Column, pairs
from antelog.engine.truth import Derivations


def covered_since(found: Derivations) -> Mapping[str, Column]:
    """For each variable of the rows that only facts can give a value, from when on they do."""
    layout = found.layout
    names = found.rows.bound.keys() - layout.given
    sources = {n: tuple(i for i, place in enumerate(layout.places) if n in place.variables) for n in names}
    since = {places: found.holds[list(places)].min(axis=0, initial=NEVER) for places in set(sources.values())}
    return {name: since[places] for name, places in sources.items()}


def last_of(covered: Mapping[str, Column], names: Iterable[str], count: int) -> Column:
    """From when on all of these variables have values."""
    columns = {id(covered[name]): covered[name] for name in names}
    return reduce(np.maximum, columns.values()) if columns else np.full(count, np.int64(-1))


def _first_of(covered: Mapping[str, Column], names: Iterable[str]) -> Column:
    """From when on the first of these variables has a value."""
    first: Column = np.minimum.reduce([covered[name] for name in sorted(names)])
    return first


def speaking_since(
    found: Derivations, covered: Mapping[str, Column], own_since: Mapping[Names, Column], names: Names
) -> Column:
    """From when on each row speaks for itself, given since when without variables that no fact speaks for.

    All rows that bind these variables speak for it, or do not. A row without them is there when facts
    have given it its other values, but for those of the answer, which others' answers may give.
    """
    count = found.rows.count
    own = last_of(covered, names, count)
    others = (covered.keys() - found.layout.answered) | names
    for dropped, since in own_since.items():
        if dropped <= names:
            from_ = np.maximum(since, last_of(covered, others - dropped, count))
            # Once a fact speaks for one of these variables, only the others matter.
            own = np.minimum(own, np.where(from_ < _first_of(covered, dropped), from_, NEVER))
    return own


def speakers(
    blocks: Sequence[Derivations], found: Sequence[Variants], first: Sequence[int], answer: Column
) -> Links:
    """For each derivation those that may speak for it, unless they do whenever they are there.

    That is where their answers, the numbers of which are given, have no other derivations.
    """
    crowded = np.bincount(answer) > 1
    open_, awaiting = linked([*_open(blocks, found, first)]), linked([*_awaiting(blocks, first)])
    every = [open_, awaiting, _through(open_, awaiting), _through(awaiting, open_)]
    return linked([links.take(crowded[answer[links.one]]) for links in every])


def _through(links: Links, others: Links) -> Links:
    """Those that speak for the ones that speak for a derivation, as long as both do."""
    here, there = pairs(links.one, others.of)
    over = np.minimum(links.over[here], others.over[there])
    return Links(links.of[here], others.one[there], links.tick[here], over)


def _open(blocks: Sequence[Derivations], found: Sequence[Variants], first: Sequence[int]) -> Iterator[Links]:
    """Those that leave open what negated literals have named, until a fact gives it."""
    covered = [covered_since(block) for block in blocks]
    for number, names, rows, one, of in generals(found, first):
        until = np.minimum(found[number].spoken[names], _first_of(covered[number], names))
        yield Links(one, of, np.full(len(of), -1), until.take(rows))


def _awaiting(blocks: Sequence[Derivations], first: Sequence[int]) -> Iterator[Links]:
    """Those that leave values open which no fact has given yet, but the answers of other derivations have."""
    for number, mine in enumerate(blocks):
        known = mine.rows.bound.keys()
        answered = (mine.layout.answered & known) - mine.layout.given - nameable(mine)
        for other, general in enumerate(blocks):
            names = general.rows.bound.keys()
            if general.layout is mine.layout and names < known and known - names <= answered:
                at = position(mine, general)
                rows = np.flatnonzero(at >= 0)
                given = _first_of(covered_since(mine), known - names)
                until = np.minimum(given.take(rows), _differ(mine, rows, general, at.take(rows)))
                yield Links(first[number] + rows, first[other] + at[rows], np.full(len(rows), -1), until)


def _differ(mine: Derivations, rows: Column, general: Derivations, at: Column) -> Column:
    """From when on negated literals of some rows, and of others that are more general, are not alike."""
    here, there = (
        np.concatenate(
            [lines[len(mine.layout.places) :].take(some, axis=1) for lines in (each.holds, each.fails)]
        )
        for each, some in ((mine, rows), (general, at))
    )
    return apart_from(here, there)
