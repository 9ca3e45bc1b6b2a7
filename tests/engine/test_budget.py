"""antelog/engine/kernel.py: no table within a step outgrows the budget, whatever the data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.errors import DataError
from tests.engine.plain import PlainEngine

CLOSE = """
input R(d: text, v: number, time) delay 2.
P(D, T) :- R(D, V, T), R(D, W, U), W > V, U > T, U <= T+3.
"""
NEGATED = CLOSE + " Q(D, T) :- R(D, _, T), not P(D, T). query Q(D, T)."


@pytest.mark.parametrize("text", [CLOSE + " query P(D, T).", NEGATED])
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(0, 12)), min_size=1, max_size=60
    )
)
def test_a_small_budget_changes_nothing_but_the_size_of_steps(
    text: str, facts: list[tuple[str, int, int]]
) -> None:
    program = antelog.parse(text)
    roomy, tight = PlainEngine(program), PlainEngine(program, budget=80 * 120)
    expected = roomy.advance(30, {"R": facts})
    try:
        found = tight.advance(30, {"R": facts})
    except DataError as error:
        assert "rows at once" in str(error)  # noqa: PT017 - one tick of one device alone needs more
    else:
        assert {name: table.to_pylist() for name, table in found.items()} == {
            name: table.to_pylist() for name, table in expected.items()
        }


def test_where_one_key_needs_too_much_the_error_names_rule_key_and_count() -> None:
    program = antelog.parse(CLOSE + " query P(D, T).")
    facts = [("pump", v, 5) for v in range(200)] + [("pump", v, 6) for v in range(200)]
    with pytest.raises(DataError) as raised:
        PlainEngine(program, budget=80 * 1_000).advance(6, {"R": facts})
    assert "D = pump" in str(raised.value)
    assert "R(D, W, U)" in str(raised.value)
    assert "200 facts" in str(raised.value) or "400" in str(raised.value)


def test_a_step_through_billions_of_ticks_is_refused_and_changes_nothing() -> None:
    program = antelog.parse('tick 1 s. zone "UTC". input P(time). Q(T) :- not P(T). query Q(T).')
    engine = antelog.Engine(program)
    engine.advance("2024-01-01", {"P": [("2024-01-01",)]})
    with pytest.raises(antelog.DataError, match="one step would look at each of 251,698,147,200 ticks"):
        engine.advance("9999-12-31", {})
    assert engine.advance("2024-01-01 00:00:03", {})["Q"].num_rows == 3


def test_a_step_with_millions_of_lines_that_no_fact_gave_is_refused() -> None:
    program = antelog.parse('tick 1 s. zone "UTC". input P(time). Q(T) :- not P(T). query Q(T).')
    engine = antelog.Engine(program, only=["confirmed"])
    engine.advance("2024-01-01", {"P": [("2024-01-01",)]})
    with pytest.raises(
        antelog.DataError, match=r"the step has [\d,]+ lines after [\d,]+ of its 7,776,000 ticks"
    ):
        engine.advance("2024-03-31", {})
    assert engine.advance("2024-01-10", {})["Q"].num_rows == 9 * 86_400
