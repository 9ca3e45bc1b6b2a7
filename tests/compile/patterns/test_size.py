"""antelog/compile/patterns/resolve.py: large programs compile, or are refused in time."""

from __future__ import annotations

import pytest

from antelog.compile import PATTERN_LIMIT, Compiled, compile_program
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns import resolve, subsume
from antelog.compile.patterns.subsume import Budget, Target
from antelog.diagnostics import Source, errors_of
from antelog.language import read
from tests.compile.plans import plan_of


def _compile(text: str, limit: int = PATTERN_LIMIT) -> Compiled:
    return compile_program(read(Source(text)), limit)


def _literals(text: str) -> list[int]:
    return [len(pattern.literals) for pattern in next(plan_of(text).queries).patterns]


LARGE = {
    "a chain of 500 rules": (
        "".join(f"P{i + 1}(X, T+1) :- P{i}(X, T), P{i}(X, T+1)." for i in range(500)) + "query P500(X, T).",
        [501]
    ),
    "a chain of 3000 rules": (
        "".join(f"P{i + 1}(X, T) :- P{i}(X, T)." for i in range(3_000))
        + "P0(X, T) :- A(X, T). query P3000(X, T).",
        [1]
    ),
    "2000 literals": (
        f"P(X, T) :- {', '.join(f'Temp(X, V{i}, T+{i})' for i in range(2_000))}. query P(X, T).", [2_000]
    ),
    "2000 derived literals": (
        f"P(X, T) :- {', '.join(f'Q{i}(X, T)' for i in range(2_000))}. query P(X, T)."
        + "".join(f"Q{i}(X, T) :- Temp(X, {i}, T)." for i in range(2_000)),
        [2_000]
    ),
    "3000 rules of one predicate": (
        "".join(f"P(X, T) :- A{i}(X, T), B(X, T+{i})." for i in range(3_000)) + "query P(X, T).", [2] * 3_000
    ),
    "a window of 1000 ticks": (
        "S(X, T+1) :- S(X, T). S(X, T) :- R(X, T). query S(X, T) window 1000.", [1] * 1_001
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "literals"), LARGE.values(), ids=LARGE.keys())
def test_large_programs(rules: str, literals: list[int]) -> None:
    assert _literals(rules) == literals


def test_3000_strata() -> None:
    rules = "".join(f"P{i + 1}(X, T) :- In(X, c{i}, T), not P{i}(X, T)." for i in range(3_000))
    plan = plan_of(rules + "query P3000(X, T).")
    assert sorted(r.level.component for r in plan.relations) == list(range(3_001))


EXPLODING = "".join(
    f"P{i + 1}(X, T) :- P{i}(X, T), Q{i}(X, T). Q{i}(X, T) :- A{i}(X, T). Q{i}(X, T) :- B{i}(X, T)."
    for i in range(20)
)


def test_rules_that_multiply_are_refused_and_named() -> None:
    (error,) = errors_of(_compile(EXPLODING + "query P20(X, T).", limit=100).diagnostics)
    assert error.code == "E603"
    assert "more than 100" in error.message
    assert "64 for P6 with 2 for Q6" in error.message


def test_the_limit_can_be_raised() -> None:
    rules = EXPLODING + "query P8(X, T)."
    assert _compile(rules, limit=255).plan is None
    plan = _compile(rules, limit=256).plan
    assert plan is not None
    assert len(next(plan.queries).patterns) == 256


def test_combinations_that_never_fit_are_not_tried_without_end() -> None:
    body = ", ".join(f"Q{i}(X, Y, T)" for i in range(40))
    rules = "".join(
        f"Q{i}(X, a, T) :- A{i}(X, T). Q{i}(X, Y, T) :- B{i}(X, Y, T), Y != a." for i in range(40)
    )
    (error,) = errors_of(_compile(f"P(X, T) :- {body}. {rules} query P(X, T).", limit=100).diagnostics)
    assert error.code == "E603"


def test_the_message_of_a_long_rule_stays_short() -> None:
    body = ", ".join(f"Q{i}(X, T)" for i in range(40))
    rules = "".join(f"Q{i}(X, T) :- A{i}(X, T). Q{i}(X, T) :- B{i}(X, T)." for i in range(40))
    (error,) = errors_of(_compile(f"P(X, T) :- {body}. {rules} query P(X, T).", limit=100).diagnostics)
    assert len(error.message) < 300


LOOK_BACK = "S(X, T) :- E(X, X, T). S(X, T) :- E(X, Y, T), S(Y, T-1). query S(X, T) window {}."


def test_patterns_told_apart_by_equal_arguments_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[Pattern, Target]] = []

    def subsumes(one: Pattern, other: Target, _work: Budget) -> bool:
        compared.append((one, other))
        return False

    def condense(pattern: Pattern, _work: Budget) -> Pattern:
        return pattern

    monkeypatch.setattr(subsume, "subsumes", subsumes)
    monkeypatch.setattr(resolve, "condense", condense)
    assert len(_literals(LOOK_BACK.format(60))) == 61
    assert len(compared) < 61


def test_patterns_with_too_many_literals_together_are_refused() -> None:
    (error,) = errors_of(_compile(LOOK_BACK.format(60), limit=100).diagnostics)
    assert error.code == "E603"
    assert "more than 1000 literals" in error.message


def test_the_largest_offset() -> None:
    def codes(offset: int) -> list[str]:
        text = f"P(X, T) :- A(X, T), not B(X, T+{offset}). query P(X, T)."
        return [d.code for d in errors_of(_compile(text).diagnostics)]

    assert codes(2**53 - 1) == []
    assert codes(2**53) == ["E407"]


@pytest.mark.parametrize("count", [5, 6, 10])
def test_so_many_different_payments(count: int) -> None:
    pays = ", ".join(f"Pay(C, I{i}, T{i})" for i in range(count))
    different = ", ".join(f"I{i} != I{j}" for i in range(count) for j in range(i))
    near = ", ".join(f"T{i} <= T, T <= T{i} + 10" for i in range(1, count))
    text = f"Many(C, T) :- Alert(C, T), {pays}, {different}, {near}. query Many(C, T)."
    (literals,) = _literals(text)
    assert literals > count


HYSTERESIS = """
On(T) :- Reading(V, T), V >= 55.
On(T) :- On(T-1), Reading(V, T), V >= 45.
query On(T) window {}.
"""


def test_recursion_with_comparisons_through_a_window_of_48_ticks() -> None:
    assert _literals(HYSTERESIS.format(48)) == [2 * n for n in range(1, 50)]


@pytest.mark.parametrize("window", [400, 900, 100_000])
def test_a_window_that_takes_too_many_steps_is_refused(window: int) -> None:
    (error,) = errors_of(_compile(HYSTERESIS.format(window)).diagnostics)
    assert error.code == "E603"
    assert error.message.startswith("On rests on itself, and following it through the window takes too many")
    assert error.hint is not None
    smaller = int(error.hint.partition("`window ")[2].partition("`")[0])
    assert smaller > 48
    assert _compile(HYSTERESIS.format(smaller)).plan is not None


def test_400_rules_that_differ_in_a_range_only_are_refused() -> None:
    rules = "".join(f"P(X, T) :- A(X, V, T), V > {i}, V < {i}.5." for i in range(400))
    (error,) = errors_of(_compile(rules + "query P(X, T).").diagnostics)
    assert error.code == "E603"
    assert "differ in little more than a comparison" in error.message
