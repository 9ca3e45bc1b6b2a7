"""Answers for all values but some: when exceptions appear, and what becomes of them.

The expected lines are reasoned by hand, from the definitions in docs/semantics.md.
"""

from __future__ import annotations

from tests.engine.telling import told, told_at_once

QUIET = """
input Beat(time).
input Noise(x: text, time) delay 2.
Quiet(X, T) :- Beat(T), not Noise(X, T).
query Quiet(X, T).
"""


def test_an_exception_appears_when_its_fact_does() -> None:
    facts = [("Beat", 1, 1), ("Noise", "a", 1, 2), ("Noise", "b", 1, 4)]
    expected = {
        1: ["possible Quiet(_, 1): Beat(1) | not Noise(X, 1), confirmed at 3, decided by 3"],
        2: ["revised Quiet(_, 1): Beat(1) | not Noise(X, 1) but X=a, confirmed at 3, decided by 3"],
        # The noise of b comes when everybody else's absence is certain; so it is late, and says nothing.
        3: ["confirmed Quiet(_, 1): Beat(1), not Noise(X, 1) | but X=a"],
    }
    assert told(QUIET, facts, 4) == expected
    assert told_at_once(QUIET, facts, 4) == [line for lines in expected.values() for line in lines]


def test_exceptions_stand_in_the_order_of_their_values() -> None:
    facts = [("Beat", 1, 1), *(("Noise", x, 1, 1) for x in ("c", "b10", "a", "b9"))]
    (line,) = told(QUIET, facts, 1)[1]
    assert line.startswith("possible Quiet(_, 1): Beat(1) | not Noise(X, 1) but X=a, X=b10, X=b9, X=c,")


def test_an_exception_that_is_open_longer_is_an_answer_of_its_own() -> None:
    text = QUIET.replace("Quiet(X, T) :-", "delay Noise(slow, _) = 4. Quiet(X, T) :-")
    absent = told(text, [("Beat", 1, 1)], 6)
    everyone = "confirmed Quiet(_, 1): Beat(1), not Noise(X, 1) | but X=slow"
    assert sorted(absent[3]) == [
        everyone,
        "possible Quiet(slow, 1): Beat(1) | not Noise(slow, 1), confirmed at 5, decided by 5",
    ]
    assert absent[5] == ["confirmed Quiet(slow, 1): Beat(1), not Noise(slow, 1) |"]
    assert not absent.keys() - {1, 2, 3, 5}
    present = told(text, [("Beat", 1, 1), ("Noise", "slow", 1, 4)], 6)
    assert {tick: lines for tick, lines in present.items() if tick < 4} == {
        tick: lines for tick, lines in absent.items() if tick < 4
    }
    assert present[4] == [
        "rejected Quiet(slow, 1): Beat(1) | not Noise(slow, 1), for want of not Noise(slow, 1)"
    ]
    assert max(present) == 4


def test_what_no_background_allows_is_certain_at_any_time() -> None:
    # Only what is a site can be stopped. So for all else `not Stop` is certain, also about ticks to come.
    text = """
    input Go(x: text, time).
    input Cmd(x: text, time) delay 2.
    static Site(x: text). Site(n1). Site(n2).
    Stop(X, T) :- Cmd(X, T), Site(X).
    Run(X, T) :- Go(X, T), not Stop(X, T).
    query Run(X, T).
    """
    going = [("Go", x, 1, 1) for x in ("n1", "n2", "x")]
    facts = [*going, ("Cmd", "x", 1, 2), ("Cmd", "n1", 1, 3)]
    expected = {
        0: ["possible Run(_, _): not Stop(X, T) | Go(X, T) but X=n1, X=n2"],
        1: [
            "possible Run(n1, 1): Go(n1, 1) | not Stop(n1, 1), confirmed at 3, decided by 3",
            "possible Run(n2, 1): Go(n2, 1) | not Stop(n2, 1), confirmed at 3, decided by 3",
            "confirmed Run(x, 1): Go(x, 1), not Stop(x, 1) |",
        ],
        3: [
            "rejected Run(n1, 1): Go(n1, 1) | not Stop(n1, 1), for want of not Stop(n1, 1)",
            "confirmed Run(n2, 1): Go(n2, 1), not Stop(n2, 1) |",
        ],
    }
    assert told(text, facts, 5) == expected
    assert told_at_once(text, facts, 5) == [line for lines in expected.values() for line in lines]


