"""Patterns of other engines: their own tests as cases, and the tables of the page that say how they end."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.peers.answers import Facts, confirmed, rows, value

PAGE = (ROOT / "docs" / "coming-from" / "patterns.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Case:
    """A peer's test in antelog: rows are values with blanks between them, in the order of columns."""

    suite: str
    peer: str
    source: str
    name: str
    question: str
    answers: list[str]  # the peer's; ` at 11` says at which tick they are confirmed
    line: int | None = None
    program: str | None = None
    facts: tuple[str, ...] = ()
    until: int = 0
    gives: list[str] | None = None  # where these differ from the peer's
    differs: str | None = None
    left_out: str | None = None  # on purpose
    wants: str | None = None  # a construct

    def __str__(self) -> str:
        return f"{self.suite}: {self.name}"

    @property
    def outcome(self) -> str:
        """The column of the page's table that counts it."""
        if self.program is None:
            return "left out" if self.left_out else "wanting"
        return "differ" if self.differs else "ends of loops" if self.left_out else "equal"


def read(path: Path) -> list[Case]:
    suite = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Case(path.stem, suite["peer"], suite["source"], **case) for case in suite["case"]]


CASES = [case for path in sorted(Path(__file__).parent.glob("*.toml")) for case in read(path)]
OUTCOMES = ("equal", "ends of loops", "differ", "left out", "wanting")


@pytest.mark.parametrize("case", [each for each in CASES if each.program is not None], ids=str)
def test_a_case_gives_what_it_says(case: Case) -> None:
    expected = rows(case.answers if case.gives is None else case.gives)
    facts: Facts = {}
    for line in case.facts:
        name, *values = line.split(" ")
        facts.setdefault(name, []).append(tuple(value(each) for each in values))
    assert confirmed(case.program or "", facts, expected, case.until) == expected


def test_cases_say_why_they_differ() -> None:
    for case in CASES:
        assert (case.gives is not None) == (case.differs is not None), case
        assert case.gives is None or rows(case.gives).keys() != rows(case.answers).keys(), case
        assert case.program is not None or case.left_out or case.wants, case
        for reason in (case.differs, case.left_out, case.wants):
            assert reason is None or reason in PAGE, f"{case}: the page does not say: {reason}"


def test_the_page_counts_them() -> None:
    counted = Counter((case.peer, case.outcome) for case in CASES)
    for peer in sorted({case.peer for case in CASES}):
        numbers = [counted[peer, outcome] for outcome in OUTCOMES]
        line = " | ".join(str(number) for number in [sum(numbers), *numbers])
        assert f"| {peer} | {line} |" in PAGE
    assert 20 * sum(case.outcome == "wanting" for case in CASES) <= len(CASES)
