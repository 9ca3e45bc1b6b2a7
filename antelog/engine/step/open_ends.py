"""Ranges under `not` whose last tick is open: an atom that is true bounds it.

    Step(P, glue, T), Step(P, press, U), U > T, U <= T+15, not Step(P, cool, T..U)
    glued at 0, cooled at 3 and at 2, which came at 4 and at 5: from 4 on U < 3, from 5 on U < 2

A row of a query is there once for each such bound, while it holds. Other rows only need to know when they
are over: as soon as an atom is true and nothing before it can come any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from antelog.compile.prepared.pattern import OpenEnd, Prepared
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import NEVER, Column, marked
from antelog.engine.step.derivations import Derivations, Knowledge
from antelog.engine.step.literals import Delays, deadline
from antelog.engine.step.rows import Rows


@dataclass(frozen=True, eq=False)
class TrueAtoms(ColumnSet):
    """Atoms that are true since some tick, at ticks of the ranges of rows: one for each row and atom."""

    row: Column
    tick: Column
    true_at: Column


Seek: TypeAlias = Callable[[Derivations, OpenEnd], TrueAtoms]
"""Finds the atoms in the ranges of rows, up to the last tick that these can have."""


def false_by_end(known: Knowledge, found: Derivations, end: OpenEnd, true: TrueAtoms) -> Column:
    """The tick at which each row is over by its open end: NEVER if it is not."""
    last = np.full(found.rows.count, NEVER)
    some = _bounded(found.rows.take(true.row), end, true.tick)
    for _, due in _deadlines(known, found.prepared, some):
        np.minimum.at(last, true.row, np.maximum(true.true_at, due))
    return last


def as_they_are(known: Knowledge, found: Derivations, seek: Seek) -> Derivations:
    """Gives rows that are seen as of some ticks the bounds of their open ends, and their deadlines then."""
    rows = found.rows
    if rows.as_of is None:
        return found
    for end in _open_in(found):
        true, tick = seek(found, end), np.full(rows.count, NEVER)
        there = true.take(marked(true.true_at <= rows.as_of.take(true.row)))
        np.minimum.at(tick, there.row, there.tick)
        found = _with_bound(known, found, end, tick)
    return found


def while_they_are(known: Knowledge, found: Derivations, seek: Seek) -> list[Derivations]:
    """The rows of a query, each once for every bound of an open end, while that holds, and without one."""
    blocks = [(found, np.arange(found.rows.count))]
    for end in _open_in(found):
        true = seek(found, end)
        blocks = [part for block, row in blocks for part in _each(known, block, row, end, true)]
    return [block for block, _ in blocks]


def without_bounds(prepared: Prepared, rows: Rows) -> Rows:
    """Rows without the bounds of their open ends."""
    bounds = {each.bound for each in prepared.ends}
    return replace(rows, bound={name: column for name, column in rows.bound.items() if name not in bounds})


def _open_in(found: Derivations) -> Sequence[OpenEnd]:
    bound = found.rows.bound.keys()
    return [each for each in found.prepared.ends if each.is_open(bound) and each.bound not in bound]


def _each(
    known: Knowledge, block: Derivations, row: Column, end: OpenEnd, true: TrueAtoms
) -> list[tuple[Derivations, Column]]:
    """The rows of a block without a bound and with each; `row` is which of the rows with atoms each is."""
    own = _falling(true)
    first = np.full(int(max(row.max(initial=-1), own.row.max(initial=-1))) + 1, NEVER)
    np.minimum.at(first, own.row, own.true_at)
    until = np.full(len(own.row), NEVER)
    until[:-1] = np.where(own.row[1:] == own.row[:-1], own.true_at[1:], NEVER)
    before = _during(block, end, np.full(len(row), np.int64(-1)), first.take(row))
    if len(own.row) == 0:
        return [(before, row)]
    starts = np.searchsorted(own.row, row)
    counts = np.searchsorted(own.row, row, "right") - starts
    which = np.repeat(np.arange(len(row)), counts)
    at = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + starts.take(which)
    bounded = _with_bound(known, block.take(which), end, own.tick.take(at))
    return [(before, row), (_during(bounded, end, own.true_at.take(at), until.take(at)), row.take(which))]


def _falling(true: TrueAtoms) -> TrueAtoms:
    """The atoms that lie before all that are true before them, by row and then since when they are."""
    true = true.take(np.lexsort((true.tick, true.true_at, true.row)))
    if len(true.row) == 0:
        return true
    # Rows follow each other, so that the ticks of a row are below those of all rows before it.
    span = int(true.tick.max()) + 1
    least = np.minimum.accumulate(true.tick - true.row * span)
    fresh = np.append([True], least[1:] < least[:-1])
    return true.take(marked(fresh))


def _during(found: Derivations, end: OpenEnd, since: Column, until: Column) -> Derivations:
    """Derivations that are supported from some ticks on; the range with the open end fails at others."""
    replaced = {**found.rows.replaced, end.node: until}
    return replace(found, rows=replace(found.rows, replaced=replaced)).during(since, NEVER)


def _with_bound(known: Knowledge, found: Derivations, end: OpenEnd, tick: Column) -> Derivations:
    """Derivations whose open end is bounded by atoms at some ticks; NEVER: by none."""
    rows = _bounded(found.rows, end, tick)
    fails, decided = found.fails.copy(), found.decided.copy()
    for number, due in _deadlines(known, found.prepared, rows):
        fails[number] = np.minimum(fails[number], due)
        decided[number] = due
    return replace(found, rows=rows, fails=fails, decided=decided)


def _bounded(rows: Rows, end: OpenEnd, tick: Column) -> Rows:
    return replace(rows, bound={**rows.bound, end.bound: tick})


def _deadlines(known: Knowledge, prepared: Prepared, rows: Rows) -> list[tuple[int, Column]]:
    """The deadlines of the fact literals whose times are open, each with its number."""
    delays = Delays()
    return [
        (number, deadline(known, prepared, fact, rows, delays))
        for number, fact in enumerate(prepared.facts)
        if fact.node.time.variable is not None and fact.node.time.variable not in rows.bound
    ]
