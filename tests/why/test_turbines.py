"""Tests of antelog/why on the turbines: what is there, what is not, and what a text that is no atom gets."""

from __future__ import annotations

from typing import Any

import pytest

import antelog
from antelog.errors import AntelogError
from antelog.why import WhyAnswer, why
from tests.tables import cases
from tests.why.judged import literals_of

RULES = """
input  Temp(device, level, time) delay 1.
delay  Temp(wt4, _, _) = 2.
static Turbine(device).
Turbine(wt2).  Turbine(wt4).
Flag(X, T)    :- Temp(X, high, T).
Cool(X, T+1)  :- Flag(X, T), Flag(X, T+1).
Shdn(X, T+1)  :- Cool(X, T), Flag(X, T+1).
Malf(X, T-2)  :- Shdn(X, T).
OK(X, T-2)    :- Turbine(X), not Shdn(X, T).
query Malf(X, T).
query OK(X, T).
"""
FACTS = {
    "Temp": [
        {"device": device, "level": level, "time": time, "arrival": arrival}
        for device, level, time, arrival in (
            ("wt2", "high", 0, 0), ("wt2", "high", 1, 1), ("wt4", "high", 0, 2), ("wt4", "low", 1, 2),
            ("wt2", "high", 2, 3), ("wt4", "high", 1, 9)
        )
    ]
}  # fmt: skip


def explained(atom: str, at: int | None = None, **more: Any) -> WhyAnswer:
    return why(antelog.parse(RULES, name="rules.alog"), FACTS, atom, at, **more)


def test_an_answer_that_is_there_has_its_rules_and_facts() -> None:
    found = explained("Malf(wt2, 0)")
    assert found.status == "confirmed"
    assert str(found).splitlines()[0] == "Malf(wt2, 0) is confirmed since tick 3"
    leaves = [(e.text, e.facts[0].arrival) for e in literals_of(found) if e.below is None]
    assert leaves == [("Temp(wt2, high, 0)", 0), ("Temp(wt2, high, 1)", 1), ("Temp(wt2, high, 2)", 3)]


def test_an_open_answer_says_what_it_awaits() -> None:
    found = explained("Malf(wt2, 0)", 1)
    assert found.status == "open"
    assert "○ Temp(wt2, high, 2)   may come until tick 3" in str(found)


def test_a_late_fact_is_named() -> None:
    found = explained("Malf(wt4, 0)")
    assert found.status == "rejected"
    assert "late, set aside: arrived at tick 9, 6 ticks after its deadline" in str(found)
    assert "Temp(wt4, low, 1)" not in str(found)
    assert "Temp(wt4, low, 1)   differs in a value" in str(explained("Malf(wt4, 0)", 8))


def test_a_negation_that_fails_has_the_explanation_of_its_atom() -> None:
    (rule,) = explained("OK(wt2, 0)").rules
    denied = rule.literals[1]
    assert (denied.text, denied.status) == ("not Shdn(wt2, 2)", "failed")
    assert denied.below is not None
    assert explained("OK(wt2, 0)", 1).status == "open"
    assert "not so yet; it could become so until tick 3" in str(explained("OK(wt2, 0)", 1))


def test_background_that_is_not_there_is_said() -> None:
    assert "✗ Turbine(wt9)   not in the background" in str(explained("OK(wt9, 0)"))


def test_facts_are_explained_too() -> None:
    assert (
        str(explained("Temp(wt2, high, 1)")).splitlines()[0]
        == "Temp(wt2, high, 1) came: it arrived at tick 1"
    )
    assert explained("Temp(wt2, high, 4)", 3).status == "possible"
    assert explained("Temp(wt2, high, 4)").status == "rejected"
    assert "late, set aside" in str(explained("Temp(wt4, high, 1)"))


def test_background_is_explained_too() -> None:
    assert "Turbine(wt2) is in the background" in str(explained("Turbine(wt2)"))
    assert "rules.alog:5" in str(explained("Turbine(wt2)"))
    assert explained("Turbine(wt9)").status == "rejected"


def test_a_variable_is_given_a_value() -> None:
    found = explained("Malf(X, 0)")
    assert found.atom == "Malf(wt2, 0)"
    assert "this is for X = wt2" in str(found)


def test_few_levels_hide_the_others() -> None:
    found = explained("Malf(wt2, 0)", depth=2)
    assert "more below" in str(found)
    assert "Temp(wt2, high, 2)" not in str(found)


def test_it_can_be_had_as_json_and_as_html() -> None:
    found = explained("Malf(wt4, 0)")
    data = found.to_dict()
    assert (data["atom"], data["status"]) == ("Malf(wt4, 0)", "rejected")
    assert data["rules"][0]["literals"][0]["status"] == "failed"
    assert "<details" in found._repr_html_()


@cases(__file__, "a_text_that_is_no_atom_is_refused")
def test_a_text_that_is_no_atom_is_refused(atom: str, said: str) -> None:
    with pytest.raises(AntelogError) as caught:
        explained(atom)
    assert said in str(caught.value)


def _advanced(until: int) -> antelog.Engine:
    engine = antelog.Engine(antelog.parse(RULES))
    for tick in range(until + 1):
        engine.advance(tick, {"Temp": [row for row in FACTS["Temp"] if row["arrival"] == tick]})
    return engine


def test_an_engine_explains_what_it_has_facts_for() -> None:
    assert _advanced(3).why("Malf(wt2, 0)").status == "confirmed"
    assert _advanced(1).why("OK(wt2, 0)").status == "open"
    old = _advanced(9).why("Malf(wt2, 0)")
    assert old.status == "unknown"
    assert "the engine has the facts of Temp only from tick" in str(old)


def test_a_restored_engine_needs_its_program() -> None:
    saved, restored = _advanced(3).to_bytes(), antelog.Engine.restore
    assert restored(saved, antelog.parse(RULES)).why("Malf(wt2, 0)").status == "confirmed"
    with pytest.raises(antelog.UnsupportedError):
        restored(saved).why("Malf(wt2, 0)")


def test_an_engine_keeps_nothing_of_an_explanation() -> None:
    engine = _advanced(3)
    before = engine.status.state_bytes
    assert engine.why("Malf(wt2, 0)").status == "confirmed"
    assert engine.status.state_bytes == before
