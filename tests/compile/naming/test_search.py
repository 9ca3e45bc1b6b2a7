"""antelog/compile/naming/search.py: down a relation's patterns to what names values."""

from __future__ import annotations

from antelog.compile.naming.search import Search
from tests.compile.plans import plan_of


def search(text: str) -> Search:
    plan = plan_of(text)
    found = Search(plan, {0})
    found.run(next(plan.queries))
    return found


def test_facts_below_negations_name_values() -> None:
    found = search("""input Temp(x, level, time). Hot(X, T) :- Temp(X, high, T+1).
        Calm(X, T) :- not Hot(X, T). query Calm(X, T).""")
    (source,) = found.facts
    assert source.atom.text == "Temp(<0>, high, <u>)"
    assert (source.behind, source.ahead) == (-1, 1)


def test_background_and_constants_name_values() -> None:
    found = search("""static S(x). input A(x, time). B(X, T) :- A(X, T), X != odd. B(X, T) :- A(X, T+1), S(X).
        Calm(X, T) :- not B(X, T). query Calm(X, T).""")
    assert [atom.text for atom, _ in found.background] == ["S(<0>)"]
    assert [(value, tests) for value, tests in found.constants] == [("odd", ())]
    told = {test.text for source in found.facts for test in source.tests}
    assert "<0> != odd" in told


def test_a_relation_that_rests_on_its_own_past_is_followed_for_good() -> None:
    found = search("""input A(x, time). P(X, T) :- not A(X, T), not P(X, T-1). query P(X, T).""")
    behind = [source.behind for source in found.facts]
    assert None in behind  # however long ago
    assert 0 in behind
