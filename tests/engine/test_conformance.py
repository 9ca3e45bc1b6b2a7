"""The recorded cases of tests/conformance, through the engine: all answers of every tick, and no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from antelog.engine.engine import Engine
from antelog.reference import Outlook, Report
from tests.engine.replay import frames, reports_of, runnable
from tests.recorded import NAMES, recorded
from tests.reference.reading import answer_of, explanations_of


@pytest.mark.parametrize("name", NAMES)
def test_the_answers_of_every_tick_are_those_recorded(name: str) -> None:
    case = recorded(name)
    compiled = runnable(case.checked)
    assert compiled is not None
    engine = Engine(compiled)
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        found = {_in_order(report): ahead for report, ahead in reports_of(engine, compiled.plan).items()}
        lines = [line for line in case.lines if line["tick"] == now]
        expected = {_report(line, answer): answer for line in lines for answer in line["answers"]}
        of_queries = {line["query"] for line in lines}
        assert {report for report in found if report.query in of_queries} == expected.keys(), f"tick {now}"
        for report, answer in expected.items():
            assert _ahead(found[report]).items() >= {k: answer[k] for k in _AHEAD if k in answer}.items()


_AHEAD = ("if_silent", "decided_by")


def _report(line: dict[str, Any], answer: dict[str, Any]) -> Report:
    values = answer_of(answer["answer"], answer.get("others"))
    told = explanations_of(answer["explanations"], [name for name, _ in values])
    excepted = frozenset(value for row in answer.get("except", ()) for value in row.values())
    return _in_order(Report(line["tick"], line["query"], values, told, excepted))


def _in_order(report: Report) -> Report:
    """The values of an answer by the names of their variables: JSON has them in any order."""
    return replace(report, answer=tuple(sorted(report.answer, key=lambda each: each[0])))


def _ahead(outlook: Outlook | None) -> dict[str, Any]:
    silent = outlook and outlook.if_silent
    return {
        "if_silent": silent and {"change": silent.change, "tick": silent.tick},
        "decided_by": outlook and outlook.decided_by,
    }
