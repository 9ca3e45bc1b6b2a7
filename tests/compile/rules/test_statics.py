"""antelog/compile/rules/statics.py: what follows from background facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.compile import compile_program
from antelog.compile.rules import statics
from antelog.compile.rules.statics import evaluate
from antelog.diagnostics import Source
from antelog.errors import UnsupportedError
from antelog.language import read
from antelog.language.syntax import Value
from tests.specification import Stream
from tests.specification import evaluate as evaluate_reference
from tests.specification.terms import Atom

RULES = """
static Link(x: text, y: text).
static Weight(x: text, w: number).
static Path(x, y). static Same(x, y). static End(x). static Cut(x, y). static Heavy(x). static Loop(x).
Path(X, Y) :- Link(X, Y).
Path(X, Z) :- Path(X, Y), Path(Y, Z).
Same(X, Y) :- Path(X, Y), Path(Y, X).
Loop(X) :- Same(X, X).
End(Y) :- Link(_, Y), not Link(Y, _).
Cut(X, Y) :- Path(X, Y), not Path(Y, X), X != Y.
Heavy(X) :- Weight(X, V), Weight(Y, W), V >= W + 2, Link(X, Y).
Heavy(X) :- Link(X, Y), Heavy(Y).
Q(X, T) :- A(X, T), Heavy(X), Cut(X, Y), End(Y), not Loop(X).
query Q(X, T).
"""

names = st.sampled_from(("a", "b", "c", "d"))


@given(st.sets(st.tuples(names, names), max_size=6), st.sets(st.tuples(names, st.integers(0, 4)), max_size=3))
def test_static_relations_are_those_of_the_specification(
    links: set[tuple[str, str]], weights: set[tuple[str, int]]
) -> None:
    checked = read(Source(RULES))
    plan = compile_program(checked).plan
    assert plan is not None
    given_facts: dict[str, set[tuple[Value, ...]]] = {"Link": {*links}, "Weight": {*weights}}
    background = tuple(Atom(name, row) for name, rows in given_facts.items() for row in rows)
    expected = evaluate_reference(checked, Stream((), background), 0).program.background
    found = evaluate(plan, given_facts)
    assert {Atom(name, row) for name, rows in found.items() for row in rows} == set(expected)


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = "".join(f"Link(c{i}, c{i + 1})." for i in range(300))
    rules = "static Link(x, y). static From(y). From(c0). From(Y) :- From(X), Link(X, Y)."
    plan = compile_program(read(Source(f"{rules} {chain} Q(X, T) :- A(X, T), From(X). query Q(X, T)."))).plan
    assert plan is not None
    assert len(evaluate(plan)["From"]) == 301


def test_a_relation_that_would_take_all_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    values = "".join(f"S({i})." for i in range(100))
    rules = f"static S(x). {values} static All(a, b, c, d, e). {{}} Q(X, T) :- A(X, T), All(X, X, X, X, X)."
    every, none = (f"All(A, B, C, D, E) :- S(A), S(B), S(C), S(D), S(E){more}." for more in ("", ", A < 0"))

    def evaluated(rule: str) -> None:
        plan = compile_program(read(Source(rules.format(rule) + " query Q(X, T)."))).plan
        assert plan is not None
        evaluate(plan)

    monkeypatch.setattr(statics, "MOST_FACTS", 1_000)
    with pytest.raises(UnsupportedError, match=r"All: .* derive more than 1000 facts"):
        evaluated(every)
    monkeypatch.setattr(statics, "MOST_JOINED", 10_000)
    with pytest.raises(UnsupportedError, match=r"All: .* join more than 10000 rows"):
        evaluated(none)
