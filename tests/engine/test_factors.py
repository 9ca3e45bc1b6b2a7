"""Two literals that one fact may serve, and times that others leave no room for."""

import pytest

from antelog.compile import compile_program
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
