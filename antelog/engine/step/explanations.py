"""Explanations: the derivations of an answer that are reported at a moment, and the status of the answer.

One makes another needless if its hypotheses are a strict subset of the other's, or read the same and its
evidence is a strict subset. Of thousands at a moment, groups with the same literals true are matched by keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antelog.arrow.ticks import LAST
from antelog.compile.literals.terms import Const, Operand, Time, Var
from antelog.compile.prepared.pattern import Cluster, units
from antelog.engine.columns.joins import pairs
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, distinct, keys_of, marked, numbered
from antelog.engine.step.derivations import Derivations, Knowledge
from antelog.engine.step.lives import Lives, Moments, levels
from antelog.engine.step.query import CONFIRM, KINDS, POSSIBLE, REJECT, REVISED, StepQuery
from antelog.engine.step.rows import Rows, cells_of, key_of, term_column, time_column
from antelog.engine.step.schema import SILENT
from antelog.engine.values.values import Values

NOTHING, OPEN, CONFIRMED = _STATUS = range(3)  # the status of an answer at a moment


@dataclass(frozen=True)
class Outlook(ColumnSet):
    """How open answers end if nothing more arrives: when, and whether `confirmed` or rejected."""

    confirmed: Mask
    tick: Column
    decided: Column  # the last deadline

    def at(self, place: Column, count: int) -> Outlook:
        """The outlook spread to `count` rows, with nothing in the others."""
        wide = Outlook(np.zeros(count, np.bool_), np.full(count, NEVER), np.full(count, NEVER))
        wide.confirmed[place], wide.tick[place], wide.decided[place] = self.confirmed, self.tick, self.decided
        return wide

    def columns(self, line: Column, change: pa.Array) -> list[pa.Array]:
        """The columns `if_silent` and `decided_by`, given the lines of answers and a text for every line."""
        ticks, never = np.zeros((2, len(change)), np.int64), np.ones((2, len(change)), np.bool_)
        ticks[:, line] = self.tick, self.decided
        never[:, line] = ticks[:, line] > LAST
        silent = [change, pa.array(ticks[0])]
        return [
            pa.StructArray.from_arrays(silent, fields=list(SILENT), mask=pa.array(never[0])),
            pa.array(ticks[1], mask=never[1]),
        ]


@dataclass(frozen=True, eq=False)
class Explanations:
    """The explanations of answers at each moment, and the answers' status."""

    found: Lives
    at: Moments
    kept: Mask
    status: NDArray[np.int8]
    due: Mask | None = None  # the moments that have a line in any case
    ahead: Outlook | None = None  # of moments, where it was needed to find those that are due


def explanations(known: Knowledge, query: StepQuery, found: Lives, at: Moments) -> Explanations:
    """The views that are explanations at some moments, and the status of the answers then."""
    relation, values = known.rules.relations[query.name], known.values
    kept = minimal(found, at, relation.answer.variables, values)
    complete = kept & (found.life.complete.take(at.view_of) <= at.then)
    status = np.zeros(len(at.tick), np.int8)
    status[at.view_at[marked(kept)]] = OPEN
    status[at.view_at[marked(complete)]] = CONFIRMED
    share, settled = query.wanted.share, query.settled
    if share is not None or settled is not None:
        first = found.by_answer.first
        answer = [cells.take(first) for cells in found.answer]
        if share is not None:
            status[~share(query.name, answer, values).take(at.answer)] = NOTHING
        if settled is not None:
            status[settled.among(answer, found.time.take(first)).take(at.answer)] = NOTHING
    return Explanations(found, at, kept, status)


# ---- kinds of changes ----


def kinds(reported: Explanations, only: Sequence[str], since: int | None = None) -> NDArray[np.int8]:
    """For each moment after `since` the kind of change if that is wanted, or -1."""
    at, status = reported.at, reported.status
    was = np.zeros_like(status)
    # As a mask would have it, but much faster.
    np.multiply(status[:-1], (at.answer[1:] == at.answer[:-1]).view(np.int8), out=was[1:])
    kind: NDArray[np.int8] = _kind_table(tuple(only)).take(len(_STATUS) * was + status)
    nothing = at.tick <= (at.before if since is None else since)
    if "revised" in only:
        again = (kind == REVISED) & ~nothing
        again = marked(again if reported.due is None else again & ~reported.due)
        nothing[again] = ~_revised(reported, again)
    np.putmask(kind, nothing, -1)
    return kind


