"""Chances of answers: those of one shape share their decision diagrams and are computed together.

Each row has the probabilities of all nodes and states. A tick moves the chains on, weighs its outcomes by
what has come and what has not, and leads each node to the next; in the end, the chance is that of TRUE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from antelog.compile.literals.terms import Var
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.plan.bounds import DelayTable
from antelog.compile.show.summary import first_facts
from antelog.engine.columns.tables import Column, ColumnSet, Mask, Numbers, groups, keys_of, sorting
from antelog.escaping import shown
from antelog.forecast.inference.diagrams import BEFORE, TRUE, Diagram, Layer, Leaf, Question, diagram_of
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.forecast.inference.known import AnswersAtTicks, AnswerTable, Known, table_of
from antelog.forecast.inference.nodes import Node, UnknownChanceError
from antelog.forecast.rates.odds import IMPOSSIBLE, Series, exclusive
from antelog.language.printer import listed

FOREVER = 2**40  # a horizon by which everything has come that ever will
TRUTH = 2**41  # the horizon of the world itself, in which lost facts count
NOTHING_AHEAD: Mapping[int, Diagram] = {}
GROWN = 1e-12  # a smaller difference is a matter of the last digits
_AT_ONCE = 8192  # the rows that fit into the cache
_CELLS = 2**24  # the most pairs of a node and a state, for all rows, that are computed at once
_HORIZONS = 24  # the most ticks by which the chance of a confirmation is computed, where facts may be late
_ONE = 0.5  # the weight of one fact that was counted long ago


def probability(
    diagram: Diagram,
    table: AnswerTable,
    horizon: int = FOREVER,
    ahead: Mapping[int, Diagram] = NOTHING_AHEAD,
    slowest: int = 0,
) -> tuple[Numbers, Numbers]:
    """Computes how likely a formula is true: by each tick of a table after its first, and by horizons ahead.

    The last tick stands for all that ever comes; horizons that are not after now have 0. Until `slowest`
    ticks before a horizon all diagrams agree, so only these ticks are computed for each.
    """
    states = prod(odds.states for odds in table.odds)
    at_once = max(min(_AT_ONCE, _CELLS // (diagram.width * states)), 1)
    if table.count <= at_once:
        return _probability(diagram, table, horizon, ahead, slowest)
    every = np.arange(table.count)
    tables = (table.take(every[start : start + at_once]) for start in range(0, table.count, at_once))
    parts = [_probability(diagram, each, horizon, ahead, slowest) for each in tables]
    # Parts end at different ticks; after its last one nothing changes for a part.
    width = max(by_tick.shape[1] for by_tick, _ in parts)
    filled = [np.pad(each, ((0, 0), (0, width - each.shape[1])), "edge") for each, _ in parts]
    return np.concatenate(filled), np.concatenate([by_horizon for _, by_horizon in parts])


def _probability(
    diagram: Diagram, table: AnswerTable, horizon: int, ahead: Mapping[int, Diagram], slowest: int
) -> tuple[Numbers, Numbers]:
    """Computes the probability for few rows, which are the last axis of all tables here."""
    count, begin = table.count, table.begin
    held = np.zeros((BEFORE, *(odds.states for odds in table.odds), count))
    at = [shown[:, 0] for shown in table.shown]
    held[(np.full(count, diagram.root), *at, np.arange(count))] = 1
    layers = {layer.at: layer for layer in diagram.layers}
    end = max(table.last, int(table.age.max()))
    everything = tuple(range(held.ndim - 1))
    by_tick = np.empty((count, max(end - begin, 1)))
    by_horizon = np.zeros((count, len(ahead)))
    for tick in range(begin, end + 1):
        if tick > begin:
            held = _after(held, table, layers.get(tick), tick, horizon)
        by_tick[:, max(tick - begin - 1, 0)] = held[TRUE].sum(axis=everything[:-1])
        for number, (until, by_then) in enumerate(ahead.items()):
            if min(max(until - slowest, begin), end) == tick:
                rows = np.flatnonzero(table.age < until)
                ticks = range(tick + 1, min(until, end) + 1)
                some, later = held, table
                if len(rows) < count:
                    some, later = held.take(rows, axis=-1), table.take(rows)
                by_horizon[rows, number] = _by(some, later, ticks, until, by_then)
    return by_tick, by_horizon


def _by(held: Numbers, table: AnswerTable, ticks: range, horizon: int, diagram: Diagram) -> Numbers:
    """The chance by a horizon after now: facts of these ticks may come until then."""
    layers = {layer.at: layer for layer in diagram.layers}
    for tick in ticks:
        held = _after(held, table, layers.get(tick), tick, horizon)
    left: Numbers = held.sum(axis=tuple(range(1, held.ndim - 1)))
    for layer in diagram.layers:
        if layer.at > horizon:
            silent = layer.then.reshape(len(layer.then), -1)[:, 0].tolist()  # the outcome of no fact at all
            before, left = left, np.zeros((layer.width, table.count))
            for node, then in enumerate(silent):
                left[then] += before[node]
    chance: Numbers = left[TRUE]
    return chance


def _after(held: Numbers, table: AnswerTable, layer: Layer | None, tick: int, horizon: int) -> Numbers:
    """Moves the probabilities of nodes and states a tick on, by a horizon."""
    begun = tick >= table.since
    for axis, own in enumerate(table.moves):
        held = _moved(held, axis, moves_at(own, begun))
    led = _led(held, layer, [weights_at(table, chain, tick, horizon) for chain in range(len(table.odds))])
    led /= led.sum(axis=tuple(range(led.ndim - 1)))
    return led


def moves_at(moves: Numbers, begun: Mask) -> Numbers:
    """The moves of a tick; before the first one there are no facts."""
    if begun.all():
        return moves
    still = np.full((*moves.shape[:2], 1), IMPOSSIBLE)
    still[:, 0] = 1
    return np.where(begun, moves, still)


def _moved(held: Numbers, axis: int, moves: Numbers) -> Numbers:
    """Moves one chain a tick on."""
    front = held.swapaxes(0, 1 + axis)
    moved = np.empty(front.shape)
    for to in range(len(front)):
        np.multiply(front[0], moves[0, to], out=moved[to])
        for state in range(1, len(front)):
            moved[to] += front[state] * moves[state, to]
    return moved.swapaxes(0, 1 + axis)


def weights_at(table: AnswerTable, chain: int, tick: int, horizon: int) -> Numbers:
    """The likelihood of the known facts of a chain's tick, for each state, outcome and row."""
    odds, which, shown = table.odds[chain], table.which[chain], table.shown[chain]
    states = odds.states
    weights = np.zeros((states, states, table.count))
    come = odds.come(which, table.age - tick)
    by_then = np.ones_like(come) if horizon == TRUTH else odds.come(which, horizon - tick)
    weights[0, 0] = 1
    for state in range(1, states):
        np.maximum(by_then[state - 1] - come[state - 1], 0, out=weights[state, state])
        np.maximum(1 - np.maximum(by_then[state - 1], come[state - 1]), 0, out=weights[state, 0])
    place = tick - table.begin
    if place < shown.shape[1]:
        outcome = shown[:, place]
        came = np.flatnonzero(outcome)
        if len(came):
            weights[:, :, came] = 0
            weights[outcome[came], outcome[came], came] = 1
    return weights


