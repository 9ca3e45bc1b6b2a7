"""antelog/compile/comparisons.py: what comparisons say together."""

from __future__ import annotations

import pytest

import antelog
from antelog.compile.comparisons import System, implied, possible, times_of
from antelog.compile.literals import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from tests.compile.plans import pattern_of

V, W, X, Y, Z = (Var(name) for name in "VWXYZ")
T, U, R = (Time(name, 0) for name in "TUR")


def _all(
    *conditions: tuple[Operand | int | float | str, str, Operand | int | float | str],
) -> list[Comparison]:
    def operand(side: Operand | int | float | str) -> Operand:
        return Const(side) if isinstance(side, int | float | str) else side

    return [Comparison(operand(left), operator, operand(right)) for left, operator, right in conditions]


@pytest.mark.parametrize(
    ("comparisons", "so"),
    [
        (_all((V, ">", 10), (Sum("V", 2.5), "<", 10)), False),
        (_all((V, ">", 7), (Sum("V", 2.5), "<", 10)), True),
        (_all((V, ">", W), (W, ">", V)), False),
        (_all((V, ">=", W), (W, ">=", V)), True),
        (_all((V, ">=", W), (W, ">=", V), (V, "!=", W)), False),
        (_all((V, ">", 3), (V, "<", 4)), True),
        (_all((X, ">", "c"), (X, "<", "b")), False),
        (_all((X, ">", "a"), (Y, "<", X), (Y, ">=", "b"), (X, "<=", "b")), False),
        (_all((X, ">", "a"), (Y, "<", X), (Y, ">=", "a"), (X, "<=", "b")), True),
        (_all((T, ">", U), (U, ">", R), (R, ">=", T)), False),
        (_all((T, ">", Time(None, 3)), (T, "<", Time(None, 5)), (T, "!=", Time(None, 4))), False),
        (_all((T, "<=", Time(None, 1)), (T, "!=", U), (U, "<=", T), (U, ">=", R), (R, ">=", T)), False),
        (_all((T, "<", Time(None, 2))), False),
    ],
)
def test_whether_comparisons_can_hold_together(comparisons: list[Comparison], so: bool) -> None:
    assert possible(comparisons, {"T": 2}) is so


@pytest.mark.parametrize(
    ("known", "wanted", "so"),
    [
        (_all((V, "<", W), (W, "<", 10)), (V, "<", 10), True),
        (_all((V, "<", W), (W, "<", 10)), (V, "<", 9), False),
        (_all((Sum("V", 2.5), "<", W), (W, "<", 10)), (V, "<=", 7.5), True),
        (_all((X, "<", "b")), (X, "<", "c"), True),
        (_all((T, ">", U)), (U, "<", T), True),
        ([], (T, ">=", Time(None, 2)), True),  # T begins at 2
        (_all((V, "!=", W)), (W, "!=", V), True),
        (_all((V, ">=", W), (V, "!=", W)), (V, ">", W), True),
        (_all((X, "<=", Y), (Y, "<=", Z), (X, "!=", Y)), (X, "<", Z), True),
        (_all((V, "<=", X), (X, "<=", W), (V, "<=", Y), (Y, "<=", W), (X, "!=", Y)), (V, "<", W), True),
        (_all((V, "<=", X), (X, "<=", W), (V, "<=", Y), (Y, "<=", W)), (V, "<", W), False),
        (_all((V, "<", 3)), (V, "!=", 3), True),
        (_all((V, "<=", 3)), (V, "!=", 3), False),
        (_all((V, "<=", 3), (V, ">=", 3)), (V, "=", 3), True),
        (_all((X, ">", "b")), (X, "!=", "a"), True),
        (_all((X, ">", "b")), (X, "!=", "c"), False),
    ],
)
def test_what_follows(
    known: list[Comparison], wanted: tuple[Operand, str, Operand | int | float | str], so: bool
) -> None:
    (comparison,) = _all(wanted)
    system = System(known, {"T": 2})
    assert system.follows_at_once(comparison) in (None, so)
    assert system.follows_after_all(comparison) is so


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ("W > V, W < 90", {"V < 90"}),
        ("W >= V, W <= 90", {"V <= 90"}),
        ("W > V + 2.5, W < 90", {"V < 87.5"}),
        ("W = V + 1, W >= 3", {"3 <= V+1"}),
        ("V < 3, W < 5", set()),  # no variable is shared
        ("W != V, W < 90", set()),  # nothing follows from `!=`
    ],
)
def test_what_two_comparisons_say(conditions: str, said: set[str]) -> None:
    text = f"input P(v: number, w: number, time). Q(T) :- P(V, W, T), {conditions}. query Q(T)."
    (query,) = antelog.parse(text).plan.queries
    found = {c.text for pattern in query.patterns for c in implied(pattern.comparisons)}
    assert found == said


def test_how_far_apart_times_can_be() -> None:
    rule = "Q(X, T) :- A(X, T), B(X, U), C(X, V), U > T, V <= U + 2, U <= T + 9."
    text = f"{rule} query Q(X, T)."
    times = times_of(pattern_of(text))
    at = {name: Time(name, 0) for name in "TUV"}
    assert times.furthest(at["T"], at["U"]) == 9
    assert times.furthest(at["U"], at["T"]) == -1
    assert times.furthest(at["T"], at["V"]) == 11  # through U
    assert times.furthest(at["V"], at["T"]) is None


@pytest.mark.parametrize(
    ("left", "operator", "right", "known"),
    [
        (Const(3), "<", Const(5), True),
        (Const("a"), "<", Const(5), False),  # a text and a number have no order
        (Const("a"), "!=", Const(5), True),
        (V, ">=", V, True),
        (V, "<", V, False),
        (T, "<", Time("T", 1), True),
        (T, "<", Time("U", 1), None),
        (Sum("V", 1), ">", V, None),
    ],
)
def test_some_comparisons_are_known_before_any_fact(
    left: Operand, operator: str, right: Operand, known: bool | None
) -> None:
    comparison = Comparison(left, operator, right)
    if known is not None or not isinstance(left, Sum):
        assert comparison.outcome is known
        assert comparison.mirrored.outcome is known
    assert comparison.mirrored.mirrored == comparison


def test_a_sum_is_worked_out() -> None:
    assert Comparison(V, "=", Sum("W", 5)).calculates
    assert not Comparison(V, "=", Const(5)).calculates
    assert not Comparison(Time("T", 1), "=", Time("U", 0)).calculates