@cache
def _kind_table(only: tuple[str, ...]) -> NDArray[np.int8]:
    """The kind of change from one status (the line) to another (the column), if that is wanted, or -1."""
    table = np.full((len(_STATUS), len(_STATUS)), -1, np.int8)
    table[NOTHING, OPEN] = POSSIBLE
    table[OPEN, OPEN] = REVISED
    table[OPEN, NOTHING] = REJECT
    table[[NOTHING, OPEN], CONFIRMED] = CONFIRM
    unwanted = [number for number, name in enumerate(KINDS) if name not in only]
    table[np.isin(table, unwanted)] = -1
    return table.ravel()


def _revised(reported: Explanations, moment: Column) -> Mask:
    """Whether the explanations of each moment differ from those of the moment before."""
    at, found = reported.at, reported.found
    if at.alone:
        (block,) = found.blocks
        row, then, before = at.answer.take(moment), at.tick.take(moment), at.tick.take(moment - 1)
        more = np.zeros(len(row), np.bool_)
        for line in block.steps:
            ticks = line.take(row)
            more |= (ticks > before) & (ticks <= then)
        return more
    level = levels(found, at)
    view = marked(reported.kept)
    row, place, true = at.view_of.take(view), at.view_at.take(view), level.take(view)
    same = (row[1:] == row[:-1]) & (place[1:] == place[:-1] + 1) & (true[1:] == true[:-1])
    size = len(at.tick)
    reported_at = np.bincount(place, minlength=size)
    stayed = np.bincount(place[1:][same], minlength=size)
    count = reported_at.take(moment)
    result: Mask = (stayed.take(moment) != count) | (reported_at.take(moment - 1) != count)
    return result


def opened(reported: Explanations, before: int) -> int:
    """The change of the number of open answers from `before` to their last moments."""
    found, answer = reported.found, reported.at.answer
    open_, was = reported.status == OPEN, np.zeros(len(answer), np.bool_)
    np.logical_and(open_[:-1], answer[1:] == answer[:-1], out=was[1:])
    since = reported.at.tick > before
    # Each answer that was open at one moment and is not at the next, or the other way round, counts once.
    more, less = open_ & ~was & since, was & ~open_ & since
    return found.count(answer.take(marked(more))) - found.count(answer.take(marked(less)))


# ---- needless derivations ----


@dataclass(frozen=True, eq=False)
class _UnitColumn:
    """A unit in some views, with numbers that are equal where the gaps of its signature have equal values."""

    unit: Cluster
    number: Column


