"""What happened to each answer, tick by tick.

semantics.md, "Changes". The log follows from the reports of all ticks, and its last line
about an answer up to a tick gives the answer's state at that tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from antelog.reference.answers import Answer, Explanation, Report
from antelog.reference.atoms import Literal
from antelog.reference.truth import Truth


class Kind(Enum):
    POSSIBLE = "possible"
    REVISED = "revised"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log. A rejection has the last explanations, and the hypotheses that failed."""

    tick: int
    kind: Kind
    query: str
    answer: Answer
    explanations: frozenset[Explanation]
    because: frozenset[Literal] = frozenset()


def log(reports: Iterable[Report], truth: Truth, until: int) -> Iterator[Change]:
    """The changes that the reports of the ticks from 0 to `until` amount to."""
    at: dict[int, list[Report]] = {}
    for report in reports:
        at.setdefault(report.tick, []).append(report)
    before: dict[tuple[str, Answer], Report] = {}
    for tick in range(until + 1):
        now = {(report.query, report.answer): report for report in at.get(tick, ())}
        for key in sorted(before.keys() | now.keys(), key=str):
            if key in now:
                kind = _kind(before.get(key), now[key])
                if kind is not None:
                    yield Change(tick, kind, *key, now[key].explanations)
            elif not before[key].confirmed:
                last = before[key]
                yield Change(tick, Kind.REJECTED, *key, last.explanations, _failed(last, truth, tick))
        before = now


def _kind(before: Report | None, now: Report) -> Kind | None:
    if now.confirmed:
        return Kind.CONFIRMED
    if before is None:
        return Kind.POSSIBLE
    return None if before.explanations == now.explanations else Kind.REVISED


def _failed(last: Report, truth: Truth, tick: int) -> frozenset[Literal]:
    """The hypotheses of the last explanations that became false at this tick."""
    hypotheses = {literal for explanation in last.explanations for literal in explanation.hypotheses}
    return frozenset(literal for literal in hypotheses if truth.literal(literal).false_at == tick)
