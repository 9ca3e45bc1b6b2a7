"""The facts that rows of a pattern wait for: by when they will have come, or will not any more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.deadlines import Waiting, deadline, together
from antelog.engine.layout import Layout
from antelog.engine.match import Rows
from antelog.engine.tables import Column, Mask, or_never
from antelog.engine.world import World


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


def awaited(
    world: World,
    layout: Layout,
    rows: Rows,
    apart: frozenset[str],
    among: Collection[int] | None = None,
) -> Awaited:
    """What rows wait for. Only literals `among` some have to come together, if these are given."""
    waiting = Waiting(world, layout, apart)
    due = np.empty((len(layout.places), rows.count), np.int64)
    for i, place in enumerate(layout.places):
        due[i] = deadline(waiting, place, rows)
    some = range(len(layout.places)) if among is None else among
    return Awaited(due, *together(waiting, rows, some))


def depends_on_facts(world: World, layout: Layout) -> bool:
    """Whether what has come so far may move a deadline."""
    return any(world.inputs[place.atom.predicate].refinements for place in layout.places)