def test_what_is_true_of_all_stops_being_so_for_all_but_some() -> None:
    # Negated twice: who is not quiet. The exceptions of what is negated are the answers here.
    text = """
    input Beat(time).
    input Noise(x: text, time) delay 1.
    Quiet(X, T) :- Beat(T), not Noise(X, T).
    Heard(X, T) :- Beat(T), not Quiet(X, T).
    query Heard(X, T).
    """
    lines = told(text, [("Beat", 1, 1), ("Noise", "a", 1, 2)], 3)
    assert lines == {
        # Beat is certain, and that somebody is not quiet needs noise; a tick later only a has made some.
        1: ["possible Heard(_, 1): Beat(1) | not Quiet(X, 1), rejected at 2, decided by 2"],
        2: [
            "confirmed Heard(a, 1): Beat(1), not Quiet(a, 1) |",
            "rejected Heard(_, 1): Beat(1) | not Quiet(X, 1), for want of not Quiet(X, 1)",
        ],
    }


def test_what_one_derivation_says_of_all_values_is_said_beside_another_of_the_same_rule() -> None:
    """P(c, _) has its own evidence for U = 2, and shares with all others that Seen(_, 1) may still come."""
    text = """input Go(x: text, time). input Seen(x: text, time) delay 2. input Off(time).
        P(X, T) :- Go(X, T), Seen(X, U), not Off(U), U < T.  query P(X, T)."""
    facts = [("Off", 0, 0), ("Seen", "c", 2, 2), ("Seen", "c", 1, 3)]
    lines = told(text, facts, 3)
    own = "Seen(c, 2), not Off(2) | Go(c, T) where 2 < T"
    shared = "not Off(1) | Go(c, T) where 1 < T, Seen(c, 1)"
    assert f"possible P(c, _): {own} ; {shared}" in lines[2]
    assert told_at_once(text, facts, 3) == [line for found in lines.values() for line in found]


def test_what_is_needless_for_all_values_but_one_is_told_of_that() -> None:
    """A(a, 0) excludes the first rule for a, and for all others it makes the second needless."""
    text = """input A(x: text, time) delay 1. input D(time) delay 1. input G(time) delay 1.
        input H(time) delay 1.
        P(X, T) :- D(T), not A(X, T-1), G(T+1).  P(X, T) :- D(T), G(T+1), H(T+1), not A(X, T).
        query P(X, T)."""
    facts = [("A", "a", 0, 1), ("D", 1, 1), ("G", 2, 2)]
    lines = told(text, facts, 3)
    assert lines[1] == [
        "possible P(a, 1): D(1) | G(2), H(2), not A(a, 1), rejected at 3, decided by 3",
        "possible P(_, 1): D(1), not A(X, 0) | G(2) but X=a, rejected at 3, decided by 3",
    ]
    assert lines[2][0] == "revised P(a, 1): D(1), G(2), not A(a, 1) | H(2), rejected at 3, decided by 3"
    assert "rejected P(a, 1): D(1), G(2), not A(a, 1) | H(2), for want of H(2)" in lines[3]
    assert told_at_once(text, facts, 3) == [line for found in lines.values() for line in found]


def test_what_a_fact_may_still_give_is_told_of_the_value_that_is_no_answer_without() -> None:
    text = """input A(x: text, time). input B(x: text, time) delay 1. input D(time).
        P(X, T) :- D(T), B(X, T+1).  P(X, T) :- not A(X, T).  query P(X, T)."""
    lines = told(text, [("A", "a", 1, 1), ("D", 1, 1), ("B", "a", 2, 3)], 3)
    assert lines[1] == [
        "possible P(a, 1): D(1) | B(a, 2), rejected at 3, decided by 3",
        "confirmed P(_, 1): not A(X, 1) | but X=a",
    ]
    assert lines[3][0] == "confirmed P(a, 1): B(a, 2), D(1) |"
