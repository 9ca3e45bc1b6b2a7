"""antelog/compile/passes.py: a checked program to its plan, or to the reasons why it has none."""

from __future__ import annotations

from antelog.compile.passes import compile_program
from antelog.diagnostics import Source
from antelog.language import read


def test_a_program_has_a_plan_and_what_is_odd_about_it() -> None:
    text = "P(X, T) :- A(X, T). query P(X, T) window 3."
    compiled = compile_program(read(Source(text)))
    assert compiled.plan is not None
    assert [each.code for each in compiled.diagnostics if each.code == "W106"] == ["W106"]


def test_a_program_that_is_wrong_has_all_reasons_and_no_plan() -> None:
    text = """A(X, T) :- B(X, T), not A(X, T).
        C(X, T) :- B(X, T). C(X, T) :- C(X, T-1). query A(X, T). query C(X, T)."""
    compiled = compile_program(read(Source(text)))
    assert compiled.plan is None
    assert {each.code for each in compiled.diagnostics} >= {"E601", "E602"}


def test_what_the_checks_refuse_is_not_compiled() -> None:
    checked = read(Source("P(X, T) :- A(X, T). query Q(X, T)."))
    assert not checked.ok
    assert compile_program(checked).diagnostics == checked.diagnostics
