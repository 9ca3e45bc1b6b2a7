"""Reads alerts from options or a TOML file, and checks them before the stream starts. Nothing is sent.

[[alert]]
to = "command:./siren --loud"
on = ["confirmed"]
template = "{X} has failed"
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.language.checks.suggestions import did_you_mean
from antelog.lazily import brought_by
from antelog.program import Program
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup, choice_of, queries_of
from antelog.watch.alerts.letters import alert_template
from antelog.watch.alerts.receivers import APPRISE, COMMAND, checked, receiver_of
from antelog.watch.board.feed_program import key_column

_KEYS = {"to": str, "on": list, "where": list, "template": str}
_HOW = 'An alert is written like [[alert]], and below it to = "slack:@slack.url".'


def setup_of(alerts: Sequence[Alert], program: Program, *, chances: bool = True) -> AlertSetup:
    """Checks alerts against a program, whose answers may have `chances`. Raises AlertError."""
    queries = queries_of(program.plan, chances=chances)
    for alert in alerts:
        receiver = receiver_of(alert.to)
        needed, extra = ("apprise", "apprise") if receiver.kind == APPRISE else ("httpx", "watch")
        if receiver.kind != COMMAND and find_spec(needed) is None:
            raise AlertError(
                f"{receiver.kind} needs the package {needed}, which is not installed", brought_by(extra)
            )
        checked(receiver)
        alert_template(alert.template, queries)
        choice_of(alert, queries)
        if {LIKELY, UNLIKELY} & {*alert.on} and (reason := _why_never_likely(program, chances=chances)):
            raise AlertError(f"nothing is ever likely or unlikely: {reason[0]}", reason[1])
    plan = program.plan
    return AlertSetup(tuple(alerts), queries, program.source.name, plan.timescale, key=key_column(plan))


def _why_never_likely(program: Program, *, chances: bool) -> tuple[str, str] | None:
    """Explains, with a hint, why no change can be `likely` or `unlikely`; None if some can."""
    if all(each.alert is None for each in program.plan.queries):
        return "no query has an alert", "Write it behind a query, as in `query Malf(X, T) alert 80%.`"
    if not chances:
        return "there are no chances", "Give a --model, or --model learn."
    return None


def alerts_in(path: Path) -> tuple[Alert, ...]:
    """Reads the alerts of a file. Raises AlertError."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text"
        raise AlertError(f"{path}: cannot be read: {reason}", _HOW) from None
    except tomllib.TOMLDecodeError as error:
        raise AlertError(f"{path}: {error}", _HOW) from None
    alerts = found.pop("alert", None)
    if found or not isinstance(alerts, list) or not all(isinstance(each, dict) for each in alerts):
        raise AlertError(f"{path}: there has to be nothing but alerts in it", _HOW)
    return tuple(_alert(each, f"{path}: alert {number}") for number, each in enumerate(alerts, start=1))


def _alert(given: dict[str, Any], place: str) -> Alert:
    for name, value in given.items():
        if name not in _KEYS:
            hint = did_you_mean(name, _KEYS) or f"It may have {', '.join(_KEYS)}."
            raise AlertError(f"{place}: it cannot have `{name}`", hint)
        fine = isinstance(value, _KEYS[name])
        if not fine or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
            kind = "a text" if _KEYS[name] is str else 'a list of texts, as in ["likely", "confirmed"]'
            raise AlertError(f"{place}: `{name}` is something else", f"It has to be {kind}.")
    if "to" not in given:
        raise AlertError(f"{place}: it does not say who gets it", _HOW)
    on, where = (tuple(given.get(name, ())) for name in ("on", "where"))
    return Alert(given["to"], on, where, given.get("template", ""))
