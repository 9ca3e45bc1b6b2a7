"""Explanations as nested Arrow arrays: for each line a list of evidence and hypotheses.

The texts of literals are made once for each derivation that is told; sorting and nesting work
on numbers that stand for them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antelog.engine.changes import Candidates, Moments, Views
from antelog.engine.literals import sorted_ranks, texts
from antelog.engine.tables import Column, Mask, distinct, spread
from antelog.engine.truth import World


def explanations(
    world: World, found: Candidates, at: Moments, seen: Views, told: Mask, moment: Column
) -> pa.Array:
    """For each of these moments, the evidence and the hypotheses of every view told then."""
    line, view = _views_of(at, told, moment)
    literals, names = _literals(world, found, at, seen, view)
    evidence = _lists(literals.view[literals.true], literals.text[literals.true], len(view))
    hypotheses = _lists(literals.view[~literals.true], literals.text[~literals.true], len(view))
    order = _canonical(line, evidence, hypotheses)
    pairs = [_nested(part, order, names) for part in (evidence, hypotheses)]
    struct = pa.StructArray.from_arrays(pairs, ["evidence", "hypotheses"])
    offsets = np.searchsorted(line, np.arange(len(moment) + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), struct)


def because(
    world: World, found: Candidates, at: Moments, seen: Views, told: Mask, moment: Column, rejected: Mask
) -> pa.Array:
    """For each rejected moment, the hypotheses of the last explanations that became false at it."""
    line, view = _views_of(at, told, np.where(rejected, moment - 1, -1))
    literals, names = _literals(world, found, at, seen, view)
    false = np.zeros(len(literals.view), np.bool_)
    for b, block in enumerate(found.blocks):
        mine = np.flatnonzero(literals.block == b)
        fails = block.fails[literals.number[mine], found.row[at.view_of[view[literals.view[mine]]]]]
        false[mine] = fails == at.tick[moment[line[literals.view[mine]]]]
    lists = _lists(line[literals.view[false]], literals.text[false], len(moment))
    nested = _nested(lists, np.arange(len(moment)), names)
    return pa.ListArray.from_arrays(nested.offsets, nested.values, mask=pa.array(~rejected))


def _views_of(at: Moments, told: Mask, moment: Column) -> tuple[Column, Column]:
    """The views told at moments: for each its line (which of the moments) and its number."""
    view = np.flatnonzero(told)
    if len(moment) == 0 or len(view) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(at.view_at[view], kind="stable")
    view = view[order]
    first = np.searchsorted(at.view_at[view], moment, "left")
    counts = np.searchsorted(at.view_at[view], moment, "right") - first
    return np.repeat(np.arange(len(moment)), counts), view[spread(first, counts)]


class _Literals:
    """The literals of views: of which view, in which block and line, which text, and whether true."""

    def __init__(self, view: Column, block: Column, number: Column, text: Column, true: Mask) -> None:
        self.view, self.block, self.number, self.text, self.true = view, block, number, text, true


def _literals(
    world: World, found: Candidates, at: Moments, seen: Views, view: Column
) -> tuple[_Literals, pa.Array]:
    row_of = at.view_of[view]
    block_of = found.block[row_of]
    parts: list[pa.Array] = []
    pieces: list[tuple[Column, int, int, Column, Mask]] = []
    for b, block in enumerate(found.blocks):
        mine = np.flatnonzero(block_of == b)
        if len(mine) == 0:
            continue
        rows, back = np.unique(found.row[row_of[mine]], return_inverse=True)
        for number, text in enumerate(texts(block, rows, world.values)):
            parts.append(text)
            pieces.append((mine, b, number, back, seen.true[b][number, seen.position[view[mine]]]))
    empty = np.zeros(0, np.int64)
    if not parts:
        return _Literals(empty, empty, empty, empty, empty.astype(np.bool_)), pa.array([], pa.string())
    ranks, names = sorted_ranks(parts)
    return (
        _Literals(
            np.concatenate([mine for mine, *_ in pieces]),
            np.concatenate([np.full(len(mine), b) for mine, b, *_ in pieces]),
            np.concatenate([np.full(len(mine), number) for mine, _, number, *_ in pieces]),
            np.concatenate([rank[back] for rank, (_, _, _, back, _) in zip(ranks, pieces, strict=True)]),
            np.concatenate([true for *_, true in pieces]),
        ),
        names,
    )


class _Lists:
    """Lists of text numbers, one after the other: where each begins, and the numbers."""

    def __init__(self, offsets: Column, items: Column) -> None:
        self.offsets, self.items = offsets, items


def _lists(owner: Column, text: Column, count: int) -> _Lists:
    """The texts of each owner, sorted, each once."""
    size = int(text.max(initial=0)) + 1
    key = distinct(owner * size + text)
    owner, text = np.divmod(key, size)
    return _Lists(np.searchsorted(owner, np.arange(count + 1)), text)


def _canonical(line: Column, evidence: _Lists, hypotheses: _Lists) -> Column:
    """The views line by line; those of one line with fewer hypotheses first, then by their texts."""
    order = np.arange(len(line))
    crowded = np.flatnonzero(np.bincount(line, minlength=1)[line] > 1) if len(line) else order
    if len(crowded):
        ranked = sorted(crowded.tolist(), key=lambda v: (line[v], *_sorting_key(v, evidence, hypotheses)))
        order[crowded] = ranked
    return order


def _sorting_key(view: int, evidence: _Lists, hypotheses: _Lists) -> tuple[object, ...]:
    parts = [p.items[p.offsets[view] : p.offsets[view + 1]].tolist() for p in (hypotheses, evidence)]
    return (len(parts[0]), len(parts[1]), *parts)


def _nested(lists: _Lists, order: Column, names: pa.Array) -> pa.ListArray:
    sizes = np.diff(lists.offsets)[order]
    items = lists.items[spread(lists.offsets[:-1][order], sizes)]
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), names.take(pa.array(items)))
