"""antelog/engine/transition.py: since when new rules know all they rest on, case by case."""

from __future__ import annotations

import pytest

import antelog
from antelog.engine.transition import QueryStart, first_ticks, start_of

OLD = """
input A(x, time) delay 2.
input B(x, time).
input M(x, mode, time) delay 1, one per x.
P(X, T) :- A(X, T), A(X, T-3).
Off(T) :- B(_, T), not Off(T-1).
Last(X, T) :- A(X, T), last M(X, run, T).
query P(X, T).
query Off(T).
query Last(X, T).
"""


def start(rule: str, changed: str = OLD) -> QueryStart:
    before, after = antelog.parse(OLD), antelog.parse(changed + rule + "query New(X, T).")
    engine = antelog.Engine(before)
    engine.advance(20, {"A": [("a", 0)], "B": [("a", 0)], "M": [("a", "run", 0)]})
    known = first_ticks(before.plan, engine.state, after.plan)
    return start_of("New", after.plan, known, 20)


@pytest.mark.parametrize(
    ("rule", "since"),
    [
        # Facts from 20 - 6 on are kept: P waits for 2 ticks and looks back for 3, one tick is shown again.
        ("New(X, T) :- A(X, T).", 14),
        ("New(X, T) :- A(X, T), A(X, T-4).", 18),
        ("New(X, T) :- A(X, T+1), A(X, T).", 14),
        ("New(X, T) :- A(X, T), not A(X, T-10..T).", 24),
        ("New(X, T) :- A(X, T), count(A(X, T-6..T-1)) >= 2.", 20),
        ("New(X, T) :- A(X, T), not Q(X, T-1). Q(X, T) :- A(X, T-4).", 19),
        ("input C(x, time). New(X, T) :- C(X, T), C(X, T-2).", 23),  # nothing of C was read so far
        ("New(X, T) :- A(X, T), last M(X, run, T).", 17),  # latest facts that were followed, however old
    ],
)
def test_the_first_tick_is_that_of_the_facts_and_the_reach(rule: str, since: int) -> None:
    assert start(rule) == QueryStart(since)


def test_rules_that_rest_on_the_past() -> None:
    unknown = start("New(X, T) :- A(X, T), last N(X, run, T). input N(x, mode, time) one per x.")
    assert unknown.never == "it may rest on the latest facts of N that are not kept"
    assert start("New(X, T) :- A(X, T), not Off(T).").never is None
    new_cycle = start("On(T) :- B(_, T), not On(T-2). New(X, T) :- A(X, T), not On(T).")
    assert new_cycle == QueryStart(21, "it rests on its past, which is taken to be empty up to tick 20")


def test_another_delay_counts_from_the_shorter_one() -> None:
    slower = OLD.replace("A(x, time) delay 2", "A(x, time) delay 4")
    assert start("New(X, T) :- A(X, T).", slower) == QueryStart(18)  # a fact about 17 may have been late
