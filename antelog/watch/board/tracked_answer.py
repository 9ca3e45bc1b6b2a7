"""An answer as the page knows it: its lines so far, its status, and the marks of its explanations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from antelog.engine.step.wording import LOST, meaning
from antelog.language.moments import Timescale, moment
from antelog.lines import LineLiteral, LogLine, awaited, literals_of

LINES = 50  # lines of an answer that are kept: the first, and the latest
CHANCES = 400  # chances of an answer that are kept: the first, and the latest
_SIZE, _CHANCE_SIZE = 900, 110  # bytes of an answer without its lines, and of a chance

_encoded, _decoded = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode


class AnswerStatus(Struct, frozen=True, array_like=True):
    """The status of an answer by its latest line, whose meaning is `change`; None stands for unknown."""

    change: str
    tick: int
    chance: float | None
    decided_by: int | None  # the tick by which it is decided for sure
    silent: tuple[str, int] | None  # the change, and its tick, if nothing comes


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
    def line(self) -> LogLine:
        found: LogLine = _decoded(self.lines[-1])
        return found

    @property
    def all_lines(self) -> list[LogLine]:
        return [_decoded(line) for line in self.lines]

    @property
    def open_for(self) -> int:
        return max(0, self.now.tick - self.since)

    @property
    def alerted_before(self) -> int | None:
        return None if self.alerted is None else max(0, self.now.tick - self.alerted)

    @property
    def size(self) -> int:
        """About how many bytes it holds."""
        return _SIZE + sum(map(len, self.lines)) + _CHANCE_SIZE * len(self.chances)

    def take(self, line: LogLine) -> None:
        self.now = status_of(line)
        _keep(self.lines, _encoded(line), LINES)
        if self.now.change in ("possible", "revised"):
            _keep(self.chances, (self.now.tick, self.now.chance), CHANCES)
        if self.now.change == "likely" and self.alerted is None:
            self.alerted = self.now.tick


def tracked(line: LogLine, name: str) -> TrackedAnswer:
    """Makes an answer of its first line; `name` is its `name_of`."""
    answer = TrackedAnswer(name, line["query"], dict(line["answer"]), line["tick"], status_of(line), [], [])
    answer.take(line)
    return answer


def status_of(line: LogLine) -> AnswerStatus:
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


# ---- explanations ----


class Mark(Struct, frozen=True):
    """A literal of an explanation: its text, with times in place of ticks, and whether it is known."""

    text: str
    predicate: str
    tick: int | None
    known: bool
    negated: bool
    literal: LineLiteral


def marks(line: LogLine, timescale: Timescale | None, explanation: int = 0) -> list[Mark]:
    """Lists the marks of an explanation of a line, the known ones first."""
    explanations = line.get("explanations") or []
    if explanation >= len(explanations):
        return []
    found = explanations[explanation]
    known = literals_of(found.get("evidence"))
    return [*_marks(known, timescale, known=True), *_marks(awaited(found), timescale, known=False)]


def ticks_of(answer: TrackedAnswer, explanation: int = 0) -> list[int | None]:
    """The ticks of an answer on a time line: since when it is open, those of its marks, and its deadline."""
    found = marks(answer.line, None, explanation)
    return [answer.since, *(each.tick for each in found), answer.now.decided_by]


def failed(line: LogLine, timescale: Timescale | None) -> list[Mark]:
    """Lists the marks of the hypotheses that became false, in the line of a rejected answer."""
    return _marks(literals_of(line.get("because")), timescale, known=False)


def unseen(line: LogLine, timescale: Timescale | None) -> list[Mark]:
    """Lists the marks of the literals of a line that were lost from sight."""
    return _marks(literals_of(line.get(LOST)), timescale, known=False)


def _marks(literals: Iterable[LineLiteral], timescale: Timescale | None, *, known: bool) -> list[Mark]:
    written = partial(moment, timescale=timescale)
    return [
        Mark(each.text(written), each.predicate, each.tick, known, each.negated, each) for each in literals
    ]
