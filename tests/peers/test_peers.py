"""Patterns of other engines: their own tests as cases, and the tables of the page that say how they end."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import antelog
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
STEPS = re.compile(
    r'^```antelog\n(.*?)^```$|^```csv title="(\w+)\.csv"\n.*?\n(.*?)^```$|^Gives ([^:\n]*)',
    re.MULTILINE | re.DOTALL,
)
"""Finds programs and files of facts on the page, and the answers written below a program."""
Rows = dict[str, int | None]
Facts = dict[str, list[tuple[Any, ...]]]


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


def value(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def rows(texts: list[str]) -> Rows:
    pairs = (text.partition(" at ") for text in texts)
    return {row: int(tick) if tick else None for row, _, tick in pairs}


def confirmed(text: str, facts: Facts, ticks: Rows, until: int = 0) -> Rows:
    """The rows that are confirmed once all facts have come, each with its tick where that is asked for."""
    program = antelog.parse(text)
    engine = antelog.Engine(program, only=["confirmed"], explanations=0)
    last = max(
        [until, *(fact[-1] for each in facts.values() for fact in each), *(t or 0 for t in ticks.values())]
    )
    found: Rows = {}
    for query, table in engine.advance(last, facts).items():
        names = program.plan.relation(query).answer.names
        for line in table.to_pylist():
            row = " ".join(str(line[name]).removesuffix(".0") for name in names)
            found[row] = None if ticks.get(row) is None else line["tick"]
    assert len(engine.rejects) == 0
    return found


@pytest.mark.parametrize("case", [each for each in CASES if each.program is not None], ids=str)
def test_a_case_gives_what_it_says(case: Case) -> None:
    expected = rows(case.answers if case.gives is None else case.gives)
    facts: Facts = {}
    for line in case.facts:
        name, *values = line.split(" ")
        facts.setdefault(name, []).append(tuple(value(each) for each in values))
    assert confirmed(case.program or "", facts, expected, case.until) == expected


def test_programs_of_the_page_give_what_stands_below() -> None:
    files: Facts = {}
    program, tried = "", 0
    for text, name, table, gives in STEPS.findall(PAGE):
        if table:
            files[name] = [tuple(map(value, row.split(","))) for row in table.splitlines()]
        elif gives:
            inputs = re.findall(r"^input (\w+)\(", program, re.MULTILINE)
            expected = rows(re.findall(r"`([^`]+)`", gives))
            assert confirmed(program, {each: files[each] for each in inputs}, expected) == expected, program
            tried += 1
        program = text or program
    assert tried == PAGE.count("```antelog\n")


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
