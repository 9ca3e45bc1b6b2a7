"""Alerts as a user writes them, the queries they are about, and the changes they choose.

    Malf X=wt*            answers of the query Malf whose X begins with wt
    Malf X!=wt2 V>=90     those of another X, with a V from 90 on
    chance>=0.9           any answer that is at least so likely

All words of a condition have to fit; of several conditions one is enough.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from antelog.compile.nodes.plan import Plan
from antelog.compile.plan.partition import group_variables
from antelog.diagnostics import Span, problem
from antelog.errors import AntelogError
from antelog.forecast.columns import KINDS, LIKELY
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.literals.comparison import HOLDS
from antelog.language.moments import Timescale
from antelog.lines import LogLine
from antelog.run.values import SILENT

SILENT_INPUT = "silent input"  # the name of the query whose answers are inputs that are silent
HEARD = "heard"  # the change of an input that was silent and has facts again
GOOD = "good"  # the severity of queries that say that all is well
CHANCE = "chance"

_COMPARED = {sign: HOLDS[sign] for sign in ("<=", ">=", "<", ">")}
_WORD = re.compile(r"(\w+)(!=|<=|>=|<|>|=)(.*)", re.DOTALL)
_KINDS = (*KINDS, SILENT)
_KEYS = {"to": str, "on": list, "where": list, "template": str}


class AlertError(AntelogError):
    """A mistake in an alert, by its kind in `problems.toml`: `message` has the reason, `hint` the remedy."""

    def __init__(self, kind: str, /, **values: object) -> None:
        found = problem(f"alert.{kind}", Span(0, 0), **values)
        self.message, self.hint = found.message, found.hint
        super().__init__(f"{found.message}. {found.hint}")


@dataclass(frozen=True)
class Alert:
    """A receiver, kinds of changes, conditions and a template; empty ones mean the default."""

    to: str
    on: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    template: str = ""


def alerts_in(path: Path) -> tuple[Alert, ...]:
    """Reads the alerts of a file. Raises AlertError."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text"
        raise AlertError("file", path=path, reason=f"cannot be read: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise AlertError("file", path=path, reason=error) from None
    alerts = found.pop("alert", None)
    if found or not isinstance(alerts, list) or not all(isinstance(each, dict) for each in alerts):
        raise AlertError("file", path=path, reason="there has to be nothing but alerts in it")
    return tuple(_alert(each, f"{path}: alert {number}") for number, each in enumerate(alerts, start=1))


def _alert(given: dict[str, Any], place: str) -> Alert:
    for name, value in given.items():
        if name not in _KEYS:
            hint = did_you_mean(name, _KEYS) or f"It may have {', '.join(_KEYS)}."
            raise AlertError("key", place=place, name=name, hint=hint)
        fine = isinstance(value, _KEYS[name])
        if not fine or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
            raise AlertError("no-text" if _KEYS[name] is str else "no-list", place=place, name=name)
    if "to" not in given:
        raise AlertError("file", path=place, reason="it does not say who gets it")
    on, where = (tuple(given.get(name, ())) for name in ("on", "where"))
    return Alert(given["to"], on, where, given.get("template", ""))


@dataclass(frozen=True)
class AlertQuery:
    """A query: its variables, the types of those with ticks, the default kind of change, and the severity."""

    name: str
    variables: tuple[str, ...]
    ticks: Mapping[str, str]
    usual: str
    severity: str = "info"
    key: str | None = None  # the variable by whose values alerts are grouped
    runbook: str = ""


def queries_of(plan: Plan, *, chances: bool) -> tuple[AlertQuery, ...]:
    """Lists queries, and that about silent inputs; with `chances`, `likely` is usual for those that alert."""
    groups = group_variables(plan)
    found = [
        AlertQuery(
            each.name,
            each.answer.names,
            each.answer.ticks,
            LIKELY if chances and each.alert is not None else "confirmed",
            each.severity,
            groups.get(each.name),
            each.notice.runbook or "",
        )
        for each in plan.queries
    ]
    return *found, AlertQuery(SILENT_INPUT, ("input", "slot"), {}, SILENT, "warning", "input")


@dataclass(frozen=True)
class AlertSetup:
    """All alerts of a stream, its queries, the file of its program, and the times of its ticks."""

    alerts: tuple[Alert, ...]
    queries: tuple[AlertQuery, ...]
    program: str
    timescale: Timescale | None = None
    every: float = 0.0  # seconds until further alerts of a group are sent as one
    begin: int | None = 0  # the first tick whose changes are sent; None: the newest one at the start
    link: str = ""  # the address of the page
    key: str | None = None  # the name of the program's key
    store: str = ""  # the path of the store, which has the feed and the outbox
    otlp: str = ""  # the address of a collector of telemetry


# ---- the changes of an alert ----


@dataclass(frozen=True)
class ValueTest:
    """A comparison of a value of an answer, or of its chance."""

    name: str
    sign: str
    value: str

    def fits(self, line: LogLine) -> bool:
        values = {CHANCE: line.get(CHANCE), **line["answer"]}
        if self.name not in values:
            return False
        value = values[self.name]
        if self.sign in _COMPARED:
            if not isinstance(value, int | float) or isinstance(value, bool):
                return False
            return bool(_COMPARED[self.sign](value, float(self.value)))
        return fnmatchcase(as_text(value), self.value) == (self.sign == "=")


@dataclass(frozen=True)
class Where:
    query: str | None
    tests: tuple[ValueTest, ...]

    def fits(self, line: LogLine) -> bool:
        return self.query in (None, line["query"]) and all(test.fits(line) for test in self.tests)


@dataclass(frozen=True)
class Choice:
    """The changes that one receiver gets: kinds of changes by query, and conditions."""

    kinds: dict[str, frozenset[str]]
    wheres: tuple[Where, ...]

    def fits(self, line: LogLine) -> bool:
        if line["change"] not in self.kinds.get(line["query"], frozenset()):
            return False
        return not self.wheres or any(where.fits(line) for where in self.wheres)


def choice_of(alert: Alert, queries: Sequence[AlertQuery]) -> Choice:
    """Parses the kinds and conditions of an alert. Raises AlertError for unknown kinds and names."""
    for kind in alert.on:
        if kind not in _KINDS:
            hint = did_you_mean(kind, _KINDS) or f"The kinds are {', '.join(_KINDS)}."
            raise AlertError("change", kind=kind, hint=hint)
    wheres = tuple(_where(text, queries) for text in alert.where)
    named = {each.query for each in wheres}
    # A query that is `good` has to be named.
    usual = {q.name: (q.usual,) if q.severity != GOOD or q.name in named else () for q in queries}
    return Choice({name: frozenset(alert.on or kinds) for name, kinds in usual.items()}, wheres)


def as_text(value: object) -> str:
    """Writes a value as in conditions: texts without quotes, `any` for an unbound one."""
    if value is None:
        return "any"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _where(text: str, queries: Sequence[AlertQuery]) -> Where:
    try:
        words = shlex.split(text)
    except ValueError:
        raise AlertError("quote", text=text) from None
    if not words:
        raise AlertError("empty-condition")
    query = None if _WORD.fullmatch(words[0]) else words[0]
    if query is not None and query not in {each.name for each in queries}:
        known = [each.name for each in queries]
        hint = did_you_mean(query, known) or f"The queries are {', '.join(known)}."
        raise AlertError("query", query=query, hint=hint)
    known = sorted({name for each in queries if query in (None, each.name) for name in each.variables})
    return Where(query, tuple(_test(word, known) for word in words[query is not None :]))


def _test(word: str, known: Sequence[str]) -> ValueTest:
    match = _WORD.fullmatch(word)
    if match is None:
        raise AlertError("no-comparison", word=word)
    name, sign, value = match.groups()
    if name not in (*known, CHANCE):
        hint = did_you_mean(name, known) or f"They have {', '.join((*known, CHANCE))}."
        raise AlertError("variable", name=name, hint=hint)
    if name == CHANCE and name not in known:
        with suppress(ValueError):
            value = str(float(value[:-1]) / 100) if value.endswith("%") else value
        if sign not in _COMPARED:
            raise AlertError("equal-chance")
    if sign in _COMPARED:
        try:
            float(value)
        except ValueError:
            raise AlertError("no-number", value=value) from None
    return ValueTest(name, sign, value)
