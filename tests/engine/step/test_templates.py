"""antelog/engine/step/literal_texts.py: what literals say, with blanks for what rows have."""

from __future__ import annotations

import antelog
from antelog.compile.literals.terms import Sum, Var
from antelog.compile.prepared.rules import prepared
from antelog.engine.step.literal_texts import Blank, templates


def test_a_template_has_blanks_for_what_rows_bind() -> None:
    text = """input R(x: text, v: number, time) delay 3. static Odd(x: text, y: text).
        P(X, T) :- R(X, V, T), R(Y, W, T+1), W > V + 0.5, V < 9, not Odd(Y, X). query P(X, T)."""
    plan = antelog.parse(text).plan
    (pattern,) = prepared(plan).patterns["P"]
    first, second = templates(pattern, frozenset({"X", "V", "T"}))
    value = Blank(Var("X"), "", ", ")
    assert first.opening == ("R(", value, Blank(Var("V"), "", ", "))
    assert first.known
    assert first.closing == (")",)
    assert second.opening == ("R(", "Y, ", "W, ")
    assert second.closing == (
        Blank(Sum("V", 0.5), ") where W > ", ", "),
        "not Odd(",
        "Y, ",
        Blank(Var("X"), "", ")"),
    )
    assert not templates(pattern, frozenset({"Y"}))[0].known
