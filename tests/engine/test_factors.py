"""Two literals that one fact may serve, and times that others leave no room for."""

import pytest

from antelog.compile import compile_program
from antelog.compile.explain import literal_text
from antelog.compile.factoring import factors
from antelog.compile.plan import Pattern
from antelog.diagnostics import Source
from antelog.language import read
from tests.engine.telling import told, told_at_once

INPUTS = "input Seen(x: text, time) delay 1. input Hit(x: text, time) delay 1. input Go(time) delay 1. "


def test_what_one_fact_may_serve_is_waited_for_once() -> None:
    text = f"{INPUTS}P(X, T) :- Hit(X, T), Seen(a, T), Seen(X, U), U >= T. query P(X, T)."
    lines = told(text, [("Hit", "a", 3, 3), ("Hit", "b", 3, 3)], 3)
    assert lines[3] == [
        "possible P(a, 3): Hit(a, 3) | Seen(a, 3), rejected at 4, decided by 4",
        "possible P(b, 3): Hit(b, 3) | Seen(a, 3), Seen(b, U) where U >= 3, rejected at 4",
    ]


def test_an_answer_has_its_time_where_two_literals_are_one() -> None:
    """Seen(a, U), which Go(2) waits for, may be Seen(a, T), and T is 2; or Seen(a, T-1), and T is 3."""
    text = f"{INPUTS}P(T) :- Go(U), Seen(a, U), Seen(a, T), Seen(a, T-1), T > 0. query P(T)."
    facts = [("Go", 2, 2), ("Seen", "a", 1, 2)]
    lines = told(text, facts, 3)
    assert lines[2] == [
        "possible P(2): Go(2), Seen(a, 1) | Seen(a, 2), rejected at 3, decided by 3",
        "possible P(3): Go(2) | Seen(a, 2), Seen(a, 3), rejected at 3, decided by 4",
        "possible P(_): Go(2) | Seen(a, 2), Seen(a, T) where T > 0, Seen(a, T-1) where T > 0, rejected at 3",
    ]
    assert [line.split(":")[0] for line in lines[3]] == ["rejected P(2)", "rejected P(3)", "rejected P(_)"]
    assert told_at_once(text, facts, 3) == [*lines[2], *lines[3]]


def test_a_fact_is_no_evidence_where_another_may_serve_its_literal_and_a_second() -> None:
    text = "input A(x, time) delay 2. input B(x, time). P(T) :- A(a, T+1), B(X, T), A(X, U). query P(T)."
    facts = [("A", "a", 0, 1), ("A", "c", 1, 3)]
    lines = told(text, facts, 3)
    # A(a, T+1) and B(a, T) are waited for with A(a, 0) as without.
    assert lines == {3: ["possible P(_): A(c, 1) | A(a, T+1), B(c, T)"]}
    assert told_at_once(text, facts, 3) == lines[3]


def test_what_a_factor_says_of_a_tick_of_its_own_is_told_before_facts_are_there() -> None:
    text = "input R(x: text, time) delay 1. P(X, T) :- not A(X, 2), R(X, T), R(_, 2). query P(X, T)."
    facts = [("R", "c", 2, 3)]
    lines = told(text, facts, 3)
    assert lines[2][0].startswith("possible P(_, 2): not A(X, 2) | R(X, 2)")
    assert told_at_once(text, facts, 3) == [*lines[2], *lines[3]]


def test_what_one_of_them_needs_less_is_all_that_is_told() -> None:
    """Where U is 4, one fact does, so evidence for another U is needless."""
    text = f"{INPUTS}P(X, T) :- Hit(X, T-1), Seen(X, U), Seen(b, T), U >= T-1. query P(X, T)."
    lines = told(text, [("Hit", "b", 3, 3), ("Seen", "b", 3, 4)], 4)
    assert lines[3] == ["possible P(b, 4): Hit(b, 3) | Seen(b, 4), rejected at 5, decided by 5"]
    assert 4 not in lines


@pytest.mark.parametrize(
    ("rule", "facts", "first"),
    [
        ("P(T) :- Seen(a, T), Go(U), T + 2 <= U.", [("Go", 1, 1), ("Go", 2, 2)], 2),
        ("P(T) :- Hit(a, T), Seen(a, U), Go(V), T < U, U < V.", [("Hit", "a", 0, 0), ("Go", 1, 1)], 0),
        ("P(V) :- Hit(a, T), Seen(a, U), Go(V), T < U, U < V.", [("Go", 1, 1), ("Go", 2, 2)], 2),
    ],
)
def test_times_without_room_for_others_are_no_evidence(
    rule: str, facts: list[tuple[str, int, int]], first: int
) -> None:
    inputs = INPUTS.replace("delay 1", "delay 5")
    lines = told(f"{inputs}{rule} query {rule.partition(' :-')[0]}.", facts, 2)
    assert min(lines) == first
    assert not any("Go(1)" in line for found in lines.values() for line in found)


