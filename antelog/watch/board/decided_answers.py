"""The decided answers that an address selects: by severity, query, prefix of the key, kind, words and time.

chosen(board, given)       the latest first
facets(board, given)       how many answers each value of each filter would show
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antelog.watch.board.answer_index import prefix_of
from antelog.watch.board.board import Board
from antelog.watch.board.selection import Given, filter_of, first, ticks_of
from antelog.watch.board.tracked_answer import TrackedAnswer

KINDS = ("confirmed", "rejected")
FACETS = ("severity", "query", "prefix", "kind")


@dataclass(frozen=True)
class DecidedBin:
    """Some ticks, and how many answers were decided at them: confirmed ones by severity, and rejected."""

    ticks: range
    counts: Counter[str]


def chosen(board: Board, given: Given, without: str = "") -> list[TrackedAnswer]:
    """The decided answers that the parameters select, `without` one of them; the latest first."""
    values, wanted = _values(board), filter_of(given)
    allowed = {
        "severity": set(wanted.severities),
        "query": set(wanted.queries),
        "prefix": set(wanted.prefixes),
        "kind": {each for each in given.get("kind", ()) if each in KINDS},
    }
    tests = [(values[name], some) for name, some in allowed.items() if some and name != without]
    words, ticks = wanted.text.casefold().split(), ticks_of(first(given, "between"))
    found = []
    for answer in reversed(board.decided.values()):
        if any(value(answer) not in some for value, some in tests):
            continue
        if ticks is not None and without != "between" and answer.now.tick not in ticks:
            continue
        if words and not all(each in board.head.label(answer).casefold() for each in words):
            continue
        found.append(answer)
    return found


def facets(board: Board, given: Given) -> Mapping[str, Mapping[str, int]]:
    """For each filter with a list of values, the number of answers with each value."""
    values = _values(board)
    return {name: Counter(map(values[name], chosen(board, given, name))) for name in FACETS}


def histogram(board: Board, found: Sequence[TrackedAnswer], most: int) -> Sequence[DecidedBin]:
    """How many were confirmed, by severity, and rejected, in at most so many bins of equal length."""
    if not found:
        return []
    ticks = [each.now.tick for each in found]
    low, high = min(ticks), max(ticks)
    wide = -(-(high - low + 1) // most)
    bins = [DecidedBin(range(at, at + wide), Counter()) for at in range(low, high + 1, wide)]
    for answer in found:
        confirmed = answer.now.change == "confirmed"
        kind = board.head.severity(answer.query) if confirmed else answer.now.change
        bins[(answer.now.tick - low) // wide].counts[kind] += 1
    return bins


def ticks_open(answer: TrackedAnswer) -> int:
    """The ticks from its first line to its end."""
    return max(0, answer.now.tick - answer.since)


def ticks_alerted(answer: TrackedAnswer) -> int | None:
    """The ticks from its alert to its end, if it had one."""
    return None if answer.alerted is None else max(0, answer.now.tick - answer.alerted)


def _values(board: Board) -> Mapping[str, Callable[[TrackedAnswer], str]]:
    return {
        "severity": lambda each: board.head.severity(each.query),
        "query": lambda each: each.query,
        "prefix": lambda each: prefix_of(board.head.key_of(each)),
        "kind": lambda each: each.now.change,
    }
