"""antelog/engine/step/{literal_texts,arrays,explanations}.py: literals in order, and needless derivations."""

from __future__ import annotations

import pytest

import antelog
from tests.engine.telling import reported

INPUTS = "input A(x: text, v: number, time) delay 1. input B(x: text, v: number, time) delay 1. "


@pytest.mark.parametrize(
    "body",
    [
        "A(X, V, T), A(X, V, 5)",
        "A(X, V, T), A(X, V, U), U = 5",
        "A(X, V, T), A(X, 7, T)",
        "A(X, V, T), A(c, V, T)",
        "A(X, V, T), A(c, 7, 5)",
    ],
)
def test_two_literals_that_are_one_are_reported_once(body: str) -> None:
    lines = reported(f"{INPUTS}P(X, V, T) :- {body}. query P(X, V, T).", [("A", "c", 7, 5, 5)], 5)
    assert "confirmed P(c, 7, 5): A(c, 7, 5) |" in lines[5]


def test_texts_with_and_without_conditions_are_in_one_order() -> None:
    """By time, then text. Where one text begins as another does, it comes first: conditions after none."""
    body = "A(a, V, T), B(X, V, T+9), B(X, W, T+9), B(X, W, T+10), W > V, W < 4, not C(X, 9), not C(X, T+9)"
    text = f"{INPUTS} input C(x: text, time) delay 9. P(X, T) :- {body}. query P(X, T)."
    (line,) = reported(text, [("A", "a", 1, 0, 0)], 0)[0]
    assert line == (
        "possible P(_, 0): A(a, 1, 0) | B(X, 1, 9), B(X, W, 9) where W > 1, W < 4, "
        "not C(X, 9), B(X, W, 10) where W > 1, W < 4, rejected at 10, decided by 18"
    )


def test_literals_are_reported_by_time_and_open_times_last() -> None:
    body = "A(a, V, T), A(b, V, U+10), A(a, 3, U), A(c, V, U+2), B(b, V, T+1), not B(_, 8, T)"
    text = f"{INPUTS}P(T) :- {body}. query P(T)."
    (line,) = reported(text, [("A", "a", 1, 9, 9)], 9)[9]
    assert line == (
        "possible P(9): A(a, 1, 9) | not B(_, 8, 9), B(b, 1, 10), A(a, 3, U), A(c, 1, U+2), A(b, 1, U+10), "
        "rejected at 11"
    )


def test_conditions_on_an_open_value_and_known_ones() -> None:
    body = "A(a, V, T), A(X, W, T), B(X, U, T+1), U != V, U >= W + 2"
    text = f"{INPUTS}P(X, T) :- {body}. query P(X, T)."
    lines = reported(text, [("A", "a", 1, 0, 0), ("A", "b", 12, 0, 0)], 0)[0]
    assert lines[1] == (
        "possible P(b, 0): A(a, 1, 0), A(b, 12, 0) | B(b, U, 1) where U != 1, U >= 14 ; "
        "A(b, 12, 0) | A(a, V, 0) where U != V, B(b, U, 1) where U != V, U >= 14, rejected at 2, decided by 2"
    )


def test_what_two_patterns_say_alike_is_reported_once() -> None:
    text = f"{INPUTS}P(T) :- A(a, V, T), B(Y, V, T). P(T) :- A(X, V, T), B(b, V, T). query P(T)."
    lines = reported(text, [("A", "a", 1, 1, 1), ("B", "b", 1, 1, 2)], 2)
    assert lines[2] == ["confirmed P(1): A(a, 1, 1), B(b, 1, 1) |"]


def test_what_two_rows_say_alike_with_other_literals_twice_is_reported_once() -> None:
    """A(X, U) may be A(a, 1) or A(a, 0), and either way these two are all it takes."""
    text = "input A(x: text, time) delay 2. P(X, T) :- A(Y, T), A(X, U), A(Y, T-1). query P(X, T)."
    lines = reported(text, [("A", "a", 1, 1)], 1)
    assert "possible P(a, 1): A(a, 1) | A(a, 0), rejected at 2, decided by 2" in lines[1]


def test_what_has_a_value_twice_covers_only_what_has_one_value_twice() -> None:
    text = """input B(x: text, y: text, time) delay 1. input C(time). input D(time).
        P(T) :- C(T), B(Y, Y, T+1).  P(T) :- C(T), B(X, Y, T+1), D(T).  P(T) :- C(T), B(a, a, T+1), D(T).
        P(T) :- C(T), B(a, b, T+1), D(T).  query P(T)."""
    (line,) = reported(text, [("C", 1, 1), ("D", 1, 1)], 1)[1]
    assert line.startswith("possible P(1): C(1) | B(Y, Y, 2) ; C(1), D(1) | B(X, Y, 2),")


@pytest.mark.parametrize(
    ("conditions", "tick", "evidence"),
    [
        ("not B(X, T), not B(X, 0..T)", 2, "A(a, 2), not B(a, 0..2), not B(a, 2)"),
        ("not B(X, T), not B(X, T-1..T)", 10, "A(a, 10), not B(a, 10), not B(a, 9..10)"),
        ("not B(X, T-1), not B(X, 0..T)", 2, "not B(a, 1), A(a, 2), not B(a, 0..2)"),
    ],
)
def test_a_range_is_compared_as_text(conditions: str, tick: int, evidence: str) -> None:
    text = f"input A(x, time). input B(x, time). P(X, T) :- A(X, T), {conditions}. query P(X, T)."
    assert reported(text, [("A", "a", tick, tick)], tick) == {tick: [f"confirmed P(a, {tick}): {evidence} |"]}