def _led(held: Numbers, layer: Layer | None, weights: Sequence[Numbers]) -> Numbers:
    """Weighs nodes and states by the outcomes of a tick, and moves them to the nodes of the layer."""
    here = layer.chains if layer is not None else ()
    for chain, weight in enumerate(weights):
        if chain not in here:
            held = held * _along(weight.sum(axis=1), chain, held.ndim)
    if layer is None:
        return held
    led = np.zeros((layer.width, *held.shape[1:]))
    for outcome in product(*(range(weights[chain].shape[1]) for chain in here)):
        shown: Numbers | None = None
        for chain, number in zip(here, outcome, strict=True):
            own = _along(weights[chain][:, number], chain, held.ndim)[0]
            shown = own if shown is None else shown * own
        at: tuple[slice | int, ...] = (slice(None), *outcome)
        for node, then in enumerate(layer.then[at].tolist()):
            led[then] += held[node] if shown is None else held[node] * shown
    return led


def _along(table: Numbers, chain: int, dimensions: int) -> Numbers:
    """Lays a table by state and row along the axis of its chain."""
    shape = [1] * dimensions
    shape[1 + chain], shape[-1] = table.shape
    return table.reshape(shape)


# ---- answers of one shape ----


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


def question(form: QueryForm, shape: DiagramShape, horizon: int = FOREVER) -> Question:
    """Builds a shape's formula by a horizon; raises UnknownChanceError if one slot has different states."""
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
    """Steps in which chances grow: the answer, the tick counted from its own, and the chance from then on."""

    of: Column
    at: Column
    chance: Numbers


