"""The facts that rows of a pattern wait for: by when they will have come, or will not any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.deadlines import Waiting, deadline, together
from antelog.engine.layout import Layout, Place
from antelog.engine.match import Rows, facts_for
from antelog.engine.partial import arrivals
from antelog.engine.tables import NEVER, Column, Mask, distinct, or_never
from antelog.engine.world import World

AS_OF = "<as of>"
"""A column of rows beside their variables: facts that arrived after this tick count as not yet arrived."""


@dataclass(frozen=True)
class Awaited:
    """For each positive literal its deadlines, and those by which some `involved` ones cannot all come."""

    due: Column
    involved: Sequence[int]
    together: Column

    def failing(self, come: Mask) -> Column:
        """When literals become false that have not `come`."""
        fails = or_never(self.due, come)
        if self.involved:
            fails[self.involved] = np.minimum(fails[self.involved], self.together)
        return fails


def awaited(world: World, layout: Layout, rows: Rows, apart: frozenset[str]) -> Awaited:
    def came(place: Place, each: Rows) -> Column:
        return _came(world, place, each)

    waiting = Waiting(layout, world.background_of(layout), world.inputs, world.values, apart, came)
    due = np.empty((len(layout.places), rows.count), np.int64)
    for i, place in enumerate(layout.places):
        due[i] = deadline(waiting, place, rows)
    return Awaited(due, *together(waiting, rows))


def depends_on_facts(world: World, layout: Layout) -> bool:
    """Whether what has come so far may move a deadline."""
    return any(world.inputs[place.atom.predicate].refinements for place in layout.places)


def _came(world: World, place: Place, rows: Rows) -> Column:
    """When the facts of a literal came; NEVER where rows leave open which fact it is."""
    if rows.count == 0 or not place.variables <= rows.bound.keys():
        return np.full(rows.count, NEVER)
    time = place.atom.time
    ticks = (
        np.array([time.offset])
        if time.variable is None
        else distinct(rows.bound[time.variable] + time.offset)
    )
    facts = facts_for(place, world.history, ticks, world.values)
    if facts.rows.count == 0:
        return np.full(rows.count, NEVER)
    arrived = arrivals(place, rows, facts)
    return or_never(arrived, arrived > rows.bound[AS_OF]) if AS_OF in rows.bound else arrived
