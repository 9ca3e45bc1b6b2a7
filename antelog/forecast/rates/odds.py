"""Odds: the rates and delays of facts, for each key of a chain.

    chance Temp(_, high, _) = 5%, again 80%.     once 0.05, again 0.8
    delay Temp(wt4, _, _) = 2 (70%, 20%, 8%).    shares 0.7, 0.2, 0.08 for wt4

Many keys have the same odds; each different set of them is a row of a table, and a key has its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers, keys_of, once
from antelog.engine.values.values import Values
from antelog.forecast.column_set import ColumnSet
from antelog.forecast.rates.series import ChainState


@dataclass(frozen=True, eq=False)
class Odds(ColumnSet):
    """Sets of odds of a chain, a row each, with a column for each of its states.

    transitions     the chances to get from no fact and from each state to each of these (two axes)
    delay           the last tick a fact may come, counted from its own
    shares          of the true facts, how many come 0, 1, 2, … ticks late (a further axis)
    known           whether it is known at all how often facts come
    chance_declared whether the program declares the chance of a fact
    shares_declared whether the program declares the shares
    unexpected      how many facts of which nothing is declared were counted in the slot
    """

    transitions: Numbers
    delay: Column
    shares: Numbers
    known: Mask
    chance_declared: Mask
    shares_declared: Mask
    unexpected: Numbers

    @property
    def once(self) -> Numbers:
        """The chance of a fact of each state after a tick without any."""
        return self.transitions[:, 0, 1:]

    @property
    def again(self) -> Numbers:
        """The chance of a fact of each state after a tick with one of it."""
        return np.diagonal(self.transitions, axis1=1, axis2=2)[:, 1:]

    @cached_property
    def _come(self) -> Numbers:
        """Shares of the true facts that have come: before the first tick, by the first, the second, …

        By state, then by set, so that rows can be looked up side by side.
        """
        count, states, _ = self.shares.shape
        come = np.concatenate([np.zeros((count, states, 1)), np.cumsum(self.shares, axis=2)], axis=2)
        return np.ascontiguousarray(np.moveaxis(come, 1, 0))

    def come(self, of: Column, lag: Column | int) -> Numbers:
        """The shares of true facts of each state that have come `lag` ticks later, for these rows."""
        states, _, lags = self._come.shape
        at = of * lags + (np.minimum(np.maximum(lag, -1), lags - 2) + 1)
        come: Numbers = self._come.reshape(states, -1).take(at, axis=1).T
        return come

    def moves(self, of: Column) -> Numbers:
        """The chances to get from each state (no fact first) to each, for these rows."""
        return np.moveaxis(self._moves.take(of, axis=2), 2, 0)

    @cached_property
    def _moves(self) -> Numbers:
        """Chances to get from state to state, for each set of odds (the last axis: fast to look up)."""
        # What is said never to happen may happen all the same; and then there must be a next tick.
        moves = np.maximum(self.transitions, _LEAST)
        moves /= moves.sum(axis=2, keepdims=True)
        return np.ascontiguousarray(np.moveaxis(moves, 0, 2))


IMPOSSIBLE = 1e-15
"""As good as never."""

_LEAST = 1e-18
"""Even less: what is said never to happen is less likely than what nobody spoke of."""


def transitions(once: Numbers, again: Numbers) -> Numbers:
    """The chances to get from state to state: to another fact `once`, to the same `again`, else to none."""
    count, states = once.shape
    found = np.empty((count, states + 1, states + 1))
    found[:, :, 1:] = once[:, None, :]
    for state in range(states):
        found[:, state + 1, state + 1] = again[:, state]
    found[:, :, 0] = np.maximum(1 - found[:, :, 1:].sum(axis=2), 0)
    return found


@dataclass(frozen=True, eq=False)
class Keys:
    """Rows of cells: for each variable of the answer its column."""

    cells: Mapping[str, Column]
    count: int
    values: Values

    def take(self, at: Column) -> Keys:
        return Keys({name: cells.take(at) for name, cells in self.cells.items()}, len(at), self.values)

    def column(self, state: ChainState, place: int) -> Column | None:
        """The cells that facts of a state have in one column; None if that is open."""
        series = state.series
        if place in series.key:
            return self.cells[state.key[series.key.index(place)]]
        for column, value in series.constants:
            if column == place:
                return np.full(self.count, self.values.cell(value), np.int64)
        return None


def each_once(odds: Odds) -> tuple[Odds, Column]:
    """Each different set of odds once, and which one every row has."""
    count = len(odds.known)
    # To get to no fact is what is left of all others.
    parts = [odds.transitions[:, :, 1:], *(part for part in odds.columns if part is not odds.transitions)]
    flat = np.concatenate([part.reshape(count, -1).astype(np.float64) for part in parts], axis=1)
    (key,) = keys_of([[*np.ascontiguousarray(flat.T).view(np.int64)]])
    first, which = once(key)
    return odds.take(first), which
