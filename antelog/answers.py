"""The state of an answer, folded from the lines of the log: only this module interprets them.

possible at 1, revised at 2     open
rejected at 3                   rejected, unless a later fact brings it back: then it is open again
rejected at 3, and lost         its sources were unseen: lost, or open until it is seen again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from antelog.engine.step.wording import LOST, SEEN, meaning

OPEN, CONFIRMED, REJECTED, CLOSED = "open", "confirmed", "rejected", "closed"  # closed: its query has changed

ENDS = (CONFIRMED, REJECTED, CLOSED)  # the changes after which an answer is no longer open


def name_of(query: str, values: Mapping[str, Any], others: Sequence[str] = ()) -> str:
    """A short name for an answer, for links: a hash of it."""
    content = msgspec.json.encode([query, dict(values), list(others)])
    return blake2b(content, digest_size=8).hexdigest()


def name_in(line: Mapping[str, Any]) -> str:
    others = line.get("others") or ()
    return name_of(line["query"], line["answer"], [others] if isinstance(others, str) else others)


def likeliest_first(row: Mapping[str, Any]) -> float:
    """The sort key of answers of a tick: confirmed ones, open ones by falling chance, those without one."""
    if row["change"] == CONFIRMED:
        return -2.0
    return 1.0 if row.get("chance") is None else -row["chance"]


def state_after(line: Mapping[str, Any], *, sees: bool = False) -> str:
    """The state of an answer after a line; a lost one stays open if the log `sees` when facts come again."""
    change, means = line["change"], meaning(line)
    if change == SEEN:
        return LOST if means == LOST else OPEN
    if change not in ENDS or (sees and means == LOST):
        return OPEN
    return means
