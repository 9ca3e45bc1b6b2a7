"""The odds of keys as the program declares them; of the declarations that fit, the most specific one decides.

chance Temp(_, high, _) = 5%, again 80%.
delay Temp(wt4, _, _) = 2 (70%, 20%, 8%).
Temp(wt4, high, ·): once 0.05, again 0.8, delay 2, shares 0.7, 0.2, 0.08
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, log

import numpy as np

from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.encoding import OTHERS
from antelog.forecast.rates.odds import IMPOSSIBLE, Chain, ChainState, Keys, Odds, transitions


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
    shares, chanced, stated = np.zeros((*size, longest)), np.ones(size, np.bool_), np.ones(size, np.bool_)
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
        stated[:, number] = sure & np.array([s is not None for s in given])[at]
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
    return Odds(moves, delay, shares, known, chanced, stated, np.zeros(keys.count))


_UNFORESEEN = 1e-13
"""The share of another fact among the ticks of which nothing is declared, where it is not learned."""

_ROUNDED = 1e-9
"""Declared chances are rounded to doubles."""


def possible_kinds(chain: Chain, source: Input, keys: Keys) -> list[Mask]:
    """For each state the rows in which a fact may be of it.

    Kinds of facts that the formula lacks must be covered by a declaration, except any other fact. Their facts
    must not be among those of the formula.
    """
    found = [np.ones(keys.count, np.bool_) for _ in range(chain.formula_states)]
    for state in chain.states[chain.formula_states :]:
        own = {i: v for i, v in state.series.constants if i not in chain.places}
        spoken = np.full(keys.count, not own)
        for chance in source.odds.chances:
            beyond = {i: v for i, v in _constants(chance.pattern) if i not in chain.places}
            if beyond == own:
                spoken |= _fits(state, chance.pattern, keys)
        for asked in chain.states[: chain.formula_states]:
            spoken &= ~_meets(asked, own, keys, chain.places)
        found.append(spoken)
    return found


def _fits(state: ChainState, pattern: tuple[object, ...], keys: Keys) -> Mask:
    fits = np.ones(keys.count, np.bool_)
    for place, value in _constants(pattern):
        column = keys.column(state, place)
        if column is not None:
            fits &= column == keys.values.cell(value)
    return fits


def _meets(asked: ChainState, own: Mapping[int, object], keys: Keys, places: tuple[int, ...]) -> Mask:
    """Marks the rows in which facts with these constants, and new values otherwise, are facts of a state."""
    meets = np.ones(keys.count, np.bool_)
    for place in {*asked.series.key, *(i for i, _ in asked.series.constants)} - set(places):
        column, value = keys.column(asked, place), own.get(place)
        if column is not None:
            meets &= column == keys.values.cell(value) if isinstance(value, str | int | float) else False
    return meets


def completed(odds: Odds, learned: Odds, *, whole: bool = True) -> Odds:
    """Fills up declared odds of a chain with learned ones where nothing is declared.

    In the ticks that declarations leave, each other kind of facts, and no fact, has its learned share. If not
    the `whole` is to be filled up, only chains with declared facts of the formula are, and the shares of
    delays stay.
    """
    usable = learned.known & (odds.known | whole)
    stays = odds.chance_declared[:, None]
    given = np.where(stays, odds.transitions[:, :, 1:], 0)
    left = np.maximum(1 - given.sum(axis=2, keepdims=True), 0)
    others = np.maximum(learned.transitions, IMPOSSIBLE)
    others[:, :, 1:] *= ~stays
    others *= left / others.sum(axis=2, keepdims=True)
    others[:, :, 1:] += given
    found = replace(
        odds,
        transitions=np.where(usable[:, None, None], others, odds.transitions),
        known=odds.known | usable,
        unexpected=learned.unexpected,
    )
    if not whole:
        return found
    # What is learned has a column for each tick of the longest delay of any input.
    ticks = max(odds.shares.shape[2], learned.shares.shape[2])
    own, shares = (
        np.pad(each, ((0, 0), (0, 0), (0, ticks - each.shape[2]))) for each in (odds.shares, learned.shares)
    )
    within = shares * (np.arange(ticks) <= odds.delay[:, :, None])
    within /= np.maximum(within.sum(axis=2, keepdims=True), IMPOSSIBLE)
    kept = odds.shares_declared | ~learned.known[:, None]
    return replace(found, shares=np.where(kept[:, :, None], own, within))


def less_declared(learned: Odds, odds: Odds) -> Odds:
    """Turns learned odds of any fact of a slot into those of another fact: without the declared facts."""
    moves = np.zeros_like(learned.transitions)
    given = np.where(odds.chance_declared[:, None], odds.transitions[:, :, 1:], 0).sum(axis=2)
    moves[:, :, 0] = learned.transitions[:, :, 0]
    moves[:, :, -1] = np.maximum(1 - moves[:, :, 0] - given, 0)
    return replace(learned, transitions=moves)


def _decided(
    state: ChainState, patterns: Sequence[tuple[object, ...]], keys: Keys, kind: bool
) -> tuple[Column, Mask]:
    """For each row the fitting declaration with the most constants, or -1; and whether that is sure.

    It is not where a declaration fits some of the facts that the state may stand for. A `kind` of facts
    stands for those with values of which no declaration speaks.
    """
    found, sure = np.full(keys.count, -1, np.int64), np.ones(keys.count, np.bool_)
    order = sorted(range(len(patterns)), key=lambda i: sum(value is not None for value in patterns[i]))
    for number in order:
        fits, partly = np.ones(keys.count, np.bool_), False
        for place, value in _constants(patterns[number]):
            column = keys.column(state, place)
            if column is None:
                partly = True
            else:
                fits = fits & (column == keys.values.cell(value))
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
