"""Large numbers in place of the small ones of random programs and their facts, in the same order.

5, 10, 12, 12.5, 14, 20     2^53 - 1, 2^53, 2^53 + 1, the double 2^53 + 2, 2^53 + 3, ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from antelog.language.syntax import Value

_TAKEN = re.compile(r"(?<![\w.+-])(12\.5|5|10|12|14|20)(?!\w|\.\d|%)")


@dataclass(frozen=True)
class LargeNumbers:
    """What stands in place of 5, 10, 12, 12.5, 14 and 20."""

    instead: tuple[int | float, ...]

    @property
    def _each(self) -> Mapping[float, int | float]:
        return dict(zip((5, 10, 12, 12.5, 14, 20), self.instead, strict=True))

    def text(self, program: str) -> str:
        """A program with these numbers; ticks are small, and queries have no other numbers."""
        lines = (
            each if each.startswith("query") else _TAKEN.sub(lambda m: repr(self._each[float(m[1])]), each)
            for each in program.splitlines()
        )
        return "\n".join(lines)

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values of a fact, of which the last is its time."""
        return (*(v if isinstance(v, str) else self._each[v] for v in values[:-1]), values[-1])


_53, _63 = 2**53, 2**63
LARGE = tuple(
    map(
        LargeNumbers,
        (
            (_53 - 1, _53, _53 + 1, _53 + 2.0, _53 + 3, 2 * _53 + 1),
            (_53 + 1, float(_53), 0.5, _53, -_53 - 1, 1e308),
            (_63 - 3, _63 - 2, _63 - 1, float(_63), _63, 2.0 * _63),
            (-_63, -_63 + 1, 1 - 2.0**63, float(-_63), -2.0 * _63, -_53 - 1),
            (17 * 10**17, 17 * 10**17 + 1, 1.7e18, 17 * 10**17 + 2, 0.5, 34 * 10**17 + 1),
            (8e307, 1e308, 1.5e308, 1.7e308, _63 - 1, -1e308),
        ),
    )
)
