"""The recorded cases, through the engine."""

from __future__ import annotations

import re
from typing import Any

import pytest

from antelog.compile import compile_program
from antelog.engine.engine import Engine
from tests.engine.replay import Compiled, frames, lines
from tests.recorded import NAMES, Recorded, recorded


def _engine(case: Recorded) -> tuple[Engine, Compiled]:
    plan = compile_program(case.checked).plan
    assert plan is not None
    compiled = Compiled(plan)
    return Engine(compiled), compiled


def _comparable(answer: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """What the recorded answer says, of the engine's."""

    def plain(texts: list[str]) -> list[str]:
        return sorted(re.sub(r"\b([A-Z])\d+\b", r"\1", text) for text in texts)  # V2 is as good as V

    explanations = [
        {
            "evidence": plain(e["evidence"]),
            "hypotheses": plain(e["hypotheses"]),
            "except": e.get("except") or [],
        }
        for e in answer["explanations"]
    ]
    told = {"answer": answer["answer"], "explanations": sorted(explanations, key=str)}
    return told | {key: answer[key] for key in ("if_silent", "decided_by") if key in expected}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_answers_of_every_tick_are_those_recorded(name: str) -> None:
    case = recorded(name)
    engine, compiled = _engine(case)
    for expected in case.lines:
        now = expected["tick"]
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        (line,) = [x for x in lines(engine, compiled.plan) if x["query"] == expected["query"]]
        wanted = {str(sorted(a["answer"].items())): a for a in expected["answers"]}
        found = {str(sorted(a["answer"].items())): a for a in line["answers"]}
        assert found.keys() == wanted.keys(), f"tick {now}"
        for key, answer in wanted.items():
            assert _comparable(found[key], answer) == _comparable(answer, answer), f"tick {now}"
