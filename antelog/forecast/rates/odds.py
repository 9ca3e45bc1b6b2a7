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

from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.engine.values.values import Values
from antelog.forecast.column_set import ColumnSet
from antelog.forecast.rates.series import ChainState


@dataclass(frozen=True, eq=False)
class Odds(ColumnSet):
    """Sets of odds of a chain, a row each, with a column for each of its states.

    once       the chance of a fact after a tick without it
    again      the chance after a tick with it
    delay      the last tick it may come, counted from its own
    shares     of the true facts, how many come 0, 1, 2, … ticks late (a further axis)
    known      whether `once` and `again` are known at all
    declared   whether the program declares the shares
    """

    once: Numbers
    again: Numbers
    delay: Column
    shares: Numbers
    known: Mask
    declared: Mask

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
        count, states = self.once.shape
        moves = np.empty((count, states + 1, states + 1))
        moves[:, :, 1:] = self.once[:, None, :]
        for state in range(states):
            moves[:, state + 1, state + 1] = self.again[:, state]
        moves[:, :, 0] = np.maximum(1 - moves[:, :, 1:].sum(axis=2), 0)
        # What is said never to happen may happen all the same; and then there must be a next tick.
        np.maximum(moves, IMPOSSIBLE, out=moves)
        moves /= moves.sum(axis=2, keepdims=True)
        return np.ascontiguousarray(np.moveaxis(moves, 0, 2))


IMPOSSIBLE = 1e-15
"""As good as never."""


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
    flat = np.concatenate([part.reshape(count, -1).astype(np.float64) for part in odds.columns], axis=1)
    _, first, which = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    return odds.take(first), which.reshape(-1)
