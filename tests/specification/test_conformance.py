"""The specification gives the answers recorded in tests/conformance, all of them, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recorded import NAMES, Recorded, recorded
from tests.specification import (
    Arrival,
    Evaluation,
    Kind,
    Report,
    Stream,
    changes,
    evaluate,
    outlook,
    snapshots,
)
from tests.specification.literals.literal import by_time
from tests.specification.reading import answer_of, explanations_of
from tests.specification.terms import Atom


def evaluation_of(case: Recorded) -> Evaluation:
    arrivals = (Arrival(Atom(name, values), tick) for name, values, tick in case.facts)
    return evaluate(case.checked, Stream(tuple(arrivals)), case.until)


def problems(case: Recorded) -> list[str]:
    """Where the specification says something else than the recorded lines."""
    evaluation = evaluation_of(case)
    reports = {(r.tick, r.query, tuple(sorted(r.answer, key=str))): r for r in snapshots(evaluation)}
    found = []
    for line in case.lines:
        for answer in line["answers"]:
            values = tuple(sorted(answer_of(answer["answer"], answer.get("others")), key=str))
            report = reports.pop((line["tick"], line["query"], values), None)
            if report is None:
                found.append(f"tick {line['tick']}: {values} is missing")
            else:
                found += _differences(answer, report, evaluation)
    ticks = {line["tick"] for line in case.lines}
    found += _lost(case, evaluation)
    return found + [f"not expected: {report}" for report in reports.values() if report.tick in ticks]


def _lost(case: Recorded, evaluation: Evaluation) -> list[str]:
    """Where other decided answers, or other literals of them, are lost from sight than those recorded."""
    if case.lost is None:
        return []
    decided = [c for c in changes(evaluation) if c.kind in (Kind.CONFIRMED, Kind.REJECTED)]
    found = {(c.tick, c.kind.value, c.answer, tuple(map(str, by_time(c.lost)))) for c in decided}
    wanted = {
        (line["tick"], line["change"], answer_of(line["answer"], None), tuple(line["lost"]))
        for line in case.lost
    }
    return [f"lost: {each}" for each in sorted(found ^ wanted, key=str)]


def _differences(answer: dict[str, Any], report: Report, evaluation: Evaluation) -> list[str]:
    names = [name for name, _ in report.answer]
    place = f"tick {report.tick}, {report.answer}"
    found = []
    told = explanations_of(answer["explanations"], names)
    if {(e, e.so_far) for e in told} != {(e, e.so_far) for e in report.explanations}:
        found.append(f"{place}: {report.explanations} instead of {answer['explanations']}")
    ahead = None if report.confirmed else outlook(evaluation, report)
    silent = ahead and ahead.if_silent
    given = {
        "if_silent": silent and {"change": silent.change, "tick": silent.tick},
        "decided_by": ahead and ahead.decided_by,
    }
    found += [
        f"{place}: {key} is {value} instead of {answer[key]}"
        for key, value in given.items()
        if key in answer and answer[key] != value
    ]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str) -> None:
    assert problems(recorded(name)) == []


BROKEN = {
    "tests.specification.answers.Explanation.beats": lambda *_: False,
    "tests.specification.answers.seen": lambda *_: {},
    "tests.specification.sight.Sight.unseen": lambda *_: True,
    "tests.specification.sight.Sight._is_excused": lambda *_: False,
    "tests.specification.stream.delta": lambda *_: 1,
    "tests.specification.world.World._excluded": lambda *_: float("inf"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name, BROKEN[name])
    assert any(problems(recorded(case)) for case in NAMES)
