"""The largest number of any stretch of a sequence, looked up and not searched for.

    5 2 9 2 7     the largest of the second to the fourth is 9

For each place the largest of the 1, 2, 4, … numbers from there on is kept. A stretch is covered by two of
these, which may overlap. (This is a *sparse table*.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns.tables import Column

NOTHING = -1
"""The largest number of an empty stretch; those of a sequence are 0 or more."""


@dataclass(frozen=True, eq=False)
class Peaks:
    """A line for each power of two, of the largest of so many numbers from each place on."""

    lines: NDArray[np.int32]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], longest: int) -> Self:
        """Numbers that are 0 or more, for stretches of at most some length."""
        lines = [numbers]
        for power in range(max(longest, 1).bit_length() - 1):
            line = lines[-1].copy()
            np.maximum(line[: -(1 << power)], line[1 << power :], out=line[: -(1 << power)])
            lines.append(line)
        return cls(np.stack(lines))

    def largest(self, first: Column, end: Column) -> Column:
        """The largest of each stretch, from `first` to before `end`."""
        if not self.lines.size:
            return np.full(len(first), np.int64(NOTHING))
        length = end - first
        power = np.frexp(np.maximum(length, 1))[1].astype(np.int64) - 1
        at, width = power * self.lines.shape[1], 1 << power
        flat, some = self.lines.ravel(), length > 0
        one = flat.take(np.where(some, at + first, 0), mode="clip")
        other = flat.take(np.where(some, at + end - width, 0), mode="clip")
        largest: Column = np.where(some, np.maximum(one, other), NOTHING).astype(np.int64)
        return largest
