"""The change log, which follows from the reports of all ticks: semantics.md, "Changes"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from tests.specification.ahead import Outlook
from tests.specification.answers import Answer, Answers, Explanation, Report, explanation, own_names, reports
from tests.specification.literals.literal import Literal
from tests.specification.sight import Sight


class Kind(Enum):
    POSSIBLE = "possible"
    REVISED = "revised"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Change:
    """A line of the log; a rejection has the last explanations and the hypotheses that failed.

    One that is lost from sight has the literals that nobody could see.
    """

    tick: int
    kind: Kind
    query: str
    answer: Answer
    explanations: frozenset[Explanation]
    ahead: Outlook | None = None
    because: frozenset[Literal] = frozenset()
    lost: frozenset[Literal] = frozenset()


Key: TypeAlias = tuple[str, Answer]


def log(
    answers: Mapping[str, Answers], until: int, ahead: Callable[[Report], Outlook], sight: Sight
) -> Iterator[Change]:
    """The changes that the reports of all ticks amount to."""
    at: dict[int, dict[Key, Report]] = {tick: {} for tick in range(until + 1)}
    for report in (report for each in answers.values() for report in reports(each, until)):
        at[report.tick][report.query, report.answer] = report
    last: dict[Key, Change] = {}
    fallen: dict[Key, frozenset[Literal]] = {}
    before: Mapping[Key, Report] = {}
    for tick, now in at.items():
        for query, answer in (key for key, report in before.items() if not report.confirmed):
            known = fallen.get((query, answer), frozenset())
            fallen[query, answer] = known | sight.of_fallen(answers[query], answer, tick)
        lines = [*_changed(before, now, last, ahead)]
        lines += _gone(before, now, tick, answers)
        lines = [_with_lost(line, answers[line.query], sight, fallen) for line in lines]
        last.update(((line.query, line.answer), line) for line in lines)
        yield from sorted(lines, key=lambda line: (line.query, str(line.answer)))
        before = now


def _changed(
    before: Mapping[Key, Report],
    now: Mapping[Key, Report],
    last: Mapping[Key, Change],
    ahead: Callable[[Report], Outlook],
) -> Iterator[Change]:
    for key, report in now.items():
        if report.confirmed:
            yield Change(report.tick, Kind.CONFIRMED, *key, report.explanations)
        elif key not in before:
            yield Change(report.tick, Kind.POSSIBLE, *key, report.explanations, ahead(report))
        elif before[key].as_told != report.as_told or _is_overdue(last[key], report.tick):
            yield Change(report.tick, Kind.REVISED, *key, report.explanations, ahead(report))


def _with_lost(line: Change, answers: Answers, sight: Sight, fallen: dict[Key, frozenset[Literal]]) -> Change:
    """A line with what is lost: of a rejection all by which explanations fell since it was possible."""
    lost: frozenset[Literal] = frozenset()
    if line.kind is Kind.CONFIRMED:
        lost = sight.of_confirmed(answers, line.answer, line.tick)
    elif line.kind is Kind.REJECTED:
        lost = fallen.pop((line.query, line.answer))
    return replace(line, lost=explanation((), lost, frozenset(own_names(line.answer))).hypotheses)


def _is_overdue(line: Change, tick: int) -> bool:
    """Whether the tick has come that the last line said would end the answer."""
    silent = line.ahead and line.ahead.if_silent
    return bool(silent and silent.tick <= tick)


def _gone(
    before: Mapping[Key, Report], now: Mapping[Key, Report], tick: int, answers: Mapping[str, Answers]
) -> Iterator[Change]:
    for (query, answer), report in before.items():
        if (query, answer) not in now and not report.confirmed:
            because = answers[query].failed(answer, tick)
            last = frozenset(each for each, _ in answers[query].reported(answer, tick - 1, tick))
            yield Change(tick, Kind.REJECTED, query, answer, last, None, because)
