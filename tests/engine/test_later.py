"""Times that a column of the background shifts: as specified, and what columns of ticks may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog import Engine, parse
from antelog.diagnostics import Source
from antelog.errors import DataError
from antelog.language import read
from antelog.language.printer import to_text
from tests.engine.replay import compare, runnable
from tests.strategies import Case

DECLARED = """
input A(x, p, time) delay 1.
input B(x, time) delay 1.
static Within(p, limit <= 3).
Within(h, 1).
Within(l, 3).
query Q(X, T).
"""
RULES = [
    "Q(X, T) :- A(X, P, T), Within(P, N), not B(X, T..T+N).",
    "Q(X, T) :- A(X, P, T), Within(P, N), not B(X, T+1+N), not B(X, T+N).",
    "Q(X, T) :- A(X, P, T), Within(P, N), count(B(X, T..T+N)) >= 2.",
    "Q(X, T) :- A(X, P, T), Within(P, N), last B(X, T+1..T+N) per X.",
    "D(X, T) :- B(X, T-1), not A(X, _, T).  Q(X, T) :- A(X, P, T), Within(P, N), not D(X, T+N).",
    "D(X, P, T) :- A(X, P, T-1), B(X, T).  Q(X, T) :- D(X, P, T), Within(P, N), not B(X, T..T+N).",
]
FACTS = st.one_of(
    st.tuples(st.just("A"), st.tuples(*map(st.sampled_from, ("ab", "hl", range(5)))), st.integers(0, 2)),
    st.tuples(st.just("B"), st.tuples(*map(st.sampled_from, ("ab", range(8)))), st.integers(0, 2)),
)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@given(facts=st.lists(FACTS, min_size=1, max_size=6))
def test_the_engine_tells_what_the_specification_tells(
    rule: str, facts: list[tuple[str, tuple[str | int, ...], int]]
) -> None:
    arrived = ((name, values, int(values[-1]) + late) for name, values, late in facts)
    case = Case(DECLARED + rule, tuple(sorted(arrived, key=lambda fact: fact[2])), 12)
    assert runnable(case.checked) is not None
    compare(case)


def test_a_time_that_is_shifted_has_a_variable_and_its_bounds() -> None:
    text = (
        "tick 10 minutes. "
        + DECLARED.replace("<= 3", "<= 1 h")
        + ("Q(X, T) :- A(X, P, T), Within(P, N), not B(X, T + 20 minutes + N).")
    )
    (rule,) = (each for each in read(Source(text)).document.rules if each.body)
    assert to_text(rule) == (
        "Q(X, T) :- A(X, P, T), Within(P, N), not B(X, TN), "
        "TN = T+20 minutes+N, TN >= T+20 minutes, TN <= T+8."
    )


def test_a_column_with_a_bound_has_numbers() -> None:
    text = DECLARED.replace("Within(h, 1).", "").replace("Within(l, 3).", "")
    (within,) = parse(text + RULES[0]).plan.statics
    assert (within.types, within.most) == ((None, "number"), (None, 3))


@pytest.mark.parametrize("limit", [4, -1, 2.5, "soon"])
def test_background_with_other_ticks_is_refused(limit: object) -> None:
    program = parse(DECLARED + RULES[0])
    with pytest.raises(DataError, match="column limit of Within"):
        Engine(program, static={"Within": [("m", limit)]})
    Engine(program, static={"Within": [("m", 3)]})
