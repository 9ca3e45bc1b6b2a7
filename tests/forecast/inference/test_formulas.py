"""antelog/forecast/inference/formulas.py: what has to come, and what must not, for an answer."""

from __future__ import annotations

import pytest

from antelog.forecast.inference import formulas
from antelog.forecast.inference.formulas import UnknownChanceError
from tests.forecast.making import formula, in_words

INPUTS = """
input Temp(x: text, level: text, time) delay 2.
input Read(x: text, v: number, time).
static Site(x: text, y: text). Site(a, b).
"""


def words(rules: str, query: str = "P(X, T)") -> str:
    return in_words(formula(f"{INPUTS} {rules} query {query}."))


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        (
            "P(X, T) :- Temp(X, high, T), Temp(X, high, T+1).",
            "any(all(T >= 0, all(Temp(X, high) at 0, Temp(X, high) at 1)))",
        ),
        (
            "P(X, T) :- Temp(X, high, T). P(X, T) :- Temp(X, low, T-1).",
            "any(all(T >= 0, all(Temp(X, high) at 0)), all(T >= 1, all(Temp(X, low) at -1)))",
        ),
        (
            "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).",
            "any(all(T >= 0, all(Temp(X, high) at 0, not any(all(T+1 >= 0, all(Temp(X, low) at 1))))))",
        ),
        ("P(X, T) :- Read(X, V, T), V >= 90.", "any(all(T >= 0, all(Read(X, column 1 >= 90) at 0)))"),
        ("P(X, T) :- Temp(X, high, T), Site(X, b).", "any(all(T >= 0, all(Temp(X, high) at 0, Site(X, b))))"),
        (
            "P(X, T) :- Site(X, _), count(A(T..T)) >= 1.",
            "any(all(T >= 0, all(Site(X, None), any(all(all(), not any(), 1 of(all(A() at 0)))))))",
        ),
        ("P(X, T) :- Temp(X, high, T), T >= 5.", "any(all(T >= 0, all(Temp(X, high) at 0, T >= 5)))"),
    ],
)
def test_formulas(rules: str, wanted: str) -> None:
    assert words(rules) == wanted


def test_comparisons_of_the_answers_values_are_conditions() -> None:
    found = formula(f"{INPUTS} P(X, V, T) :- Read(X, V, T), V >= 90. query P(X, V, T).")
    assert in_words(found) == "any(all(T >= 0, all(Read(X, V) at 0, V >= 90)))"
    assert (found.variables, found.timed, len(found.conditions)) == (("X", "V"), True, 2)


def test_an_open_time_is_written_out_tick_by_tick() -> None:
    found = formula(f"{INPUTS} P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T, U <= T+3. query P(X, T).")
    assert [(literal.series.constants[0][1], literal.at) for literal in found.literals] == [
        ("high", 0),
        ("low", 1),
        ("low", 2),
        ("low", 3),
    ]


def test_a_query_that_fixes_the_tick_counts_from_zero() -> None:
    found = formula(f"{INPUTS} P(X, T) :- Temp(X, high, T), Temp(X, low, T+1). query P(X, 3).")
    assert not found.timed
    assert [literal.at for literal in found.literals] == [3, 4]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T.", "nothing bounds it in time"),
        ("P(X, T) :- Temp(X, Y, T), Temp(X, Y, T+1).", "share a value that the answer does not have"),
        ("P(X, T) :- Read(X, V, T), Read(X, W, T+1), W > V.", "compares values of facts"),
        ("P(X, T) :- Temp(X, Y, T), Site(X, Y).", "background gives values"),
        ("P(X, T) :- Temp(X, high, T), Temp(X, low, 3).", "a fixed tick besides its own"),
        ("P(X, T) :- Temp(X, high, T), not P(X, T-1).", "its own past"),
        ("P(X, T) :- Temp(X, high, T), not Temp(X, low, 3).", "a fixed tick besides its own"),
        ("P(X, T) :- Temp(X, high, T), count(Temp(X, low, 0..T)) >= 3.", "a fixed tick besides its own"),
        ("P(X, T) :- Temp(X, high, T), count(Temp(X, _, T..T+5)) >= 3.", "several at a tick"),
        ("P(X, T) :- Temp(X, high, T), count(Temp(X, _, T..T+5)) = 3.", "several at a tick"),
        ("P(X, T) :- Read(X, L, T), count(Read(X, V, T..T+5), V > L) >= 1.", "share a value"),
        ("P(X, T) :- Temp(X, high, T), sum(V : Read(X, V, T..T+5)) > 3.", "takes values of facts"),
        ("P(X, T) :- Temp(X, high, T), count(distinct V : Read(X, V, T..T+5)) > 3.", "takes values of facts"),
        ("P(X, T) :- Temp(X, high, T), max(V : Read(X, V, T)) > min(V : Read(X, V, T)).", "two aggregates"),
        ("P(X, T) :- Temp(X, high, T), last Temp(X, low, T..T+2) per X.", "how likely `last Temp"),
    ],
)
def test_where_no_chance_can_be_said(rule: str, why: str) -> None:
    with pytest.raises(UnknownChanceError, match=why):
        words(rule)


def test_a_formula_does_not_outgrow_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = "P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T, U <= T+9."
    assert len(formula(f"{INPUTS} {rule} query P(X, T).").literals) == 10
    monkeypatch.setattr(formulas, "_MOST", 15)
    with pytest.raises(UnknownChanceError, match="too many facts"):
        words(rule)
