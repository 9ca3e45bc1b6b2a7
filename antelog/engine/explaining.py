"""Explanations as nested Arrow arrays: for each line a list of evidence and hypotheses.

Everything here works on numbers that stand for the texts of literals and sort as they do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antelog.engine.changes import Candidates, Moments
from antelog.engine.excepting import excepted
from antelog.engine.literals import Writer, numbered_texts
from antelog.engine.schema import exception_fields
from antelog.engine.tables import NEVER, Column, Mask, distinct, in_order, sorting
from antelog.engine.world import World

_NONE = -1


def explanations(
    world: World, name: str, found: Candidates, at: Moments, told: Mask, moment: Column, rejected: Mask
) -> tuple[pa.Array, pa.Array]:
    """For each of these moments, the evidence and the hypotheses of every view told then.

    And for the rejected, which are told as they were the moment before, the hypotheses of the last
    explanations that became false.
    """
    line, view = _views_of(at, told, moment - rejected, rejected)
    sheet = _sheet(world, found, at.view_of[view])
    counts = np.bincount(line, minlength=len(moment))
    text, evidence, hypotheses = sheet.told(at.view_of[view], at.then[view])
    if counts.max(initial=0) > 1:
        order = _canonical(line, counts, text, evidence)
        view, text = view[order], np.take(text, order, axis=0)
        evidence, hypotheses = np.take(evidence, order, axis=0), np.take(hypotheses, order, axis=0)
    pairs = [_nested(sheet.names, _chosen(text, part), _counted(part)) for part in (evidence, hypotheses)]
    fields = ["evidence", "hypotheses"]
    named = exception_fields(world.relations[name], world.layouts[name], world.types[name])
    if named:
        pairs.append(excepted(world, named, found, at.view_of[view], at.then[view]))
        fields.append("except")
    struct = pa.StructArray.from_arrays(pairs, fields)
    shown = pa.ListArray.from_arrays(_offsets(counts), struct)
    last = np.flatnonzero(rejected[line])
    failed = sheet.failed(at.view_of[view[last]], at.tick[moment[line[last]]])
    return shown, _because(sheet.names, line[last], text[last], failed, rejected)


def _because(
    names: pa.Array, line: Column, text: NDArray[np.int32], failed: Mask, rejected: Mask
) -> pa.Array:
    """The texts that failed in each rejected line, each once."""
    key = _chosen(line[:, None] * len(names) + text, failed)
    if np.any(line[1:] == line[:-1]):
        key = distinct(key)
    owner, item = np.divmod(key, max(len(names), 1))
    counts = np.bincount(owner, minlength=len(rejected))
    return pa.ListArray.from_arrays(_offsets(counts), names.take(pa.array(item)), mask=pa.array(~rejected))


def _views_of(at: Moments, told: Mask, moment: Column, again: Mask) -> tuple[Column, Column]:
    """The views told at moments: for each its line (which of the moments) and its number.

    The same moment may be wanted twice, but only once among those marked `again`.
    """
    view = np.flatnonzero(told)
    place = at.view_at[view]
    view_at = np.full(len(at.tick), _NONE)
    view_at[place] = view
    if np.count_nonzero(view_at != _NONE) == len(view):
        chosen = view_at[moment]  # no moment has two views
        line = np.flatnonzero(chosen != _NONE)
        return line, chosen[line]
    lines, views = [], []
    for part in (np.flatnonzero(~again), np.flatnonzero(again)):
        line_at = np.full(len(at.tick), _NONE)
        line_at[moment[part]] = part
        line = line_at[place]
        here = np.flatnonzero(line != _NONE)
        lines.append(line[here])
        views.append(view[here])
    line, view = np.concatenate(lines), np.concatenate(views)
    order = sorting(line)
    return line[order], view[order]


@dataclass(frozen=True, eq=False)
class _Sheet:
    """The literals of derivations, a line each, sorted by their texts: which text, when true, when false.

    What a derivation has fewer than others, or twice, is _NONE; if `full`, there is no such. `place`
    says where derivations are here.
    """

    names: pa.Array
    place: Column
    text: NDArray[np.int32]
    holds: Column
    fails: Column
    full: bool

    def told(self, row: Column, then: Column) -> tuple[NDArray[np.int32], Mask, Mask]:
        """The texts of derivations at some ticks, which of them are evidence, and which hypotheses."""
        place = self.place[row]
        text = _side_by_side((line[place] for line in self.text), (len(row), len(self.text)), np.int32)
        true: Mask = _side_by_side((line[place] <= then for line in self.holds), text.shape, np.bool_)
        if self.full:
            return text, true, ~true
        there = text != _NONE
        return text, true & there, ~true & there

    def failed(self, row: Column, tick: Column) -> Mask:
        """Which literals of derivations become false at some ticks."""
        place = self.place[row]
        size = (len(row), len(self.text))
        false: Mask = _side_by_side((line[place] == tick for line in self.fails), size, np.bool_)
        return false if self.full else false & (self.text[:, place].T != _NONE)


def _side_by_side(lines: Iterable[NDArray[Any]], size: tuple[int, int], dtype: type) -> NDArray[Any]:
    table: NDArray[Any] = np.empty(size, dtype)
    for i, line in enumerate(lines):
        table[:, i] = line
    return table


def _sheet(world: World, found: Candidates, row: Column) -> _Sheet:
    """The literals of these derivations."""
    wanted = np.zeros(len(found.number), np.bool_)
    wanted[row] = True
    place = np.cumsum(wanted) - 1
    width = max((len(block.holds) for block in found.blocks), default=0)
    size = (width, int(np.count_nonzero(wanted)))
    text, holds, fails = np.full(size, _NONE, np.int32), np.full(size, NEVER), np.full(size, NEVER)
    chosen = [np.flatnonzero(wanted[found.rows(b)]) for b in range(len(found.blocks))]
    pieces = [
        Writer(block, block.rows.take(rows), world.values).pieces()
        for block, rows in zip(found.blocks, chosen, strict=True)
    ]
    counts = [len(rows) for rows, literals in zip(chosen, pieces, strict=True) for _ in literals]
    if not any(counts):
        return _Sheet(pa.array([], pa.string()), place, text, holds, fails, False)
    numbers, names = numbered_texts([literal for literals in pieces for literal in literals], counts)
    start, full = 0, True
    for block, rows in zip(found.blocks, chosen, strict=True):
        lines, end = len(block.holds), start + len(rows)
        for i in range(lines if len(rows) else 0):
            text[i, start:end] = numbers[i]
            holds[i, start:end], fails[i, start:end] = block.holds[i][rows], block.fails[i][rows]
        own, numbers = text[:lines, start:end], numbers[lines:]
        _sort(own, holds[:lines, start:end], fails[:lines, start:end])
        twice = own[1:] == own[:-1]
        if twice.any():
            own[1:][twice] = _NONE
            full = False
        full = full and (lines == width or len(rows) == 0)
        start = end
    return _Sheet(names, place, text, holds, fails, full)


def _sort(key: NDArray[np.int32], *others: Column) -> None:
    """Sorts each column of a few lines in place, and others with it.

    Where lines are few, exchanging neighbours is much faster than sorting column by column.
    """
    for end in range(len(key) - 1, 0, -1):
        done = True
        for i in range(end):
            at = np.flatnonzero(key[i] > key[i + 1])
            if len(at):
                done = False
                tables: tuple[NDArray[np.integer[Any]], ...] = (key, *others)
                for table in tables:
                    table[i, at], table[i + 1, at] = table[i + 1, at], table[i, at]
        if done:
            return


def _canonical(line: Column, counts: Column, text: NDArray[np.int32], evidence: Mask) -> Column:
    """The views line by line; those of one line with fewer hypotheses first, then by their texts."""
    order = np.arange(len(line))
    crowded = np.flatnonzero(counts[line] > 1)
    texts, true = text[crowded].astype(np.int64), evidence[crowded]
    there = texts != _NONE
    beyond = int(texts.max(initial=0)) + 1
    # Hypotheses first, then evidence, then what there is not.
    sequence = np.sort(np.where(there, texts + beyond * true, 2 * beyond), axis=1)
    sizes = [_counted(there & ~true), _counted(there & true)]
    order[crowded] = crowded[in_order([line[crowded], *sizes, *sequence.T])]
    return order


def _counted(part: Mask) -> Column:
    """How many there are in each row."""
    counts = np.zeros(len(part), np.int64)
    for column in part.T:
        counts += column
    return counts


def _chosen(table: NDArray[Any], part: Mask) -> NDArray[Any]:
    """What a mask has of a table, row by row."""
    return table.ravel()[np.flatnonzero(part)]


def _nested(names: pa.Array, items: NDArray[np.int32], counts: Column) -> pa.ListArray:
    return pa.ListArray.from_arrays(_offsets(counts), names.take(pa.array(items)))


def _offsets(counts: Column) -> pa.Array:
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    return pa.array(offsets)
