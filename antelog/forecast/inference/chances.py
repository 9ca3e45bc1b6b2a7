"""Chances of answers: answers of one shape share their decision diagrams and are computed together.

Malf(wt2, 0), hot at 0, and Malf(wt7, 20), hot at 20 and 21: one shape, two rows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from antelog.compile.nodes.plan import Input, Plan
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column, Mask, Numbers, groups, keys_of, sorting
from antelog.escaping import shown
from antelog.forecast.inference.diagrams import Diagram, Leaf, Question, diagram_of
from antelog.forecast.inference.evaluation import FOREVER, NOTHING_AHEAD, TRUTH, Ahead, probability
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.forecast.inference.nodes import Node, UnknownChanceError
from antelog.forecast.inference.table import AnswersAtTicks, AnswerTable, Known, table_of
from antelog.forecast.rates.odds import Series, exclusive


@dataclass(frozen=True)
class DiagramShape:
    """The features of an answer on which its diagrams depend: conditions, equal chains, delays."""

    conditions: tuple[bool, ...]
    twins: tuple[int, ...]
    delays: tuple[tuple[int, ...], ...]

    @property
    def slowest(self) -> int:
        return max((max(each) for each in self.delays), default=0)

    def ticks(self, form: QueryForm) -> Column:
        """The ticks by which the chance of a confirmation is computed."""
        # Before the first of its ticks a formula becomes neither true nor false. The ticks must not depend on
        # the ages of the rows: which rows there are depends on how a run is cut.
        first, end = form.first, form.last + self.slowest
        if self.slowest and end - first >= _HORIZONS:
            return np.unique(np.linspace(first, end, _HORIZONS).round().astype(np.int64))
        return np.arange(first, end + 1)


_HORIZONS = 24
"""The most ticks by which the chance of a confirmation is computed, where facts may be late."""


def question(form: QueryForm, shape: DiagramShape, horizon: int = FOREVER) -> Question:
    """Builds the formula of a shape by a horizon; the delays decide which leaves are over by then.

    Raises UnknownChanceError if two chains are one slot with different states.
    """
    outcomes = [chain.outcomes for chain in form.chains]
    leaves = {literal: _twin(form, shape, leaf) for literal, leaf in form.leaves.items()}
    over = frozenset(
        leaf for leaf in leaves.values() if leaf.at + shape.delays[leaf.chain][leaf.state - 1] <= horizon
    )
    return Question(form.formula.whole, shape.conditions, leaves, outcomes, over)


@lru_cache(maxsize=1024)
def diagrams(form: QueryForm, shape: DiagramShape) -> Mapping[int, Diagram] | None:
    """Builds the diagrams of a shape by horizon; None if one is too large or chains differ in a slot."""
    horizons = [FOREVER, *(shape.ticks(form).tolist() if shape.slowest else [])]
    try:
        return {horizon: diagram_of(question(form, shape, horizon)) for horizon in horizons}
    except UnknownChanceError:
        return None


def whole_fits(form: QueryForm) -> bool:
    """Whether no diagram is too large if all conditions hold and all chains differ."""
    delays = tuple((form.slowest,) * len(chain.states) for chain in form.chains)
    shape = DiagramShape((True,) * len(form.formula.conditions), tuple(range(len(form.chains))), delays)
    return diagrams(form, shape) is not None


def _twin(form: QueryForm, shape: DiagramShape, leaf: Leaf) -> Leaf:
    """The leaf, or that of the first chain with equal facts."""
    twin = shape.twins[leaf.chain]
    if twin == leaf.chain:
        return leaf
    series = form.chains[leaf.chain].states[leaf.state - 1].series
    states = [state.series for state in form.chains[twin].states]
    state = states.index(series) if series in states else len(states)
    # The facts of a state are not those of any before it.
    if state == len(states) or not all(exclusive(series, each) for each in states[:state]):
        raise UnknownChanceError("two chains are one slot, and have different states")
    return Leaf(twin, state + 1, leaf.at)


@dataclass(frozen=True, eq=False)
class Growth(ColumnSet):
    """Steps by which chances of having been confirmed grow, in order.

    Each row has the answer, the tick counted from the answer's, and the chance from then on.
    """

    of: Column
    at: Column
    chance: Numbers


@dataclass(frozen=True, eq=False)
class Chances(ColumnSet):
    """Different chances and their growth; `which` is the chance of each answer (-1: unknown).

    `holds` is the chance that an answer is true of the world, if facts may be lost, else NaN.
    """

    shared = frozenset({"chance", "growth", "holds"})

    chance: Numbers
    growth: Growth
    holds: Numbers
    which: Column

    def column(self) -> Numbers:
        """The chance of each answer; NaN where none is known."""
        return np.append(self.chance, np.nan).take(self.which)

    def held(self) -> Numbers:
        """The chance that each answer holds; NaN where none is known."""
        return np.append(self.holds, np.nan).take(self.which)


NO_GROWTH = Growth(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def worked_out(form: QueryForm, table: AnswerTable) -> Chances:
    """Computes the chance of each row; NaN where it is unknown."""
    count = len(table.age)
    found, holds = np.full((2, count), np.nan)
    parts = [NO_GROWTH]
    known, sure, delays = np.ones(count, np.bool_), np.ones(count, np.bool_), []
    for chain, (odds, which) in enumerate(zip(table.odds, table.which, strict=True)):
        sure &= odds.known.take(which)
        known &= odds.known.take(which) | _decided(form, table, chain)
        delays += list(odds.delay.take(which, axis=0).T)
    for number, ticks in form.valued.items():
        shown = table.shown[number][:, np.array(ticks) - table.begin]
        odds, which = table.odds[number], table.which[number]
        known &= ~(shown == form.chains[number].outcomes - 1).any(axis=1)  # a fact of another value
        known &= (odds.unexpected.take(which) < _ONE) | _decided(form, table, number)
    (key,) = keys_of([[*table.conditions.T, *table.twins, *delays, np.zeros(count, np.int64)]])
    same = groups(np.where(known, key, -1))
    for at in np.split(same.order, same.starts[1:]):
        if not known[at[0]]:
            continue
        group = _group(form, table.take(at))
        if group is None:
            continue
        found[at], holds[at] = group.chance, np.where(sure[at], group.holds, np.nan)
        parts.append(replace(group.growth, of=at.take(group.growth.of)))
    growth = Growth.and_then(*parts)
    return Chances(found, growth.take(sorting(growth.of)), holds, np.arange(count))


_ONE = 0.5
"""The weight of one fact that was counted long ago."""


def _decided(form: QueryForm, table: AnswerTable, chain: int) -> Mask:
    """Marks the rows in which a chain's literals are all decided, so that its odds make no difference."""
    odds, which, shown = table.odds[chain], table.which[chain], table.shown[chain]
    decided = np.ones(len(table.age), np.bool_)
    for leaf in form.leaves.values():
        if leaf.chain == chain:
            over = table.age >= leaf.at + odds.delay[:, leaf.state - 1].take(which)
            decided &= over | (shown[:, leaf.at - table.begin] > 0)
    return decided


