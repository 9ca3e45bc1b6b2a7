"""Large batches cut into smaller ones: columns that fit a processor's cache are much faster.

How a stream is cut makes no difference to what is told.

    96,000 facts of one batch, little kept: three batches of 32,000, cut where a tick ends
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from antelog.engine.columns.tables import sorting
from antelog.engine.facts.facts import Facts
from antelog.engine.facts.history import History, rows_of

_ENOUGH = 32_000
"""A batch of this many facts is worth a step."""

_LINES = 64_000
"""So is one that gives this many lines."""

_OUTWEIGHS = 4
"""A batch has at least this many times the facts kept already, as each step may have to look at those."""


def batches(
    facts: Mapping[str, Facts], kept: History, now: int, lines: float
) -> Iterator[tuple[int, Mapping[str, Facts]]]:
    """The facts that arrive up to some ticks, each after the one before; the last of them is `now`.

    So many `lines` are told of each fact, as far as is known.
    """
    count = sum(new.count for new in facts.values())
    # The kept facts are counted only if there is something to cut, for that takes a moment.
    number = max(count // _ENOUGH, int(count * lines) // _LINES)
    if number > 1:
        number = min(number, count // max(1, _OUTWEIGHS * rows_of(kept)))
    ends = [now]
    if number > 1:
        arrival = np.sort(np.concatenate([new.arrival for new in facts.values()]))
        cuts = arrival[np.arange(1, number) * count // number]
        ends = [*(end for end in dict.fromkeys(cuts.tolist()) if end < now), now]
    if len(ends) == 1:
        yield now, facts
        return
    parts = {name: _cut(new, ends) for name, new in facts.items()}
    for number, end in enumerate(ends):
        yield end, {name: part[number] for name, part in parts.items()}


def _cut(facts: Facts, ends: list[int]) -> list[Facts]:
    """The facts that arrive by each of some ticks, and after the one before."""
    number = np.searchsorted(np.array(ends), facts.arrival)
    ordered = facts.take(sorting(number))
    counts = np.bincount(number, minlength=len(ends))
    return [
        ordered.between(end - count, end)
        for end, count in zip(np.cumsum(counts).tolist(), counts.tolist(), strict=True)
    ]
