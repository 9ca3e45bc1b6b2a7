"""What follows for forecasts from the rules alone: which facts have to be seen, and for how long.

Malf(X, T) of Temp(X, high, ·) at T to T + 2, delay 2: one family; facts matter for 7 ticks
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from antelog.compile.nodes.plan import Plan, Relation
from antelog.forecast.chances.forms import Form, forms
from antelog.forecast.odds.sightings import Family
from antelog.forecast.odds.tally import EPOCH


@dataclass(frozen=True, eq=False)
class Layout:
    """The families of the plan's queries, how late facts of theirs may be, how far back they matter."""

    plan: Plan
    families: tuple[Family, ...]
    slowest: int
    reach: int

    @property
    def lag(self) -> int:
        """An epoch's counts are used so many epochs later, when all its facts have come."""
        return max(2, 1 + -(-self.slowest // EPOCH))


@lru_cache(maxsize=64)
def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, Form)]
    families = tuple(dict.fromkeys(family for form in own for family in form.families))
    slowest = max((form.slowest for form in own), default=0)
    reach = max((form.reach for form in own), default=0)
    # The facts of an epoch are counted when all have come, together with those of the tick before it.
    return Layout(plan, families, slowest, max(reach, 2 * EPOCH + slowest))


def is_lossy(plan: Plan, query: str) -> bool:
    """Whether facts that a query rests on may be lost."""
    form = forms(plan)[query]
    return isinstance(form, Form) and form.memory > 0


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions in an answer by which its like are known again: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.answer.variables)))
