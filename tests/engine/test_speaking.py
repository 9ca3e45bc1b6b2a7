"""Values that later facts name: until then only what is said of all values speaks for them."""

import pytest

from tests.engine.telling import told, told_at_once

RULE = "P(X, T) :- A(Y, U), A(X, U), not A(X, T), not B(Y, X, T), A(X, T). query P(X, T)."

# Delays of A for all and for `a`, of B for all and for `B(_, a, _)`; then facts that name a value late.
CASES = {
    "one fact serves two literals": ((1, 1), (0, 0), [("A", "b", 3, 3), ("A", "c", 3, 4)]),
    "a fact gives one of two values": ((1, 0), (1, 1), [("A", "a", 1, 1), ("A", "c", 1, 2)]),
    "a value for what is left open": ((2, 0), (1, 0), [("A", "a", 2, 2), ("A", "b", 2, 3)]),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_told_of_a_value_before_it_is_named(case: str) -> None:
    (slow, for_a), (b, about_a), facts = CASES[case]
    inputs = (
        f"input A(x: text, time) delay {slow}. delay A(a, _) = {for_a}. "
        f"input B(x: text, y: text, time) delay {b}. delay B(_, a, _) = {about_a}. "
    )
    one_by_one = told(inputs + RULE, facts, 5)
    assert told_at_once(inputs + RULE, facts, 5) == [line for lines in one_by_one.values() for line in lines]
