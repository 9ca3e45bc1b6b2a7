"""Joins within a band: equal keys, and a number between two others.

    R(D, V, T), R(D, W, U), U > T, U <= T + 20

For each row on the left the rows on the right with its D and a U from T + 1 to T + 20 stand side by
side once the right is sorted by D and U. Two binary searches find the first and the last of them,
so that no row is made that the band does not have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.room import make_room
from antelog.engine.columns.tables import ROOM, Column, numbered, sorting, spread


@dataclass(frozen=True)
class Band:
    """For each row on the left the least and the greatest number a row on the right may have."""

    least: Column
    most: Column


def band_pairs(left: Column, right: Column, band: Band, number: Column) -> tuple[Column, Column]:
    """The rows of two tables whose keys are equal and whose number on the right lies in the band."""
    if len(left) == 0 or len(right) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    first = int(number.min())
    size = int(number.max()) - first + 2
    _, keys = numbered(np.concatenate([left, right]))
    here, there = keys[: len(left)], keys[len(left) :]
    if int(keys.max()) >= ROOM // size:
        values, number = numbered(number)
        band = Band(np.searchsorted(values, band.least), np.searchsorted(values, band.most, "right") - 1)
        first, size = 0, len(values) + 1
    place = there * size + (number - first)
    order = sorting(place)
    ordered = place.take(order)
    least = np.clip(band.least - first, 0, size - 1)
    beyond = np.clip(band.most - first + 1, 0, size - 1)
    start = np.searchsorted(ordered, here * size + least)
    end = np.searchsorted(ordered, here * size + beyond)
    counts = np.maximum(end - start, 0)
    make_room(counts)
    which, at = spread(start, counts)
    return which, order.take(at)
