"""Which answers a step can change: the ticks they are about.

Facts change the answers about some ticks; deadlines change those about whole spans of ticks,
where there is anything to change: a fact that speaks for an answer, or a negation that may.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from antelog.engine.deadlines import possible_delays
from antelog.engine.history import ticks_of
from antelog.engine.layout import Layout
from antelog.engine.tables import Column, distinct
from antelog.engine.ticks import LAST
from antelog.engine.world import World

NewTicks = Mapping[str, Column]
"""For each input, the ticks its new facts are about."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Reach:
    """Ticks one by one, and spans of them, first and last."""

    ticks: tuple[Column, ...] = ()
    spans: tuple[Span, ...] = ()

    def __add__(self, shift: int) -> Reach:
        return Reach(
            tuple(part + shift for part in self.ticks), tuple((a + shift, b + shift) for a, b in self.spans)
        )

    def within(self, ticks: Column) -> Column:
        """Which of some ticks are in a span."""
        inside = np.zeros(len(ticks), np.bool_)
        for first, last in self.spans:
            inside |= (ticks >= first) & (ticks <= last)
        return ticks[inside]


def touched(world: World, name: str, new: NewTicks) -> Column | None:
    """The ticks of the answers that can change in a step; None for all of them."""
    reach = _reach(world, name, new)
    if reach is None:
        return None
    if any(layout.endless for layout in world.layouts[name]):
        # What is said of all ticks to come has exceptions, and they are told with it.
        delay = world.relations[name].bounds.delay
        first = world.begin if delay is None else world.before - delay
        reach = Reach(reach.ticks, (*reach.spans, (first, _last(world, name))))
    if world.starting:
        reach = Reach(reach.ticks, (*reach.spans, (0, world.foresight.steady)))
    return _ticks(world, name, reach)


def every(world: World, name: str) -> Column | None:
    """The ticks of all answers that can be open now; None if they cannot be told by ticks."""
    if _may_be_at_any_tick(world, name):
        return None
    delay = world.relations[name].bounds.delay
    return _ticks_from(world, name, 0 if delay is None else max(0, world.now - delay))


def _may_be_at_any_tick(world: World, name: str) -> bool:
    """Whether facts about other times matter to answers, or to what they negate, at all ticks alike."""
    asked = [name]
    for each in asked:
        negated = {negation.relation for layout in world.layouts[each] for negation in layout.negations}
        asked += negated.difference(asked)
    return any(_has_other_times(layout) for each in asked for layout in world.layouts[each])


def _has_other_times(layout: Layout) -> bool:
    """Whether a fact is awaited, or something negated, at a time that is not tied to the answer's."""
    negated = (negation.time.variable for negation in layout.negations)
    unsliced = bool(layout.places) and not layout.sliced
    return unsliced or any(variable != layout.pattern.time.variable for variable in negated)


def looked_at(world: World, name: str) -> Column:
    """The ticks at which to look for answers that no fact gives a time, if any tick may have changed."""
    delay = world.relations[name].bounds.delay
    first = world.begin if delay is None else max(0, world.begin - delay, world.before - delay)
    return _ticks_from(world, name, first)


def _last(world: World, name: str) -> int:
    """No answer about a later tick has evidence, but for what facts say of that tick."""
    ahead = [world.foresight.evidence(layout) for layout in world.layouts[name] if layout.seeded]
    limits = [world.now, *(world.now + a for a in ahead if a > -math.inf)]
    return int(max(*limits, world.foresight.steady if ahead else 0))


def _ticks_from(world: World, name: str, first: int) -> Column:
    """The ticks from one on at which there may be something; those to come that facts speak of, too."""
    return _ticks(world, name, Reach((), ((first, _last(world, name)),)), facts_after=True)