# ---- conditions that are still open ----

RISING = """
input P(x, v: number, time) delay 1.
Q(X, T) :- P(X, A, T), P(X, B, T+1), P(X, C, T+2), B >= A + 5, C >= B + 5.
query Q(X, T).
"""


@pytest.mark.parametrize(
    ("facts", "hypotheses"),
    [
        ([("a", 1, 0)], ["P(a, B, 1) where B >= 6, C >= B+5", "P(a, C, 2) where C >= B+5"]),
        ([("a", 1, 0), ("a", 9, 1)], ["P(a, C, 2) where C >= 14"]),
    ],
)
def test_sums_of_open_and_of_known_values(facts: list[tuple[str, int, int]], hypotheses: list[str]) -> None:
    """Of some literals no row has such a sum: their texts are none, and still texts."""
    engine = antelog.Engine(antelog.parse(RISING))
    engine.advance(0, {"P": [fact for fact in facts if fact[2] == 0]})
    engine.advance(1, {"P": [fact for fact in facts if fact[2] == 1]})
    (row,) = (row for row in engine.answers("Q").to_pylist() if row["T"] == 0)
    assert hypotheses in [explanation["hypotheses"] for explanation in row["explanations"]]


def test_background_that_must_not_be_there() -> None:
    program = antelog.parse(
        "input Badge(door, x, time) delay 1. input Open(door, time). static Staff(x, y). Staff(ann, day). "
        "Stranger(D, T) :- Open(D, T), Badge(D, X, T+1), Badge(D, Y, T+2), not Staff(X, _), not Staff(X, Y). "
        "query Stranger(D, T)."
    )
    engine = antelog.Engine(program)
    engine.advance(0, {"Open": [("d1", 0)]})
    ((only,),) = engine.answers("Stranger").column("explanations").to_pylist()
    assert only["evidence"] == ["Open(d1, 0)"]
    assert only["hypotheses"] == [
        "Badge(d1, X, 1) where not Staff(X, _), not Staff(X, Y)",
        "Badge(d1, Y, 2) where not Staff(X, Y)",
    ]
    engine.advance(1, {"Badge": [("d1", "bob", 1)]})
    hypotheses = [e["hypotheses"] for e in engine.answers("Stranger").to_pylist()[0]["explanations"]]
    assert ["Badge(d1, Y, 2) where not Staff(bob, Y)"] in hypotheses


# ---- derivations that ask for more than another ----

NEEDLESS = """input A(x, time) delay 1. input B(x, time) delay 1. input C(x, y, time) delay 1. input D(time).
    static S(x). S(a). """

# B(b, 1) comes and speaks for the first rule alone, so that no rule makes another needless by itself.
REPORTED: dict[str, tuple[str, str]] = {
    "fewer hypotheses make more of them needless": (
        "P(T) :- D(T), B(b, T), A(a, T+1).  P(T) :- D(T), A(a, T+1), B(a, T+1).",
        "B(b, 1), D(1) | A(a, 2)",
    ),
    "they are the same as they read, whatever their variables are called": (
        "P(T) :- D(T), B(b, T), C(X, Y, T+1).  P(T) :- D(T), C(Y, X, T+1), A(b, T+2).",
        "B(b, 1), D(1) | C(X, Y, 2)",
    ),
    "a value is another text than a variable": (
        "P(T) :- D(T), B(b, T), A(X, T+1).  P(T) :- D(T), A(a, T+1), B(a, T+1).",
        "B(b, 1), D(1) | A(X, 2) ; D(1) | A(a, 2), B(a, 2)",
    ),
    "conditions are part of the text": (
        "P(T) :- D(T), B(b, T), A(X, T+1), X != b.  P(T) :- D(T), A(X, T+1), B(a, T+1), not S(X).",
        "B(b, 1), D(1) | A(X, 2) where X != b ; D(1) | A(X, 2) where not S(X), B(a, 2)",
    ),
    "literals that share a variable are one thing": (
        "P(T) :- D(T), B(b, T), A(X, T+1), B(Y, T+1).  P(T) :- D(T), A(X, T+1), B(X, T+1).",
        "D(1) | A(X, 2), B(X, 2) ; B(b, 1), D(1) | A(X, 2), B(Y, 2)",
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_what_is_reported(name: str) -> None:
    rules, expected = REPORTED[name]
    (line,) = reported(f"{NEEDLESS}{rules} query P(T).", [("D", 1, 1), ("B", "b", 1, 1)], 1)[1]
    assert line.startswith(f"possible P(1): {expected},")


def test_one_that_is_complete_makes_all_others_needless() -> None:
    rules = "P(T) :- D(T), B(b, T).  P(T) :- D(T), A(a, T+1)."
    lines = reported(f"{NEEDLESS}{rules} query P(T).", [("D", 1, 1), ("B", "b", 1, 2)], 2)
    assert lines[2] == ["confirmed P(1): B(b, 1), D(1) |"]


def test_of_equal_hypotheses_less_evidence_is_enough() -> None:
    """C(a, a) is both C of the second rule, which rests on B besides."""
    rules = "P(T) :- D(T), C(X, X, T), A(a, T+1).  P(T) :- D(T), C(X, Y, T), C(Y, X, T), B(Z, T), A(a, T+1)."
    facts = [("D", 1, 1), ("C", "a", "a", 1, 1), ("B", "b", 1, 1)]
    (line,) = reported(f"{NEEDLESS}{rules} query P(T).", facts, 1)[1]
    assert line.startswith("possible P(1): C(a, a, 1), D(1) | A(a, 2), ")
