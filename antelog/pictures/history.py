"""What became of each answer, put together from a log of changes.

A log is a sequence of rows as `antelog try` prints them: `tick`, `change`, `query`, `answer`,
`explanations`, `if_silent`, `decided_by` and `because`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.printer import value_text

OPEN, CONFIRMED, REJECTED = "open", "confirmed", "rejected"
OUTCOMES = (OPEN, CONFIRMED, REJECTED)
_TIME = re.compile(r"(\d+)\)\Z")


@dataclass(frozen=True)
class Answer:
    """An answer from its first evidence on. Values are texts in the language's syntax.

    `evidence` has the tick at which each literal came to be known; `missing` are the literals of the
    last explanations that were still awaited, and `because` those that were awaited in vain.
    """

    query: str
    values: Mapping[str, str]
    since: int
    until: int
    outcome: str = OPEN
    evidence: Mapping[str, int] = ()  # type: ignore[assignment]  # an empty mapping, and immutable
    missing: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    silent: str | None = None
    decided_by: int | None = None

    @cached_property
    def label(self) -> str:
        return f"{self.query}({', '.join(self.values.values())})" if self.values else self.query


@dataclass(frozen=True)
class History:
    """Answers in the order of their queries, then of their first evidence; `now` is the last tick known."""

    answers: tuple[Answer, ...]
    now: int

    @property
    def first(self) -> int:
        return min((answer.since for answer in self.answers), default=0)

    def count(self, outcome: str) -> int:
        return sum(answer.outcome == outcome for answer in self.answers)

    def only(self, queries: Sequence[str], values: Mapping[str, str]) -> History:
        """The answers of some queries (none: all), with these values of variables."""
        _known(queries, list(dict.fromkeys(each.query for each in self.answers)), "query")
        _known(values, sorted({name for each in self.answers for name in each.values}), "variable")
        kept = (
            answer
            for answer in self.answers
            if (not queries or answer.query in queries)
            and all(_same(answer.values.get(name), value) for name, value in values.items())
        )
        return replace(self, answers=tuple(kept))


def history(rows: Iterable[Mapping[str, Any]], now: int | None = None) -> History:
    """The answers a log speaks of. Open ones last until `now`: the log's last tick, if not given."""
    found: dict[tuple[str, str], Answer] = {}
    queries: dict[str, int] = {}
    last = 0
    for row in rows:
        last = max(last, row["tick"])
        query = row["query"]
        queries.setdefault(query, len(queries))
        values = row["answer"] if isinstance(row["answer"], Mapping) else json.loads(row["answer"])
        key = query, json.dumps(list(values.values()), default=str)
        before = found.get(key)
        if before is None or before.outcome != OPEN:
            texts = {name: text_of(value) for name, value in values.items()}
            before = Answer(query, texts, row["tick"], row["tick"], evidence={})
        found[key] = _after(before, row)
    end = last if now is None else now
    answers = (replace(a, until=max(a.since, end)) if a.outcome == OPEN else a for a in found.values())
    return History(
        tuple(sorted(answers, key=lambda a: (queries[a.query], a.since, a.until))), max(end, last)
    )


def due(literal: str) -> int | None:
    """The time a literal is about, if it is known."""
    match = _TIME.search(literal)
    return int(match[1]) if match else None


def text_of(value: object) -> str:
    """A value in the language's syntax; `_` is any."""
    match value:
        case None:
            return "_"
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return value_text(value)
        case _:
            return str(value)


def _after(answer: Answer, row: Mapping[str, Any]) -> Answer:
    """An answer after a change to it."""
    explanations = row.get("explanations") or []
    evidence = dict(answer.evidence)
    for explanation in explanations:
        for literal in explanation["evidence"]:
            evidence.setdefault(literal, row["tick"])
    awaited = (literal for each in explanations for literal in each["hypotheses"])
    silent = row.get("if_silent")
    change = row["change"]
    return replace(
        answer,
        until=row["tick"],
        outcome=change if change in (CONFIRMED, REJECTED) else OPEN,
        evidence=evidence,
        missing=tuple(dict.fromkeys(literal for literal in awaited if literal not in evidence)),
        because=tuple(row.get("because") or ()),
        silent=f"{silent['change']} at {silent['tick']}" if silent else None,
        decided_by=row.get("decided_by"),
    )


def _same(text: str | None, given: str) -> bool:
    return text is not None and given in (text, text.strip('"'))


def _known(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if known and name not in known:
            plural = "queries" if what == "query" else "variables"
            hint = did_you_mean(name, known) or f"The {plural} are {', '.join(known)}."
            raise DataError(f"no answer has the {what} {name}. {hint}")
