"""The fates of rows that are read: each row has exactly one.

Of several the first counts: malformed, after_until, early, late, unneeded, repeated, conflicting, admitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


def _fate(words: str, *, set_aside: bool = False) -> int:
    """A count with the words of summaries for it."""
    count: int = field(default=0, metadata={"words": words, "set aside": set_aside})
    return count


@dataclass(frozen=True)
class Counts:
    """The number of rows with each fate."""

    admitted: int = _fate("used")
    repeated: int = _fate("repeated")
    unneeded: int = _fate("not needed")  # by no literal of any rule, which only pipelines on Spark find out
    late: int = _fate("late", set_aside=True)
    early: int = _fate("early", set_aside=True)
    conflicting: int = _fate("conflicting", set_aside=True)  # another fact holds its slot: see `one per`
    malformed: int = _fate("malformed", set_aside=True)  # or a value, the time or the arrival is of no use
    after_until: int = _fate("after --until")

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))

    @property
    def given(self) -> int:
        return sum(getattr(self, name) for name in FATES)


FATES: Mapping[str, str] = {f.name: f.metadata["words"] for f in fields(Counts)}  # the words of summaries

REASONS = tuple(f.name for f in fields(Counts) if f.metadata["set aside"])  # those of rows set aside
FAILED = "failed"  # the reason of calls of functions among rejects; they are no rows
PARTICULAR = "`[^`]*`|[0-9]+"  # also for Java: the values and numbers that differ from row to row


def total(*counts: int | None) -> int | None:
    """The sum of counts; None if one is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
