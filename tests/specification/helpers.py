"""Short ways to evaluate a case or a program given as text."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import currently_in_test_context, reject

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from tests.specification import (
    Arrival,
    Change,
    Evaluation,
    Explanation,
    RefusedError,
    Report,
    Stream,
    TooManyDerivationsError,
    evaluate,
    snapshots,
)
from tests.specification.literals.literal import Literal, by_time
from tests.specification.terms import Atom, Special
from tests.strategies import Case

Fact = tuple[str, tuple[Value, ...], int]


def stream_of(facts: Iterable[Fact]) -> Stream:
    return Stream(tuple(Arrival(Atom(name, values), tick) for name, values, tick in facts))


def evaluation_of(case: Case, later: int = 0) -> Evaluation:
    """The evaluation of a case; `later` extends the ticks it is about.

    A random one that is refused when it is unfolded, or has very many derivations, is passed over.
    """
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


def lines(evaluation: Evaluation, tick: int | None = None) -> list[str]:
    """The reports (of a tick) in one line each: `2: P(X=a, T=1) A(a, 1) | B(a, 2) ; …`."""
    found = (r for r in snapshots(evaluation) if tick is None or r.tick == tick)
    return sorted(line(report) for report in found)


def line(report: Report) -> str:
    return f"{report.tick}: {answer_text(report)} {explanations_text(report.explanations)}"


def answer_text(answer: Report | Change) -> str:
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
