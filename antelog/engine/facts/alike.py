"""Facts that may be repeated, found by their digests.

Each fact puts its number into a table, at a place that its digest names, and only facts that meet there are
compared: mostly none. Sorting all digests takes more than twice as long.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Column, marked

_PLACES = 8
"""The least number of places per fact."""

_APART = 32
"""The least number of places per known fact, when others are compared with those."""


def alike(digests: Column) -> Column:
    """The rows whose digest another row has too, in order."""
    rows = _sharing(digests)
    if len(rows) == 0:
        return rows
    order = rows.take(np.argsort(digests.take(rows)))
    sequence = digests.take(order)
    same = sequence[1:] == sequence[:-1]
    twice = np.zeros(len(rows), np.bool_)
    twice[1:] = same
    twice[:-1] |= same
    return np.sort(order.take(marked(twice)))


def among(digests: Column, known: Column) -> Column:
    """The rows whose digest is among those known, in order."""
    bits = max(_APART * len(known) - 1, 1).bit_length()
    rows = _placed(digests, known, bits)
    if len(rows) == 0:
        return rows
    suspects = digests.take(rows)
    return rows.take(marked(np.isin(suspects, known.take(_placed(known, suspects, bits)))))


def _placed(digests: Column, others: Column, bits: int) -> Column:
    """The rows whose place in the table one of the others has, too."""
    there = np.zeros(1 << bits, np.bool_)
    there[_place(others, bits)] = True
    return marked(there.take(_place(digests, bits)))


def _place(digests: Column, bits: int) -> Column:
    return (digests.view(np.uint64) >> np.uint64(64 - bits)).view(np.int64)


def _sharing(digests: Column) -> Column:
    """The rows whose place in the table another row has, too."""
    bits = max(_PLACES * len(digests) - 1, 1).bit_length()
    place = _place(digests, bits)
    numbers = np.arange(len(digests), dtype=np.int32)
    table = np.empty(1 << bits, np.int32)  # only what is written is read
    table[place] = numbers
    lost = marked(table.take(place) != numbers)
    if len(lost) == 0:
        return lost
    shared = np.zeros(1 << bits, np.bool_)
    shared[place.take(lost)] = True
    return marked(shared.take(place))