def test_in_a_window_literals_are_needless_that_are_not_without() -> None:
    """Seen(X, U) for some U from T-2 to T is there if Seen(X, T) is."""
    text = (
        f"{INPUTS}N(X, T) :- Hit(X, T), Seen(X, _). P(X, T) :- N(X, T-1), Seen(X, T). query P(X, T) window 2."
    )
    plan = compile_program(read(Source(text))).plan
    assert plan is not None
    (pattern,) = plan.relation("P").patterns
    assert [atom.predicate for atom in pattern.atoms] == ["Hit", "Seen"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("P(X, T) :- Hit(X, T), Seen(a, T), Seen(X, U), U >= T.", ["Hit(a, T), Seen(a, T)"]),
        ("P(X, T) :- Hit(X, T), Seen(a, T), Seen(X, U), U > T.", []),
        ("P(X, T) :- Hit(X, T), Seen(a, T), Seen(X, T), X != a.", []),
        # The answer keeps its variables, and what is as late or later the others.
        ("P(X, Z, T) :- Go(T), Seen(X, T), Seen(Z, U).", ["Go(T), Seen(X, T)"]),
        (
            "P(X, Y, T) :- Go(T), Hit(X, U), Seen(Y, V), Seen(X, U+2).",
            ["Go(T), Hit(Y, U), Seen(Y, U+2)"],
        ),
    ],
)
def test_factors(rule: str, expected: list[str]) -> None:
    head = rule.partition(" :-")[0]
    plan = compile_program(read(Source(f"{INPUTS}{rule} query {head}."))).plan
    assert plan is not None
    (pattern,) = plan.relation("P").patterns
    found = [literal_texts(factor.pattern) for factor in factors(pattern)]
    assert found == [literal_texts(pattern), *expected]


def test_all_ways_to_make_literals_one() -> None:
    """As many as there are ways to put four into groups."""
    rule = "P(W, X, Y, Z, T) :- Seen(W, T), Seen(X, T), Seen(Y, T), Seen(Z, T)."
    plan = compile_program(read(Source(f"{INPUTS}{rule} query P(W, X, Y, Z, T)."))).plan
    assert plan is not None
    (pattern,) = plan.relation("P").patterns
    assert len(list(factors(pattern))) == 15


def literal_texts(pattern: Pattern) -> str:
    return ", ".join(map(literal_text, pattern.literals))


def test_variables_of_an_answer_that_are_one_are_said_to_be() -> None:
    rules = "P(X, X, T) :- Go(T), Seen(X, T). P(X, Y, T) :- Go(T), Hit(X, T), Hit(Y, T). query P(X, Y, T)."
    (line,) = told(INPUTS + rules, [("Go", 1, 1)], 1)[1]
    first, second = "Go(1) | Seen(Y, 1) where Y = X", "Go(1) | Hit(X, 1), Hit(Y, 1)"
    assert line == f"possible P(_, _, 1): {first} ; {second}, rejected at 2, decided by 2"


def test_of_two_that_say_the_same_one_is_told() -> None:
    """With U = T both literals about Y are A(Y, 1), whether they have been made one or not."""
    text = """input A(x: text, time) delay 1. input C(time) delay 1.
        P(X, T) :- A(Y, U+1), A(Y, T+1), A(X, U), C(T).  query P(X, T)."""
    lines = told(text, [("A", "c", 0, 0), ("C", 0, 1)], 1)
    expected = "revised P(c, 0): A(c, 0), C(0) | A(Y, 1), rejected at 2, decided by 2"
    assert expected in lines[1]


def test_what_is_said_with_another_speaks_for_values_all_the_same() -> None:
    """For all X the rule itself is told, of which Y = X with U = T is an instance; c needs no more."""
    text = """input A(x: text, time) delay 2. input B(x: text, time) delay 1.
        P1(X, T) :- A(X, T+2), not B(X, T-1).
        P2(X, T) :- A(Y, U), A(X, T), not P1(Y, T), not A(_, T+1), U <= T.  query P2(X, T)."""
    facts = [("A", "c", 0, 2), ("A", "c", 4, 3)]
    lines = told(text, facts, 3)
    assert [line for line in lines[0] if "P2(c" in line] == []
    assert lines[2][0].startswith("possible P2(c, 0): A(c, 0), not P1(c, 0) | not A(_, 1)")
    assert told_at_once(text, facts, 3) == [line for found in lines.values() for line in found]
