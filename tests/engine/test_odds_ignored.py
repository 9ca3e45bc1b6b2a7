"""Chances, shares and alerts change no answer, and not when it is reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from tests.all_cases import ANY
from tests.engine.replay import Compiled, run
from tests.engine.test_properties import compiled_of
from tests.odds import with_odds
from tests.strategies import Case

RULES = """
input Temp(device, level, time) delay 2{shares}.
{chances}
Malf(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).
query Malf(X, T){alert}.
"""
PLAIN = RULES.format(shares="", chances="", alert="")
DECLARED = RULES.format(
    shares=" (70%, 20%, 5%)",
    chances="chance Temp(_, high, _) = 5%, again 80%. chance Temp(wt2, low, _) = 10%.",
    alert=" alert 80%",
)
FACTS = (("Temp", ("wt2", "high", 0), 0), ("Temp", ("wt4", "high", 0), 2), ("Temp", ("wt2", "low", 1), 3))


def log_of(text: str) -> list[dict[str, Any]]:
    return run(Case(text, FACTS, 5), Compiled(antelog.parse(text).plan), range(6))


def test_the_log_is_the_same() -> None:
    assert log_of(DECLARED) == log_of(PLAIN) != []


@pytest.mark.slow
@given(ANY, st.data())
def test_the_log_of_any_program_is_the_same(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    declared = Case(data.draw(with_odds(case.text)), case.facts, case.until)
    ticks = range(case.until + 1)
    assert run(declared, compiled_of(declared), ticks) == run(case, compiled, ticks)
