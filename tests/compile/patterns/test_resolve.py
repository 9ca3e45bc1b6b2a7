"""antelog/compile/patterns/resolve.py: a query down its rules, in rounds if it rests on itself."""

from __future__ import annotations

import pytest

from antelog.compile.patterns import resolve, subsume
from antelog.compile.patterns.resolve import EndlessError, TooManyPatternsError
from antelog.compile.rules.clauses import clauses_of, frames_of, query_clause
from antelog.diagnostics import Source
from antelog.language import read


def patterns(text: str, limit: int = 100) -> list[str]:
    checked = read(Source(text))
    query = next(checked.document.queries)
    clauses, _ = clauses_of(checked)
    clause = query_clause(query, checked.vocabulary)
    found = resolve.Resolver(clauses, limit).answers(clause, frames_of(checked).get(query.name))
    return [pattern.text for pattern in found]


def test_the_patterns_of_a_predicate_are_put_in_where_it_is_a_goal() -> None:
    text = """P(X, T) :- Q(X, T), B(X, T). Q(X, T) :- A(X, T+1). Q(X, T) :- C(X, T).
        query P(X, T)."""
    assert patterns(text) == ["A(X, T+1), B(X, T)", "C(X, T), B(X, T)"]


def test_variables_of_two_rules_stay_apart() -> None:
    text = "P(X, T) :- A(X, Y1, T), Q(X, T). Q(X, T) :- B(X, Y1, _, T), C(X, Y1, T). query P(X, T)."
    assert patterns(text) == ["A(X, Y1, T), B(X, Y2, V1, T), C(X, Y2, T)"]


def test_recursion_goes_on_until_the_window_is_full() -> None:
    text = "S(X, T) :- R(X, T). S(X, T) :- S(X, T-1). query S(X, T) window 2."
    assert patterns(text) == ["R(X, T)", "R(X, T-1)", "R(X, T-2)"]


def test_without_a_window_it_has_no_end() -> None:
    with pytest.raises(EndlessError) as caught:
        patterns("S(X, T) :- R(X, T). S(X, T) :- S(X, T-1). query S(X, T).")
    assert (caught.value.predicate, caught.value.rules, caught.value.framed) == ("S", (1,), False)


def test_too_many_patterns_name_the_goals_that_multiply() -> None:
    text = "P(X, T) :- Q(X, T), Q(X, T+1). Q(X, T) :- A(X, T). Q(X, T) :- B(X, T). query P(X, T)."
    assert len(patterns(text, limit=4)) == 4
    with pytest.raises(TooManyPatternsError) as caught:
        patterns(text, limit=3)
    assert caught.value.sizes == {0: (("Q", 2), ("Q", 2))}


def test_a_chain_that_grows_with_each_rule() -> None:
    """No predicate has too many literals, and all of them together do."""
    steps = [f"P{i}(X, T) :- P{i - 1}(X, T), P{i - 1}(X, T+1)." for i in range(1, 7)]
    text = "P0(X, T) :- A(X, T). " + " ".join(steps) + " query P6(X, T)."
    assert len(patterns(text, limit=2)) == 1  # 1 + 2 + … + 7 = 28 literals, and 40 are allowed
    with pytest.raises(TooManyPatternsError) as caught:
        patterns(text, limit=1)
    assert (caught.value.predicate, caught.value.literals) == ("P5", 20)


def test_too_many_that_differ_in_a_comparison_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsume, "FEWEST_STEPS", 10_000)
    monkeypatch.setattr(subsume, "STEPS_EACH", 1)
    rules = "P(X, T) :- A(X, V, T), V > {0}, V < {0}.5."
    assert len(patterns(" ".join(map(rules.format, range(9))) + " query P(X, T).")) == 9
    with pytest.raises(TooManyPatternsError) as caught:
        patterns(" ".join(map(rules.format, range(60))) + " query P(X, T).")
    assert (caught.value.predicate, caught.value.reason, len(caught.value.sizes)) == ("P", "alike", 60)


def relations(text: str, limit: int = 100) -> tuple[resolve.Resolved, resolve.Failed]:
    checked = read(Source(text))
    resolved, failed, _ = resolve.relations_of(checked, clauses_of(checked)[0], limit)
    return resolved, failed


def test_what_is_negated_is_followed_until_nothing_new_is() -> None:
    text = """input A(x, time). input B(x, y, time). input C(x, time).
        P(X, T) :- A(X, T), not Q(X, T). Q(X, T) :- C(X, T), not B(X, _, T-1). query P(X, T)."""
    resolved, failed = relations(text)
    found = {r.name: [pattern.text for pattern in patterns] for r, patterns in resolved.items()}
    assert found == {
        "P": ["A(X, T), not Q(X, T)"],
        "Q(X, T)": ["C(X, T), not B(X, _, T-1)"],
        "B(x, _, time)": ["B(X, Y, T)"],
    }
    assert [r.by_query for r in resolved] == [True, False, False]
    assert [(r.predicate, r.variables) for r in resolved][2] == ("B", ("X",))
    assert not failed


def test_what_has_no_end_is_handed_back_and_the_rest_goes_on() -> None:
    text = """R(X, T) :- R(X, T-1). R(X, T) :- A(X, T). P(X, T) :- A(X, T). P(X, T) :- B(X, T).
        query R(X, T). query P(X, T)."""
    resolved, failed = relations(text)
    assert [(r.name, type(why)) for r, why in failed.items()] == [("R", EndlessError)]
    assert [r.name for r in resolved] == ["P"]
    _, failed = relations(text, limit=1)
    assert [type(why) for why in failed.values()] == [EndlessError, TooManyPatternsError]
