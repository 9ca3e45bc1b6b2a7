"""An answer as the page knows it: its lines so far, and its status.

    line     {"tick": 8, "change": "possible", "query": "Malf", "answer": {"X": "wt2", "T": 7}, …}
    answer   Malf(wt2, 7), open since 8, with a chance of 80 %, decided by 10

There may be 100,000 of them, so each keeps its lines as bytes, and parses them on demand.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from antelog.engine.step.wording import meaning
from antelog.lines import LogLine

Line: TypeAlias = LogLine

LINES = 50
"""Lines of an answer that are kept: the first, and the latest."""
CHANCES = 400
"""Chances of an answer that are kept: the first, and the latest."""

_SIZE, _CHANCE_SIZE = 900, 110
"""Bytes of an answer without its lines, and of a chance."""

_encoded, _decoded = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode


class AnswerStatus(Struct, frozen=True, array_like=True):
    """The status of an answer since its latest line, whose meaning is `change`.

    `decided_by` is the tick by which it is decided for sure; `silent` is the change, and its tick, if nothing
    comes. None stands for unknown.
    """

    change: str
    tick: int
    chance: float | None
    decided_by: int | None
    silent: tuple[str, int] | None


class TrackedAnswer(Struct, array_like=True):
    """An answer, its lines, the tick since which it is open, and the tick of its alert if it had one."""

    id: str
    query: str
    values: dict[str, Any]
    since: int
    now: AnswerStatus
    lines: list[bytes]
    chances: list[tuple[int, float | None]]
    alerted: int | None = None

    @property
    def line(self) -> Line:
        """The latest line."""
        found: Line = _decoded(self.lines[-1])
        return found

    @property
    def all_lines(self) -> list[Line]:
        """All lines that are kept."""
        return [_decoded(line) for line in self.lines]

    @property
    def open_for(self) -> int:
        """The ticks from its first line to its latest."""
        return max(0, self.now.tick - self.since)

    @property
    def alerted_before(self) -> int | None:
        """The ticks from its alert to its latest line, if it had one."""
        return None if self.alerted is None else max(0, self.now.tick - self.alerted)

    @property
    def size(self) -> int:
        """The bytes that it holds, about."""
        return _SIZE + sum(map(len, self.lines)) + _CHANCE_SIZE * len(self.chances)

    def take(self, line: Line) -> None:
        """Adds a line of this answer."""
        self.now = status_of(line)
        _keep(self.lines, _encoded(line), LINES)
        if self.now.change in ("possible", "revised"):
            _keep(self.chances, (self.now.tick, self.now.chance), CHANCES)
        if self.now.change == "likely" and self.alerted is None:
            self.alerted = self.now.tick


def tracked(line: Line, name: str) -> TrackedAnswer:
    """An answer of which this is the first line; `name` is its `name_of`."""
    answer = TrackedAnswer(name, line["query"], dict(line["answer"]), line["tick"], status_of(line), [], [])
    answer.take(line)
    return answer


def status_of(line: Line) -> AnswerStatus:
    silent = line.get("if_silent")
    return AnswerStatus(
        meaning(line),
        line["tick"],
        line.get("chance"),
        line.get("decided_by"),
        None if silent is None else (silent["change"], silent["tick"]),
    )


def _keep(kept: list[Any], new: Any, most: int) -> None:
    """Appends to a list; drops its second item if it becomes too long, so the first stays."""
    kept.append(new)
    if len(kept) > most:
        del kept[1]
