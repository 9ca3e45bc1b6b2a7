"""Decision trees as columns, evaluated for many rows level by level; both sides of a leaf are itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns.tables import Column, Numbers, changed, marked

Features = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees with one row per node; the nodes of a tree are side by side, its root first."""

    tree: Column
    feature: Column
    threshold: Numbers
    left: Column
    right: Column
    value: Numbers

    @cached_property
    def roots(self) -> Column:
        return marked(changed(self.tree))

    @cached_property
    def depth(self) -> int:
        at, depth = self.roots, 0
        while len(at):
            inner = at[self.left.take(at) != at]
            at = np.concatenate([self.left.take(inner), self.right.take(inner)])
            depth += len(at) > 0
        return depth

    def sums(self, features: Features) -> Numbers:
        """The sum of the values of the leaves that each row of features reaches."""
        parts = [self._sums(features[at : at + _AT_ONCE]) for at in range(0, len(features), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, features: Features) -> Numbers:
        count, width = features.shape
        flat, row = np.ascontiguousarray(features).ravel(), np.arange(count)[:, None] * width
        at = np.broadcast_to(self.roots, (count, len(self.roots)))
        for _ in range(self.depth):
            up_to = flat.take(row + self.feature.take(at)) <= self.threshold.take(at)
            at = self._sides.take(2 * at + up_to)
        sums: Numbers = self.value.take(at).sum(axis=1)
        return sums

    @cached_property
    def _sides(self) -> Column:
        return np.stack([self.right, self.left], axis=1).ravel()


_AT_ONCE = 2048  # so many rows fit into the cache of a processor
