"""Literals whose time is open and has a last tick: what is told of them ends with the last that is left."""

from __future__ import annotations

from tests.engine.telling import told, told_at_once


def test_an_answer_is_over_when_nothing_is_left_of_it() -> None:
    """C may come for any tick up to T, but D excludes them one after the other."""
    text = """input A(x: text, time). input D(time) delay 5. input C(time) delay 3.
        P(X, T) :- C(U), A(X, T), not D(U), U <= T.  query P(X, T)."""
    open_ = "A(a, 1) | C(U) where U <= 1, not D(U) where U <= 1"
    facts = [("A", "a", 1, 1), ("D", 0, 1)]
    by_negation = told(text, [*facts, ("D", 1, 2)], 4)
    assert f"possible P(a, 1): {open_} but U=0, rejected at 4, decided by 6" in by_negation[1]
    assert f"rejected P(a, 1): {open_} but U=0, for want of not D(U) where U <= 1" in by_negation[2]
    by_fact = told(text, [("A", "a", 1, 1), ("D", 1, 1)], 4)
    assert f"possible P(a, 1): {open_} but U=1, rejected at 3, decided by 5" in by_fact[1]
    assert f"rejected P(a, 1): {open_} but U=1, for want of C(U) where U <= 1" in by_fact[3]
    never = told(text, [("D", 0, 0), ("D", 1, 1), ("A", "a", 1, 1)], 4)
    assert not any("P(a, 1)" in line for lines in never.values() for line in lines)


def test_a_tick_whose_fact_has_come_is_no_longer_waited_for() -> None:
    """Asked(a, T) may still come for 3 and 4; when it has for 4, the end is that of 3."""
    text = """input Asked(x: text, time) delay 2. input Reply(x: text, time). input Ok(x: text, time) delay 9.
        P(X, T) :- Asked(X, T), Reply(X, U), Ok(X, U), T <= U, U <= T+2.  query P(X, T)."""
    open_ = "Reply(a, 4) | Asked(a, T) where T <= 4, 4 <= T+2, Ok(a, 4)"
    facts = [("Reply", "a", 4, 4), ("Asked", "a", 4, 5)]
    lines = told(text, facts, 6)
    assert f"possible P(a, _): {open_}, rejected at 6, decided by 13" in lines[4]
    assert [line.split(":")[0] for line in lines[5]] == ["possible P(a, 4)", "rejected P(a, _)"]
    assert told_at_once(text, facts, 6) == [line for found in lines.values() for line in found]


def test_what_has_come_for_each_tick_is_not_waited_for_at_all() -> None:
    text = """input C(time). input B(time) delay 2.
        P(T) :- C(T), C(U), B(U+2), T <= U.  query P(T)."""
    assert [line.split(":")[0] for line in told(text, [("C", 0, 0)], 1)[0]] == ["possible P(0)"]


def test_a_tick_that_is_excluded_is_not_the_last() -> None:
    text = "input A(time). input B(time) delay 3. P(T) :- A(T), B(U), U <= T, U != T-1, U != T. query P(T)."
    lines = told(text, [("A", 1, 1), ("A", 2, 2)], 5)
    open_ = "A(2) | B(U) where U <= 2, U != 1, U != 2"
    assert lines == {
        2: [f"possible P(2): {open_}, rejected at 3, decided by 3"],
        3: [f"rejected P(2): {open_}, for want of B(U) where U <= 2, U != 1, U != 2"],
    }


def test_what_has_no_row_for_each_tick_may_come_at_any() -> None:
    """In the first rule all values are known with the fact, but the second is about nobody in particular."""
    text = """input A(x: text, time) delay 2. input B(x: text, time) delay 2. input C(time) delay 1.
        Q(X, T-1) :- C(U), A(X, T+2), not B(X, T).  P(T-2) :- C(T), not B(a, T), T < 3.
        P(T-2) :- Q(X, T-1), not Q(a, T).  query P(T)."""
    facts = [("B", "c", 0, 0), ("C", 0, 1), ("A", "a", 1, 2), ("A", "b", 3, 3)]
    lines = told(text, facts, 6)
    assert told_at_once(text, facts, 6) == [line for found in lines.values() for line in found]
