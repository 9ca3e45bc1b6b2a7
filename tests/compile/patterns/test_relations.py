"""antelog/compile/patterns/relations.py: queries, and what they negate, with their patterns."""

from __future__ import annotations

from antelog.compile.patterns.relations import Failed, Resolved, relations_of
from antelog.compile.patterns.resolve import EndlessError, TooManyPatternsError
from antelog.compile.rules.program import clauses_of
from antelog.diagnostics import Source
from antelog.language import read


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
