"""Short ways to evaluate a case or a program given as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hypothesis import currently_in_test_context, reject

from antelog.diagnostics import Source
from antelog.language import read, syntax
from antelog.language.parser import parse
from antelog.language.syntax import Value
from tests.specification import (
    Arrival,
    Change,
    Evaluation,
    Explanation,
    RefusedError,
    Stream,
    TooManyDerivationsError,
    evaluate,
)
from tests.specification.literals.literal import Literal, by_time
from tests.specification.terms import Atom, Special
from tests.strategies import Case

Fact = tuple[str, tuple[Value, ...], int]


def stream_of(facts: Iterable[Fact]) -> Stream:
    return Stream(tuple(Arrival(Atom(name, values), tick) for name, values, tick in facts))


def evaluation_of(case: Case, later: int = 0) -> Evaluation:
    """The evaluation of a case up to `later` ticks; a refused or very large random one is passed over."""
    try:
        return evaluate(case.checked, stream_of(case.facts), case.until + later)
    except (RefusedError, TooManyDerivationsError):
        if currently_in_test_context():
            reject()
        raise


def evaluate_text(text: str, facts: Iterable[Fact] = (), until: int = 5) -> Evaluation:
    checked = read(Source(text))
    assert checked.ok, checked.diagnostics
    return evaluate(checked, stream_of(facts), until)


def arriving(text: str) -> list[Fact]:
    """The facts of a text `0: C(0), D(0); 2: C(1)`, each with the tick at which it arrives."""
    found = []
    for tick, facts in re.findall(r"(?:^|; )(\d+): ([^;\n]+)", text):
        parsed = parse(Source(f"Facts(0) :- {facts}."))
        assert not parsed.diagnostics, facts
        for atom in (atom for rule in parsed.document.rules for atom in rule.body):
            assert isinstance(atom, syntax.Atom)
            values = tuple(term.value for term in atom.terms if isinstance(term, syntax.Constant))
            assert len(values) == len(atom.terms)
            found.append((atom.predicate, values, int(tick)))
    return found


def logged() -> dict[str, tuple[Case, list[str]]]:
    """The cases of logs.txt: a program, `%` and its facts up to the last tick, and the lines of its log."""
    found = {}
    for each in Path(__file__).with_name("logs.txt").read_text(encoding="utf-8").split("== ")[1:]:
        name, _, rest = each.strip().partition("\n")
        text, _, rest = rest.partition("\n% ")
        facts, *lines = rest.split("\n")
        facts, _, until = f"; {facts}".rpartition("until ")
        found[name] = Case(text, tuple(arriving(facts)), int(until)), lines
    return found


def answer_text(answer: Change) -> str:
    """An answer as text: `_` is an open variable, `all others` those that have not been seen."""
    values = ", ".join(
        f"{name}={value.value if isinstance(value, Special) else '_' if value is None else value}"
        for name, value in answer.answer
    )
    return f"{answer.query}({values})"


def explanations_text(explanations: Iterable[Explanation]) -> str:
    return " ; ".join(
        sorted(f"{_in_order(each.evidence)} | {_in_order(each.hypotheses)}".strip() for each in explanations)
    )


def _in_order(literals: Iterable[Literal]) -> str:
    return ", ".join(map(str, by_time(literals)))
