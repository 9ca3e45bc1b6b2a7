"""Atoms in ranges under `not` that are true already: rows that these make false at once are not joined.

    A(X, T), B(X, U), U > T, U <= T + 9, not B(X, T+1..U-1)      the next B of each A, and not all of them

Of B at 3, 5 and 8, which came at 7, 5 and 8, those at 3 and 5 may each be the next of an A at 1, for a while:
the one at 5 until 7. So of the atoms from tick 2 on those are *records* that came before all earlier ones. A
row is in the *band* before the first, or between two, and then only if its facts came before the record did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.prepared.pattern import OpenEnd, Prepared
from antelog.engine.columns.joins import TickRange, records
from antelog.engine.columns.spans import FOREVER
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, marked
from antelog.engine.step.rows import Rows, Within, keys_in, term_column, time_column
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class AtomTicks(ColumnSet):
    """Atoms that are true: their arguments, their ticks, and since when."""

    arguments: tuple[Column, ...]
    tick: Column
    since: Column


@dataclass(frozen=True, eq=False)
class Denied:
    """A range under `not` whose last tick a fact gives, and the atoms that make it false."""

    end: OpenEnd
    atoms: AtomTicks


@dataclass(frozen=True, eq=False)
class Bands:
    """The bands in which a fact's time may lie in some of the rows, and before when facts must have come."""

    row: Column
    within: Within
    before: Column


def bands(
    prepared: Prepared,
    denied: Sequence[Denied],
    rows: Rows,
    giver: int,
    within: Within | None,
    *,
    made: Column,
    values: Values,
) -> Bands | None:
    """The bands for the time of a fact literal; `made` says since when rows have their facts; None: any."""
    time = prepared.facts[giver].node.time
    for each in denied:
        node, name = each.end.node, time.variable
        forward = name == node.last.variable
        needed = node.variables - {name}
        if name not in (node.first.variable, node.last.variable) or not needed <= rows.bound.keys():
            continue
        if name is None or name in rows.bound or node.first.variable == node.last.variable:
            continue
        # Where its first tick is sought, times are looked at from behind.
        sign, begin, end = (1, node.first, node.last) if forward else (-1, node.last, node.first)
        anywhere = np.full(rows.count, -FOREVER), np.full(rows.count, FOREVER)
        ends = anywhere if within is None else (within.band.first, within.band.last)
        least, most = ends if forward else (-ends[1], -ends[0])
        reach = TickRange(sign * time_column(begin, rows), most + sign * end.offset)
        terms = [term_column(term, rows, values) for term in node.arguments if term is not None]
        left, right = keys_in([terms, list(each.atoms.arguments)], [rows.count, len(each.atoms.tick)])
        row, at = records(left, right, reach, sign * each.atoms.tick, each.atoms.since)
        tick, since = sign * each.atoms.tick.take(at) - sign * end.offset, each.atoms.since.take(at)
        following = np.append(tick[1:], FOREVER)[: len(tick)]
        following[:-1] = np.where(row[1:] == row[:-1], following[:-1], FOREVER)
        before_all = most.copy()
        np.minimum.at(before_all, row, tick - 1)
        open_ = marked(made.take(row) < since)
        row, tick, since, following = (column.take(open_) for column in (row, tick, since, following))
        first = np.concatenate([least, np.maximum(least.take(row), tick)])
        last = np.concatenate([before_all, np.minimum(most.take(row), following - 1)])
        first, last = (first, last) if forward else (-last, -first)
        before = np.concatenate([np.full(rows.count, NEVER), since])
        last = np.minimum(last, before - time.offset - 1)  # no fact comes before its tick
        row = np.concatenate([np.arange(rows.count), row])
        some = marked(first <= last)
        band = TickRange(first.take(some), last.take(some))
        return Bands(row.take(some), Within(name, band), before.take(some))
    return None


def ends_given(prepared: Prepared) -> Iterator[OpenEnd]:
    """The ranges under `not` whose ends are the times of facts, which nothing else gives values."""
    if not prepared.pattern.unguarded:
        own = frozenset[str]().union(*prepared.private_variables)
        yield from (end for end in prepared.ends if end.variable in own)
