"""The engine against the specification, on random programs and streams, at every tick."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, event, example, given, note

from antelog.engine.engine import Engine
from antelog.language.syntax import variable_of
from antelog.reference import Outlook, outlook, snapshots
from antelog.reference.answers import Answer
from tests.engine.once_wrong import ANSWERS, ENDS
from tests.engine.replay import (
    frames,
    is_confirmed_for_equals,
    is_nothing,
    known_only,
    lines,
    runnable,
    shown,
    without_needless,
)
from tests.few_literals import cases_of_few_literals
from tests.reference.helpers import evaluation_of
from tests.reference.test_conformance import implied
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

# The specification looks at every value and tick there is, so where two times are free there are few.
ANY = cases() | cases_with_two_times(latest=2, most=6) | cases_of_few_literals()

Test: TypeAlias = Callable[..., None]


def with_examples(cases: Iterable[Case]) -> Callable[[Test], Test]:
    """Runs a test with these cases, too."""
    return lambda test: reduce(lambda so_far, case: example(case)(so_far), cases, test)


@pytest.mark.slow
@with_examples(ANSWERS)
@given(ANY)
def test_answers_are_those_of_the_specification(case: Case) -> None:
    checked = case.checked
    compiled = runnable(checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    evaluation = evaluation_of(case)
    program = evaluation.program
    reports = list(snapshots(evaluation))
    settled: dict[str, set[Answer]] = {query.name: set() for query in compiled.plan.queries}
    engine = Engine(compiled)
    some = False
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for line in lines(engine, compiled.plan):
            name = line["query"]
            query = next(q.atom for q in checked.document.queries if q.atom.predicate == name)
            time = variable_of(query.terms[-1])
            names = list(dict.fromkeys(v for term in query.terms if (v := variable_of(term))))
            expected = {
                report.answer: kept
                for report in reports
                if report.tick == now and report.query == name
                if (kept := known_only(evaluation, report))
                and all(value in program.known for variable, value in report.answer if variable != time)
            }
            assume(not any(map(is_confirmed_for_equals, line["answers"])))
            assert not any(is_nothing(answer, now, evaluation) for answer in line["answers"])
            found = without_needless(implied(evaluation, line, names, settled[name]), line, evaluation)
            assert shown(found, time, program) == shown(expected, time, program), f"tick {now}"
            settled[name] |= {a for a, group in found.items() if any(not e.hypotheses for e in group)}
            some = some or bool(found)
    event("with answers" if some else "without answers")


@pytest.mark.slow
@with_examples(ENDS)
@given(ANY)
def test_open_answers_end_as_the_specification_says(case: Case) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    evaluation = evaluation_of(case)
    reports = {(r.tick, r.query, tuple(sorted(r.answer))): r for r in snapshots(evaluation)}
    engine = Engine(compiled)
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for line in lines(engine, compiled.plan):
            for answer in line["answers"]:
                name = line["query"]
                key = (now, name, tuple(sorted(answer["answer"].items(), key=lambda item: item[0])))
                report = reports.get(key)
                told = answer["change"] != "confirmed" and _is_ground(answer)
                shared = report is not None and len(report.explanations) > len(answer["explanations"])
                # What an answer for more values says of this one, too, is told there only.
                if report is not None and told and not (shared and _covered(answer, line["answers"])):
                    ahead = outlook(evaluation, report)
                    same = answer["decided_by"] == ahead.decided_by and _ends_as(answer, ahead)
                    assert (
                        same
                        or _is_told_with_others(answer, name, now, case)
                        or _goes_on(answer, ahead, key, case)
                    ), (key, answer, ahead)


def _ends_as(answer: dict[str, Any], ahead: Outlook) -> bool:
    silent = ahead.if_silent
    expected = silent and {"change": silent.change, "tick": silent.tick}
    return bool(answer["if_silent"] == expected)


def _goes_on(
    answer: dict[str, Any], ahead: Outlook, key: tuple[int, str, tuple[Any, ...]], case: Case
) -> bool:
    """Whether an answer has no end, and in the specification one as this looks at no later ticks."""
    longer = evaluation_of(case, later=1)
    report = next((r for r in snapshots(longer) if (r.tick, r.query, tuple(sorted(r.answer))) == key), None)
    if report is None or ahead.if_silent is None or answer["if_silent"] is not None:
        return False
    then = ahead.if_silent.tick + 1
    later = replace(ahead, if_silent=replace(ahead.if_silent, tick=then))
    return answer["decided_by"] == ahead.decided_by and outlook(longer, report) == later


def _is_told_with_others(answer: dict[str, Any], query: str, now: int, case: Case) -> bool:
    """Whether an answer ends, if nothing more arrives, because one for more values says what it would say."""
    compiled = runnable(case.checked)
    assert compiled is not None
    end = answer["if_silent"] and answer["if_silent"]["tick"]
    if end is None:
        return False
    engine = Engine(compiled)
    engine.advance(now, frames(case.facts, compiled.plan, -1, now))
    engine.advance(end)
    (line,) = (line for line in lines(engine, compiled.plan) if line["query"] == query)
    return _covered(answer, line["answers"])


def _covered(answer: dict[str, Any], others: list[dict[str, Any]]) -> bool:
    """Whether some answer stands for more values, and for these."""
    return any(
        None in other["answer"].values()
        and all(value in (None, answer["answer"][name]) for name, value in other["answer"].items())
        for other in others
    )


def _is_ground(answer: dict[str, Any]) -> bool:
    texts = [text for e in answer["explanations"] for text in e["hypotheses"]]
    return not any(re.search(r"(^|[ (])(_|[A-Z]\w*)[-+,) ]", text) for text in texts)
