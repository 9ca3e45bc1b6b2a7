"""The chance of a formula: its diagram and its chains, tick by tick, by columns.

For each row and each node it is known how likely the ticks so far have led there, with the chains in this
state. A tick moves the chains on, weighs its outcomes by what has come and what has not, and leads each node
to the next. In the end, the chance is the weight of TRUE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Mask, Numbers
from antelog.forecast.inference.diagrams import BEFORE, TRUE, Diagram, Layer
from antelog.forecast.inference.table import AnswerTable
from antelog.forecast.rates.odds import IMPOSSIBLE

FOREVER = 2**40
"""A horizon by which everything has come that ever will."""

TRUTH = 2**41
"""The horizon of the world itself, in which lost facts count."""


@dataclass(frozen=True, eq=False)
class Ahead:
    """Horizons in order, the diagram by each, and how many ticks late a fact may be.

    Until `slowest` ticks before a horizon all diagrams agree, so only these ticks are computed for each.
    """

    horizons: Sequence[int]
    diagrams: Sequence[Diagram]
    slowest: int


NOTHING_AHEAD = Ahead((), (), 0)


def probability(
    diagram: Diagram, table: AnswerTable, last: int, horizon: int, ahead: Ahead = NOTHING_AHEAD
) -> tuple[Numbers, Numbers]:
    """Computes the probability that a formula is true, given the facts that have and have not come by now.

    First by tick: a column for each after the first of the table, the last one by everything that ever comes.
    Then by each horizon ahead; 0 where that is not after now.
    """
    states = prod(odds.states for odds in table.odds)
    at_once = max(min(_AT_ONCE, _CELLS // (diagram.width * states)), 1)
    if table.count <= at_once:
        return _probability(diagram, table, last, horizon, ahead)
    every = np.arange(table.count)
    parts = [
        _probability(diagram, table.take(every[start : start + at_once]), last, horizon, ahead)
        for start in range(0, table.count, at_once)
    ]
    # Parts end at different ticks; after its last one nothing changes for a part.
    width = max(by_tick.shape[1] for by_tick, _ in parts)
    filled = [np.pad(each, ((0, 0), (0, width - each.shape[1])), "edge") for each, _ in parts]
    return np.concatenate(filled), np.concatenate([by_horizon for _, by_horizon in parts])


_AT_ONCE = 8192
"""The rows that fit into the cache."""

_CELLS = 2**24
"""The most pairs of a node and a state, for all rows, that are computed at once."""


@dataclass(frozen=True, eq=False)
class _Rows(ColumnSet):
    """Rows of a table, and for each chain its chances to move from state to state (last axis: rows)."""

    axis = -1

    table: AnswerTable
    moves: tuple[Numbers, ...]


def _probability(
    diagram: Diagram, table: AnswerTable, last: int, horizon: int, ahead: Ahead
) -> tuple[Numbers, Numbers]:
    """Computes the probability for few rows, which are the last axis of all tables here."""
    count, begin = table.count, table.begin
    held = np.zeros((BEFORE, *(odds.states for odds in table.odds), count))
    at = [shown[:, 0] for shown in table.shown]
    held[(np.full(count, diagram.root), *at, np.arange(count))] = 1
    moves = tuple(odds.moves(which) for odds, which in zip(table.odds, table.which, strict=True))
    every, layers = _Rows(table, moves), {layer.at: layer for layer in diagram.layers}
    end = max(last, int(table.age.max()))
    everything = tuple(range(held.ndim - 1))
    by_tick = np.empty((count, max(end - begin, 1)))
    by_horizon = np.zeros((count, len(ahead.horizons)))
    for tick in range(begin, end + 1):
        if tick > begin:
            held = _after(held, every, layers.get(tick), tick, horizon)
        by_tick[:, max(tick - begin - 1, 0)] = held[TRUE].sum(axis=everything[:-1])
        for number, (until, by_then) in enumerate(zip(ahead.horizons, ahead.diagrams, strict=True)):
            if min(max(until - ahead.slowest, begin), end) == tick:
                rows = np.flatnonzero(table.age < until)
                ticks = range(tick + 1, min(until, end) + 1)
                some, later = held, every
                if len(rows) < count:
                    some, later = held.take(rows, axis=-1), every.take(rows)
                by_horizon[rows, number] = _by(some, later, ticks, until, by_then)
    return by_tick, by_horizon


def _by(held: Numbers, rows: _Rows, ticks: range, horizon: int, diagram: Diagram) -> Numbers:
    """The chance by a horizon after now: facts of these ticks may come until then."""
    layers = {layer.at: layer for layer in diagram.layers}
    for tick in ticks:
        held = _after(held, rows, layers.get(tick), tick, horizon)
    left: Numbers = held.sum(axis=tuple(range(1, held.ndim - 1)))
    for layer in diagram.layers:
        if layer.at > horizon:
            silent = layer.then.reshape(len(layer.then), -1)[:, 0].tolist()  # the outcome of no fact at all
            before, left = left, np.zeros((layer.width, rows.table.count))
            for node, then in enumerate(silent):
                left[then] += before[node]
    chance: Numbers = left[TRUE]
    return chance


def _after(held: Numbers, rows: _Rows, layer: Layer | None, tick: int, horizon: int) -> Numbers:
    """Moves the probabilities of nodes and states a tick on, by a horizon."""
    table = rows.table
    begun = tick >= table.since
    for axis, own in enumerate(rows.moves):
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
