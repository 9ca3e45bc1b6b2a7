"""What is sent: a change with a key and a text, as each kind of receiver wants it.

The key is the same each time the same change is told, however often: a receiver that keeps the keys it has
seen recognises repeats. It is a hash of the query, the answer, the tick and the change.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from antelog.watch.alerts.alert import Line
from antelog.watch.alerts.receivers import SLACK, Receiver

_PARTS = ("query", "answer", "others", "tick", "change")
_KEY_BYTES = 16


@dataclass(frozen=True)
class Letter:
    """A change on its way to a receiver; `body` is what is sent, JSON."""

    key: str
    body: str


def key_of(line: Line) -> str:
    """What all letters about a change have in common, and no others."""
    parts = [line.get(part) for part in _PARTS]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).hexdigest()


def letter_of(line: Line, text: str, receiver: Receiver, program: str) -> Letter:
    """A change as a receiver gets it: with `key`, `text` and `program` before what the line has."""
    key = key_of(line)
    said = _slack(text) if receiver.kind == SLACK else {"key": key, "text": text, "program": program, **line}
    return Letter(key, json.dumps(said, ensure_ascii=False))


def _slack(text: str) -> dict[str, object]:
    """A message that is just text: nobody is called and nothing is fetched, whatever a fact contains."""
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, name)
    return {"text": text, "mrkdwn": False, "link_names": False, "unfurl_links": False, "unfurl_media": False}
