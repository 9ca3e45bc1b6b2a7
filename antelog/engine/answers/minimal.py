"""Which derivations of an answer are worth telling: those that no other makes needless.

One makes another needless if its hypotheses are a strict subset of the other's, or the same and its
evidence is a strict subset. Hypotheses are the same if they read the same.

    H = {A(x, 3)}   makes   H = {A(x, 3), B(x, 4)}   needless

Moments may have thousands of derivations, so not every one is compared with every other. Those of a
pattern with the same literals true form a *kind*. Which units of one kind read as which of
another follows from the rules; pairs are then found by equal keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from antelog.compile.literals.terms import Const, Sum, Time, Var
from antelog.compile.prepared.shapes import Gap, Unit, units
from antelog.engine.answers.lives import Lives
from antelog.engine.answers.moments import Moments
from antelog.engine.columns.joins import pairs
from antelog.engine.columns.tables import Column, Mask, distinct, keys_of, marked, numbered
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.rows import Rows, term_column, time_column
from antelog.engine.values.values import Values

_Parts = tuple[tuple[str, Column], ...]
"""Signatures, and for each a column of numbers that are equal where what fills their gaps is."""

_WAYS = 5_000
"""The units of two kinds are matched in at most this many ways; what more would find is not looked for."""


def minimal(found: Lives, at: Moments, variables: Sequence[str], values: Values) -> Mask:
    """For each view whether no other of its moment makes it needless; `variables` are the answer's."""
    keep = np.ones(len(at.view_of), np.bool_)
    if at.alone or len(keep) == 0:
        return keep
    complete = found.life.complete.take(at.view_of) <= at.then
    done = np.zeros(len(at.tick), np.bool_)
    done[at.view_at[complete]] = True
    keep &= complete | ~done[at.view_at]
    crowded = np.bincount(at.view_at.take(marked(keep)), minlength=len(at.tick)) > 1
    rivals = marked(keep & crowded.take(at.view_at))
    if len(rivals) == 0:
        return keep
    kinds = list(_kinds(found, at, rivals, variables, values))
    for number, opposite in _meeting(kinds):
        one, other = kinds[number], kinds[opposite]
        needless = _needless(one, other)
        keep[other.view[needless]] = False
    return keep


@dataclass(frozen=True, eq=False)
class _Kind:
    """The views of a block with the same literals true."""

    view: Column
    moment: Column
    hypotheses: _Parts
    evidence: _Parts


def _kinds(
    found: Lives, at: Moments, rivals: Column, variables: Sequence[str], values: Values
) -> Iterator[_Kind]:
    numbers = _numbers(found, at, rivals, variables, values)
    for b, block in enumerate(found.blocks):
        views = at.views(found, b)
        first, last = np.searchsorted(rivals, [views.start, views.stop])
        view = rivals[first:last]
        if len(view) == 0:
            continue
        row = at.view_of[view] - found.starts[b]
        own, wanted, columns = numbers[b]
        place = np.searchsorted(wanted, row)
        true = np.zeros((len(own), len(row)), np.bool_)
        for i, unit in enumerate(own):
            if not unit.is_open:
                true[i] = block.holds[unit.literals[0], row] <= at.then[view]
        (key,) = keys_of([list(true.astype(np.int64))]) if len(own) else [np.zeros(len(row), np.int64)]
        different, which = numbered(key)
        for number in range(len(different)):
            these = marked(which == number)
            held = true[:, these[0]]
            spot = place.take(these)
            parts = [
                tuple((own[i].signature, columns[i].take(spot)) for i in marked(mask).tolist())
                for mask in (~held, held)
            ]
            mine = view[these]
            yield _Kind(mine, at.view_at[mine], *parts)


def _numbers(
    found: Lives, at: Moments, rivals: Column, variables: Sequence[str], values: Values
) -> list[tuple[tuple[Unit, ...], Column, list[Column]]]:
    """For each block its units, the rows that views are of, and numbers for what fills the units' gaps."""
    result: list[tuple[tuple[Unit, ...], Column, list[Column]]] = []
    filled: dict[str, list[tuple[int, int, list[Column]]]] = {}
    for b, block in enumerate(found.blocks):
        views = at.views(found, b)
        first, last = np.searchsorted(rivals, [views.start, views.stop])
        rows = distinct(at.view_of[rivals[first:last]] - found.starts[b])
        own = units(block.prepared, frozenset(block.rows.bound), tuple(variables))
        result.append((own, rows, [np.zeros(len(rows), np.int64)] * len(own)))
        if len(rows):
            for i, unit in enumerate(own):
                filled.setdefault(unit.signature, []).append((b, i, _filled(block, unit, rows, values)))
    for places in filled.values():
        keys = keys_of([columns for _, _, columns in places])
        for (b, i, _), key in zip(places, keys, strict=True):
            result[b][2][i] = key
    return result


