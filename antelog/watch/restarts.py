"""When a process that ended by itself is started again: soon at first, then more and more slowly.

restarts = Restarts(5.0)
restarts.due()      True five seconds after the start; then ten seconds after that, and so on
"""

from __future__ import annotations

import time

LONGEST = 300.0
"""Seconds from one start to the next, at most."""


class Restarts:
    """Counts from when it is made; `between` are the seconds to the first start that is due."""

    def __init__(self, between: float) -> None:
        self._since, self._between = time.monotonic(), between

    def due(self) -> bool:
        """Whether it may be started again. If so, the next start is due after twice as long."""
        now = time.monotonic()
        if now < self._since + self._between:
            return False
        self._since, self._between = now, min(2 * self._between, LONGEST)
        return True
