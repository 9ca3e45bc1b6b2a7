"""antelog/compile/conditions/differences.py: the largest difference that constraints allow."""

from __future__ import annotations

from antelog.compile.conditions.differences import ZERO, Differences, Most

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
