"""antelog/compile/show/details.py: chances, shares and alerts in plain words, and through JSON and back."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

import antelog
from antelog.compile import compile_program, from_json, to_json
from antelog.compile.show.details import odds_lines
from antelog.compile.show.explain import explain, plan_html
from antelog.diagnostics import Source
from antelog.language import read
from tests.few_literals import programs
from tests.odds import with_odds

PLAN = antelog.parse(
    """
    input  Temp(device, level, time) delay 2 (70%, 20.5%, 9.5%).
    chance Temp(_, high, _) = 5%, again 80%.
    chance Temp(wt4, "High", _) = 0.5%.
    delay  Temp(wt4, _, _) = 1 (60%, 30%).
    Malf(X, T) :- Temp(X, high, T).
    query Malf(X, T) alert 80%.
    """
).plan


def test_lines() -> None:
    assert list(odds_lines(PLAN.inputs[0])) == [
        "Temp(_, high, _): 5 in 100 ticks after one without have one, 80 in 100 after one with",
        'Temp(wt4, "High", _): 0.5 in 100 ticks have one, whether or not the tick before has',
        "Temp(_, _, _): of 100 facts 70 come in time, 20.5 come 1 tick late, 9.5 come 2 ticks late",
        "Temp(wt4, _, _): of 100 facts 60 come in time, 30 come 1 tick late, 10 never come",
    ]


def test_they_are_explained() -> None:
    for line in [*odds_lines(PLAN.inputs[0]), "alert: an open answer with a chance of 80% or more"]:
        assert f"  {line}\n" in explain(PLAN)
        assert line.replace('"', "&quot;") in plan_html(PLAN)


@given(programs().filter(lambda text: read(Source(text)).ok), st.data())
def test_they_go_through_json(text: str, data: st.DataObject) -> None:
    plan = compile_program(read(Source(data.draw(with_odds(text))))).plan
    assume(plan is not None)
    assert plan is not None
    assert from_json(to_json(plan)) == plan
