"""The scores of chances so far, from answers that are decided for good, computed as `antelog score` does."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from antelog.forecast.reports.words import ahead
from antelog.forecast.scores.calibration import Bin
from antelog.forecast.scores.scored_lines import Alerted, ScoredLines, by_threshold
from antelog.forecast.scores.scores import ScoreResult, Scores, at_threshold, result, scored
from antelog.watch.board.tracked_answer import TrackedAnswer

_AT_ONCE = 500  # answers that are scored at once
ENOUGH = 20  # outcomes by which chances can be judged
USUAL = 0.8  # the threshold of a query without an alert


@dataclass(eq=False)
class Trust:
    """The sums of scores of each query; rejected answers wait until they cannot come back."""

    sums: dict[str, Scores] = field(default_factory=dict)
    thresholds: Mapping[str, float | None] = field(default_factory=dict)
    waiting: list[tuple[int, int, TrackedAnswer]] = field(default_factory=list)
    ready: dict[str, list[TrackedAnswer]] = field(default_factory=dict)
    # The number of each waiting answer: one that is rejected again gets a new one.
    latest: dict[str, int] = field(default_factory=dict)
    taken: int = 0
    scored: int = 0

    def __post_init__(self) -> None:
        self._at, self._results = -1, dict[str, ScoreResult]()
        self.first: int | None = None  # the tick since which answers are known
        self.now = 0

    def ask(self, thresholds: Mapping[str, float | None]) -> None:
        self.scores()
        self.thresholds, self._at = thresholds, -1

    def take(self, answer: TrackedAnswer, decided_by: int | None) -> None:
        """Adds an answer that was just confirmed or rejected; `decided_by` is that of its last open line."""
        self.first = answer.since if self.first is None else min(self.first, answer.since)
        if answer.now.change == "confirmed" or decided_by is None:
            self.latest.pop(answer.id, None)
            self._score(answer)
        else:
            self.taken += 1
            self.latest[answer.id] = self.taken
            heapq.heappush(self.waiting, (decided_by, self.taken, answer))

    def drop(self, answer: TrackedAnswer) -> None:
        """Forgets a waiting answer whose fate nobody knows."""
        self.latest.pop(answer.id, None)

    def reach(self, tick: int) -> None:
        self.now = max(self.now, tick)
        while self.waiting and self.waiting[0][0] < tick:
            _, number, answer = heapq.heappop(self.waiting)
            if self.latest.get(answer.id) != number:
                continue
            del self.latest[answer.id]
            if answer.now.change == "rejected":
                self._score(answer)

    def scores(self) -> dict[str, Scores]:
        for query in list(self.ready):
            self._add(query)
        return {
            query: sums.with_threshold(self.thresholds.get(query))
            for query, sums in self.sums.items()
            if sums.alerts.answers or sums.without
        }

    def results(self) -> dict[str, ScoreResult]:
        """Returns the results of all queries with decided answers, computed anew when there are more."""
        if self._at != self.scored:
            self._at = self.scored
            self._results = {query: result(each) for query, each in self.scores().items()}
        return self._results

    def alerts(self, query: str) -> Alerted:
        self.scores()
        return by_threshold(self._of_query(query).program, (self._threshold(query),))[0]

    def learning(self, query: str) -> str:
        """Returns how many outcomes are known, while these are too few to judge by."""
        answers = self.outcomes(query)
        return f"learning: {answers} of {ENOUGH} outcomes" if answers < ENOUGH else ""

    def wait(self, query: str, tick: int | None) -> str:
        """Returns `learning` and about how long it takes; `tick` is the length of one in microseconds."""
        ticks = 0 if self.first is None else self.now - self.first + 1
        learning = self.learning(query)
        return learning and learning + ahead(self.outcomes(query), ENOUGH, ticks, tick)

    def outcomes(self, query: str) -> int:
        found = self.results().get(query)
        return 0 if found is None else found.counted.answers

    def verdict(self, query: str, chance: float | None) -> str:
        """Returns a remark on a chance; empty if outcomes agree with it, as far as can be seen."""
        found = self.results().get(query)
        if chance is None or found is None or not found.counted.lines:
            return ""
        if found.counted.answers < ENOUGH:
            return self.learning(query)
        similar = self.like(query, chance)
        if similar is None or not similar.outside:
            return ""
        return "too sure here" if similar.confirmed < similar.chance else "too low here"

    def like(self, query: str, chance: float) -> Bin | None:
        """Finds the bin of decided lines with a chance like this one."""
        found = self.results().get(query)
        bins = () if found is None else found.calibration.bins
        return next(
            (each for each in bins if each.low <= chance < each.high or chance == each.high == 1), None
        )

    def _score(self, answer: TrackedAnswer) -> None:
        self.scored += 1
        ready = self.ready.setdefault(answer.query, [])
        ready.append(answer)
        if len(ready) >= _AT_ONCE:
            self._add(answer.query)

    def _add(self, query: str) -> None:
        answers = self.ready.pop(query)
        lines = [row for number, answer in enumerate(answers) for row in _rows(number, answer)]
        at, found = self._threshold(query), _scored_lines(lines)
        # An alert may be between two lines with chances.
        rang = [
            (number, each.alerted, at, each.now.tick, each.now.change == "confirmed")
            for number, each in enumerate(answers)
            if each.alerted is not None and each.alerted <= each.now.tick
        ]
        self.sums[query] = scored(self._of_query(query), found) + at_threshold(found, _scored_lines(rang), at)

    def _threshold(self, query: str) -> float:
        return self.thresholds.get(query) or USUAL

    def _of_query(self, query: str) -> Scores:
        """Returns the scores of a query; with another threshold its alerts begin anew."""
        return self.sums.get(query, Scores()).with_threshold(self._threshold(query))


_Row: TypeAlias = tuple[int, int, float, int, bool]


def _scored_lines(rows: Sequence[_Row]) -> ScoredLines:
    numbers, reported, chances, decided, confirmed = zip(*rows, strict=True) if rows else ((),) * 5
    return ScoredLines(
        np.array(numbers, np.int64),
        np.array(reported, np.int64),
        np.array(chances, np.float64),
        np.array(decided, np.int64),
        np.array(confirmed, np.bool_),
    )


def _rows(number: int, answer: TrackedAnswer) -> Iterator[_Row]:
    for tick, chance in answer.chances:
        value = float("nan") if chance is None else chance
        yield number, tick, value, max(answer.now.tick, tick), answer.now.change == "confirmed"
