"""antelog/engine/matching/{background,knowledge}.py: what static facts say of a pattern, once and for all."""

from __future__ import annotations

from antelog.engine.columns.spans import span
from tests.engine.stages import stage

RULES = """
static Link(x, y). Link(a, b). Link(b, c). Link(c, a).
static Staff(x). Staff(a).
input P(x, time). input R(x, time) delay 1.
Q(X, T) :- Link(X, Y), P(Y, T), R(X, T-2), X != c, not Staff(X).
query Q(X, T).
"""


def test_background_is_joined_and_tested_before_any_fact_comes() -> None:
    given = stage(RULES)
    prepared, background = given.pattern("Q")
    assert given.read(prepared, background.rows) == [{"X": "a", "Y": "b"}, {"X": "b", "Y": "c"}]
    (forbidden,) = background.forbidden
    assert given.read(prepared, forbidden) == [{"X": "a"}]


def test_a_variable_of_the_background_alone_takes_no_rows() -> None:
    text = "static Link(x, y). Link(a, b). Link(a, c). input P(x, time). "
    given = stage(text + "Q(X, T) :- Link(X, Y), P(X, T). query Q(X, T).")
    prepared, background = given.pattern("Q")
    assert given.read(prepared, background.rows) == [{"X": "a"}]


def test_facts_are_gathered_about_the_ticks_that_answers_rest_on() -> None:
    given = stage(RULES, [("P", "c", 5, 5), ("R", "b", 3, 3), ("R", "b", 5, 5)])
    prepared, _ = given.pattern("Q")
    gathered = given.known.found(prepared, span(5, 5))
    by_literal = {
        fact.node.predicate: given.read(prepared, found.rows)
        for fact, found in zip(prepared.facts, gathered, strict=True)
    }
    assert by_literal == {"P": [{"T": 5, "Y": "c"}], "R": [{"T": 5, "X": "b"}]}
