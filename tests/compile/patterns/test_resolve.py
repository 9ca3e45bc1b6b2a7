"""antelog/compile/patterns/resolve.py: a query down its rules, in rounds if it rests on itself."""

from __future__ import annotations

import pytest

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns import work
from antelog.compile.patterns.relations import Failed, Resolved, relations_of
from antelog.compile.patterns.resolve import (
    LITERALS_EACH,
    Effort,
    EndlessError,
    Resolver,
    TooManyPatternsError,
)
from antelog.compile.patterns.unfold import Spanned, combinations, framed
from antelog.compile.patterns.work import Budget
from antelog.compile.rules.clauses import Clause, EvidenceFrame, clauses_of, frame_of, query_clause
from antelog.diagnostics import Source
from antelog.language import read


def patterns(text: str, limit: int = 100) -> list[str]:
    checked = read(Source(text))
    query = next(checked.document.queries)
    clauses, _ = clauses_of(checked)
    clause = query_clause(query, checked.vocabulary)
    found = Resolver(clauses, limit).answers(clause, frame_of(query, checked.vocabulary))
    return [pattern.text for pattern in found]


def test_the_patterns_of_a_predicate_are_put_in_where_it_is_a_goal() -> None:
    text = """P(X, T) :- Q(X, T), B(X, T). Q(X, T) :- A(X, T+1). Q(X, T) :- C(X, T).
        query P(X, T)."""
    assert patterns(text) == ["A(X, T+1), B(X, T)", "C(X, T), B(X, T)"]


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
    monkeypatch.setattr(work, "FEWEST_STEPS", 10_000)
    monkeypatch.setattr(work, "STEPS_EACH", 1)
    rules = "P(X, T) :- A(X, V, T), V > {0}, V < {0}.5."
    assert len(patterns(" ".join(map(rules.format, range(9))) + " query P(X, T).")) == 9
    with pytest.raises(TooManyPatternsError) as caught:
        patterns(" ".join(map(rules.format, range(60))) + " query P(X, T).")
    assert (caught.value.predicate, caught.value.reason, len(caught.value.sizes)) == ("P", "alike", 60)


def found(literals: int) -> Spanned:
    atoms = tuple(Atom(f"A{i}", (), Time("T", 0)) for i in range(literals))
    return Spanned(Pattern((), Time("T", 0), atoms), 0, 0)


def test_as_many_patterns_as_the_limit_says_are_fine() -> None:
    effort = Effort(2)
    assert [effort.exceeded(found(1)) for _ in range(3)] == [False, False, True]
    assert effort.literals_allowed is None


def test_literals_may_be_too_many_before_patterns_are() -> None:
    effort = Effort(5)
    assert not effort.exceeded(found(5 * LITERALS_EACH))
    assert effort.exceeded(found(1))
    assert effort.literals_allowed == 5 * LITERALS_EACH


def resolve(text: str, limit: int = 100) -> tuple[tuple[Resolved, ...], tuple[Failed, ...]]:
    checked = read(Source(text))
    resolved, failed, _ = relations_of(checked, clauses_of(checked)[0], limit)
    return resolved, failed


def test_what_is_negated_is_followed_until_nothing_new_is() -> None:
    text = """input A(x, time). input B(x, y, time). input C(x, time).
        P(X, T) :- A(X, T), not Q(X, T). Q(X, T) :- C(X, T), not B(X, _, T-1). query P(X, T)."""
    resolved, failed = resolve(text)
    found = {r.request.name: [pattern.text for pattern in r.patterns] for r in resolved}
    assert found == {
        "P": ["A(X, T), not Q(X, T)"],
        "Q(X, T)": ["C(X, T), not B(X, _, T-1)"],
        "B(x, _, time)": ["B(X, Y, T)"],
    }
    assert [r.request.by_query for r in resolved] == [True, False, False]
    assert [(r.request.predicate, r.request.variables) for r in resolved][2] == ("B", ("X",))
    assert failed == ()


def test_what_has_no_end_is_handed_back_and_the_rest_goes_on() -> None:
    text = """R(X, T) :- R(X, T-1). R(X, T) :- A(X, T). P(X, T) :- A(X, T). P(X, T) :- B(X, T).
        query R(X, T). query P(X, T)."""
    resolved, (failed,) = resolve(text)
    assert (failed.request.name, type(failed.why)) == ("R", EndlessError)
    assert [r.request.name for r in resolved] == ["P"]
    _, (endless, many) = resolve(text, limit=1)
    assert (endless.request.name, many.request.name, type(many.why)) == ("R", "P", TooManyPatternsError)


X, Y, T = Var("X"), Var("Y"), Time("T", 0)
P, Q = Atom("P", (X,), T), Atom("Q", (X,), T + 2)
CLAUSE = Clause(P, (Q, Atom("B", (X,), T)), (("T", 0),), 0)
"""P(X, T) :- Q(X, T+2), B(X, T)."""

A = Spanned(Pattern((Y,), T, (Atom("A", (Y, Const(1)), T + 1),)), 0, 1)
OF_B = Spanned(Pattern((Const("b"),), T, (Atom("C", (), T),)), 0, 0)


def texts(clause: Clause, *choice: Spanned, frame: EvidenceFrame | None = None) -> list[str]:
    return [each.pattern.text for each in combinations(clause, [choice, None], frame, Budget(1))]


def test_each_choice_that_fits_gives_a_pattern() -> None:
    assert texts(CLAUSE, A, OF_B) == ["A(X, 1, T+3), B(X, T)", "C(T+2), B(b, T)"]


def test_a_choice_that_does_not_fit_gives_none() -> None:
    asked = Clause(P, (Atom("Q", (Const("a"),), T), CLAUSE.facts[1]), (("T", 0),), 0)
    assert texts(asked, OF_B) == []


def test_a_pattern_is_as_wide_as_its_goals() -> None:
    (found,) = combinations(CLAUSE, [[A], None], None, Budget(1))
    assert (found.first, found.last) == (0, 3)
    assert texts(CLAUSE, A, frame=EvidenceFrame(-1, 1)) == []
    assert texts(CLAUSE, A, frame=EvidenceFrame(-1, 2)) == ["A(X, 1, T+3), B(X, T)"]


def test_times_that_are_not_tied_to_the_answer_are_kept_in_the_frame() -> None:
    loose = Clause(P, (Atom("Q", (X,), Time("U", 0)), CLAUSE.facts[1]), (("T", 0), ("U", 0)), 0)
    (found,) = combinations(loose, [[A], None], EvidenceFrame(-5, 0), Budget(1))
    pattern = framed(found.pattern, 0, Budget(1))
    assert pattern is not None
    assert pattern.text == "A(X, 1, U+1), B(X, T), T-5 <= U, U+1 <= T"
