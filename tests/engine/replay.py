"""A case through the engine, and its answers in the specification's terms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from antelog.compile import compile_program
from antelog.compile.plan import Plan
from antelog.engine.engine import Engine
from antelog.engine.limits import cannot_run
from antelog.language import Checked
from antelog.language.syntax import number
from antelog.reference import Evaluation, Report
from antelog.reference.answers import Answer, Explanation
from antelog.reference.atoms import ANYTHING, Atom
from antelog.reference.program import Program
from antelog.reference.stream import fits
from tests.reference.helpers import Fact
from tests.reference.test_conformance import instances
from tests.strategies import Case


@dataclass(frozen=True)
class Compiled:
    """A program the engine takes."""

    plan: Plan


def runnable(checked: Checked) -> Compiled | None:
    """The program, if it has a plan and the engine can run it."""
    plan = compile_program(checked).plan
    return None if plan is None or cannot_run(plan) is not None else Compiled(plan)


def frames(facts: Iterable[Fact], plan: Plan, after: int, until: int) -> dict[str, Any]:
    """The facts that arrive after one tick and up to another, as the engine takes them."""
    given: dict[str, list[tuple[Any, ...]]] = {source.name: [] for source in plan.inputs}
    for name, values, arrival in facts:
        if after < arrival <= until:
            given[name].append((*values, arrival))
    columns = {source.name: [*source.columns, "arrival"] for source in plan.inputs}
    return {
        name: [dict(zip(columns[name], row, strict=True)) for row in rows]
        for name, rows in given.items()
        if rows
    }


def run(case: Case, compiled: Compiled, ends: Iterable[int]) -> list[dict[str, Any]]:
    """The change log of a case whose ticks are cut into steps that end at these ticks."""
    engine = Engine(compiled)
    log = []
    for end in ends:
        changed = engine.advance(end, frames(case.facts, compiled.plan, engine.now, end))
        log += [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]
    return sorted(log, key=lambda row: row["tick"])


def lines(engine: Engine, plan: Plan) -> list[dict[str, Any]]:
    """The engine's answers at its tick, in the form of the recorded lines."""
    found = []
    for query in plan.queries:
        names = (*query.variables, *([query.time] if query.time else []))
        answers = [
            {
                **row,
                "answer": {name: row[name] for name in names},
                "explanations": _once([_without_nulls(e) for e in row["explanations"]]),
            }
            for row in engine.answers(query.name).to_pylist()
        ]
        found.append({"tick": engine.now, "query": query.name, "answers": answers})
    return found


def _once(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, which are all different."""
    assert all(one != other for one, other in combinations(told, 2))
    return told


def _without_nulls(explanation: dict[str, Any]) -> dict[str, Any]:
    """An explanation whose exceptions name just the variables they are about; its literals are in order."""
    for literals in (explanation["evidence"], explanation["hypotheses"]):
        assert literals == sorted(set(literals))
    assert all(one != other for one, other in combinations(explanation.get("except") or (), 2))
    excepted = explanation.get("except") or []
    named = [{name: _read(value) for name, value in each.items() if value is not None} for each in excepted]
    return {**explanation, "except": named}


def _read(value: str | int | float) -> str | int | float:
    """A value of an exception; numbers may be written as texts, and the texts of cases are no numbers."""
    try:
        return number(float(value))
    except ValueError:
        return value


def known_only(evaluation: Evaluation, report: Report) -> set[Explanation]:
    """The explanations of a report that speak of no fresh values."""
    known = {*evaluation.program.known, ANYTHING}
    return {
        e
        for e in report.explanations
        if all(a in known for literal in e.evidence | e.hypotheses for a in literal.atom.arguments[:-1])
    }


def without_needless(
    found: dict[Answer, set[Explanation]], line: dict[str, Any], evaluation: Evaluation
) -> dict[Answer, set[Explanation]]:
    """What a line with open variables stands for, without the instances that some derivation makes needless.

    Of all instances of an explanation some may be needless, because of derivations that no
    evidence speaks for and that are not told.
    """
    if not any(map(_is_open, line["answers"])):
        return found
    kept = {}
    for answer, group in found.items():
        alive = [
            explanation
            for candidate in evaluation.candidates[line["query"]].get(answer, ())
            if candidate.considered <= line["tick"]
            and (explanation := evaluation.table(candidate, line["tick"])) is not None
        ]
        kept[answer] = {e for e in group if not any(other.beats(e) for other in alive)}
    return {answer: group for answer, group in kept.items() if group}


def is_confirmed_for_equals(answer: dict[str, Any]) -> bool:
    """Whether an answer is confirmed where two open values are one; then nothing is told of others."""
    done = (text for e in answer["explanations"] if not e["hypotheses"] for text in e["evidence"])
    return any(re.search(r"where .*\b[A-Z]\w* = [A-Z]", text) for text in done)


def is_nothing(answer: dict[str, Any], now: int, evaluation: Evaluation) -> bool:
    """Whether an explanation of an open answer has no instance left; what times are open in it end."""
    given = {name: value for name, value in answer["answer"].items() if value is not None}
    for explanation in answer["explanations"]:
        texts = explanation["evidence"] + explanation["hypotheses"]
        free = {name for text in texts for name in re.findall(r"[A-Z]\w*(?=[-+,) ])", text)} - given.keys()
        times = {name for text in texts for name in re.findall(r"([A-Z]\w*)(?:[-+]\d+)?\)", text)}
        ends = {name for text in texts for name in re.findall(r"(\w+) <=? \d", text)}
        if free and free & times <= ends:
            found = instances(evaluation.program, explanation, given, now, evaluation.program.domain)
            if not any(True for _ in found):
                return True
    return False


def _is_open(answer: dict[str, Any]) -> bool:
    texts = [text for e in answer["explanations"] for text in (*e["evidence"], *e["hypotheses"])]
    return None in answer["answer"].values() or any(map(_VARIABLE.search, texts))


_VARIABLE = re.compile(r"(^|[ (])[A-Z]\w*[-+,) ]")


def shown(
    found: dict[Answer, set[Explanation]], time: str | None, program: Program
) -> dict[Answer, set[Explanation]]:
    """Answers and explanations about ticks the specification is exact about, and values that can occur."""
    latest = program.shown
    kept = {}
    for answer, group in found.items():
        recent = {e for e in group if all(_can_occur(li.atom, program) for li in e.evidence | e.hypotheses)}
        late = any(name == time and isinstance(value, int) and value > latest for name, value in answer)
        if recent and not late:
            kept[tuple(sorted(answer))] = recent
    return kept


def _can_occur(atom: Atom, program: Program) -> bool:
    types = program.vocabulary[atom.predicate].types
    fitting = all(a is ANYTHING or fits(a, t) for a, t in zip(atom.arguments[:-1], types, strict=True))
    return atom.time <= program.shown and fitting
