"""The feed of a run, for the page and alerts: changes, rejects and the status of inputs, a line for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from antelog.diagnostics import Source
from antelog.files import Reject
from antelog.process import Engine
from antelog.run.counting import OpenAnswers
from antelog.run.lost_answers import LostAnswers
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.store import WritableFeed, about, reject_line, status_line

BETWEEN = 0.25
"""Seconds between two statuses, at least."""

SILENT = 5.0
"""Seconds between two statuses if nothing has changed."""

MOST_REJECTS = 100
"""Rejects that are written between two statuses, at most."""

LISTED_AGAIN = 60.0
"""Seconds after which unchanged silent slots are listed again."""


class FeedSink:
    """Writes the feed of an engine; lines wait until `flush`."""

    def __init__(
        self, feed: WritableFeed, engine: Engine, program: Source, monotonic: Callable[[], float]
    ) -> None:
        self.feed = feed
        self._engine, self._program, self._monotonic = engine, program, monotonic
        self._relations = list(engine.plan.queries)
        self._lines: list[str] = []
        self._written = float("-inf")
        self._last = b""
        self._rejects = 0
        self._open = OpenAnswers(engine, monotonic)
        self._listed: dict[str, tuple[Mapping[str, str], float]] = {}
        """The silent slots of each input that were listed last, and when."""
        self.lost: LostAnswers | None = None
        """Answers that were lost from sight; None if none can be."""
        self.heard: Mapping[str, pa.Table] = {}
        """The facts of the next step."""
        self.rules_changed: Mapping[str, Any] | None = None
        """The latest change of the rules, which heads have."""
        self.notes: Mapping[str, str] = {}
        """Sentences that each status has, by what they are about."""

    def begin(self) -> None:
        """Writes a new head, with all that is open."""
        known = about(self._program, self._engine.plan.tick)
        known["tick"] = self._engine.now
        self._listed.clear()
        if self.rules_changed is not None:
            known["rules_changed"] = self.rules_changed
        lines: list[str] = []
        if self._engine.now >= 0:
            answers = {each.name: self._engine.answers(each.name) for each in self._relations}
            tables = {
                name: table.filter(pc.not_equal(table.column("change"), "confirmed"))
                for name, table in answers.items()
            }
            step = StepResult(self._engine.now, tables)
            lines = change_lines(self._relations, step, Style()).splitlines()
        if self.lost is not None:
            known["sees"] = True
            lines += self.lost.lines
            self._lines, self.lost.closed = [*self.lost.closed, *self._lines], []
        self.feed.begin(known, lines)

    def write(self, step: StepResult) -> None:
        """Adds the lines of a step."""
        lines = change_lines(self._relations, step, Style()).splitlines()
        self._lines += lines
        if self.lost is not None:
            self._lines += [*self.lost.take(lines), *self.lost.hear(self.heard)]
        self.heard = {}

    def end(self, answers: Mapping[str, str]) -> None:
        """Adds the lines of lost answers that somebody ends, given who ends each."""
        if self.lost is not None:
            for name, who in answers.items():
                self._lines += self.lost.end(name, self._engine.now, who)

    def rejects(self, found: Sequence[Reject]) -> None:
        """Adds the lines of rows that were set aside."""
        few = found[: max(0, MOST_REJECTS - self._rejects)]
        self._rejects += len(few)
        tick = self._engine.now
        self._lines += [
            reject_line(
                {"input": r.predicate, "reason": r.reason, "row": r.row, "tick": tick, "detail": str(r)}
            )
            for r in few
        ]

    def status(self, inputs: Mapping[str, Any], holding: str | None, *, at_once: bool = False) -> None:
        """Adds the line of the status, if it has changed and none was written just now."""
        now = self._monotonic()
        if not at_once and now < self._written + BETWEEN:
            return
        self._open.count()
        counted = {"open": self._open.by_query, "seen": self._open.seen_values}
        known = {"tick": self._engine.now, **counted, "inputs": inputs, "holding": holding}
        if self.notes:
            known["notes"] = list(self.notes.values())
        content = msgspec.json.encode(known)
        if not at_once and content == self._last and now < self._written + SILENT:
            return
        self._written, self._last, self._rejects = now, content, 0
        self._lines.append(status_line({**known, "inputs": self._brief(inputs, now)}))

    def _brief(self, inputs: Mapping[str, Any], now: float) -> dict[str, Any]:
        """Returns the inputs without the silent slots that were listed just before."""
        found = {}
        for name, each in inputs.items():
            slots = each.get("slots")
            if slots is not None:
                before, at = self._listed.get(name, (None, 0.0))
                if before == slots["listed"] and now < at + LISTED_AGAIN:
                    slots = {key: value for key, value in slots.items() if key != "listed"}
                else:
                    self._listed[name] = slots["listed"], now
                each = {**each, "slots": slots}  # noqa: PLW2901 - the same input, in fewer words
            found[name] = each
        return found

    @property
    def pending(self) -> bool:
        """Whether there are lines for `flush`."""
        return bool(self._lines)

    def flush(self) -> None:
        """Appends all lines to the feed."""
        if self._lines:
            self.feed.append(self._lines)
            self._lines = []
