"""How large a table within a step may become, looked at before the memory is taken.

budget 256 MB: some 3 million rows
a join that would have 50 million raises TooLargeError, and the step is cut into smaller ones
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

BUDGET = 256 * 2**20
"""The bytes a table may take, unless told otherwise."""

_A_ROW = 80
"""The bytes a row takes, about: ten columns."""

_budget: ContextVar[int] = ContextVar("budget", default=BUDGET)


class TooLargeError(Exception):
    """A table would have more rows than there is room for; `where` says for which rule."""

    def __init__(self, rows: int, where: str = "") -> None:
        super().__init__(f"{rows} rows")
        self.rows, self.where = rows, where


@contextmanager
def budget(size: int) -> Iterator[None]:
    """Within it, tables take at most so many bytes each."""
    token = _budget.set(size)
    try:
        yield
    finally:
        _budget.reset(token)


def make_room(counts: NDArray[np.int64]) -> None:
    """Raises TooLargeError if a table with so many rows for each of others would be too large."""
    rows = int(counts.sum())
    if rows > max(_budget.get() // _A_ROW, 1):
        raise TooLargeError(rows)
