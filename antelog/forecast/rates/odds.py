"""Odds: the rates and delays of facts by key of a chain, of the most specific declaration; and series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log

import numpy as np

from antelog.compile.literals import Atom, Comparison
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.patterns import called
from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Column, ColumnSet, Mask, Numbers, keys_of, once
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS

Value = str | int | float


@dataclass(frozen=True)
class Series:
    """The facts of an input with these constants, equal in these pairs of columns, that pass the tests."""

    predicate: str
    constants: tuple[tuple[int, Value], ...]
    repeats: tuple[tuple[int, int], ...]
    key: tuple[int, ...]  # the columns whose values tell one series of this form from another
    tests: tuple[Comparison, ...]  # variables are named after columns: V >= 90 for column 1 is `1 >= 90`


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
    by_column = called({name: str(column) for name, column in open_.items()})
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
    """A process with one outcome at each tick: no fact, or one of `states`."""

    predicate: str
    places: tuple[int, ...]  # the columns by which its facts are found
    terms: tuple[Term, ...]  # their variables of the answer or constants
    states: tuple[ChainState, ...]
    slotted: bool
    kinds: int = 0  # the last states, of a slot: other facts that declarations name, and any other fact

    @property
    def formula_states(self) -> int:
        return len(self.states) - self.kinds

    @property
    def series(self) -> tuple[Series, ...]:
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
    """Sets of odds of a chain, a row each, with a column for each of its states."""

    transitions: Numbers  # the chances to get from no fact and from each state to each of these (two axes)
    delay: Column  # the last tick a fact may come, counted from its own
    shares: Numbers  # of true facts that come 0, 1, 2, … ticks late (a further axis)
    known: Mask  # whether it is declared how often facts of the formula come
    chance_declared: Mask
    unexpected: Numbers  # the facts counted in the slot of which nothing is declared

    @cached_property
    def _come(self) -> Numbers:
        """Shares of the true facts that have come, by state and set: before the first tick, by it, …"""
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
        return self._moves.take(of, axis=2)

    @cached_property
    def _moves(self) -> Numbers:
        """Chances to get from state to state, for each set of odds (the last axis: fast to look up)."""
        # What is said never to happen may happen all the same; and then there must be a next tick.
        moves = np.maximum(self.transitions, _LEAST)
        moves /= moves.sum(axis=2, keepdims=True)
        return np.ascontiguousarray(np.moveaxis(moves, 0, 2))


IMPOSSIBLE = 1e-15  # as good as never
_LEAST = 1e-18  # less than IMPOSSIBLE: facts declared never to happen are less likely than undeclared ones
_UNFORESEEN = 1e-13  # the share of another fact, not counted, among the ticks of which nothing is declared
_ROUNDED = 1e-9  # declared chances are rounded to doubles


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

    def of(self, term: Term) -> Column:
        """The cells of a variable of the answer, or of a constant."""
        if isinstance(term, Var):
            return self.cells[term.name]
        return np.full(self.count, self.values.cell(term.value), np.int64)

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


# ---- odds as declared ----


def declared(chain: Chain, source: Input, keys: Keys) -> Odds:
    """The odds of keys as the program declares them, a row for each key."""
    size = (keys.count, len(chain.states))
    delays = np.array([*(each.delay for each in source.refinements), source.delay])
    given = [*(each.shares for each in source.refinements), source.odds.shares]
    longest = 1 + int(delays.max())
    # Without shares, facts come at each tick of their delay equally often.
    every = [
        [1 / (d + 1)] * (d + 1) if s is None else [*s] for s, d in zip(given, delays.tolist(), strict=True)
    ]
    filled = np.array([[*each, *[0.0] * (longest - len(each))] for each in every])
    table = np.array([(each.once, each.again) for each in source.odds.chances] or [(0.0, 0.0)])
    once, again, delay = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    shares, chanced = np.zeros((*size, longest)), np.ones(size, np.bool_)
    possible = possible_kinds(chain, source, keys)
    nobody = np.zeros(size, np.bool_)
    for number, state in enumerate(chain.states):
        kind = number >= chain.formula_states
        chances, found = _decided(state, [each.pattern for each in source.odds.chances], keys, kind)
        at, sure = _decided(state, [each.pattern for each in source.refinements], keys, kind)
        chanced[:, number] = (chances >= 0) & (kind | found & sure & (not state.series.tests))
        rates = table[chances] * chanced[:, number, None]
        once[:, number], again[:, number] = rates.T
        delay[:, number] = np.where(sure, delays[at], delays.max())
        shares[:, number] = filled[at]
        some = possible[number].copy()
        for place in state.series.key:
            some &= keys.column(state, place) != OTHERS
        nobody[:, number] = ~some
    once[nobody] = again[nobody] = 0
    together = once.sum(axis=1, keepdims=True)
    within = np.maximum(together, together - once + again).max(axis=1) <= 1 + _ROUNDED
    known = chanced[:, : chain.formula_states].all(axis=1) & within
    chanced = chanced & within[:, None] | nobody
    moves = transitions(once, again)
    if chain.kinds:
        # A fact of which nothing is declared was not foreseen; it says nothing but that there is no other.
        unforeseen = np.where(chanced[:, None, -1], 0, _UNFORESEEN * moves[:, :, 0])
        moves[:, :, 0] -= unforeseen
        moves[:, :, -1] += unforeseen
    return Odds(moves, delay, shares, known, chanced, np.zeros(keys.count))


def possible_kinds(chain: Chain, source: Input, keys: Keys) -> list[Mask]:
    """For each state the rows in which a fact may be of it.

    A declaration must cover the kinds that the formula lacks; their facts must not be those of the formula.
    """
    found = [np.ones(keys.count, np.bool_) for _ in range(chain.formula_states)]
    for state in chain.states[chain.formula_states :]:
        own = {i: v for i, v in state.series.constants if i not in chain.places}
        spoken = np.full(keys.count, not own)
        for chance in source.odds.chances:
            beyond = {i: v for i, v in _constants(chance.pattern) if i not in chain.places}
            if beyond == own:
                spoken |= _fitting(state, chance.pattern, keys)[0]
        for asked in chain.states[: chain.formula_states]:
            spoken &= ~_meets(asked, own, keys, chain.places)
        found.append(spoken)
    return found


def _fitting(state: ChainState, pattern: tuple[object, ...], keys: Keys) -> tuple[Mask, bool]:
    """Marks the rows whose facts fit a declaration; and whether it may fit some of the facts only."""
    fits, partly = np.ones(keys.count, np.bool_), False
    for place, value in _constants(pattern):
        column = keys.column(state, place)
        if column is None:
            partly = True
        else:
            fits &= column == keys.values.cell(value)
    return fits, partly


def _meets(asked: ChainState, own: Mapping[int, object], keys: Keys, places: tuple[int, ...]) -> Mask:
    """Marks the rows in which facts with these constants, and new values otherwise, are facts of a state."""
    meets = np.ones(keys.count, np.bool_)
    for place in {*asked.series.key, *(i for i, _ in asked.series.constants)} - set(places):
        column, value = keys.column(asked, place), own.get(place)
        if column is not None:
            meets &= column == keys.values.cell(value) if isinstance(value, str | int | float) else False
    return meets


def _decided(
    state: ChainState, patterns: Sequence[tuple[object, ...]], keys: Keys, kind: bool
) -> tuple[Column, Mask]:
    """For each row the fitting declaration with the most constants, or -1; and whether that is sure."""
    found, sure = np.full(keys.count, -1, np.int64), np.ones(keys.count, np.bool_)
    order = sorted(range(len(patterns)), key=lambda i: sum(value is not None for value in patterns[i]))
    for number in order:
        fits, partly = _fitting(state, patterns[number], keys)
        if partly:
            sure &= ~fits | kind
        else:
            found[fits] = number
    return found, sure


def _constants(pattern: tuple[object, ...]) -> Iterator[tuple[int, str | int | float]]:
    for place, value in enumerate(pattern):
        if isinstance(value, str | int | float):
            yield place, value


def memory(source: Input) -> int:
    """The number of ticks for which it matters whether a fact was lost; 0 if none is ever lost."""
    shares = [*(each.shares for each in source.refinements), source.odds.shares]
    if not any(each is not None and sum(each) < 1 - IMPOSSIBLE for each in shares):
        return 0
    kept = max((abs(each.again - each.once) for each in source.odds.chances), default=0.0)
    if kept < IMPOSSIBLE:
        return 1
    return _LONGEST if kept >= 1 else min(_LONGEST, ceil(log(_NOTHING) / log(kept)))


_NOTHING, _LONGEST = 1e-12, 300
