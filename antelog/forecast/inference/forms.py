"""The formula, chains and ticks of a query: derived once, from the rules alone.

Malf(X, T): Temp(X, high, ·) at T, T + 1 and T + 2; one chain; ticks 0 to 2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.rules import prepared
from antelog.forecast.inference.chains import chains_of, leaf_of
from antelog.forecast.inference.diagrams import Leaf
from antelog.forecast.inference.formulas import Formula, UnknownChanceError, formula_of
from antelog.forecast.inference.nodes import Comes
from antelog.forecast.rates.declared import memory
from antelog.forecast.rates.series import Chain
from antelog.forecast.rates.sightings import Family, family_of


@dataclass(frozen=True, eq=False)
class QueryForm:
    """The formula of a query's answers, its chains, and the leaf of each of its literals.

    Its ticks go from `first` to `last`, counted from the answer's. A fact of it is at most `slowest`
    ticks late. If facts may be lost, those of `memory` ticks before matter, too.
    """

    formula: Formula
    chains: tuple[Chain, ...]
    leaves: Mapping[Comes, Leaf]
    slowest: int
    memory: int

    @cached_property
    def first(self) -> int:
        return min((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def last(self) -> int:
        return max((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def valued(self) -> Mapping[int, tuple[int, ...]]:
        """The chains whose facts are told by declared values, and the ticks at which these matter."""
        found: dict[int, set[int]] = {}
        for literal in self.formula.valued & self.leaves.keys():
            found.setdefault(self.leaves[literal].chain, set()).add(literal.at)
        return {chain: tuple(sorted(ticks)) for chain, ticks in found.items()}

    @property
    def reach(self) -> int:
        """The number of ticks before now whose facts matter."""
        return self.last + 2 * self.slowest + 1 - min(self.first, 0) + self.memory

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The family of each chain."""
        return tuple(map(family_of, self.chains))


@lru_cache(maxsize=64)
def forms(plan: Plan) -> Mapping[str, QueryForm | str]:
    """The form of each query of a plan, or the reason why it has no chances."""
    return {query.name: _form(plan, query.name) for query in plan.queries}


def _form(plan: Plan, query: str) -> QueryForm | str:
    rules = prepared(plan)
    try:
        formula = formula_of(rules, query)
        literals = formula.literals
        chains = tuple(chains_of(literals, rules.inputs))
    except UnknownChanceError as error:
        return str(error)
    leaves = {literal: Leaf(*leaf_of(literal, chains), literal.at) for literal in literals}
    slowest = max((max(rules.inputs[chain.predicate].delays) for chain in chains), default=0)
    ticks = [leaf.at for leaf in leaves.values()]
    wide = max(ticks, default=0) - min(ticks, default=0)
    if wide > WIDEST:
        return f"it looks at {wide:,} ticks, and chances are worked out for {WIDEST} at most"
    lasting = max((memory(rules.inputs[chain.predicate]) for chain in chains), default=0)
    return QueryForm(formula, chains, leaves, slowest, lasting)


WIDEST = 512
"""So many ticks the facts of an answer may be apart."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The families of the plan's queries, how late facts of theirs may be, how far back answers ask."""

    plan: Plan
    families: tuple[Family, ...]
    slowest: int
    lookback: int

    def lag(self, epoch: int) -> int:
        """The epochs between counting and use, by the length of an epoch: all facts have come by then."""
        return max(2, 1 + -(-self.slowest // epoch))

    def reach(self, epoch: int) -> int:
        """The number of ticks before now whose facts are needed, by the length of an epoch.

        The facts of an epoch are counted when all have come, together with those of the tick before it.
        """
        return max(self.lookback, 2 * epoch + self.slowest)


@lru_cache(maxsize=64)
def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, QueryForm)]
    families = tuple(dict.fromkeys(family for form in own for family in form.families))
    slowest = max((form.slowest for form in own), default=0)
    return Layout(plan, families, slowest, max((form.reach for form in own), default=0))


def is_lossy(plan: Plan, query: str) -> bool:
    """Whether facts that a query rests on may be lost."""
    form = forms(plan)[query]
    return isinstance(form, QueryForm) and form.memory > 0


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions in an answer by which its like are known again: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.answer.variables)))
