"""The brief of a board, in two sentences: `3 turbines are about to shut down, the first in 0:16.`"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antelog.language.printer import listed
from antelog.language.syntax import SEVERITIES
from antelog.language.templates import MANY, template_of
from antelog.watch.board.feed_program import POSSIBLE
from antelog.watch.board.tracked_answer import TrackedAnswer

_NOT_DUE = {"below": "below {} threshold", "taken": "taken care of", "overdue": "overdue"}


@dataclass(frozen=True)
class DueAnswers:
    """The due answers of a query: of how many groups, the first to be decided, its group and words."""

    severity: str
    number: int
    first: TrackedAnswer
    key: str
    words: str
    many: str | None = None  # the words for several groups

    @property
    def counted(self) -> str:
        """How many there are, as `3 turbines are about to shut down`; of one its words."""
        if self.number == 1:
            return self.words if self.words.startswith(self.key) else self.words[:1].upper() + self.words[1:]
        if self.many is None:
            return f"{self.number:,} of {self.first.query}"
        return template_of(self.many, (MANY,)).filled({MANY: f"{self.number:,}"})

    @property
    def named(self) -> str:
        """The words of the first of several, where no others say what is due."""
        return f": {self.words.removeprefix(POSSIBLE)}" if self.number > 1 and self.many is None else ""

    def sentence(self, until: Callable[[int], str]) -> str:
        """Writes the sentence; `until` writes how long it is to a tick: `in 0:16`."""
        first, end = "the first " if self.number > 1 else "", self.first.now.decided_by
        return f"{self.counted}{'' if end is None else f', {first}{until(end)}'}{self.named}."


@dataclass(frozen=True)
class Brief:
    """The answers that are due, worst severity first, a sentence about them, and one about all others."""

    due: Sequence[DueAnswers]
    sentence: str
    rest: str
    counts: Mapping[str, int]  # groups below their threshold, taken care of, and overdue

    @property
    def number(self) -> int:
        return sum(each.number for each in self.due)

    @property
    def severity(self) -> str | None:
        return self.due[0].severity if self.due else None


def brief_of(
    due: Sequence[DueAnswers],
    counts: Mapping[str, int],
    silent: Sequence[str],
    until: Callable[[int], str],
    last: str = "",
) -> Brief:
    """Makes a brief of what is due, of how many groups are `below` and so on, and of what was last."""

    def urgency(each: DueAnswers) -> tuple[int, float]:
        return SEVERITIES.index(each.severity), each.first.now.decided_by or float("inf")

    parts = [
        f"{number:,}{' more' if due and name == 'below' else ''} {'is' if number == 1 else 'are'} "
        + _NOT_DUE[name].format("its" if number == 1 else "their")
        for name, number in counts.items()
        if number
    ]
    due, rest = sorted(due, key=urgency), listed([*parts, *silent])
    said = [each.sentence(until) for each in due] or ["Nothing is due.", *([last] if last else [])]
    return Brief(due, " ".join(said), rest and f"{rest[0].upper()}{rest[1:]}.", counts)
