"""The work that the search for patterns may take, in steps of about a microsecond.

Steps are counted, never the time, so that a program is refused on every machine or on none. A search for
what is needless may give up instead: then patterns stay as they are, which costs work but changes no answer.

    Budget(10_000)    3,000,000 steps, of which searches may take half; 20,000 at most for each of them
"""

from __future__ import annotations

STEPS_EACH = 300
"""The steps there are for each pattern that the limit allows."""

FEWEST_STEPS = 3_000_000
"""The steps there are at least: a low limit of patterns is no reason to search less."""

LONGEST_SEARCH = 20_000
"""The most steps of one search for what is needless."""


class TooMuchWorkError(Exception):
    """All steps are taken."""


class Budget:
    """Counts the steps that a program takes; `given_up` are the searches that were not ended."""

    def __init__(self, limit: int) -> None:
        self.steps = max(FEWEST_STEPS, STEPS_EACH * limit)
        self._for_searches = self.steps // 2
        self.given_up = 0

    def spend(self, steps: int) -> None:
        """Takes steps; raises TooMuchWorkError if there are none left."""
        self.steps -= steps
        if self.steps < 0:
            raise TooMuchWorkError

    def compare(self, steps: int) -> None:
        """Takes steps to find out which patterns a search may be for."""
        self._for_searches -= steps
        self.spend(steps)

    def searched(self, steps: int, ended: bool) -> None:
        """Takes the steps of a search."""
        self._for_searches -= steps
        self.given_up += not ended
        self.spend(steps)

    @property
    def alike(self) -> bool:
        """Whether patterns are so alike that searches have taken all that is theirs."""
        return self._for_searches <= 0

    @property
    def longest(self) -> int:
        """The most steps that the next search may take."""
        return min(LONGEST_SEARCH, self._for_searches)
