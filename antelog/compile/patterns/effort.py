"""Where the search for patterns gives up.

In comes each combination that is tried, out goes whether that is more than the caller allows: rules may
multiply, and recursion may have no end, long before anybody sees a result. What is raised says which rules
are to blame, so that their author can be told.

    P(X, T) :- Q1(X, T), …, Q9(X, T), each Q with four rules: 4^9 patterns, more than 10,000
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antelog.compile.patterns.unfold import Spanned

LITERALS_EACH = 10
"""The patterns of a predicate may have this many literals for each pattern that the limit allows."""

LITERALS_OF_ALL = 20
"""Those of all predicates together may have this many, for a chain of rules may grow with each of them."""


class TooManyPatternsError(Exception):
    """A predicate has more patterns than the limit allows, or these have too many `literals` together.

    `sizes` has for each of its rules, by number, the derived predicates of the body and how many
    patterns they have; `literals` how many there may be, if it is they that are too many. If `alike`, the
    patterns have too much in common for finding out within seconds which are needless.
    """

    def __init__(
        self,
        predicate: str,
        sizes: Mapping[int, tuple[tuple[str, int], ...]],
        literals: int | None = None,
        *,
        alike: bool = False,
    ) -> None:
        super().__init__(predicate)
        self.predicate = predicate
        self.sizes = sizes
        self.literals = literals
        self.alike = alike


class EndlessError(Exception):
    """Recursion that no window ends: the rules, by number, that lead from the predicate to itself."""

    def __init__(self, predicate: str, rules: Sequence[int], framed: bool) -> None:
        super().__init__(predicate)
        self.predicate = predicate
        self.rules = tuple(rules)
        self.framed = framed


class Effort:
    """Counts the combinations tried, and the patterns found with their literals, against the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._patterns = limit
        self._steps = 50 * limit
        self._literals = LITERALS_EACH * limit

    def exceeded(self, spanned: Spanned | None) -> bool:
        self._steps -= 1
        if spanned is not None:
            self._patterns -= 1
            self._literals -= len(spanned.pattern.literals)
        return min(self._patterns, self._steps, self._literals) < 0

    @property
    def literals_allowed(self) -> int | None:
        """How many literals there may be, if there are more; None if something else is too much."""
        return None if min(self._patterns, self._steps) < 0 else LITERALS_EACH * self._limit