def _filled(block: Derivations, unit: Unit, rows: Column, values: Values) -> list[Column]:
    """What fills the gaps of a unit in some rows; where they have several orders, the least."""
    part = block.rows.take(rows)
    nothing = [np.zeros(len(rows), np.int64)]
    orders = [[_gap(gap, part, values) for gap in gaps] or nothing for gaps in unit.gaps]
    best = orders[0]
    for columns in orders[1:]:
        less, same = np.zeros(len(rows), np.bool_), np.ones(len(rows), np.bool_)
        for one, other in zip(columns, best, strict=True):
            less |= same & (one < other)
            same &= one == other
        best = [np.where(less, one, other) for one, other in zip(columns, best, strict=True)]
    return best


def _gap(gap: Gap, rows: Rows, values: Values) -> Column:
    match gap:
        case Time():
            return time_column(gap, rows)
        case Sum(name, offset):
            numbers = values.numbers(rows.bound[name]) + offset
            return numbers.view(np.int64)
        case Var() | Const():
            return term_column(gap, rows, values)


def _meeting(kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """The pairs of kinds that some moment has views of."""
    moment = np.concatenate([distinct(kind.moment) for kind in kinds])
    number = np.repeat(np.arange(len(kinds)), [len(distinct(kind.moment)) for kind in kinds])
    here, there = pairs(moment, moment)
    together = distinct(number[here] * len(kinds) + number[there])
    for pair in together.tolist():
        yield divmod(pair, len(kinds))


def _needless(one: _Kind, other: _Kind) -> Column:
    """Which views of the other kind some view of the one makes needless."""
    if one is other and all(_once(parts) for parts in (one.hypotheses, one.evidence)):
        return np.zeros(0, np.int64)  # none has fewer, and each reads as the same one of the other only
    here, there = _subset(one, other)
    if len(here) == 0:
        return here
    fewer = _count(one.hypotheses, here) < _count(other.hypotheses, there)
    inside = _inside(one.evidence, here, other.evidence, there)
    less = inside & (_count(one.evidence, here) < _count(other.evidence, there))
    same = _count(one.hypotheses, here) == _count(other.hypotheses, there)
    return distinct(there[fewer | (same & less)])


def _once(parts: _Parts) -> bool:
    """Whether no two parts can read the same."""
    return len({signature for signature, _ in parts}) == len(parts)


def _subset(one: _Kind, other: _Kind) -> tuple[Column, Column]:
    """Pairs of views of a moment of which the one's hypotheses are all among the other's."""
    if one.hypotheses:
        return _joined(one.moment, one.hypotheses, other.moment, other.hypotheses)
    if other.hypotheses:
        return pairs(one.moment, other.moment)
    return _joined(one.moment, one.evidence, other.moment, other.evidence)


def _joined(moment: Column, parts: _Parts, opposite: Column, its: _Parts) -> tuple[Column, Column]:
    """Pairs of views of the same moment of which each part of the one is a part of the other."""
    options = [[j for j, (signature, _) in enumerate(its) if signature == own] for own, _ in parts]
    if not all(options):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    found: list[Column] = []
    size = len(opposite)
    for way in islice(product(*options), _WAYS):
        keys = keys_of([[moment, *(c for _, c in parts)], [opposite, *(its[j][1] for j in way)]])
        here, there = pairs(*keys)
        found.append(here * size + there)
    together = found[0] if len(found) == 1 else distinct(np.concatenate(found))
    here, there = np.divmod(together, size)
    return here, there


def _inside(parts: _Parts, here: Column, its: _Parts, there: Column) -> Mask:
    """For each pair of views whether all parts of the one are parts of the other."""
    inside = np.ones(len(here), np.bool_)
    for signature, column in parts:
        hit = np.zeros(len(here), np.bool_)
        for other, opposite in its:
            if other == signature:
                hit |= column.take(here) == opposite.take(there)
        inside &= hit
    return inside


def _count(parts: _Parts, view: Column) -> Column:
    """How many different parts views have."""
    count = np.full(len(view), len(parts))
    for i, (signature, column) in enumerate(parts):
        again = np.zeros(len(view), np.bool_)
        for other, opposite in parts[:i]:
            if other == signature:
                again |= column.take(view) == opposite.take(view)
        count -= again
    return count