@dataclass(frozen=True, eq=False)
class Chances(ColumnSet):
    """Different chances and their growth."""

    shared = frozenset({"chance", "growth", "holds"})

    chance: Numbers
    growth: Growth
    holds: Numbers  # the chance that an answer is true of the world, if facts may be lost, else NaN
    which: Column  # the chance of each answer (-1: unknown)

    def column(self) -> Numbers:
        """The chance of each answer; NaN where none is known."""
        return np.append(self.chance, np.nan).take(self.which)

    def held(self) -> Numbers:
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
    by_tick, _ = probability(diagram_of(question(other, shape)), _cut(form, table, shape))
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
    whole = by_horizon[FOREVER]
    # Where facts may be late, the formula by each tick is another one.
    ahead = {tick: each for tick, each in by_horizon.items() if table.age.min() < tick < FOREVER}
    by_tick, later = probability(whole, table, FOREVER, ahead, shape.slowest)
    holds = np.full(table.count, np.nan)
    if form.memory:
        holds = np.minimum(probability(whole, table, TRUTH)[0][:, -1], 1)
    if shape.slowest:
        growth = _growth(table.age, np.array([*ahead], np.int64), later)
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


def _shape(table: AnswerTable) -> DiagramShape:
    chains = zip(table.odds, table.which, strict=True)
    delays = tuple(tuple(odds.delay[which[0]].tolist()) for odds, which in chains)
    twins = tuple(int(twin[0]) for twin in table.twins)
    return DiagramShape(tuple(map(bool, table.conditions[0])), twins, delays)


def chances(known: Known, query: str, asked: AnswersAtTicks) -> Chances:
    form = forms(known.plan)[query]
    at = np.flatnonzero(asked.whole)
    if not isinstance(form, QueryForm) or len(at) == 0:
        return Chances(np.zeros(0), NO_GROWTH, np.zeros(0), np.full(asked.count, -1))
    table = table_of(known, form, asked.take(at)).relevant(form)
    (key,) = keys_of([table.columns])
    same = groups(key)
    found = worked_out(form, table.take(same.first))
    which = np.full(asked.count, -1)
    which[at] = np.where(np.isnan(found.chance), -1, np.arange(same.count)).take(same.numbers)
    return replace(found, which=which)


# ---- queries without declared chances, and why: by rules and declarations alone ----


def without_chances(plan: Plan) -> Mapping[str, str]:
    """The queries without chances, and why: no bound in time, or undeclared where others are declared."""
    found = {
        query: "nothing bounds it in time"
        if plan.relation(query).bounds.delay is None
        else _reason(plan, form)
        if plan.declares_chances
        else None
        for query, form in forms(plan).items()
    }
    return {query: reason for query, reason in found.items() if reason}


def notes(plan: Plan, *, learned: bool) -> list[str]:
    """A sentence about each query without such chances, and about each whose answers may be open."""
    found = [
        f"{shown(query)}: its chances rest on earlier answers, not on what is declared, because {reason}"
        if learned and plan.relation(query).bounds.delay is not None
        else f"{shown(query)} has no chances, because {reason}"
        for query, reason in without_chances(plan).items()
    ]
    return found + [f"{shown(query)} has no chance {when}" for query, when in _left_open(plan).items()]


def summary(plan: Plan) -> Mapping[str, str]:
    """The text that `check` prints for each query without chances."""
    found = {query: f"none {when}" for query, when in _left_open(plan).items()}
    return found | {query: f"none: {reason}" for query, reason in without_chances(plan).items()}


def _left_open(plan: Plan) -> Mapping[str, str]:
    """The queries whose answers begin with open variables: `with an open Y`."""
    delays, found = {source.name: DelayTable(source) for source in plan.inputs}, {}
    for query in (each for each in plan.queries if each.bounds.delay is not None):
        open_ = {
            name
            for pattern in query.patterns
            for group in first_facts(pattern, delays)
            for name, term in zip(query.answer.variables, pattern.answer, strict=True)
            if isinstance(term, Var)
            and term.name not in {each.variable for each in pattern.worked_out}
            and not any(term.name in each.variables for each in (*group, *pattern.background))
        }
        if open_:
            found[query.name] = f"with an open {listed(sorted(open_), 'or')}"
    return found


def _reason(plan: Plan, form: QueryForm | str) -> str | None:
    if isinstance(form, str):
        return form
    if not whole_fits(form):
        return "its formula is too large to work out"
    inputs = {source.name: source for source in plan.inputs}
    # Of facts that have come nothing need be declared: one declared chain may be all that is waited for.
    chains = [chain.states[: chain.formula_states] for chain in form.chains]
    reasons = [[why for each in own if (why := _undeclared(each.series, inputs))] for own in chains]
    return reasons[0][0] if reasons and all(reasons) else None


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
