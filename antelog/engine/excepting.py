"""The exceptions of explanations that hold for all values but some, as Arrow arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.candidates import Candidates
from antelog.engine.schema import MIXED
from antelog.engine.tables import Column, Mask, keys_of, marked, spread
from antelog.engine.values import UNBOUND
from antelog.engine.world import World


def excepted(
    world: World, fields: Sequence[pa.Field], found: Candidates, row: Column, then: Column
) -> pa.ListArray:
    """For some derivations at some ticks, what the derivations bind that they do not speak for."""
    which, but = found.exceptions.of_views(row, then)
    columns = [_told(world, field, *_cells(found, field.name, row[which], but)) for field in fields]
    order = np.lexsort([*[_ranks(column) for column in reversed(columns)], which])
    struct = pa.StructArray.from_arrays(columns, fields=list(fields)).take(pa.array(order))
    offsets = np.searchsorted(which[order], np.arange(len(row) + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), struct)


def alike(lists: pa.ListArray, one: Column, other: Column) -> Mask:
    """For pairs of these lists, whether they have the same exceptions."""
    begin, size = lists.offsets.to_numpy(), lists.value_lengths().to_numpy()
    same: Mask = size[one] == size[other]
    pair = marked(same)
    (item,) = keys_of([[_ranks(column) for column in lists.values.flatten()]])
    which, here = spread(begin[one[pair]].astype(np.int64), size[one[pair]])
    _, there = spread(begin[other[pair]].astype(np.int64), size[one[pair]])
    same[pair[which[item[here] != item[there]]]] = False
    return same


def _cells(found: Candidates, name: str, of: Column, but: Column) -> tuple[Column, Mask]:
    """The values a variable has in the exceptions, where it is open in what they are excepted from."""
    cells, there = np.full(len(but), UNBOUND), np.zeros(len(but), np.bool_)
    block_of, block_but = (np.searchsorted(found.starts, rows, "right") - 1 for rows in (of, but))
    for b, block in enumerate(found.blocks):
        for g, general in enumerate(found.blocks):
            if name in block.rows.bound and name not in general.rows.bound:
                mine = (block_but == b) & (block_of == g)
                cells[mine] = block.rows.bound[name][but[mine] - found.starts[b]]
                there |= mine
    return cells, there


def _told(world: World, field: pa.Field, cells: Column, there: Mask) -> pa.Array:
    if field.metadata is not None:
        return world.values.decode(cells, MIXED)
    times = {n.time.variable for own in world.layouts.values() for layout in own for n in layout.negations}
    if field.name in times and field.type == pa.int64():
        return pa.array(cells, mask=~there)
    return world.values.decode(cells, field.type)


def _ranks(column: pa.Array) -> Column:
    if pa.types.is_null(column.type):
        return np.zeros(len(column), np.int64)
    ranks: Column = pc.rank(column, tiebreaker="dense").to_numpy().astype(np.int64)
    return ranks
