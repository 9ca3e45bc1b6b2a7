"""antelog/forecast/inference: a chance that differs in what matters, each once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import antelog
from antelog.forecast.inference import chances as questions
from antelog.forecast.inference.chances import Chances
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.process import Engine
from tests.forecast.asking import by_model
from tests.specification.terms import OTHERS

TEMP = """
input Temp(x: text, level: text, time){delay}.
chance Temp(_, high, _) = 5%, again 80%.
chance Temp(_, low, _) = 20%.
static Site(x: text). Site(wt2).
{rules}
query P({answer}).
"""


def program(rules: str, delay: str = "", answer: str = "X, T") -> str:
    return TEMP.format(rules=rules, delay=delay, answer=answer)


def asked(text: str, now: int, facts: Sequence[tuple[Any, ...]], *answers: dict[str, Any]) -> Chances:
    """The chances of answers at a tick, after some facts of Temp."""
    engine = Engine(antelog.parse(text))
    engine.advance(now, {"Temp": facts})
    return by_model(engine, "P", [tuple(answer.items()) for answer in answers])


def said(text: str, now: int, facts: Sequence[tuple[Any, ...]], *answers: dict[str, Any]) -> list[float]:
    column: list[float] = asked(text, now, facts, *answers).column().tolist()
    return column


TWICE = "P(X, T) :- Temp(X, high, T), Temp(X, high, T+1)."
HOT = [("wt2", "high", 0), ("wt7", "high", 0), ("wt7", "high", 1)]


def test_answers_of_which_the_same_is_known_share_a_chance() -> None:
    found = asked(
        program(TWICE),
        1,
        [("wt2", "high", 1), ("wt7", "high", 1)],
        *({"X": x, "T": t} for x, t in (("wt2", 1), ("wt7", 1), ("wt8", 1), ("wt2", 2))),
    )
    assert found.column().tolist() == pytest.approx([0.8, 0.8, 0, 0.8 * 0.8], abs=1e-12)
    assert found.which[0] == found.which[1]
    assert len(found.chance) == 3


def test_when_chances_grow() -> None:
    text = program(TWICE, " delay 1 (70%, 30%)")
    found = asked(text, 0, [("wt2", "high", 0)], {"X": "wt2", "T": 0})
    assert found.growth.of.tolist() == [0, 0]
    assert found.growth.at.tolist() == [1, 2]
    assert found.growth.chance.tolist() == pytest.approx([0.8 * 0.7, 0.8])


def test_in_a_slot_they_exclude_each_other() -> None:
    rules = "P(X, T) :- Temp(X, high, T+1), not Temp(X, low, T+1)."
    free, slot = (program(rules, delay) for delay in ("", " one per x"))
    facts = [("wt2", "low", 0)]
    assert said(free, 0, facts, {"X": "wt2", "T": 0}) == pytest.approx([0.05 * 0.8])
    # In a slot a high one is no low one. After a low one the chance of a high one is still 5 %.
    assert said(slot, 0, facts, {"X": "wt2", "T": 0}) == pytest.approx([0.05])


def test_equal_keys_are_one_chain() -> None:
    text = program("P(X, Y, T) :- Temp(X, high, T), Temp(Y, high, T+1).", answer="X, Y, T")
    same, different = ({"X": "wt2", "Y": y, "T": 0} for y in ("wt2", "wt9"))
    assert said(text, 0, HOT, same, different) == pytest.approx([0.8, 0.05])
    tomorrow = ({"X": "wt2", "Y": y, "T": 1} for y in ("wt2", "wt9"))
    assert said(text, 0, HOT, *tomorrow) == pytest.approx([0.8 * 0.8, 0.8 * (0.05 * 0.8 + 0.95 * 0.05)])


def test_two_slots_that_turn_out_to_be_one() -> None:
    text = """
    input Temp(x: text, level: text, time) one per x.
    chance Temp(_, _, _) = 30%.
    P(X, Y, T) :- Temp(X, high, T), Temp(Y, low, T+1).
    query P(X, Y, T).
    """
    same, different = ({"X": "wt2", "Y": y, "T": 0} for y in ("wt2", "wt9"))
    found = said(text, 0, HOT, same, different)
    # The chain of one slot knows of `high` alone.
    assert math.isnan(found[0])
    assert found[1] == pytest.approx(0.3)


def test_the_answers_values_decide_conditions() -> None:
    rules = "P(X, T) :- Temp(X, high, T), Site(X). P(X, T) :- Temp(X, high, T), Temp(X, high, T+1), T > 5."
    late = [("wt2", "high", 6), ("wt7", "high", 6)]
    for now, facts, wanted in ((0, HOT, [1, 0]), (6, late, [1, 0.8])):
        answers = ({"X": x, "T": now} for x in ("wt2", "wt7"))
        assert said(program(rules), now, facts, *answers) == pytest.approx(wanted)


def test_of_a_value_that_no_fact_names() -> None:
    rules = "P(X, T) :- Temp(_, low, T), not Temp(X, high, T)."
    values = ({"X": x, "T": 1} for x in ("wt2", OTHERS))
    assert said(program(rules), 0, [], *values) == pytest.approx([0.2 * 0.95, 0.2])


def test_what_is_lost() -> None:
    text = program("P(X, T) :- Temp(X, low, T).", " delay 0 (60%)")
    answers = ({"X": x, "T": t} for x, t in (("wt2", 0), ("wt7", 0), ("wt2", 1)))
    found = asked(text, 0, [("wt7", "low", 0)], *answers)
    assert found.column().tolist() == pytest.approx([0, 1, 0.2 * 0.6], abs=1e-12)
    silent = 0.2 * 0.4 / (0.2 * 0.4 + 0.8)
    assert found.holds[found.which].tolist() == pytest.approx([silent, 1, 0.2])
    whole = asked(program(TWICE), 0, [], {"X": "wt2", "T": 0})
    assert np.isnan(whole.holds).all()


def test_where_nothing_is_known() -> None:
    undeclared = "input A(x: text, time). chance A(a, _) = 5%. P(X, T) :- A(X, T). query P(X, T)."
    engine = Engine(antelog.parse(undeclared))
    engine.advance(0, {})
    found = by_model(engine, "P", [(("X", x), ("T", 1)) for x in "ab"])
    first, second = found.column().tolist()
    assert first == pytest.approx(0.05)
    assert math.isnan(second)
    endless = program("P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T.")
    assert asked(endless, 0, HOT, {"X": "wt2", "T": 0}).which.tolist() == [-1]


def test_when_chances_grow_does_not_depend_on_what_else_is_asked() -> None:
    rules = "P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T, U <= T+60."
    text, facts = program(rules, " delay 1"), [("wt2", "high", 0), ("wt2", "high", 7)]
    early, late = {"X": "wt2", "T": 0}, {"X": "wt2", "T": 7}
    alone, both = asked(text, 9, facts, early), asked(text, 9, facts, early, late)
    mine = both.growth.of == both.which[0]
    assert alone.growth.at.tolist() == both.growth.at[mine].tolist()
    np.testing.assert_allclose(alone.growth.chance, both.growth.chance[mine], atol=1e-12)
    assert alone.growth.at[-1] == 61
    assert 10 < len(alone.growth.at) < 30  # not all ticks are reported, but enough of them


def test_odds_of_what_is_decided_make_no_difference() -> None:
    text = """
    input Order(x: text, time) delay 1.
    input Paid(x: text, time).
    chance Paid(_, _) = 20%.
    P(X, T) :- Order(X, T), not Paid(X, T+1).
    query P(X, T).
    """
    engine = Engine(antelog.parse(text))
    engine.advance(0, {"Order": [("o1", 0)]})
    answers = [(("X", name), ("T", 0)) for name in ("o1", "o2")]
    # Of o2 an order may still come, and nobody knows how likely that is.
    np.testing.assert_allclose(by_model(engine, "P", answers).column(), [0.8, np.nan])
    engine.advance(1, {"Paid": []})
    np.testing.assert_allclose(by_model(engine, "P", answers).column(), [1, 0])


LARGE = """
input  E(x: text, kind: text, time).
chance E(_, start, _) = 5%.
chance E(_, a, _) = 5%, again 30%.
chance E(_, b, _) = 5%.
P(X, T) :- E(X, start, T), E(X, a, U), E(X, b, U+{gap}), U > T, U <= T+60.
query P(X, T).
"""


@pytest.mark.parametrize("mode", [None, "learn"])
def test_of_a_formula_that_is_too_large_the_model_says_nothing(mode: str | None) -> None:
    engine = Engine(antelog.parse(LARGE.format(gap=20)), model=mode)
    lines = []
    for tick in range(240):
        facts = [("x1", "start", tick)] if tick % 7 == 0 else [("x1", "a", tick)] if tick % 7 == 1 else []
        lines += engine.advance(tick, {"E": facts})["P"].to_pylist()
    sources = {line["chance_from"] for line in lines if line["change"] in ("possible", "revised")}
    assert sources == ({None, "outcomes", "linear"} if mode else {None})


def test_whether_a_formula_is_too_large_can_be_said_beforehand() -> None:
    for gap, small in ((3, True), (20, False)):
        form = forms(antelog.parse(LARGE.format(gap=gap)).plan)["P"]
        assert isinstance(form, QueryForm)
        assert questions.whole_fits(form) is small
