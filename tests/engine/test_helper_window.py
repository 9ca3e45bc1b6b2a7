"""`window On 20.`: a helper has the window that a query of it would give it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.declared import declarations
from tests.engine.replay import compare, run, runnable
from tests.strategies import Case, with_stream

_GOES_ON = ("On(X, T-1), A(X, T)", "On(X, T-1), not C(T)", "On(X, T+1), A(X, T)", "On(Y, T-1), B(Y, X, T)")
_ASKED = ("not On(X, T)", "not On(_, T-1)", "not On(X, T-2..T)", "count(On(X, T-3..T)) < 2")


@st.composite
def cases_of_windows(draw: st.DrawFn) -> Case:
    """A program that asks for a recursive helper by `not` or a count, its window, and a stream."""
    rules = [
        f"On(X, T) :- {draw(st.sampled_from(['A(X, T)', 'B(X, _, T)', 'A(X, T), C(T-1)']))}.",
        f"On(X, T) :- {draw(st.sampled_from(_GOES_ON))}.",
        f"Q(X, T) :- B(X, _, T), {draw(st.sampled_from(_ASKED))}.",
    ]
    window = f"window On {draw(st.integers(0, 3))}{draw(st.sampled_from(['', ' horizon 1']))}."
    text = "\n".join((*declarations(draw, "\n".join(rules)), *rules, window, "query Q(X, T)."))
    return with_stream(draw, text, latest=6, most=8)


@pytest.mark.slow
@given(cases_of_windows())
def test_a_window_of_its_own_is_that_of_a_query(case: Case) -> None:
    compare(case)
    asking = case.text.replace("window On ", "query On(X, T) window ")
    programs = [runnable(each.checked) for each in (case, Case(asking, case.facts, case.until))]
    logs = [run(case, each, range(case.until + 1)) for each in programs if each is not None]
    assert len(logs) in (0, 2)
    if logs:
        assert logs[0] == [row for row in logs[1] if row["query"] == "Q"]
