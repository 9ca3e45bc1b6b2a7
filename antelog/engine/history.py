"""The facts that still matter, by input and tick.

Facts are kept as they came, in slices of one tick each, so that adding, finding and forgetting
cost what the ticks concerned hold, however many others are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from antelog.engine.facts import Facts
from antelog.engine.tables import Column, groups


@dataclass(frozen=True)
class Stream:
    """The kept facts of one input, which has so many columns besides the time."""

    width: int
    slices: Mapping[int, tuple[Facts, ...]]


History = Mapping[str, Stream]


def joint(parts: Iterable[Facts], width: int) -> Facts:
    """Facts side by side."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    empty = np.zeros(0, np.int64)
    columns = tuple(np.concatenate([empty, *(p.columns[i] for p in parts)]) for i in range(width))
    time = np.concatenate([empty, *(p.time for p in parts)])
    return Facts(columns, time, np.concatenate([empty, *(p.arrival for p in parts)]))


def gather(history: History, name: str, ticks: Column | None) -> Facts:
    """The facts of an input about these ticks (None: all of them)."""
    stream = history[name]
    wanted: Iterable[int] = stream.slices if ticks is None else ticks.tolist()
    return joint((part for tick in wanted for part in stream.slices.get(tick, ())), stream.width)


def added(history: History, new: Mapping[str, Facts]) -> History:
    """The history with new facts."""
    changed = dict(history)
    for name, facts in new.items():
        if len(facts.time):
            stream = history[name]
            slices = dict(stream.slices)
            for tick, part in _by_tick(facts):
                slices[tick] = (*slices.get(tick, ()), part)
            changed[name] = Stream(stream.width, slices)
    return changed


def _by_tick(facts: Facts) -> Iterable[tuple[int, Facts]]:
    same = groups(facts.time - facts.time.min())
    ordered = Facts(
        tuple(c[same.order] for c in facts.columns), facts.time[same.order], facts.arrival[same.order]
    )
    ends = [*same.starts[1:].tolist(), len(facts.time)]
    for start, end in zip(same.starts.tolist(), ends, strict=True):
        part = Facts(
            tuple(c[start:end] for c in ordered.columns), ordered.time[start:end], ordered.arrival[start:end]
        )
        yield int(ordered.time[start]), part


def without(history: History, before: Mapping[str, int]) -> History:
    """The history without the facts about ticks before the one given for their input."""
    kept = dict(history)
    for name, first in before.items():
        stream = history[name]
        if any(tick < first for tick in stream.slices):
            slices = {tick: parts for tick, parts in stream.slices.items() if tick >= first}
            kept[name] = Stream(stream.width, slices)
    return kept


def ticks_of(history: History, name: str) -> Column:
    return np.fromiter(history[name].slices, np.int64, len(history[name].slices))
