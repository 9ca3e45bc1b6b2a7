"""The course of a chain, given everything that has come and has not: where it is at each tick, and goes.

    once 0.05, again 0.8; a fact at 0, nothing yet at 1, of which 30 % may still come
    at 0: a fact, 1.0; at 1: a fact, 0.55

In comes a chain of some rows, out goes how likely each state is at each tick, and from each state of the
tick before. What came later is in it already, so that a sample can be drawn forward, tick by tick.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Numbers
from antelog.forecast.chances.evaluating import FOREVER, Link, Window, moves_at, weights_at


@dataclass(frozen=True, eq=False)
class Course:
    """From tick `first` on: the chance of each state, and of each state given that of the tick before.

    `held` has the axes tick, state and row; `moves` tick, state before, state, and row.
    """

    first: int
    held: Numbers
    moves: Numbers

    def all_of(self, shown: dict[int, Numbers]) -> Numbers:
        """The chance, for each row, that at each of some ticks the chain shows something.

        How likely each state shows it is given by state and row.
        """
        first, last = min(shown), max(shown)
        chance: Numbers = self.held[first - self.first] * shown[first]
        for tick in range(first + 1, last + 1):
            chance = (chance[:, None] * self.moves[tick - self.first]).sum(axis=0)
            if tick in shown:
                chance = chance * shown[tick]
        total: Numbers = chance.sum(axis=0)
        return total


def course(window: Window, link: Link, ticks: range) -> Course:
    """The course of a chain over some ticks after the window's begin."""
    end = max(ticks[-1], int(window.age.max()))
    plain = np.ascontiguousarray(np.moveaxis(link.odds.moves(link.which), 0, -1))
    moves = []
    ahead = np.ones((link.states, window.count))  # how likely what comes after a tick is, given its state
    for tick in range(end, window.begin, -1):
        weights = weights_at(window, link, tick, FOREVER).sum(axis=1)
        own = moves_at(plain, tick >= window.since) * np.where(tick > window.age, 1, weights * ahead)
        ahead = own.sum(axis=1)
        moves.append(own / ahead[:, None])
        ahead = np.where(tick > window.age, 1, ahead / ahead.max(axis=0))
    moves.reverse()
    at = link.shown[:, 0] % link.states  # another fact is no state
    held = np.zeros((link.states, window.count))
    held[at, np.arange(window.count)] = 1
    states = []
    for own in moves[: ticks[-1] - window.begin]:
        held = (held[:, None] * own).sum(axis=0)
        states.append(held)
    skipped = ticks[0] - window.begin - 1
    return Course(ticks[0], np.array(states[skipped:]), np.array(moves[skipped : len(states)]))
