"""The recorded cases, through the engine."""

from __future__ import annotations

from typing import Any

import pytest

from antelog.compile import compile_program
from tests.engine.few import at_most
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames, log_lines, reports, spelt_out
from tests.recorded import NAMES, recorded
from tests.specification.reading import answer_of, explanations_of, in_order


@pytest.mark.parametrize("few", [0, 64])
@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_answers_of_every_tick_are_those_recorded(name: str, few: int) -> None:
    case = recorded(name)
    plan = compile_program(case.checked).plan
    assert plan is not None
    plan = spelt_out(plan)
    engine, log = PlainEngine(Compiled(plan)), list[dict[str, Any]]()
    for line in case.lines:
        now = line["tick"]
        with at_most(few):
            log += log_lines(engine.advance(now, frames(case.facts, plan, now - 1, now)), plan)
            reported = reports(engine, plan)
        found = {
            frozenset(answer): each for (query, answer), each in reported.items() if query == line["query"]
        }
        wanted = {frozenset(answer_of(a["answer"], a.get("others"))): a for a in line["answers"]}
        assert found.keys() == wanted.keys(), f"tick {now}"
        for answer in line["answers"]:
            for each in answer["explanations"]:
                both = (each["evidence"], each["hypotheses"])
                assert all(texts == in_order(texts) for texts in both), "recorded in another order"
        for key, answer in wanted.items():
            report, ahead = found[key]
            assert report.explanations == explanations_of(answer["explanations"], answer["answer"]), now
            silent = ahead and ahead.if_silent
            known = {
                "if_silent": silent and {"change": silent.change, "tick": silent.tick},
                "decided_by": ahead and ahead.decided_by,
            }
            assert all(known[k] == answer[k] for k in known if k in answer), now
    decided = [row for row in log if row["change"] in ("confirmed", "rejected") and "lost" in row]
    if case.lost is not None and decided:
        told = [(row["tick"], row["change"], row["X"], row["T"], row["lost"] or []) for row in decided]
        of_lines = (
            (line["tick"], line["change"], *line["answer"].values(), line["lost"]) for line in case.lost
        )
        assert sorted(told) == sorted(of_lines)
