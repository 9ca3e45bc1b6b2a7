"""Conditions that a rule may have: each a measure of the moments, and a limit that it is over or under.

avg(U : Vibration(X, U, T-5..T)) > 47.5      the measure is a mean, the limit 47.5
Error(X, "E2", T-23..T)                      the measure is a count, the limit none
not Error(X, "E2", T-23..T)                  the same count, and none of it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Mask, Numbers
from antelog.forecast.reports.words import lead
from antelog.incidents.suggest.input_columns import InputColumns
from antelog.incidents.suggest.measures import CALENDAR, Measure, SearchedHistory
from antelog.language.printer import value_text

# Of worth: about how many more there are of a kind to choose from than of plain values; 6 for others.
_COSTS = {"value": 0.0, "last": -4.0, "count": 0.1, "change": 8.0, "hour": -1.0, "weekday": -3.0}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class RuleCondition:
    """A measure over its limit, or under it."""

    measure: Measure
    above: bool
    limit: float

    def holds(self, numbers: Numbers) -> Mask:
        with np.errstate(invalid="ignore"):
            return numbers > self.limit if self.above else numbers < self.limit

    @property
    def counted(self) -> bool:
        """Whether its limit is part of what it says, and has no name."""
        return self.measure.what in ("count", "last", *CALENDAR)

    @property
    def is_some(self) -> bool:
        """Whether it asks for any fact of a count, and not for a number of them."""
        return self.measure.what == "count" and self.above and self.limit < 1

    @property
    def is_none(self) -> bool:
        return self.measure.what == "count" and not self.above and self.limit <= 1

    @property
    def number(self) -> int:
        """The count, hour or day from which on it holds, or before which."""
        return int(np.floor(self.limit)) + 1 if self.above else int(np.ceil(self.limit))

    @property
    def cost(self) -> float:
        """How much more it must be worth than a plainer one that rings at the same moments."""
        if self.measure.what == "count" and self.above and not self.is_some:
            return 2.0
        return _COSTS.get(self.measure.what, 6.0)


def atom(source: InputColumns, key: str | None, time: str, column: str = "", term: str = "_") -> str:
    """A fact of an input with the variable of its key, and a term in one of its columns."""
    names = source.source.columns[:-1]
    terms = [
        (key or "_") if at == source.key_at else term if n == column else "_" for at, n in enumerate(names)
    ]
    return f"{source.source.name}({', '.join([*terms, time])})"


def literal(
    condition: RuleCondition,
    history: SearchedHistory,
    limit: str,
    variable: str,
    *,
    key: str | None,
    time: str,
) -> str:
    """A condition as a literal of the language; `limit` is the number, or its name."""
    measure, sign = condition.measure, ">" if condition.above else "<"
    least = f"{'>=' if condition.above else '<'} {condition.number}"
    if measure.what in CALENDAR:
        return f"{measure.what}({time}) {least}"
    source, column = history.inputs[measure.source], measure.column
    term = variable if measure.kind is None else value_text(measure.kind)
    now = atom(source, key, time, column, term)
    if measure.what == "last":
        return f"last {now}"
    if measure.what == "value":
        return f"{'' if source is history.base else 'last '}{now}, {variable} {sign} {limit}"
    if measure.what == "change":
        before = atom(source, key, f"{time}-{measure.ticks}..{time}-1", column, f"{variable}0")
        return f"{now}, {variable} {sign} avg({variable}0 : {before}) * {limit}"
    span = time if measure.ticks == 1 else f"{time}-{measure.ticks - 1}..{time}"
    facts = atom(source, key, span, column, term)
    if measure.what != "count":
        return f"{measure.what}({variable} : {facts}) {sign} {limit}"
    if condition.is_some or condition.is_none:
        return facts if condition.is_some else f"not {facts}"
    return f"count({facts}) {least}"


def in_words(condition: RuleCondition, history: SearchedHistory, limit: str) -> str:
    """A condition as people say it: `mean of value of Vib over 6 hours above 47.5`."""
    measure, above, number = condition.measure, condition.above, condition.number
    if measure.what in CALENDAR:
        named = f"{number}:00" if measure.what == "hour" else _DAYS[number - 1]
        return f"from {named} on" if above else f"before {named}"
    name, span = history.inputs[measure.source].source.name, lead(measure.ticks, history.plan.tick)
    if measure.what == "last":
        return f"the last {measure.column} of {name} is {measure.kind}"
    if measure.what == "count":
        facts = f"{name if measure.kind is None else f'{name} {measure.kind}'} within {span}"
        if condition.is_some or condition.is_none:
            return facts if condition.is_some else f"no {facts}"
        return f"{number} or more {facts}" if above else f"fewer than {number} {facts}"
    column = measure.column if measure.column == name.lower() else f"{measure.column} of {name}"
    side = f"{'above' if above else 'below'} {limit}"
    if measure.what == "change":
        return f"{column} {side} times its mean over {span}"
    what = {"avg": "mean of ", "max": "highest ", "min": "lowest "}.get(measure.what)
    return f"{column} {side}" if what is None else f"{what}{column} over {span} {side}"
