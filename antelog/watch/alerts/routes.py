"""Letters: a change of the feed in the form of each receiver that gets it.

    routes = routes_of(setup)
    letters(routes, line)      [("slack:@slack.url", Letter(key, body, about))], or nothing

The key of a letter is a hash of the query, the answer, the tick and the change. It is equal each time this
change is sent, so a receiver that keeps the keys it has seen recognises repeats.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from antelog.language.templates import Template
from antelog.watch.alerts.alert import AlertSetup, Line
from antelog.watch.alerts.choosing import Choice, choice_of
from antelog.watch.alerts.receivers import SLACK, Receiver, named_apart, receiver_of
from antelog.watch.alerts.wording import ChangeTexts, alert_template, within_limit

_ANSWER = ("query", "answer", "others")
_PARTS = (*_ANSWER, "tick", "change")
_KEY_BYTES = 16


@dataclass(frozen=True)
class Letter:
    """A change on its way to a receiver; `body` is JSON. Those `about` the same answer stay in order."""

    key: str
    body: str
    about: str


@dataclass(frozen=True)
class Route:
    """A receiver, the changes it gets, and their template."""

    receiver: Receiver
    choice: Choice
    template: Template
    words: ChangeTexts
    program: str


def routes_of(setup: AlertSetup) -> tuple[Route, ...]:
    """A route for each alert. Raises AlertError."""
    receivers = named_apart([receiver_of(alert.to) for alert in setup.alerts])
    words = ChangeTexts({each.name: each for each in setup.queries}, setup.timescale)
    return tuple(
        Route(
            receiver,
            choice_of(alert, setup.queries),
            alert_template(alert.template, setup.queries),
            words,
            setup.program,
        )
        for receiver, alert in zip(receivers, setup.alerts, strict=True)
    )


def letters(routes: Sequence[Route], line: Line) -> list[tuple[str, Letter]]:
    """The letters about a line of the feed, each with the name of its receiver."""
    if "change" not in line:
        return []
    found = []
    for route in routes:
        if route.choice.fits(line):
            text = within_limit(route.template.filled(route.words.of(line, key_of(line))))
            found.append((route.receiver.name, letter_of(line, text, route.receiver, route.program)))
    return found


def key_of(line: Line) -> str:
    """The key of all letters about a change."""
    return _hash(line, _PARTS)


def _hash(line: Line, names: Sequence[str]) -> str:
    parts = [line.get(part) for part in names]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).hexdigest()


def letter_of(line: Line, text: str, receiver: Receiver, program: str) -> Letter:
    """The letter of a change for a receiver: `key`, `text`, `program`, and the fields of the line."""
    key = key_of(line)
    webhook = {"key": key, "text": text, "program": program, **_without_words(line)}
    body = _slack(text) if receiver.kind == SLACK else webhook
    return Letter(key, json.dumps(body, ensure_ascii=False), _hash(line, _ANSWER))


def _without_words(line: Line) -> Line:
    """The line without the words of the program, which are in the text of the letter."""
    return {name: value for name, value in line.items() if name != "text"}


def _slack(text: str) -> dict[str, object]:
    """A message as plain text: no mentions and no previews of links, whatever a fact contains."""
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, name)
    return {"text": text, "mrkdwn": False, "link_names": False, "unfurl_links": False, "unfurl_media": False}