def _ticks(world: World, name: str, reach: Reach, facts_after: bool = False) -> Column:
    """The ticks of a reach at which there may be something."""
    own = world.layouts[name]
    found = [np.zeros(0, np.int64), *reach.ticks]
    told = distinct(np.concatenate([np.zeros(0, np.int64), *_told(world, own)]))
    found.append(
        told[told >= min((a for a, _ in reach.spans), default=0)] if facts_after else reach.within(told)
    )
    limit = -1
    if any(layout.by_clock for layout in own):
        limit = world.now
    if any(layout.seeded for layout in own):
        limit = max(limit, _last(world, name))
    earliest = max(0, world.begin - (world.relations[name].bounds.delay or 0))
    found += [np.arange(max(first, earliest), min(last, limit) + 1) for first, last in reach.spans]
    ticks = distinct(np.concatenate(found))
    return ticks[ticks >= 0]


def _told(world: World, layouts: Iterable[Layout]) -> Iterator[Column]:
    """The ticks of the answers that facts speak for."""
    shifts = {
        (place.atom.predicate, layout.pattern.time.offset - place.atom.time.offset)
        for layout in layouts
        for place in layout.places
    }
    ticks = {predicate: ticks_of(world.history, predicate) for predicate, _ in shifts}
    return (ticks[predicate] + shift for predicate, shift in shifts)


def _reach(world: World, name: str, new: NewTicks) -> Reach | None:
    """Where the truth of a relation's atoms, or of their derivations, can change."""
    cycle = world.cycles.get(name)
    if cycle is None:
        return _joint(_by_pattern(world, layout, new, frozenset()) for layout in world.layouts[name])
    whole = _joint(
        _by_pattern(world, layout, new, cycle) for each in sorted(cycle) for layout in world.layouts[each]
    )
    if whole is None:
        return None
    # What changes at a tick can change all that is later, as far as that is not open anyway.
    delay = world.relations[name].bounds.delay
    starts = [*(int(part.min()) for part in whole.ticks if len(part)), *(first for first, _ in whole.spans)]
    first = min(starts, default=0) - _widest(world, cycle)
    if delay is not None:
        first = max(first, world.before - delay)
    ahead = max(world.foresight.ahead[name].true, world.foresight.ahead[name].false, 0)
    ahead = max(ahead, *(world.foresight.evidence(layout) for layout in world.layouts[name]))
    last = int(min(max(world.now + ahead, world.foresight.steady if world.starting else 0), LAST))
    return Reach(whole.ticks, (*whole.spans, (first, last)))


def _widest(world: World, cycle: frozenset[str]) -> int:
    """How far apart the times in the rules of a cycle are."""
    return sum(
        max(abs(literal.time.offset - layout.pattern.time.offset) for literal in layout.pattern.literals)
        for each in cycle
        for layout in world.layouts[each]
        if layout.pattern.literals
    )


def _joint(parts: Iterable[Reach | None]) -> Reach | None:
    ticks: list[Column] = []
    spans: list[Span] = []
    for part in parts:
        if part is None:
            return None
        ticks += part.ticks
        spans += part.spans
    return Reach(tuple(ticks), tuple(dict.fromkeys(spans)))


def _by_pattern(world: World, layout: Layout, new: NewTicks, cycle: frozenset[str]) -> Reach | None:
    time = layout.pattern.time
    if _has_other_times(layout) or (layout.negations and time.variable is None):
        return None
    found = []
    if layout.by_clock:
        found.append(Reach((), ((world.before + 1, world.now),)))
    for place in layout.places:
        shift = time.offset - place.atom.time.offset
        spans = tuple(
            (world.before + 1 - delay + shift, world.now - delay + shift)
            for delay in possible_delays(world.inputs[place.atom.predicate], world.values)
        )
        found.append(Reach((new[place.atom.predicate] + shift,), spans))
    for negation in layout.negations:
        if negation.relation not in cycle:
            inner = _reach(world, negation.relation, new)
            if inner is None:
                return None
            found.append(inner + (time.offset - negation.time.offset))
    return _joint(found)
