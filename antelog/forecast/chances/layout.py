"""What follows for forecasts from the rules alone: which facts have to be seen, and for how long.

Malf(X, T) of Temp(X, high, ·) at T to T + 2, delay 2: one family; facts matter for 7 ticks
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from antelog.compile.nodes.plan import Plan, Relation
from antelog.forecast.chances.forms import Form, forms
from antelog.forecast.odds.sightings import Family


@dataclass(frozen=True, eq=False)
class Layout:
    """The families of the plan's queries, how late facts of theirs may be, how far back answers ask."""

    plan: Plan
    families: tuple[Family, ...]
    slowest: int
    asked: int

    def lag(self, epoch: int) -> int:
        """What epochs of such a length add is used so many epochs later, when all their facts have come."""
        return max(2, 1 + -(-self.slowest // epoch))

    def reach(self, epoch: int) -> int:
        """How far back facts matter, if epochs have such a length.

        The facts of an epoch are counted when all have come, together with those of the tick before it.
        """
        return max(self.asked, 2 * epoch + self.slowest)


@lru_cache(maxsize=64)
def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, Form)]
    families = tuple(dict.fromkeys(family for form in own for family in form.families))
    slowest = max((form.slowest for form in own), default=0)
    return Layout(plan, families, slowest, max((form.reach for form in own), default=0))


def is_lossy(plan: Plan, query: str) -> bool:
    """Whether facts that a query rests on may be lost."""
    form = forms(plan)[query]
    return isinstance(form, Form) and form.memory > 0


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions in an answer by which its like are known again: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.answer.variables)))