_Parts = tuple[_UnitColumn, ...]


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
    groups = list(_view_groups(at, list(_sections(found, at, rivals, variables)), values))
    # The pairs of groups that some moment has views of.
    moments = [distinct(group.moment) for group in groups]
    moment, number = np.concatenate(moments), np.repeat(np.arange(len(groups)), [*map(len, moments)])
    here, there = pairs(moment, moment)
    for pair in distinct(number[here] * len(groups) + number[there]).tolist():
        one, other = groups[pair // len(groups)], groups[pair % len(groups)]
        keep[other.view[_needless(one, other)]] = False
    return keep


@dataclass(frozen=True, eq=False)
class _ViewGroup:
    """The views of a block with the same literals true."""

    view: Column
    moment: Column
    hypotheses: _Parts
    evidence: _Parts


def _view_groups(at: Moments, sections: Sequence[_Section], values: Values) -> Iterator[_ViewGroup]:
    for section, columns in zip(sections, _numbers(sections, values), strict=True):
        own, view, row = section.units, section.view, section.rows.take(section.place)
        true = np.zeros((len(own), len(row)), np.bool_)
        for i, unit in enumerate(own):
            if not unit.is_open:
                true[i] = section.block.holds[unit.literals[0], row] <= at.then[view]
        for these in _alike([*true], len(row)):
            held, spot, mine = true[:, these[0]], section.place.take(these), view[these]
            parts = [
                tuple(_UnitColumn(own[i], columns[i].take(spot)) for i in marked(mask).tolist())
                for mask in (~held, held)
            ]
            yield _ViewGroup(mine, at.view_at[mine], *parts)


def _alike(true: Sequence[Mask], count: int) -> Iterator[Column]:
    """Groups of rows in which the same literals are true."""
    different, which = numbered(key_of([each.astype(np.int64) for each in true], count))
    for number in range(len(different)):
        yield marked(which == number)


@dataclass(frozen=True, eq=False)
class _Section:
    """Views of a block in which the same literals with open variables are true, and the `units` of these."""

    block: Derivations
    units: tuple[Cluster, ...]
    view: Column
    rows: Column
    place: Column  # of each view among the rows


def _sections(found: Lives, at: Moments, rivals: Column, variables: Sequence[str]) -> Iterator[_Section]:
    for b, block in enumerate(found.blocks):
        views = at.views(found, b)
        first, last = np.searchsorted(rivals, [views.start, views.stop])
        view = rivals[first:last]
        row, bound = at.view_of[view] - found.starts[b], frozenset(block.rows.bound)
        some = [
            i
            for i, literal in enumerate(block.prepared.literals)
            if not literal.variables <= bound and (block.holds[i] < NEVER).any()
        ]
        true = [block.holds[i].take(row) <= at.then.take(view) for i in some]
        for these in _alike(true, len(row)):
            told = frozenset(i for i, each in zip(some, true, strict=True) if each[these[0]])
            own = units(block.prepared, bound, tuple(variables), told)
            yield _Section(block, own, view.take(these), *numbered(row.take(these)))


def _numbers(sections: Sequence[_Section], values: Values) -> list[list[Column]]:
    """For each unit of a section numbers for the values in its gaps, equal where these are."""
    result = [[np.zeros(len(each.rows), np.int64)] * len(each.units) for each in sections]
    filled: dict[str, list[tuple[int, int, list[Column]]]] = {}
    for number, section in enumerate(sections):
        for i, unit in enumerate(section.units):
            columns = _filled(section.block, unit, section.rows, values)
            filled.setdefault(unit.signature, []).append((number, i, columns))
    for places in filled.values():
        keys = keys_of([columns for _, _, columns in places])
        for (number, i, _), key in zip(places, keys, strict=True):
            result[number][i] = key
    return result


def _filled(block: Derivations, unit: Cluster, rows: Column, values: Values) -> list[Column]:
    """The values in the gaps of a unit, for some rows; of several orders, the least."""
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


def _gap(gap: Operand, rows: Rows, values: Values) -> Column:
    match gap:
        case Time():
            return time_column(gap, rows)
        case Var() | Const():
            return term_column(gap, rows, values)
        case _:
            return np.broadcast_to(cells_of(gap, rows.bound, values), rows.count)


def _needless(one: _ViewGroup, other: _ViewGroup) -> Column:
    """The views of the other group that some view of the one makes needless."""
    if one is other and all(_once(parts) for parts in (one.hypotheses, one.evidence)):
        return np.zeros(0, np.int64)  # none has fewer, and each reads as the same one of the other only
    # Pairs of views of a moment of which the one's hypotheses are all among the other's.
    if one.hypotheses:
        here, there = _joined(one.moment, one.hypotheses, other.moment, other.hypotheses)
    elif other.hypotheses:
        here, there = pairs(one.moment, other.moment)
    else:
        here, there = _joined(one.moment, one.evidence, other.moment, other.evidence)
    if len(here) == 0:
        return here
    fewer = _count(one.hypotheses, here) < _count(other.hypotheses, there)
    inside = _inside(one.evidence, here, other.evidence, there)
    less = inside & (_count(one.evidence, here) < _count(other.evidence, there))
    same = _count(one.hypotheses, here) == _count(other.hypotheses, there)
    return distinct(there[fewer | (same & less)])


def _once(parts: _Parts) -> bool:
    """Whether no two parts can read the same."""
    return not any(part.unit.alike(other.unit) for i, part in enumerate(parts) for other in parts[:i])


def _joined(moment: Column, parts: _Parts, opposite: Column, its: _Parts) -> tuple[Column, Column]:
    """Pairs of views of the same moment of which each part of the one is a part of the other."""
    options = [[j for j, part in enumerate(its) if part.unit.alike(own.unit)] for own in parts]
    if not all(options):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    found: list[Column] = []
    size = len(opposite)
    # What more ways would find is not looked for.
    for way in islice(product(*options), 5_000):
        own, other = [part.number for part in parts], [its[j].number for j in way]
        keys = keys_of([[moment, *own], [opposite, *other]])
        here, there = pairs(*keys)
        found.append(here * size + there)
    together = found[0] if len(found) == 1 else distinct(np.concatenate(found))
    here, there = np.divmod(together, size)
    return here, there


def _inside(parts: _Parts, here: Column, its: _Parts, there: Column) -> Mask:
    """For each pair of views whether all parts of the one are parts of the other."""
    inside = np.ones(len(here), np.bool_)
    for part in parts:
        hit = np.zeros(len(here), np.bool_)
        for other in its:
            if part.unit.alike(other.unit):
                hit |= part.number.take(here) == other.number.take(there)
        inside &= hit
    return inside


def _count(parts: _Parts, view: Column) -> Column:
    """The number of different parts of each view."""
    count = np.full(len(view), len(parts))
    for i, part in enumerate(parts):
        again = np.zeros(len(view), np.bool_)
        for other in parts[:i]:
            if part.unit.alike(other.unit):
                again |= part.number.take(view) == other.number.take(view)
        count -= again
    return count
