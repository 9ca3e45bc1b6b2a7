"""Alerts in a TOML file, for when not all receivers are to be told the same.

[[alert]]
to = "slack:@slack.url"
where = ["Malf X=wt*"]

[[alert]]
to = "command:./siren --loud"
on = ["confirmed"]
template = "{X} has failed"
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from antelog.language.checks.suggestions import did_you_mean
from antelog.watch.alerts.alert import Alert, AlertError

_KEYS = {"to": str, "on": list, "where": list, "template": str}
_HOW = 'An alert is written like [[alert]], and below it to = "slack:@slack.url".'


def alerts_in(path: Path) -> tuple[Alert, ...]:
    """The alerts of a file. Raises AlertError."""
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
        raise AlertError(f"{place}: it does not say whom to tell", _HOW)
    on, where = (tuple(given.get(name, ())) for name in ("on", "where"))
    return Alert(given["to"], on, where, given.get("template", ""))
