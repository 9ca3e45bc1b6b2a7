"""What an alert is asked for as, and what has to be known of the program's queries to send it.

    Alert("slack:@slack.url", on=("likely",), where=("Malf X=wt*",), template="{X} is getting hot")

These are texts and names only, so that they can be handed to the process that sends. What they stand for is
found out there, and beforehand by `antelog/watch/alerts/checking.py`, which says what is wrong with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from antelog.compile.nodes.plan import Plan
from antelog.errors import AntelogError
from antelog.forecast.columns import LIKELY

Line = dict[str, Any]
"""A change as the feed has it."""


class AlertError(AntelogError):
    """An alert cannot be used as it is asked for: `message` says why, `hint` what to write instead."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = message, hint
        super().__init__(f"{message}. {hint}")


@dataclass(frozen=True)
class Alert:
    """Who is told, of which kinds of changes and which answers, and in which words; empty: the usual."""

    to: str
    on: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True)
class Query:
    """A query: the variables of its answers, the one that is a time, and the kind that is told as a rule."""

    name: str
    variables: tuple[str, ...]
    time: str | None
    usual: str


def queries_of(plan: Plan, *, chances: bool) -> tuple[Query, ...]:
    """The queries of a program. Where there are `chances`, one with an `alert` tells what is likely."""
    return tuple(
        Query(
            each.name,
            each.answer.names,
            each.answer.time,
            LIKELY if chances and each.alert is not None else "confirmed",
        )
        for each in plan.queries
    )


@dataclass(frozen=True)
class Wanted:
    """All alerts of a stream, its queries, the file of its program, and how many microseconds a tick has."""

    alerts: tuple[Alert, ...]
    queries: tuple[Query, ...]
    program: str
    tick: int | None = None
