"""Alerts looked at before the stream starts, so that what is wrong with them is said at once.

    wanted([Alert("slack:@slack.url", on=("likly",))], program)      no such kind: did you mean likely?

Receivers, files, variables, programs, kinds, queries and templates are looked at. Nobody is written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.program import Program
from antelog.watch.alerts.alert import Alert, AlertError, Wanted, queries_of
from antelog.watch.alerts.choosing import choice_of
from antelog.watch.alerts.receivers import COMMAND, checked, receiver_of
from antelog.watch.alerts.wording import template_of


def wanted(alerts: Sequence[Alert], program: Program, *, chances: bool = True) -> Wanted:
    """The alerts with what has to be known to send them; `chances`: are there any? Raises AlertError."""
    queries = queries_of(program.plan, chances=chances)
    for alert in alerts:
        receiver = receiver_of(alert.to)
        if receiver.kind != COMMAND and find_spec("httpx") is None:
            raise AlertError(
                f"{receiver.kind} needs the package httpx, which is not installed",
                "pip install 'antelog[watch]'",
            )
        checked(receiver)
        template_of(alert.template, queries)
        choice_of(alert, queries)
        if {LIKELY, UNLIKELY} & {*alert.on} and (reason := _why_never_likely(program, chances=chances)):
            raise AlertError(f"nothing is ever likely or unlikely: {reason[0]}", reason[1])
    return Wanted(tuple(alerts), queries, program.source.name, program.plan.tick)


def _why_never_likely(program: Program, *, chances: bool) -> tuple[str, str] | None:
    """Why no change can be of these kinds, and what to do; None if some can."""
    if all(each.alert is None for each in program.plan.queries):
        return "no query has an alert", "Write it behind a query, as in `query Malf(X, T) alert 80%.`"
    if not chances:
        return "there are no chances", "Give a --model, or --model learn."
    return None