def chance_of(form: QueryForm, table: AnswerTable, node: Node) -> float:
    """Computes the chance of another formula over a form's literals, for a table of one row."""
    shape = _shape(table)
    other = replace(form, formula=replace(form.formula, whole=node))
    by_tick, _ = probability(diagram_of(question(other, shape)), _cut(form, table, shape), form.last, FOREVER)
    return float(by_tick[0, -1])


def _cut(form: QueryForm, table: AnswerTable, shape: DiagramShape) -> AnswerTable:
    """Cuts a table of one shape at the first tick that matters."""
    begin = max(min(form.first - 1, int(table.age.min()) - shape.slowest) - form.memory, table.begin)
    return replace(table, begin=begin, shown=tuple(each[:, begin - table.begin :] for each in table.shown))


def _group(form: QueryForm, table: AnswerTable) -> Chances | None:
    """Computes the chances of answers of one shape; None if it has no diagrams."""
    shape = _shape(table)
    table = _cut(form, table, shape)
    by_horizon = diagrams(form, shape)
    if by_horizon is None:
        return None
    whole, ahead = by_horizon[FOREVER], NOTHING_AHEAD
    if shape.slowest:
        # Where facts may be late, the formula by each tick is another one.
        ticks = [tick for tick in by_horizon if table.age.min() < tick < FOREVER]
        ahead = Ahead(ticks, [by_horizon[tick] for tick in ticks], shape.slowest)
    by_tick, later = probability(whole, table, form.last, FOREVER, ahead)
    holds = np.full(table.count, np.nan)
    if form.memory:
        holds = np.minimum(probability(whole, table, form.last, TRUTH)[0][:, -1], 1)
    if shape.slowest:
        growth = _growth(table.age, np.array(ahead.horizons, np.int64), later)
    else:
        growth = _growth(table.age, table.begin + 1 + np.arange(by_tick.shape[1]), by_tick)
    # Sums of what leads to TRUE may end in a digit more than one.
    return Chances(np.minimum(by_tick[:, -1], 1), growth, holds, np.arange(table.count))


