"""Running sums that fade: each keeps a share of the one before, and adds its own number.

    numbers  1  0  1  1     keeps  0  .5  .5  0     sums  1  .5  1.25  1

A row that keeps nothing begins a run of its own. Rows are cut into blocks of one length, and all blocks are
added up side by side; then each gets what the one before has left.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Numbers

_LENGTH = 32
"""So many rows a block has: to go through them takes as many calls."""


def running_sums(numbers: Numbers, keeps: Numbers) -> Numbers:
    """The sums after each row; as many columns of numbers, side by side, share a column of `keeps`."""
    if not keeps[1:].any():
        return numbers
    count, columns = keeps.shape
    length = min(len(numbers), _LENGTH)
    left = _by_block(keeps, length)[:, :, None]
    sums = _by_block(numbers, length).reshape(length, columns, -1, left.shape[-1])
    for row in range(1, length):
        sums[row] += left[row] * sums[row - 1]
        left[row] *= left[row - 1]
    if count > length:
        ends = sums[-1].reshape(-1, sums.shape[-1]).T, left[-1, :, 0].T
        before = np.ascontiguousarray(running_sums(*ends)[:-1].T).reshape(columns, -1, sums.shape[-1] - 1)
        for row in range(length):
            sums[row, ..., 1:] += left[row, ..., 1:] * before
    found: Numbers = (
        sums.reshape(length, numbers.shape[1], -1).transpose(2, 0, 1).reshape(-1, numbers.shape[1])
    )
    return found[:count]


def _by_block(rows: Numbers, length: int) -> Numbers:
    """The rows of all blocks side by side: by row in the block, column, block; filled up with 0."""
    count, width = rows.shape
    whole = count // length * length
    found = np.zeros((length, width, -(-count // length)))
    found[..., : whole // length] = rows[:whole].reshape(-1, length, width).transpose(1, 2, 0)
    found[: count - whole, :, whole // length :] = rows[whole:, :, None]
    return found
