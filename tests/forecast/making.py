"""Small programs and facts, opened up for the tests of forecasts: plans, formulas in words, sightings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

import antelog
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.tables import Numbers
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import Values
from antelog.forecast.columns import OUTCOMES
from antelog.forecast.inference.forms import Formula, chains_of, formula_of
from antelog.forecast.judges.judge import Judge
from antelog.forecast.judges.outcomes import OutcomeStatistics
from antelog.forecast.model_file import Model
from antelog.forecast.rates.odds import Chain, ChainState, Keys, Odds, Series, transitions
from antelog.forecast.rates.sightings import Family, Sightings, nothing_seen, seen

Fact = tuple[Any, ...]


def plan_of(text: str) -> Plan:
    return antelog.parse(text).plan


def input_of(text: str) -> Input:
    """The first input of a program."""
    return plan_of(text).inputs[0]


def formula(text: str, query: str = "P") -> Formula:
    return formula_of(prepared(plan_of(text)), query)


def chains(text: str, query: str = "P") -> list[Chain]:
    rules = prepared(plan_of(text))
    return list(chains_of(formula_of(rules, query).literals, rules.inputs))


# ---- facts, keys and odds ----


def cells(values: Values, given: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([values.cell(each) for each in given], np.int64)


def facts_of(values: Values, facts: Sequence[Fact]) -> Facts:
    """Facts given as (values…, time, arrival)."""
    *columns, time, arrival = zip(*facts, strict=True)
    return Facts(
        tuple(cells(values, column) for column in columns),
        np.array(time, np.int64),
        np.array(arrival, np.int64),
    )


def sighted(families: Sequence[Family], *steps: Sequence[Fact]) -> Sightings:
    """What was seen of facts given as (input, values…, time, arrival), one step after the other."""
    found, values = nothing_seen(families), Values()
    for step in steps:
        names = dict.fromkeys(name for name, *_ in step)
        new = {n: facts_of(values, [tuple(own) for name, *own in step if name == n]) for n in names}
        found = seen(found, families, new, values)
    return found


def keys(values: Values, **columns: Sequence[Any]) -> Keys:
    """Rows of keys, given by variable."""
    return Keys(
        {name: cells(values, column) for name, column in columns.items()},
        max((len(column) for column in columns.values()), default=1),
        values,
    )


def odds(
    once: Sequence[float], again: Sequence[float], shares: Sequence[Sequence[float]] = ((1.0,),)
) -> Odds:
    """One set of odds: for each state its chances and its shares."""
    states = len(once)
    padded = [list(each) for each in shares] * (states if len(shares) == 1 else 1)
    return Odds(
        transitions(np.array([once]), np.array([again])),
        np.array([[len(each) - 1 for each in padded]]),
        np.array([padded]),
        np.ones(1, np.bool_),
        np.ones((1, states), np.bool_),
        np.zeros(1),
    )


def once_and_again(odds: Odds) -> tuple[Numbers, Numbers]:
    """The chances of a fact of each state after a tick without any, and after one with one of it."""
    return odds.transitions[:, 0, 1:], np.diagonal(odds.transitions, axis1=1, axis2=2)[:, 1:]


def state(predicate: str, *columns: str) -> ChainState:
    """A state by hand: capital letters are the answer's variables, `_` is open, others are constants."""
    variables = {place: name for place, name in enumerate(columns) if name[0].isupper()}
    constants = tuple((i, v) for i, v in enumerate(columns) if i not in variables and v != "_")
    return ChainState(Series(predicate, constants, (), tuple(variables), ()), tuple(variables.values()))


def replayed(engine: Any, facts: Mapping[str, Sequence[Fact]], ends: Iterable[int]) -> dict[str, pa.Table]:
    """The lines of each query, in steps that end at these ticks; facts end with their arrival."""
    log: dict[str, list[pa.Table]] = {}
    for end in ends:
        new = {name: [row for row in rows if engine.now < row[-1] <= end] for name, rows in facts.items()}
        for name, table in engine.advance(end, new).items():
            log.setdefault(name, []).append(table)
    return {name: pa.concat_tables(tables) for name, tables in log.items()}


def with_what_was_found_meanwhile(model: Model, other: Model) -> Model:
    """A model with what another found out tick by tick, by what it knew at the time.

    That is how far each judge is trusted, and how strongly a key is drawn to all.
    """
    judges: dict[str, dict[str, Judge]] = {}
    for query, of in model.judges.items():
        ours, theirs = of[OUTCOMES], other.judges[query][OUTCOMES]
        assert isinstance(ours, OutcomeStatistics)
        assert isinstance(theirs, OutcomeStatistics)
        judges[query] = {**of, OUTCOMES: replace(ours, drawn=theirs.drawn)}
    return replace(model, judges=judges, weights=other.weights)