def _growth(age: Column, ticks: Column, chance: Numbers) -> Growth:
    """Lists the ticks after now at which chances grow, given those by each of some ticks."""
    later = np.where(ticks > age[:, None], chance, 0)
    before = np.concatenate([np.zeros((len(age), 1)), later[:, :-1]], axis=1)
    of, at = np.nonzero(later > before + GROWN)
    return Growth(of, ticks.take(at), later[of, at])


GROWN = 1e-12
"""A smaller difference is a matter of the last digits."""


def _shape(table: AnswerTable) -> DiagramShape:
    return DiagramShape(
        tuple(bool(each) for each in table.conditions[0]),
        tuple(int(twin[0]) for twin in table.twins),
        tuple(
            tuple(odds.delay[which[0]].tolist()) for odds, which in zip(table.odds, table.which, strict=True)
        ),
    )


def chances(known: Known, query: str, asked: AnswersAtTicks) -> Chances:
    """Computes the chances of a query's answers."""
    form = forms(known.plan)[query]
    nothing = Chances(np.zeros(0), NO_GROWTH, np.zeros(0), np.full(asked.count, -1))
    if not isinstance(form, QueryForm) or asked.count == 0:
        return nothing
    at = np.flatnonzero(asked.whole)
    if len(at) == 0:
        return nothing
    table = table_of(known, form, asked.take(at)).relevant(form)
    (key,) = keys_of([table.columns])
    same = groups(key)
    found = worked_out(form, table.take(same.first))
    which = np.full(asked.count, -1)
    which[at] = np.where(np.isnan(found.chance), -1, np.arange(same.count)).take(same.numbers)
    return replace(found, which=which)


# ---- queries without chances by the model of facts, and why ----

#     query Rush(C, T).    none: it counts atoms of which there may be several at a tick
#
# Decided from the rules and declarations alone.


def without_chances(plan: Plan, *, learned: bool) -> Mapping[str, str]:
    """The queries without chances, and why. If these are `learned`, nothing need be declared."""
    found = {query: _reason(plan, form, learned) for query, form in forms(plan).items()}
    return {query: reason for query, reason in found.items() if reason}


def notes(plan: Plan, *, learned: bool) -> list[str]:
    """A sentence about each query without such chances."""
    return [
        f"{shown(query)}: its chances rest on the outcomes of earlier answers alone, not on how often facts "
        f"come, because {reason}"
        if learned
        else f"{shown(query)} has no chances, because {reason}"
        for query, reason in without_chances(plan, learned=learned).items()
    ]


def summary(plan: Plan) -> Mapping[str, str]:
    """The text that `check` prints for each query without chances."""
    start = "none" if plan.declares_chances else "by the outcomes of earlier answers alone"
    found = without_chances(plan, learned=not plan.declares_chances)
    return {query: f"{start}: {reason}" for query, reason in found.items()}


def _reason(plan: Plan, form: QueryForm | str, learned: bool) -> str | None:
    if isinstance(form, str):
        return form
    if not whole_fits(form):
        return "its formula is too large to work out"
    inputs = {source.name: source for source in plan.inputs}
    # Of facts that have come nothing need be declared: one declared chain may be all that is waited for.
    chains = [chain.states[: chain.formula_states] for chain in form.chains]
    reasons = [[why for each in own if (why := _undeclared(each.series, inputs))] for own in chains]
    return reasons[0][0] if not learned and reasons and all(reasons) else None


def _undeclared(series: Series, inputs: Mapping[str, Input]) -> str | None:
    """The reason why no declaration says how often the facts of a series come; None if one may."""
    name, constants = shown(series.predicate), dict(series.constants)
    if series.tests:
        return f"a comparison chooses the facts of {name}, and a `chance` is about single values"
    patterns = [
        {place: value for place, value in enumerate(chance.pattern) if value is not None}
        for chance in inputs[series.predicate].odds.chances
    ]
    fitting = [each for each in patterns if all(constants.get(p, v) == v for p, v in each.items())]
    if not fitting:
        return f"no `chance` is declared for such facts of {name}"
    if any(each.keys() - constants.keys() - set(series.key) for each in fitting):
        return f"each `chance` is about some of the facts of {name} that it asks for, and not about others"
    return None
