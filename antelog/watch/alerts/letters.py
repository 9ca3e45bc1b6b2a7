"""Letters: the alerts of a group in the form of the receiver that gets them.

    letter_of(route, AlertGroup("wt2", items), firing)      Letter(key, body, about)

The key of a letter is a hash of the query, the answer, the tick and the change; of several, a hash of theirs.
It is equal each time this is sent, so a receiver that keeps the keys it has seen recognises repeats.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from antelog.answers import name_in
from antelog.escaping import shown
from antelog.language.syntax import SEVERITIES
from antelog.lines import LABEL
from antelog.watch.alerts.alert import GOOD, SILENT_INPUT, Line
from antelog.watch.alerts.receivers import ALERTMANAGER, SLACK
from antelog.watch.alerts.setup import Route
from antelog.watch.alerts.wording import kind_of_line, within_limit

_PARTS = ("query", "answer", "others", "tick", "change")
_KEY_BYTES = 16

FIRING, RESOLVED = "firing", "resolved"

_SHOWN = 20
"""The alerts that a letter about several lists, at most."""

_OPEN_FOR = 24 * 3600.0
"""Seconds for which Alertmanager takes an open answer to fire, if nothing more is sent about it."""


@dataclass(frozen=True)
class Letter:
    """Alerts on their way to a receiver; `body` is JSON. Those `about` the same stay in order."""

    key: str
    body: str
    about: str


@dataclass(frozen=True)
class AlertItem:
    """A change as an alert, firing or resolved: since when its answer fires, and when the change was read."""

    line: Line
    status: str
    since: float
    at: float


@dataclass(frozen=True)
class AlertGroup:
    """The alerts of a group that go together, and how many more there were."""

    name: str
    items: tuple[AlertItem, ...]
    beyond: int = 0

    @property
    def count(self) -> int:
        return len(self.items) + self.beyond

    def with_more(self, item: AlertItem) -> AlertGroup:
        return AlertGroup(self.name, (*self.items, item), self.beyond)

    def worst(self, route: Route) -> AlertItem:
        """The latest one of the highest severity of those that fire; else of those that are resolved.

        What is `good` comes after both: it is not bad that it fires.
        """

        def rank(item: AlertItem) -> tuple[bool, bool, int]:
            severity = route.severity_of(item.line)
            return severity == GOOD, item.status == RESOLVED, SEVERITIES.index(severity)

        latest = {name_in(each.line): each for each in self.items}
        return min(reversed(latest.values()), key=rank)


@dataclass(frozen=True)
class StillFiring:
    """The answers of a query in a group that fire: since when, and how many."""

    since: float
    count: int


def letter_of(route: Route, group: AlertGroup, firing: Mapping[str, StillFiring]) -> Letter:
    """The letter of some alerts; `firing` has what fires in their group, by query."""
    worst, keys = group.worst(route), [key_of(each.line) for each in group.items]
    key = keys[0] if len(keys) == 1 else _hash(keys)
    text, link = _text(route, group, worst, key), route.link_to(worst.line)
    body: object
    if route.receiver.kind == SLACK:
        body = _slack("\n".join(filter(None, [text, link])))
    elif route.receiver.kind == ALERTMANAGER:
        body = [_of_alertmanager(route, each, firing.get(each.line["query"])) for each in group.items]
    else:
        latest = [{"status": each.status, **each.line} for each in group.items[-_SHOWN:]]
        body = {
            "key": key,
            "text": text,
            "program": route.setup.program,
            "status": worst.status,
            "group": group.name,
            "severity": route.severity_of(worst.line),
            "count": group.count,
            "still_firing": sum(each.count for each in firing.values()),
            **({"link": link} if link else {}),
            # Without severity and words, which the letter has itself.
            **{name: value for name, value in worst.line.items() if name not in LABEL},
            **({"alerts": latest} if group.count > 1 else {}),
        }
    together = route.every or route.receiver.kind == ALERTMANAGER
    about = group.name if together else name_in(worst.line)
    return Letter(key, json.dumps(body, ensure_ascii=False), about)


def key_of(line: Line) -> str:
    """The key of all letters about a change."""
    return _hash([line.get(part) for part in _PARTS])


def _hash(parts: Sequence[object]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).hexdigest()


def _text(route: Route, group: AlertGroup, item: AlertItem, key: str) -> str:
    """The words about an alert, and before it how many there are if there are several."""
    text = route.template.filled(route.texts.of(item.line, key))
    if group.count > 1:
        kinds = Counter(kind_of_line(each.line) for each in group.items)
        parts = [f"{number:,} {kind}" for kind, number in kinds.items()]
        parts += [f"{group.beyond:,} before"] if group.beyond else []
        text = f"{group.count:,} alerts of {shown(group.name)} ({', '.join(parts)}), such as {text}"
    return within_limit(text)


def _slack(text: str) -> dict[str, object]:
    """A message as plain text: no mentions and no previews of links, whatever a fact contains."""
    text = escape(text, quote=False)
    return {"text": text, "mrkdwn": False, "link_names": False, "unfurl_links": False, "unfurl_media": False}


def _of_alertmanager(route: Route, item: AlertItem, still: StillFiring | None) -> dict[str, Any]:
    """An alert as Alertmanager takes it; it fires as long as an answer with the same labels does."""
    line, values = item.line, route.texts.of(item.line, key_of(item.line))
    labels = {"alertname": line["query"], "query": line["query"], "severity": route.severity_of(line)}
    if line["query"] == SILENT_INPUT:  # each input and slot has labels of its own
        labels |= {name: str(value) for name, value in line["answer"].items()}
        still = StillFiring(item.since, 1) if item.status == FIRING else None
    elif route.setup.key is not None and route.texts.query(line).key is not None:
        labels[re.sub(r"[^a-zA-Z0-9_]|^(?=\d)", "_", route.setup.key)] = route.group_of(line)
    ends = {}
    if still is not None or item.status == RESOLVED:
        ends = {"endsAt": _moment(item.at + (0.0 if still is None else _OPEN_FOR))}
    link = route.link_to(line)
    return {
        "labels": labels,
        "annotations": {
            "summary": values["words"],
            "description": within_limit(route.template.filled(values)),
        },
        "startsAt": _moment(item.since if still is None else min(item.since, still.since)),
        **ends,
        **({"generatorURL": link} if link else {}),
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
