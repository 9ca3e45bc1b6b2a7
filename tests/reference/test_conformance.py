"""The specification gives the answers recorded in tests/conformance, all of them, and no others.

Most cases are ground and are compared as they are. In the others an answer or an explanation
has variables, which the specification does not know: there every line is compared with all of
its ground instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, TypeAlias

import pytest

from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.parser import parse
from antelog.language.syntax import Comparison, Negation, Value, variable_of
from antelog.reference import Arrival, Evaluation, Report, Stream, evaluate, outlook, snapshots
from antelog.reference.answers import Answer, Explanation
from antelog.reference.atoms import ANYTHING, Atom, Literal, ground, holds
from antelog.reference.models import future_possible
from antelog.reference.program import Program
from tests.recorded import NAMES, Recorded, recorded

NOT_GROUND = {
    "local-mgu": "an answer for every X that can still arrive",
    "manufacturing-defect": "a hypothesis whose time is open",
    "negation-open": "an answer for all X but some exceptions",
    "numbers": "a hypothesis with a value that only has to be large enough",
}


Parts: TypeAlias = tuple[syntax.Atom | Negation, list[Comparison | Negation]]
"""A literal and its conditions: comparisons, and background facts that must not be there."""


def evaluation_of(case: Recorded) -> Evaluation:
    arrivals = (Arrival(Atom(name, values), tick) for name, values, tick in case.facts)
    return evaluate(case.checked, Stream(tuple(arrivals)), case.until)


def literals(text: str) -> Parts:
    """A literal as it is printed, `Reading(a, V, 1) where V >= 90.5`, taken apart."""
    parsed = parse(Source(f"head(0) :- {text.replace(' where ', ', ')}."))
    assert not parsed.diagnostics
    (rule,) = parsed.document.rules
    first, *conditions = rule.body
    assert not isinstance(first, Comparison)
    return first, [c for c in conditions if not isinstance(c, syntax.Atom)]


def has_variables(line: dict[str, Any]) -> bool:
    return any(
        None in answer["answer"].values()
        or "except" in explanation
        or any(_variables(literals(text)) for text in explanation["evidence"] + explanation["hypotheses"])
        for answer in line["answers"]
        for explanation in answer["explanations"]
    )


def _variables(parts: Parts) -> set[str]:
    literal, conditions = parts
    compared = (side for c in conditions if isinstance(c, Comparison) for side in (c.left, c.right))
    return {name for term in (*_atom(literal).terms, *compared) if (name := variable_of(term))}


def _atom(literal: syntax.Atom | Negation) -> syntax.Atom:
    return literal.atom if isinstance(literal, Negation) else literal


@pytest.mark.parametrize("name", NAMES)
def test_the_cases_that_are_not_ground_are_known(name: str) -> None:
    assert any(map(has_variables, recorded(name).lines)) == (name in NOT_GROUND)


# ---- ground cases ----


def as_line(evaluation: Evaluation, query: str, tick: int, found: list[Report]) -> dict[str, Any]:
    """The reports of a tick in the form of the recorded lines, in canonical order."""
    answers = []
    for report in found:
        answer: dict[str, Any] = {
            "answer": dict(report.answer),
            "explanations": sorted(
                (
                    {"evidence": sorted(map(str, e.evidence)), "hypotheses": sorted(map(str, e.hypotheses))}
                    for e in report.explanations
                ),
                key=str,
            ),
        }
        if not report.confirmed:
            ahead = outlook(evaluation, report)
            silence = ahead.if_silent
            answer["if_silent"] = silence and {"change": silence.change, "tick": silence.tick}
            answer["decided_by"] = ahead.decided_by
        answers.append(answer)
    return {"tick": tick, "query": query, "answers": answers}


def by_answer(line: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {str(sorted(answer["answer"].items())): answer for answer in line["answers"]}


def problems(case: Recorded) -> list[str]:
    """Where the specification differs from the recorded lines; they may leave out what is known ahead."""
    evaluation = evaluation_of(case)
    reports = list(snapshots(evaluation))
    found = []
    for expected in case.lines:
        tick, query = expected["tick"], expected["query"]
        now = [report for report in reports if report.tick == tick and report.query == query]
        got, wanted = by_answer(as_line(evaluation, query, tick, now)), by_answer(expected)
        found += [f"tick {tick}: {key} on one side only" for key in got.keys() ^ wanted.keys()]
        for key in got.keys() & wanted.keys():
            answer = wanted[key] | {"explanations": sorted(wanted[key]["explanations"], key=str)}
            if got[key] | answer != got[key]:
                found.append(f"tick {tick}: {got[key]} instead of {answer}")
    return found


GROUND = [name for name in NAMES if name not in NOT_GROUND]


@pytest.mark.parametrize("name", GROUND)
def test_ground_case(name: str) -> None:
    assert problems(recorded(name)) == []


BROKEN = {
    "antelog.reference.answers.Explanation.beats": lambda *_: False,
    "antelog.reference.answers._reportable": lambda *_: True,
    "antelog.reference.answers.complete": lambda *_: False,
    "antelog.reference.stream.delta": lambda *_: 1,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name, BROKEN[name])
    assert any(problems(recorded(case)) for case in GROUND)


# ---- cases with variables ----


def instances(
    program: Program,
    explanation: dict[str, Any],
    bindings: dict[str, Value],
    now: int,
    among: Iterable[Value] | None = None,
) -> Iterator[tuple[dict[str, Value], Explanation]]:
    """The ground instances of an explanation whose hypotheses can still come true.

    Variables have values that are known, or `among` others.
    """
    evidence = [literals(text) for text in explanation["evidence"]]
    hypotheses = [literals(text) for text in explanation["hypotheses"]]
    every = [*evidence, *hypotheses]
    times = {name for literal, _ in every if (name := variable_of(_atom(literal).terms[-1]))}
    free = sorted({name for parts in every for name in _variables(parts)} - bindings.keys())
    ticks, values_ = range(program.shown + 1), sorted(program.known if among is None else among, key=str)
    ranges = [ticks if name in times else values_ for name in free]
    excluded = [exception.items() for exception in explanation.get("except", ())]
    for values in product(*ranges):
        full = {**bindings, **dict(zip(free, values, strict=True))}
        if any(all(full[k] == v for k, v in exception) for exception in excluded):
            continue
        if not all(_met(c, full, program) for _, conditions in every for c in conditions):
            continue
        instance = Explanation(_grounded(evidence, full), _grounded(hypotheses, full))
        if any(literal.atom.time < 0 for literal in instance.evidence | instance.hypotheses):
            continue  # there is no such instance
        missing = [literal.atom for literal in instance.hypotheses if literal.positive]
        arrived = {fact for fact, arrival in program.arrivals.items() if arrival <= now}
        if all(future_possible(program, atom, now) and atom not in arrived for atom in missing):
            yield full, instance


def _grounded(parts: list[Parts], bindings: dict[str, Value]) -> frozenset[Literal]:
    return frozenset(
        Literal(ground(_atom(literal), bindings), positive=not isinstance(literal, Negation))
        for literal, _ in parts
    )


def _met(condition: Comparison | Negation, bindings: dict[str, Value], program: Program) -> bool:
    if isinstance(condition, Comparison):
        return holds(condition, bindings)
    denied = ground(condition.atom, bindings)
    return not any(
        fact.predicate == denied.predicate
        and all(
            wanted in (ANYTHING, value)
            for wanted, value in zip(denied.arguments, fact.arguments, strict=True)
        )
        for fact in program.background
    )


def implied(
    evaluation: Evaluation, line: dict[str, Any], names: list[str], settled: set[Answer]
) -> dict[Answer, set[Explanation]]:
    """The ground answers that a recorded line stands for, with their minimal explanations."""
    found: dict[Answer, set[Explanation]] = {}
    for answer in line["answers"]:
        given = {name: value for name, value in answer["answer"].items() if value is not None}
        for explanation in answer["explanations"]:
            for full, instance in instances(evaluation.program, explanation, given, line["tick"]):
                if any(atom.time < 0 for atom in answers_of(evaluation.program, line["query"], full)):
                    continue  # there is no such answer
                key = tuple((name, full[name]) for name in names)
                if key not in settled:
                    found.setdefault(key, set()).add(instance)
    return {key: {e for e in group if not any(o.beats(e) for o in group)} for key, group in found.items()}


def answers_of(program: Program, name: str, bindings: dict[str, Value]) -> Iterator[Atom]:
    """What a query asks for, where its variables have these values."""
    for query in program.queries:
        if query.atom.predicate == name:
            yield ground(query.atom, bindings)


def known_only(evaluation: Evaluation, report: Report) -> set[Explanation]:
    """The explanations of a report without fresh constants."""
    known = evaluation.program.known

    def plain(literal: Literal) -> bool:
        return all(argument in known for argument in literal.atom.arguments[:-1])

    return {e for e in report.explanations if all(map(plain, e.evidence | e.hypotheses))}


@pytest.mark.parametrize("name", sorted(NOT_GROUND))
def test_case_with_variables(name: str) -> None:
    case = recorded(name)
    evaluation = evaluation_of(case)
    known = evaluation.program.known
    (query,) = case.checked.document.queries
    names = [v for term in query.atom.terms if (v := variable_of(term))]
    reports = list(snapshots(evaluation))
    settled: set[Answer] = set()
    for line in case.lines:
        now = [report for report in reports if report.tick == line["tick"]]
        got = {
            report.answer: kept
            for report in now
            if (kept := known_only(evaluation, report))
            and all(value in known for variable, value in report.answer if variable != "T")
        }
        wanted = implied(evaluation, line, names, settled)
        assert got == wanted, f"tick {line['tick']}"
        settled |= {key for key, group in wanted.items() if any(not e.hypotheses for e in group)}
