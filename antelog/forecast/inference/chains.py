"""Chains: which of the series of a formula hold at a tick, as one state that moves from tick to tick.

    Temp(X, high, ·) alone                              none, high
    Temp(X, high, ·), Temp(X, low, ·), one per device   none, high, low, another: one excludes the others

Splits a formula into its chains. Series that no fact can meet together, and that exclude nothing of
each other, are chains of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.plan import Input
from antelog.forecast.inference.formulas import UnknownChanceError
from antelog.forecast.inference.nodes import Comes
from antelog.forecast.rates.series import Chain, ChainState, Series, exclusive


def chains_of(literals: Iterable[Comes], inputs: Mapping[str, Input]) -> dict[Chain, None]:
    """The chains of a formula; raises UnknownChanceError where facts hang together in another way."""
    found: dict[tuple[str, tuple[int, ...], tuple[Term, ...], Series | None], dict[ChainState, None]] = {}
    for literal in literals:
        series, slot = literal.series, inputs[literal.series.predicate].slot
        by_column: dict[int, Term] = dict(zip(series.key, map(Var, literal.key), strict=True))
        by_column.update((column, Const(value)) for column, value in series.constants)
        if slot is not None and not set(slot) <= by_column.keys():
            raise UnknownChanceError("it asks for any fact of several slots")
        places = series.key if slot is None else slot
        terms = tuple(by_column[place] for place in places)
        family = (series.predicate, places, terms, series if slot is None else None)
        found.setdefault(family, {})[ChainState(series, literal.key)] = None
    chains: dict[Chain, None] = {}
    for (predicate, places, terms, _), states in found.items():
        _refuse_overlapping(dict.fromkeys(state.series for state in states))
        slotted = inputs[predicate].slot is not None
        kinds = tuple(k for k in _kinds(inputs[predicate], terms) if k not in states) if slotted else ()
        if len(states) + len(kinds) > _MOST:
            raise UnknownChanceError("too many kinds of facts exclude each other")
        chains[Chain(predicate, places, terms, (*states, *kinds), slotted, len(kinds))] = None
    free = {series for chain in chains if not chain.slotted for series in chain.series}
    _refuse_overlapping(free)
    return chains


_MOST = 8
"""So many kinds of facts a chain may have; of a slot, another fact is one of them."""


def _kinds(source: Input, terms: tuple[Term, ...]) -> Iterator[ChainState]:
    """The kinds of facts in a slot that declarations name, those with more constants first; then another."""
    slot = source.slot or ()
    here = dict(zip(slot, terms, strict=True))
    fixed = tuple((place, term.value) for place, term in here.items() if isinstance(term, Const))
    names = {place: term.name for place, term in here.items() if isinstance(term, Var)}
    patterns = dict.fromkeys(
        tuple((i, v) for i, v in enumerate(chance.pattern) if v is not None and i not in slot)
        for chance in source.odds.chances
    )
    patterns[()] = None
    for pattern in sorted(patterns, key=len, reverse=True):
        series = Series(source.name, (*fixed, *pattern), (), tuple(names), ())
        yield ChainState(series, tuple(names.values()))


def _refuse_overlapping(series: Iterable[Series]) -> None:
    for one, other in combinations(series, 2):
        if one.predicate == other.predicate and not exclusive(one, other):
            raise UnknownChanceError("one fact may stand for two of its literals")


def leaf_of(literal: Comes, chains: Iterable[Chain]) -> tuple[int, int]:
    """The chain a literal is about, and the state it asks for."""
    state = ChainState(literal.series, literal.key)
    return next((i, c.states.index(state) + 1) for i, c in enumerate(chains) if state in c.states)
