"""antelog/compile/conditions/differences.py: the largest difference that constraints allow."""

from __future__ import annotations

from antelog.compile.conditions.differences import ZERO, Differences, Most, times_of
from antelog.compile.literals.terms import Time
from tests.compile.plans import pattern_of

STEP = Most(-1)


def test_differences_add_up() -> None:
    known = Differences([("T", "U", Most(2)), ("U", "V", Most(3))], [], STEP)
    assert known.most("T", "V") == Most(5)
    assert known.most("V", "T") is None
    assert list(known.indirect()) == [("T", "V", Most(5))]


def test_a_circle_below_nothing_is_impossible() -> None:
    assert Differences([("T", "U", Most(1)), ("U", "T", Most(-1))], [], STEP).possible
    assert not Differences([("T", "U", Most(1)), ("U", "T", Most(-2))], [], STEP).possible


def test_leaving_out_the_largest_makes_it_a_step_less() -> None:
    unequal = [("T", "U", Most(2)), ("T", "U", Most(1))]
    assert Differences([("T", "U", Most(2))], unequal, STEP).most("T", "U") == Most(0)


def test_the_variable_that_is_zero_bounds_others() -> None:
    known = Differences([(ZERO, "T", Most(7)), ("T", "U", Most(1))], [], STEP)
    assert known.most(ZERO, "U") == Most(8)


def test_how_far_apart_times_can_be() -> None:
    rule = "Q(X, T) :- A(X, T), B(X, U), C(X, V), U > T, V <= U + 2, U <= T + 9."
    text = f"{rule} query Q(X, T)."
    times = times_of(pattern_of(text))
    at = {name: Time(name, 0) for name in "TUV"}
    assert times.furthest(at["T"], at["U"]) == 9
    assert times.furthest(at["U"], at["T"]) == -1
    assert times.furthest(at["T"], at["V"]) == 11  # through U
    assert times.furthest(at["V"], at["T"]) is None
