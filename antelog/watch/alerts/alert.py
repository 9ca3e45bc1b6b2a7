"""Alerts as a user writes them, and the queries they are about.

    Alert("slack:@slack.url", on=("likely",), where=("Malf X=wt*",), template="{X} is getting hot")

These are texts only, so that they can be passed to the process that sends. It parses them, and so does
`antelog/watch/alerts/setup.py` before the start, to report mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from antelog.compile.nodes.plan import Plan
from antelog.compile.plan.partition import group_variables
from antelog.errors import AntelogError
from antelog.forecast.columns import LIKELY
from antelog.language.moments import Timescale
from antelog.lines import LogLine
from antelog.run.values import SILENT

Line: TypeAlias = LogLine
"""A change as the feed has it."""


SILENT_INPUT = "silent input"
"""The name of the query whose answers are inputs that are silent."""
HEARD = "heard"
"""Facts of an input come again that was silent."""
GOOD = "good"
"""The severity of queries that say that all is well."""


class AlertError(AntelogError):
    """A mistake in an alert: `message` has the reason, `hint` the remedy."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = message, hint
        super().__init__(f"{message}. {hint}")


@dataclass(frozen=True)
class Alert:
    """A receiver, kinds of changes, conditions and a template; empty ones mean the default."""

    to: str
    on: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True)
class AlertQuery:
    """A query: its variables, which of them have ticks, the default kind of change, and the severity.

    `key` is the variable by whose values alerts are grouped, if the program has a key.
    """

    name: str
    variables: tuple[str, ...]
    ticks: Mapping[str, str]
    usual: str
    severity: str = "info"
    key: str | None = None


def queries_of(plan: Plan, *, chances: bool) -> tuple[AlertQuery, ...]:
    """The queries of a program, and one about silent inputs.

    With `chances`, the default change of one with an `alert` is `likely`.
    """
    groups = group_variables(plan)
    found = [
        AlertQuery(
            each.name,
            each.answer.names,
            each.answer.ticks,
            LIKELY if chances and each.alert is not None else "confirmed",
            each.severity,
            groups.get(each.name),
        )
        for each in plan.queries
    ]
    return *found, AlertQuery(SILENT_INPUT, ("input", "slot"), {}, SILENT, "warning", "input")


@dataclass(frozen=True)
class AlertSetup:
    """All alerts of a stream, its queries, the file of its program, and the times of its ticks.

    `every` are the seconds until more alerts of a group go as one, `link` is the address of the page, and
    `key` the name of the program's key. Changes before the tick `begin` are not sent; None: before the newest
    one there is at the start.
    """

    alerts: tuple[Alert, ...]
    queries: tuple[AlertQuery, ...]
    program: str
    timescale: Timescale | None = None
    every: float = 0.0
    begin: int | None = 0
    link: str = ""
    key: str | None = None
