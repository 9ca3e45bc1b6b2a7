"""antelog/compile/prepared/pattern.py: what the engine need not find out about a pattern."""

from __future__ import annotations

from tests.compile.plans import prepared_of

RISE = """input R(d, v: number, time) delay 1, one per d.
    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, W < 9, U > T, U <= T + 20. query Rise(D, T)."""


def test_comparisons_of_times_are_bands_and_those_of_values_say_more_together() -> None:
    prepared = prepared_of(RISE)
    assert prepared.band("T", "U") == ("T", -1, 20)
    assert prepared.band("U", "T") == ("U", 20, -1)
    assert prepared.band("V", "U") is None  # no time
    said = [test.text for test in prepared.comparisons]
    assert said[-1] == "V < 8.5"  # for W is at least V + 0.5, and less than 9


def test_what_evidence_may_leave_open() -> None:
    assert not prepared_of("Q(X, T) :- A(X, T), B(X, T+1). query Q(X, T).").leaves_time_open
    assert prepared_of("Q(X, T) :- A(X, T), B(X, U). query Q(X, T).").leaves_time_open
    clock = prepared_of("input A(x, time). Q(X, T) :- not A(X, T). query Q(X, T).")
    assert not clock.leaves_time_open
    assert clock.given == {"X", "T"}
    assert clock.seen is not None


def test_the_clock_speaks_where_no_fact_gives_the_answer_its_time() -> None:
    assert not prepared_of("Q(X, T) :- A(X, T), not B(X, T). query Q(X, T).").clocked
    assert prepared_of("input B(x, time). Q(X, T) :- not B(X, T). query Q(X, T).").clocked
    since = "input B(x, time). Q(X, T) :- A(X, U), T >= U, T <= U + 3, not B(X, T). query Q(X, T)."
    assert prepared_of(since).clocked


def test_variables_that_all_facts_share_but_for_times() -> None:
    text = (
        "input A(x, y, time). input B(x, time). Q(X, T) :- A(X, Y, T), B(X, T), A(X, Z, T+1). query Q(X, T)."
    )
    assert prepared_of(text).shared == ("X",)
    assert prepared_of("Q(X, T) :- A(X, T), B(Y, T). query Q(X, T).").shared == ()


def test_background_gives_values_that_something_else_uses() -> None:
    text = """static S(x, y, z). static V(x). input A(x, time).
        Q(X, T) :- A(X, T), S(X, Y, Z), V(Y), Z != b, not V(X). query Q(X, T)."""
    assert prepared_of(text).used == {"X", "T"}  # Y and Z are decided by the background alone
    more = "static S(x, y). input A(x, v, time). Q(X, T) :- A(X, V, T), S(X, Y), Y != V. query Q(X, T)."
    assert prepared_of(more).used == {"X", "T", "V", "Y"}
