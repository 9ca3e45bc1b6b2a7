"""Selects open answers: filtered, sorted, and a page of them.

    Selection(sort="deadline", query="Malf", text="wt2", count=40)

The columns to sort by are made once for each version of the board: with 100,000 open answers they cost most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask, Numbers
from antelog.watch.board.board import Board
from antelog.watch.board.tracked_answer import TrackedAnswer

SORTS = ("likely", "deadline", "new", "name")
MOST = 500
"""Answers that are shown at once, at most."""


@dataclass(frozen=True)
class Selection:
    """Filters, order and page; `text` has words that must all occur, `least` is a chance."""

    sort: str = "likely"
    query: str = ""
    text: str = ""
    least: float = 0.0
    start: int = 0
    count: int = 60


@dataclass(frozen=True)
class Selected:
    """The answers of a selection, and their number without `start` and `count`."""

    answers: Sequence[TrackedAnswer]
    total: int


def selection_of(given: Mapping[str, str]) -> Selection:
    """The selection in the parameters of an address; invalid ones are ignored."""
    sort = given.get("sort", "")
    return Selection(
        sort if sort in SORTS else "",
        given.get("query", ""),
        given.get("text", "")[:200],
        min(1.0, max(0.0, _number(given.get("least"), 0.0))),
        max(0, int(_number(given.get("from"), 0))),
        min(MOST, max(1, int(_number(given.get("count"), 60)))),
    )


@dataclass(eq=False)
class AnswerIndex:
    """The open answers of a board, with columns to sort by, built once for each version."""

    board: Board
    _version: int = -1
    _answers: list[TrackedAnswer] = field(default_factory=list)
    _columns: dict[str, Column | Numbers] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def select(self, selection: Selection) -> Selected:
        self._read()
        sort = selection.sort or ("likely" if self.board.has_chances else "deadline")
        chosen = np.flatnonzero(self._chosen(selection))
        order = chosen[np.lexsort([column[chosen] for column in self._keys(sort)])]
        shown = order[selection.start : selection.start + selection.count].tolist()
        return Selected([self._answers[row] for row in shown], len(order))

    def _read(self) -> None:
        if self._version == self.board.version:
            return
        self._version, self._answers = self.board.version, list(self.board.open.values())
        answers, count = self._answers, len(self._answers)
        chances = (2.0 if each.now.chance is None else 1 - each.now.chance for each in answers)
        ends = (NEVER if each.now.decided_by is None else each.now.decided_by for each in answers)
        self._columns = {
            "unlikely": np.fromiter(chances, np.float64, count),
            "deadline": np.fromiter(ends, np.int64, count),
            "since": np.fromiter((-each.since for each in answers), np.int64, count),
        }
        self._texts = {name: text for name, text in self._texts.items() if name in self.board.open}

    def _keys(self, sort: str) -> list[Column | Numbers]:
        """The columns to sort by, the most important last."""
        columns = self._columns
        if sort == "name":
            names = np.array([self._text(each) for each in self._answers], dtype=np.str_)
            return [columns["deadline"], np.unique(names, return_inverse=True)[1].astype(np.int64)]
        if sort == "deadline":
            return [columns["unlikely"], columns["deadline"]]
        if sort == "new":
            return [columns["unlikely"], columns["since"]]
        return [columns["deadline"], columns["unlikely"]]

    def _chosen(self, selection: Selection) -> Mask:
        found = np.ones(len(self._answers), np.bool_)
        if selection.least:
            found &= self._columns["unlikely"] <= 1 - selection.least + 1e-12
        if selection.query:
            found &= np.fromiter(
                (each.query == selection.query for each in self._answers), np.bool_, len(found)
            )
        for word in selection.text.casefold().split():
            rows = np.flatnonzero(found).tolist()
            found[rows] = [word in self._text(self._answers[row]) for row in rows]
        return found

    def _text(self, answer: TrackedAnswer) -> str:
        """The text to search in: the answer in small letters, with its time as a time."""
        text = self._texts.get(answer.id)
        if text is None:
            text = self._texts[answer.id] = self.board.head.label(answer).casefold()
        return text


def _number(text: str | None, otherwise: float) -> float:
    try:
        found = float(text) if text else otherwise
    except ValueError:
        return otherwise
    return found if abs(found) < 1e15 else otherwise
