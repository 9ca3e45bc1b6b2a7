"""antelog/compile/conditions/differences.py: how far apart the times of a pattern can lie."""

from __future__ import annotations

from antelog.compile.conditions.differences import times_of
from antelog.compile.literals.terms import Time
from tests.compile.plans import pattern_of


def test_how_far_apart_times_can_be() -> None:
    rule = "Q(X, T) :- A(X, T), B(X, U), C(X, V), U > T, V <= U + 2, U <= T + 9."
    text = f"{rule} query Q(X, T)."
    times = times_of(pattern_of(text))
    at = {name: Time(name, 0) for name in "TUV"}
    assert times.furthest(at["T"], at["U"]) == 9
    assert times.furthest(at["U"], at["T"]) == -1
    assert times.furthest(at["T"], at["V"]) == 11  # through U
    assert times.furthest(at["V"], at["T"]) is None
