"""Small programs and facts, opened up for the tests of forecasts: plans, formulas in words, sightings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import antelog
from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import Values
from antelog.forecast.columns import OUTCOMES
from antelog.forecast.inference.forms import chains_of
from antelog.forecast.inference.formulas import WHEN, Condition, Formula, formula_of
from antelog.forecast.inference.nodes import AtLeast, Comes, Every, Holds, Never, Node, Some, Turns
from antelog.forecast.judges.judge import Judge
from antelog.forecast.model_file import Model
from antelog.forecast.outcomes.outcomes import OutcomeStatistics
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


def in_words(found: Formula) -> str:
    """A formula as `any(all(T >= 0, Temp(X, high) at 0))`, its conditions written out where they stand."""
    return _words(found.whole, found.conditions)


def _words(node: Node, conditions: Sequence[Condition]) -> str:
    match node:
        case Comes(series, key, at):
            return f"{series_in_words(series, key)} at {at}"
        case Holds(condition):
            return _condition(conditions[condition])
        case Every(parts):
            return f"all({', '.join(_words(part, conditions) for part in parts)})"
        case Some(parts):
            return f"any({', '.join(_words(part, conditions) for part in parts)})"
        case AtLeast(number, parts):
            return f"{number} of({', '.join(_words(part, conditions) for part in parts)})"
        case Turns(true, false):
            return f"{_words(true, conditions)} or else {_words(false, conditions)}"
        case Never(part):
            return f"not {_words(part, conditions)}"


def series_in_words(series: Series, key: Sequence[str]) -> str:
    """A series as `Temp(X, high)`, with `column 1 >= 90` for a test."""
    columns = {place: str(value) for place, value in series.constants}
    columns.update(zip(series.key, key, strict=True))
    tests = [f"column {_operand(t.left)} {t.operator} {_operand(t.right)}" for t in series.tests]
    return f"{series.predicate}({', '.join([*(columns[place] for place in sorted(columns)), *tests])})"


def _condition(condition: Condition) -> str:
    if isinstance(condition, StaticAtom):
        return f"{condition.predicate}({', '.join(map(_operand, condition.arguments))})"
    assert isinstance(condition, Comparison)
    return f"{_operand(condition.left)} {condition.operator} {_operand(condition.right)}"


def _operand(operand: object) -> str:
    match operand:
        case Var(name):
            return name
        case Const(value):
            return str(value)
        case Time(variable, offset):
            if variable is None:
                return str(offset)
            return ("T" if variable == WHEN else variable) + (f"+{offset}" if offset else "")
        case _:
            return str(operand)


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
        np.ones((1, states), np.bool_),
        np.zeros(1),
    )


def state(predicate: str, *columns: str) -> ChainState:
    """A state by hand: capital letters are the answer's variables, `_` is open, others are constants."""
    variables = {place: name for place, name in enumerate(columns) if name[0].isupper()}
    constants = tuple((i, v) for i, v in enumerate(columns) if i not in variables and v != "_")
    return ChainState(Series(predicate, constants, (), tuple(variables), ()), tuple(variables.values()))


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
