"""antelog/compile/naming/sources.py: what names values for an unguarded variable."""

from __future__ import annotations

from antelog.compile.naming.sources import Names, names
from tests.compile.plans import plan_of


def names_of(text: str) -> Names:
    """What names values in the first pattern of the query that has an unguarded variable."""
    plan = plan_of(text)
    query = next(plan.queries)
    pattern = next(pattern for pattern in query.patterns if pattern.unguarded)
    (found,) = names(query, pattern, plan)
    return found


def facts(found: Names) -> set[tuple[str, int | None, int | None]]:
    return {(source.atom.text, source.behind, source.ahead) for source in found.facts}


def test_facts_below_what_is_negated_do() -> None:
    text = "input Temp(x, level, time). Hot(X, T) :- Temp(X, high, T+1). Calm(X, T) :- not Hot(X, T). "
    found = names_of(f"{text} query Calm(X, T).")
    assert found.variable == "X"
    # A fact a tick after the answer's
    assert facts(found) == {("Temp(X, high, <u>)", -1, 1)}


def test_so_do_other_patterns_of_the_query_and_constants() -> None:
    text = """input A(x, time). input B(x, time). delay B(slow, _) = 3.
        Q(X, T) :- not B(X, T), X != c.  Q(X, T) :- A(X, T).  Q(d, T) :- A(e, T). query Q(X, T)."""
    found = names_of(text)
    assert facts(found) == {("B(X, <u>)", 0, 0), ("A(X, <u>)", 0, 0)}
    assert {value for value, _ in found.constants} == {"c", "d", "slow"}


def test_so_does_background() -> None:
    text = """input A(x, time). static S(x, y). S(a, b). P(X, T) :- S(X, Y), A(Y, T).
        Q(X, T) :- not P(X, T). query Q(X, T)."""
    found = names_of(text)
    assert [atom.text for atom, _ in found.background] == ["S(X, Y~)"]
    assert facts(found) == set()


def test_conditions_on_the_answer_come_with_it() -> None:
    text = (
        """input A(x, y, time). P(X, Y, T) :- A(X, Y, T), T >= 5. Q(X, T) :- not P(X, b, T). query Q(X, T)."""
    )
    (source,) = names_of(text).facts
    assert source.atom.text == "A(X, b, <u>)"
    assert "T >= 5" in {test.text.replace("5 <= T", "T >= 5") for test in source.tests}


def test_a_rule_that_negates_itself_names_values_at_any_tick_before() -> None:
    text = """input A(x, time). input C(time). P(X, T) :- A(X, T).
        Q(X, T) :- C(T), not P(X, T), not Q(X, T-3). query Q(X, T)."""
    found = names_of(text).facts
    assert {source.atom.text for source in found} == {"A(X, <u>)"}
    assert any(source.behind is None for source in found)  # as far back as there are ticks
    assert all(source.ahead is not None and source.ahead <= 0 for source in found)
