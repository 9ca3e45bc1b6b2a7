"""Sets of ticks as spans: 3, 4, 5 and all from 900 on have first = [3, 900] and last = [5, FOREVER]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.columns import tables
from antelog.engine.columns.joins import TooLargeError, spread
from antelog.engine.columns.tables import Column, Mask, marked
from antelog.errors import DataError

FOREVER = 2**56  # a tick after all others
MOST_TICKS = 100_000_000  # the most ticks that a step may enumerate
_AT_ONCE = 200_000  # the most ticks enumerated at once; each takes some 300 bytes


@dataclass(frozen=True)
class Spans:
    """Spans of ticks in order, with gaps between them."""

    first: Column
    last: Column

    @property
    def empty(self) -> bool:
        return len(self.first) == 0

    def pairs(self) -> Iterable[tuple[int, int]]:
        return zip(self.first.tolist(), self.last.tolist(), strict=True)

    def shifted(self, earlier: int | None, later: int | None) -> Spans:
        """Moves beginnings earlier and ends later by these numbers of ticks (None: without end)."""
        if self.empty or earlier == later == 0:
            return self
        if len(self.first) == 1:
            first, last = self.first.item(), self.last.item()
            return span(
                -FOREVER if earlier is None else max(first - earlier, -FOREVER),
                FOREVER if later is None else min(last + later, FOREVER),
            )
        begins = np.full_like(self.first, -FOREVER) if earlier is None else self.first - earlier
        ends = np.full_like(self.last, FOREVER) if later is None else self.last + later
        return _merged(np.maximum(begins, -FOREVER), np.minimum(ends, FOREVER))

    def within(self, ticks: Column) -> Mask:
        if self.empty:
            return np.zeros(len(ticks), np.bool_)
        at = np.searchsorted(self.first, ticks, "right") - 1
        return (at >= 0) & (ticks <= self.last.take(np.maximum(at, 0)))

    def between(self, first: int, last: int) -> Spans:
        """Clips the spans to two ticks, both included."""
        at = marked((self.last >= first) & (self.first <= last))
        return Spans(np.maximum(self.first.take(at), first), np.minimum(self.last.take(at), last))

    def ticks(self) -> Column:
        """Enumerates all ticks. Raises DataError beyond MOST_TICKS, TooLargeError if a step must be cut."""
        count = int((self.last - self.first + 1).sum())
        if count > MOST_TICKS:
            raise DataError.of("spans.too-many-ticks", count=count)
        if count > _AT_ONCE:
            raise TooLargeError(count)
        _, ticks = spread(self.first, self.last - self.first + 1)
        return ticks


NOWHERE = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64))
EVERYWHERE = Spans(np.array([-FOREVER]), np.array([FOREVER]))


def span(first: int, last: int) -> Spans:
    return Spans(np.array([first]), np.array([last])) if first <= last else NOWHERE


def spans_of(ticks: Column) -> Spans:
    return _merged(ticks, ticks) if len(ticks) else NOWHERE


def union(parts: Iterable[Spans]) -> Spans:
    found = [part for part in parts if not part.empty]
    if len(found) == 1:
        return found[0]
    if not found:
        return NOWHERE
    if sum(len(part.first) for part in found) <= tables.FEW:
        return _few_merged(sorted(pair for part in found for pair in part.pairs()))
    first, last = [part.first for part in found], [part.last for part in found]
    return covering(np.concatenate(first), np.concatenate(last))


def covering(first: Column, last: Column) -> Spans:
    """Merges spans in any order, which may touch or overlap."""
    if len(first) == 0:
        return NOWHERE
    order = np.argsort(first, kind="stable")
    return _merged(first.take(order), last.take(order))


def _merged(first: Column, last: Column) -> Spans:
    if len(first) == 1:
        return Spans(first, last)
    if len(first) <= tables.FEW:
        return _few_merged([*zip(first.tolist(), last.tolist(), strict=True)])
    last = np.maximum.accumulate(last)
    begins = np.ones(len(first), np.bool_)
    np.greater(first[1:], last[:-1] + 1, out=begins[1:])
    at = marked(begins)
    return Spans(first.take(at), last.take(np.append(at[1:], len(first)) - 1))


def _few_merged(pairs: Sequence[tuple[int, int]]) -> Spans:
    begins, ends = [pairs[0][0]], [pairs[0][1]]
    for begin, end in pairs:
        if begin > ends[-1] + 1:
            begins.append(begin)
            ends.append(end)
        else:
            ends[-1] = max(ends[-1], end)
    return Spans(np.array(begins, np.int64), np.array(ends, np.int64))
