"""What the follower writes: changes to an output, and changes, rejects and the state of inputs to a feed.

{"tick": 8, "change": "confirmed", …}      as `antelog try` prints it
{"reject": {"input": "Temp", "reason": "late", …}}
{"status": {"tick": 8, "open": {"Malf": 12}, …}}
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from antelog.files import Reject
from antelog.forecast.columns import KINDS
from antelog.process import Engine
from antelog.telling.json_lines import Style, change_lines
from antelog.telling.shown import Shown
from antelog.watch.feed.records import about, reject_line, status_line
from antelog.watch.feed.writer import FeedWriter

BETWEEN = 0.25
"""Seconds between two lines about the inputs, at least."""

SILENT = 5.0
"""Seconds from one to the next if nothing has changed."""

MOST_REJECTS = 100
"""So many rejected rows are told between two of them."""

_SHARE = 20
"""Counting what is open takes at most one part in so many of the time."""


class Output(Protocol):
    """Where changes go besides the feed: a terminal, or a file."""

    def show(self, shown: Shown) -> None: ...


def with_kinds(shown: Shown, only: Sequence[str]) -> Shown:
    """The changes of some kinds."""
    if set(only) >= set(KINDS):
        return shown
    kinds = pa.array(only, pa.string())
    tables = {
        name: each.filter(pc.is_in(each.column("change"), kinds)) for name, each in shown.tables.items()
    }
    return replace(shown, tables=tables)


@dataclass(frozen=True)
class About:
    """The program, for those who read a feed."""

    text: str
    path: str


class Feed:
    """Writes a feed for an engine."""

    def __init__(self, writer: FeedWriter, engine: Engine, about: About) -> None:
        self.writer = writer
        self._engine, self._about = engine, about
        self._relations = list(engine.plan.queries)
        self._told = self._counted = 0.0
        self._said = b""
        self._rejects = 0
        self._open: dict[str, int] = {}
        self._seen = 0

    def begin(self) -> None:
        """A new segment, with all that is open."""
        known = about(self._about.text, self._about.path, self._engine.plan.tick)
        known["tick"] = self._engine.now
        self.writer.head(known, self._open_lines() if self._engine.now >= 0 else [])

    def changes(self, shown: Shown) -> None:
        """The lines of a step, and of rows that were set aside in it."""
        if self.writer.full:
            self.begin()
        self.writer.write(change_lines(self._relations, shown, Style()).splitlines())

    def rejects(self, found: Sequence[Reject]) -> None:
        few = found[: max(0, MOST_REJECTS - self._rejects)]
        self._rejects += len(few)
        self.writer.write([_reject_line(each, self._engine.now) for each in few])

    def status(self, inputs: Mapping[str, Any], holding: str | None, *, at_once: bool = False) -> None:
        """How things stand, if it was not told just now."""
        now = time.monotonic()
        if not at_once and now < self._told + BETWEEN:
            return
        self._count()
        counted = {"open": self._open, "seen": self._seen}
        known = {"tick": self._engine.now, **counted, "inputs": inputs, "holding": holding}
        said = msgspec.json.encode(known)
        if not at_once and said == self._said and now < self._told + SILENT:
            return
        self._told, self._said, self._rejects = now, said, 0
        self.writer.write([status_line(known)])

    def _count(self) -> None:
        began = time.monotonic()
        if began < self._counted:
            return
        status = self._engine.status
        self._open, self._seen = dict(status.open_answers), status.seen_values
        ended = time.monotonic()
        self._counted = ended + _SHARE * (ended - began)

    def _open_lines(self) -> list[str]:
        tables = {each.name: _open(self._engine.answers(each.name)) for each in self._relations}
        return change_lines(self._relations, Shown(self._engine.now, tables), Style()).splitlines()


def _open(table: pa.Table) -> pa.Table:
    return table.filter(pc.not_equal(table.column("change"), "confirmed"))


def _reject_line(reject: Reject, tick: int) -> str:
    said = {
        "input": reject.predicate, "reason": reject.reason, "row": reject.row, "tick": tick,
        "detail": str(reject),
    }  # fmt: skip
    return reject_line(said)
