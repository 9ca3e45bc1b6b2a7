"""Conditions that a rule may have: each a measure of the moments, and a limit that it is over or under.

avg(U : Vibration(X, U, T-5..T)) > 47.5      the measure is a mean, the limit 47.5
Error(X, "E2", T-23..T)                      the measure is a count, the limit none
not Error(X, "E2", T-23..T)                  the same count, and none of it
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from antelog.engine.columns.tables import Mask, Numbers
from antelog.forecast.reports.words import lead
from antelog.incidents.suggest.input_columns import InputColumns
from antelog.incidents.suggest.measures import CALENDAR, Measure, SearchedHistory
from antelog.language.printer import value_text

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FORMS: Mapping[str, Mapping[str, Mapping[str, Any]]]
_FORMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


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
    def form(self) -> Mapping[str, Any]:
        """How it is written, and its cost, of its kind in `conditions.toml`."""
        is_any = self.measure.what == "count" and self.number == 1
        return _FORMS["any" if is_any else self.measure.what]["over" if self.above else "under"]

    @property
    def number(self) -> int:
        """The count, hour or day from which on it holds, or before which."""
        return int(np.floor(self.limit)) + 1 if self.above else int(np.ceil(self.limit))


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
    measure, source = condition.measure, history.inputs[condition.measure.source]
    term, ticks = variable if measure.kind is None else value_text(measure.kind), measure.ticks
    span = time if ticks == 1 else f"{time}-{ticks - 1}..{time}"
    text: str = condition.form["literal"].format(
        now=atom(source, key, time, measure.column, term),
        facts=atom(source, key, span, measure.column, term),
        before=atom(source, key, f"{time}-{ticks}..{time}-1", measure.column, f"{variable}0"),
        latest="" if source is history.base else "last ",
        limit=limit,
        v=variable,
        n=condition.number,
        time=time,
    )
    return text


def in_words(condition: RuleCondition, history: SearchedHistory, limit: str) -> str:
    """A condition as people say it: `mean of value of Vib over 6 hours above 47.5`."""
    measure, number = condition.measure, condition.number
    name, span = history.inputs[measure.source].source.name, lead(measure.ticks, history.plan.tick)
    text: str = condition.form["words"].format(
        input=name, column=measure.column, kind=measure.kind, span=span, limit=limit, n=number,
        events=f"{name if measure.kind is None else f'{name} {measure.kind}'} within {span}",
        series=measure.column if measure.column == name.lower() else f"{measure.column} of {name}",
        day=_DAYS[(number - 1) % len(_DAYS)],
    )  # fmt: skip
    return text
