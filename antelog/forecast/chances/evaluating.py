"""The chance of a formula: its diagram and its chains, tick by tick, by columns.

For each row and each node of the diagram it is known how likely it is that the ticks so far have led there
and the chains are in this state. A tick moves the chains on, weighs what it may show by what has come of
it and what has not, and leads each node to the next. In the end, the chance is what has led to TRUE.

    x at 0, x at 1; once 0.05, again 0.8; x came at 0, nothing yet at 1: TRUE 0.8
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.forecast.formulas.diagrams import BEFORE, TRUE, Diagram, Layer
from antelog.forecast.odds.odds import IMPOSSIBLE, Odds

FOREVER = 2**40
"""A horizon by which everything has come that ever will."""

TRUTH = 2**41
"""Whether a formula is true of the world, with the facts that are lost."""


@dataclass(frozen=True, eq=False)
class Link:
    """A chain for some rows: its odds, and what it has shown at each tick of the window (rows, ticks)."""

    odds: Odds
    which: Column
    shown: Column
    slotted: bool


@dataclass(frozen=True, eq=False)
class Window:
    """The ticks that matter to some rows of the same age, counted from their answers' ticks.

    What a chain shows at tick `begin` is known for good. Before `since` (a column) there were no facts.
    """

    begin: int
    age: int
    since: Column
    links: tuple[Link, ...]

    @property
    def count(self) -> int:
        return len(self.since)


def probability(diagram: Diagram, window: Window, last: int, horizon: int) -> Numbers:
    """The probability that a formula is true by a horizon, given what has and has not come by now."""
    states = [link.odds.once.shape[1] + 1 for link in window.links]
    held = np.zeros((window.count, BEFORE, *states))
    at = [link.shown[:, 0] % states[i] for i, link in enumerate(window.links)]  # another fact is no state
    held[(np.arange(window.count), np.full(window.count, diagram.root), *at)] = 1
    moves = [link.odds.moves(link.which) for link in window.links]
    layers = {layer.at: layer for layer in diagram.layers}
    for tick in range(window.begin + 1, max(last, window.age) + 1):
        for axis in range(len(states)):
            held = _moved(held, axis, _from(moves[axis], tick >= window.since))
        weights = [_weights(window, link, tick, horizon) for link in window.links]
        held = _led(held, layers.get(tick), weights)
        held /= held.sum(axis=tuple(range(1, held.ndim)), keepdims=True)
    chances: Numbers = held[:, TRUE].reshape(window.count, -1).sum(axis=1)
    return chances


def _from(moves: Numbers, begun: Mask) -> Numbers:
    """The moves of a tick; before the first one there are no facts."""
    if begun.all():
        return moves
    still = np.full_like(moves, IMPOSSIBLE)
    still[:, :, 0] = 1
    return np.where(begun[:, None, None], moves, still)


def _moved(held: Numbers, axis: int, moves: Numbers) -> Numbers:
    """One chain a tick further."""
    front = np.moveaxis(held, 2 + axis, -1)
    shape = front.shape
    moved = np.matmul(front.reshape(shape[0], -1, shape[-1]), moves).reshape(shape)
    return np.moveaxis(moved, -1, 2 + axis)


def _weights(window: Window, link: Link, tick: int, horizon: int) -> Numbers:
    """For each row, state and outcome of a tick: how likely what is known of it is, and that outcome."""
    states = link.odds.once.shape[1] + 1
    weights = np.zeros((window.count, states, states + link.slotted))
    come = _shares(link, window.age - tick)
    by_then = np.ones_like(come) if horizon == TRUTH else _shares(link, horizon - tick)
    weights[:, 0, 0] = 1
    for state in range(1, states):
        weights[:, state, state] = np.maximum(by_then[:, state - 1] - come[:, state - 1], 0)
        weights[:, state, 0] = np.maximum(1 - by_then[:, state - 1], 0)
    if tick > window.age:
        return weights
    shown = link.shown[:, tick - window.begin]
    came = np.flatnonzero(shown)
    weights[came] = 0
    other = shown[came] == states
    weights[came, np.where(other, 0, shown[came]), shown[came]] = 1
    return weights


def _shares(link: Link, lag: int) -> Numbers:
    """For each row and state, how many of the true facts have come so many ticks later."""
    if lag < 0:
        return np.zeros((len(link.which), link.odds.once.shape[1]))
    come: Numbers = link.odds.shares[:, :, : lag + 1].sum(axis=2)
    return come.take(link.which, axis=0)


def _led(held: Numbers, layer: Layer | None, weights: Sequence[Numbers]) -> Numbers:
    """What is held after a tick: weighed by what it may have shown, and led to the nodes that are left."""
    here = layer.chains if layer is not None else ()
    for axis, weight in enumerate(weights):
        if axis not in here:
            held = held * _along(weight.sum(axis=2), axis, held.ndim)
    if layer is None:
        return held
    led = np.zeros((held.shape[0], layer.width, *held.shape[2:]))
    for outcome in product(*(range(weights[chain].shape[2]) for chain in here)):
        shown = np.ones((held.shape[0],) + (1,) * (held.ndim - 2))
        for chain, number in zip(here, outcome, strict=True):
            shown = shown * _along(weights[chain][:, :, number], chain, held.ndim - 1, 1)
        leads = np.moveaxis(layer.then, 0, -1)[outcome]
        for node, then in enumerate(leads.tolist()):
            led[:, then] += held[:, node] * shown
    return led


def _along(table: Numbers, axis: int, dimensions: int, before: int = 2) -> Numbers:
    """A table by row and state, laid along the axis of its chain."""
    shape = [1] * dimensions
    shape[0], shape[before + axis] = table.shape
    return table.reshape(shape)
