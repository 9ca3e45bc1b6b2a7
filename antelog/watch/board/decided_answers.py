"""An index of the decided answers: by severity, query, prefix of the key, kind, words and time.

    index.chosen(given)        the answers that an address selects, the latest first
    index.facets(given)        how many answers each value of each filter would show
    index.histogram(given, 60) when they were decided

There may be some ten thousand of them, so they are columns, built once for each version of the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.tables import Column, Mask
from antelog.engine.step.wording import LOST
from antelog.run.sinks.result import CLOSED, ENDS
from antelog.watch.board.answer_index import numbered, prefix_of
from antelog.watch.board.board import Board
from antelog.watch.board.selection import SEVERITIES, Given, filter_of, first, ticks_of
from antelog.watch.board.tracked_answer import TrackedAnswer

KINDS = (*ENDS, LOST)
OUTCOMES = (*SEVERITIES, "rejected", LOST)
"""The bars of the histogram: confirmed answers by severity, rejected ones, and those lost from sight."""


@dataclass(frozen=True)
class DecidedBin:
    """Some ticks, and how many answers were decided at them, for each of `OUTCOMES`."""

    ticks: range
    counts: Mapping[str, int]


@dataclass(frozen=True)
class _Facet:
    """A number for each answer, and the names of the numbers."""

    numbers: Column
    names: Sequence[str]


@dataclass(eq=False)
class DecidedIndex:
    """The decided answers of a board, the latest first."""

    board: Board
    _version: int = -1
    _answers: list[TrackedAnswer] = field(default_factory=list)
    _facets: dict[str, _Facet] = field(default_factory=dict)
    _ticks: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    _waited: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    _alerted: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    _prefixes: dict[str, str] = field(default_factory=dict)

    def chosen(self, given: Given) -> ChosenAnswers:
        """The answers that the parameters select."""
        self._read()
        rows = np.flatnonzero(self._mask(given))
        confirmed = rows[self._facets["kind"].numbers[rows] == KINDS.index("confirmed")]
        return ChosenAnswers(self._answers, rows, self._waited[confirmed], self._alerted[confirmed])

    def facets(self, given: Given) -> Mapping[str, Mapping[str, int]]:
        """For each filter with a list of values, the number of answers with each value."""
        self._read()
        found = {}
        for name, facet in self._facets.items():
            counts = np.bincount(facet.numbers[self._mask(given, name)], minlength=len(facet.names))
            pairs = zip(facet.names, counts.tolist(), strict=True)
            found[name] = {each: count for each, count in pairs if count}
        return found

    def histogram(self, given: Given, most: int) -> Sequence[DecidedBin]:
        """Counts from tick to tick, in at most so many bins of equal length."""
        self._read()
        mask = self._mask(given, "between") & (self._facets["kind"].numbers != KINDS.index(CLOSED))
        ticks = self._ticks[mask]
        if not len(ticks):
            return []
        low, high = int(ticks.min()), int(ticks.max())
        wide = -(-(high - low + 1) // most)
        bins = -(-(high - low + 1) // wide)
        kind, outcome = self._facets["kind"].numbers[mask], self._facets["severity"].numbers[mask].copy()
        for name in OUTCOMES[len(SEVERITIES) :]:
            outcome[kind == KINDS.index(name)] = OUTCOMES.index(name)
        size = len(OUTCOMES)
        counts = np.bincount((ticks - low) // wide * size + outcome, minlength=bins * size)
        return [
            DecidedBin(range(low + at * wide, low + (at + 1) * wide), dict(zip(OUTCOMES, row, strict=True)))
            for at, row in enumerate(counts.reshape(bins, size).tolist())
        ]

    def _read(self) -> None:
        if self._version == self.board.version:
            return
        head, known = self.board.head, self._prefixes
        self._version, self._answers = self.board.version, list(reversed(self.board.decided.values()))
        answers = self._answers
        self._prefixes = prefixes = {
            each.id: known.get(each.id) or prefix_of(head.key_of(each)) for each in answers
        }
        queries, names = numbered([each.query for each in answers])
        severity = np.array([SEVERITIES.index(head.severity(each)) for each in names], np.int64)
        kinds = np.array([KINDS.index(each.now.change) for each in answers], np.int64)
        self._ticks = np.array([each.now.tick for each in answers], np.int64)
        self._waited = np.array([ticks_open(each) for each in answers], np.int64)
        alerted = [-1 if (ticks := ticks_alerted(each)) is None else ticks for each in answers]
        self._alerted = np.array(alerted, np.int64)
        self._facets = {
            "kind": _Facet(kinds, KINDS),
            "severity": _Facet(severity[queries], SEVERITIES),
            "query": _Facet(queries, names),
            "prefix": _Facet(*numbered(list(prefixes.values()))),
        }

    def _mask(self, given: Given, without: str = "") -> Mask:
        """The answers that all parameters but one select."""
        found = np.ones(len(self._answers), np.bool_)
        for name, facet in self._facets.items():
            wanted = set(given.get(name, ())) - {""}
            if wanted and name != without:
                found &= np.array([each in wanted for each in facet.names], np.bool_)[facet.numbers]
        ticks = ticks_of(first(given, "between"))
        if ticks is not None and without != "between":
            found &= (self._ticks >= ticks.start) & (self._ticks < ticks.stop)
        for word in filter_of(given).text.casefold().split():
            rows = np.flatnonzero(found).tolist()
            found[rows] = [word in self.board.head.label(self._answers[row]).casefold() for row in rows]
        return found


@dataclass(frozen=True)
class ChosenAnswers:
    """Some of the decided answers; of those that were confirmed, how many ticks each was open before.

    `alerted` has the ticks from the alerts that came true to their ends; -1 stands for no alert.
    """

    answers: Sequence[TrackedAnswer]
    rows: Column
    waited: Column
    alerted: Column

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, start: int, count: int) -> list[TrackedAnswer]:
        return [self.answers[row] for row in self.rows[start : start + count].tolist()]


def ticks_open(answer: TrackedAnswer) -> int:
    """The ticks from its first line to its end."""
    return max(0, answer.now.tick - answer.since)


def ticks_alerted(answer: TrackedAnswer) -> int | None:
    """The ticks from its alert to its end, if it had one."""
    return None if answer.alerted is None else max(0, answer.now.tick - answer.alerted)
