"""Which answers a step can change: the ticks they are about."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antelog.engine.deadlines import possible_delays
from antelog.engine.layout import Layout
from antelog.engine.tables import Column, distinct
from antelog.engine.truth import World

NewTicks = dict[str, Column]
"""For each input, the ticks its new facts are about."""


def touched(world: World, name: str, new: NewTicks, before: int, now: int) -> Column | None:
    """The ticks of the answers that can change after `before` and up to `now`; None for all of them."""
    found = []
    for layout in world.layouts[name]:
        for ticks in _by_pattern(world, layout, new, before, now):
            if ticks is None:
                return None
            found.append(ticks)
    ticks = distinct(np.concatenate([np.zeros(0, np.int64), *found]))
    return ticks[ticks >= 0]


def _by_pattern(
    world: World, layout: Layout, new: NewTicks, before: int, now: int
) -> Iterator[Column | None]:
    time = layout.pattern.time
    if layout.places and not layout.sliced:
        yield None
        return
    if layout.by_clock:
        yield np.arange(before + 1, now + 1)
    for place in layout.places:
        shift = time.offset - place.atom.time.offset
        yield new[place.atom.predicate] + shift
        for delay in possible_delays(world.inputs[place.atom.predicate], world.values):
            yield np.arange(before + 1, now + 1) - delay + shift
    for negation in layout.negations:
        inner = touched(world, negation.relation, new, before, now)
        loose = negation.time.variable != time.variable or time.variable is None
        yield None if inner is None or loose else inner + (time.offset - negation.time.offset)


def every(world: World, name: str, now: int) -> Column | None:
    """The ticks of all answers that can be open at `now`; None if they cannot be told by ticks."""
    relation = world.relations[name]
    if any(layout.places and not layout.sliced for layout in world.layouts[name]):
        return None
    if relation.bounds.delay is None or relation.bounds.window is None:
        return np.arange(now + 1)
    ahead = max(0, relation.bounds.window - 1 - relation.bounds.delay)
    return np.arange(max(0, now - relation.bounds.delay), now + ahead + 1)
