"""Odds: the rates and delays of facts, for each key of a chain; and series, of which chains are made.

Temp(X, high, T)                   a series of Temp with `high` in column 1, for each X
Reading(X, V, T) where V >= 90     a series of Reading, for each X: is there any such V?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.patterns.renaming import Called
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column, Mask, Numbers, keys_of, once
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS

Value = str | int | float


@dataclass(frozen=True)
class Series:
    """The facts of an input with these constants, equal in these pairs of columns, that pass the tests.

    `key` are the columns whose values tell one series of this form from another. In `tests` a
    variable is named after its column: V >= 90 for column 1 is `1 >= 90`.
    """

    predicate: str
    constants: tuple[tuple[int, Value], ...]
    repeats: tuple[tuple[int, int], ...]
    key: tuple[int, ...]
    tests: tuple[Comparison, ...]


def series_of(
    atom: Atom, bound: Mapping[str, Term], tests: tuple[Comparison, ...]
) -> tuple[Series, tuple[Var, ...]]:
    """The series of a literal, and the variables that are its key, given the terms of bound variables."""
    constants: list[tuple[int, Value]] = []
    repeats: list[tuple[int, int]] = []
    key: list[tuple[int, Var]] = []
    open_: dict[str, int] = {}
    for column, argument in enumerate(atom.terms):
        term = bound.get(argument.name, argument) if isinstance(argument, Var) else argument
        if isinstance(term, Const):
            constants.append((column, term.value))
        elif isinstance(argument, Var) and argument.name in bound:
            key.append((column, term))
        elif term.name in open_:
            repeats.append((open_[term.name], column))
        else:
            open_[term.name] = column
    by_column = Called({name: str(column) for name, column in open_.items()})
    own = tuple(
        each.replaced(by_column) for each in tests if each.variables and each.variables <= open_.keys()
    )
    series = Series(atom.predicate, tuple(constants), tuple(repeats), tuple(c for c, _ in key), own)
    return series, tuple(variable for _, variable in key)


def exclusive(one: Series, other: Series) -> bool:
    """Whether no fact meets both, whatever their keys: they have different constants in some column."""
    first, second = dict(one.constants), dict(other.constants)
    return any(not HOLDS["="](first[column], second[column]) for column in first.keys() & second.keys())


@dataclass(frozen=True)
class ChainState:
    """A fact that a chain may show: its series, and the answer's variables that are its key."""

    series: Series
    key: tuple[str, ...]


@dataclass(frozen=True)
class Chain:
    """A process with one outcome at each tick: no fact, or one of `states`.

    `places` are the columns by which its facts are found, `terms` their variables of the answer or constants.
    A chain with a slot shows one fact a tick: so after the states of the formula it has `kinds` of other
    facts, those that declarations name, and as the last one any other fact.
    """

    predicate: str
    places: tuple[int, ...]
    terms: tuple[Term, ...]
    states: tuple[ChainState, ...]
    slotted: bool
    kinds: int = 0

    @property
    def formula_states(self) -> int:
        """The number of its states that are in the formula."""
        return len(self.states) - self.kinds

    @property
    def series(self) -> tuple[Series, ...]:
        """The series of its states, each once."""
        return tuple(dict.fromkeys(state.series for state in self.states))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The answer's variables that identify its facts, in order."""
        names = {term.name for term in self.terms if isinstance(term, Var)}
        return tuple(sorted(names.union(*(state.key for state in self.states))))

    @cached_property
    def _hash(self) -> int:
        return hash((self.predicate, self.places, self.terms, self.states, self.slotted, self.kinds))

    def __hash__(self) -> int:
        return self._hash  # what is kept of a chain is looked up in every step

    @property
    def outcomes(self) -> int:
        """The number of outcomes of a tick: no fact, and a fact of each state."""
        return 1 + len(self.states)


@dataclass(frozen=True, eq=False)
class Odds(ColumnSet):
    """Sets of odds of a chain, a row each, with a column for each of its states.

    transitions     the chances to get from no fact and from each state to each of these (two axes)
    delay           the last tick a fact may come, counted from its own
    shares          the shares of true facts that come 0, 1, 2, … ticks late (a further axis)
    known           whether it is known at all how often facts come
    chance_declared whether the program declares the chance of a fact
    shares_declared whether the program declares the shares
    unexpected      the facts counted in the slot of which nothing is declared
    """

    transitions: Numbers
    delay: Column
    shares: Numbers
    known: Mask
    chance_declared: Mask
    shares_declared: Mask
    unexpected: Numbers

    @cached_property
    def _come(self) -> Numbers:
        """Shares of the true facts that have come: before the first tick, by the first, the second, …

        By state, then by set, so that rows can be looked up side by side.
        """
        count, states, _ = self.shares.shape
        come = np.concatenate([np.zeros((count, states, 1)), np.cumsum(self.shares, axis=2)], axis=2)
        return np.ascontiguousarray(np.moveaxis(come, 1, 0))

    @property
    def states(self) -> int:
        """The number of states of the chain, the first one being that of no fact."""
        states: int = self.transitions.shape[1]
        return states

    def come(self, of: Column, lag: Column | int) -> Numbers:
        """The shares of true facts of each state that have come `lag` ticks later, a column for each row."""
        states, _, lags = self._come.shape
        most = lags - 2  # numbers one by one are faster than columns of them
        lag = min(max(lag, -1), most) if isinstance(lag, int) else np.minimum(np.maximum(lag, -1), most)
        at = of * lags + (lag + 1)
        come: Numbers = self._come.reshape(states, -1).take(at, axis=1)
        return come

    def moves(self, of: Column) -> Numbers:
        """The chances to get from each state (no fact first) to each, for these rows (last axis)."""
        moves: Numbers = self._moves.take(of, axis=2)
        return moves

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
"""Less than IMPOSSIBLE: facts declared never to happen are less likely than undeclared ones."""


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
    parts = [odds.transitions[:, :, 1:], *[*vars(odds).values()][1:]]
    flat = np.concatenate([part.reshape(count, -1).astype(np.float64) for part in parts], axis=1)
    (key,) = keys_of([[*np.ascontiguousarray(flat.T).view(np.int64)]])
    first, which = once(key)
    return odds.take(first), which
