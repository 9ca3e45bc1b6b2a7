"""Short ways to evaluate a case or a program given as text."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import assume, currently_in_test_context, reject

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from antelog.reference import (
    Arrival,
    Evaluation,
    Report,
    Stream,
    TooManyDerivationsError,
    evaluate,
    snapshots,
)
from antelog.reference.atoms import Atom
from tests.strategies import Case

_MOST_DERIVATIONS = 10_000
_MOST_WAYS = 30 * _MOST_DERIVATIONS
"""Many ways to derive an atom are one derivation."""

Fact = tuple[str, tuple[Value, ...], int]


def stream_of(facts: Iterable[Fact]) -> Stream:
    return Stream(tuple(Arrival(Atom(name, values), tick) for name, values, tick in facts))


def evaluation_of(case: Case, more: Iterable[Value] = (), later: int = 0) -> Evaluation:
    """The evaluation of a case; `later` extends the ticks it is about.

    A random one with very many derivations is passed over: it takes minutes and gigabytes, and shows
    what small ones show.
    """
    random = currently_in_test_context()
    stream, most = stream_of(case.facts), _MOST_WAYS if random else None
    try:
        evaluation = evaluate(case.checked, stream, case.until + later, more, most)
    except TooManyDerivationsError:
        reject()
    if random:
        assume(sum(map(len, evaluation.derivations.values())) <= _MOST_DERIVATIONS)
    return evaluation


def evaluate_text(text: str, facts: Iterable[Fact] = (), until: int = 5) -> Evaluation:
    checked = read(Source(text))
    assert checked.ok, checked.diagnostics
    return evaluate(checked, stream_of(facts), until)


def lines(evaluation: Evaluation, tick: int | None = None) -> list[str]:
    """The reports (of a tick) in one line each: `2: P(X=a, T=1) A(a, 1) | B(a, 2) ; …`."""
    found = (r for r in snapshots(evaluation) if tick is None or r.tick == tick)
    return sorted(line(report) for report in found)


def line(report: Report) -> str:
    answer = ", ".join(f"{name}={value}" for name, value in report.answer)
    explanations = sorted(
        f"{', '.join(sorted(map(str, e.evidence)))} | {', '.join(sorted(map(str, e.hypotheses)))}".strip()
        for e in report.explanations
    )
    return f"{report.tick}: {report.query}({answer}) {' ; '.join(explanations)}"
