"""What exponent measurements suggest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST = 3
"""So many points make a line, at least."""


@dataclass(frozen=True)
class Line:
    """cost = factor * size ** exponent, over these sizes."""

    exponent: float
    factor: float
    sizes: tuple[float, ...]

    def at(self, size: float) -> float:
        """To nine digits: in the last ones processors differ, and pictures would with them."""
        return float(f"{self.factor * size**self.exponent:.9g}")


def fitted(sizes: Sequence[float], costs: Sequence[float]) -> Line | None:
    """The line of least squares through the logarithms, over the upper range.

    That is the upper half of the sizes' logarithms, or more if there are not three points in it: below,
    the price of a batch hides what the facts cost. A size or cost of 0 has no logarithm. None if too
    few points are left.
    """
    points = [(s, c) for s, c in zip(sizes, costs, strict=True) if s > 0 and c > 0]
    if len(points) < LEAST:
        return None
    middle = float(np.sqrt(points[0][0] * points[-1][0]))
    upper = [point for point in points if point[0] >= middle]
    upper = points[-max(len(upper), LEAST) :]
    x, y = np.log(np.array(upper, float)).T
    exponent, offset = np.polyfit(x, y, 1)
    return Line(float(exponent), float(np.exp(offset)), tuple(float(size) for size, _ in upper))


def last_step(points: Sequence[tuple[float, float]]) -> float | None:
    """The slope between the last two points' logarithms: where a curve bends, it is not that of the line."""
    if len(points) < 2:
        return None
    (size, cost), (larger, dearer) = points[-2:]
    return float(np.log(dearer / cost) / np.log(larger / size))
