"""antelog/forecast/inference: chances of counts, compared with all that may come, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pytest

import antelog

ONCE, AGAIN = 0.2, 0.7
RULES = """
input A(x: text, time).
input Read(x: text, v: number, time) one per x.
static Limit(x: text, n: number).
Limit(a, 2). Limit(a, 4). Limit(a, 9).
chance A(_, _) = 20%, again 70%.
chance Read(_, _, _) = 20%, again 70%.
{}

"""


def weight(shown: Sequence[int], before: int = 1) -> float:
    """The probability of what a chain shows at the ticks after one with a fact, or without."""
    chances = (AGAIN if last else ONCE for last in (before, *shown[:-1]))
    return prod(once if here else 1 - once for here, once in zip(shown, chances, strict=True))


def enumerated(ticks: int, holds: Callable[[int], bool]) -> float:
    """The chance that a comparison holds of the number of facts, one having come and `ticks` being ahead."""
    return sum(weight(each) for each in product((0, 1), repeat=ticks) if holds(1 + sum(each)))


def chance(rules: str, **facts: Sequence[tuple[object, ...]]) -> list[tuple[Any, Any]]:
    engine = antelog.Engine(antelog.parse(RULES.format(rules)))
    engine.advance(0, facts)
    return [(row["chance"], row["chance_from"]) for row in engine.answers("P").to_pylist()]


OPERATORS = {">=": ge, ">": gt, "<": lt, "<=": le, "=": eq, "!=": ne}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("number", [2, 3.5, 6])
def test_a_count_of_facts(operator: str, number: float) -> None:
    rule = f"P(X, T) :- A(X, T), count(A(X, T..T+6)) {operator} {number}. query P(X, T)."
    wanted = enumerated(6, lambda count: OPERATORS[operator](count, number))
    found = chance(rule, A=[("a", 0)])
    if 0 < wanted < 1:
        assert found == [(pytest.approx(wanted, abs=1e-12), "model")]
    else:
        assert all(each == (None, None) for each in found)  # it is decided at once


def test_a_number_that_the_answer_has() -> None:
    rule = "P(X, N, T) :- A(X, T), Limit(X, N), count(A(X, T-2..T+5)) >= N. query P(X, N, T)."
    found = [each for each, _ in chance(rule, A=[("a", 0)])]
    wanted = [enumerated(5, partial(le, least)) for least in (2, 4)]
    assert found == pytest.approx(wanted, abs=1e-12)  # 9 cannot be reached


@pytest.mark.parametrize("literal", ["count(Read(X, _, T+1..T+4)) >= 2", "count(Hot(X, T+1..T+4)) >= 2"])
def test_at_most_one_a_tick(literal: str) -> None:
    """One fact of a slot, whatever its other columns are; one atom of what rules derive."""
    rule = f"Hot(X, T) :- Read(X, _, T). P(X, T) :- Read(X, _, T), {literal}. query P(X, T)."
    wanted = enumerated(4, lambda count: count - 1 >= 2)
    assert chance(rule, Read=[("a", 1, 0)]) == [(pytest.approx(wanted, abs=1e-12), "model")]


@pytest.mark.parametrize("operator", OPERATORS)
def test_two_counts(operator: str) -> None:
    """Failures beside beats, which are chains of their own: enumerated together."""
    literal = f"count(A(X, T..T+3)) {operator} 2 * count(Read(X, _, T+1..T+2))"
    wanted = sum(
        weight(failed) * weight(beats, before=0)
        for failed, beats in product(product((0, 1), repeat=3), product((0, 1), repeat=2))
        if OPERATORS[operator](1 + sum(failed), 2 * sum(beats))
    )
    found = chance(f"P(X, T) :- A(X, T), {literal}. query P(X, T).", A=[("a", 0)], Read=[])
    assert found == [(pytest.approx(wanted, abs=1e-12), "model")]


def test_what_the_largest_value_is_above() -> None:
    """A chance that is learned, for none can be declared of values in a range."""
    program = antelog.parse(
        """
        input Read(x: text, v: number, time).
        P(X, T) :- Read(X, V, T), V >= 5, max(W : Read(X, W, T+1..T+3)) >= 50.
        Q(X, T) :- Read(X, V, T), V >= 5, Read(X, W, U), U > T, U <= T+3, W >= 50.
        query P(X, T). query Q(X, T).
        """
    )
    engine = antelog.Engine(program, model="learn")
    for tick in range(100):
        engine.advance(tick, {"Read": [("a", 7 * tick % 60, tick), ("b", 11 * tick % 60, tick)]})
    model = antelog.Engine(program, model=engine.model)
    model.advance(0, {"Read": [("a", 20, 0)]})
    (one,), (other,) = (model.answers(name).to_pylist() for name in ("P", "Q"))
    assert one["chance"] == pytest.approx(other["chance"])


def test_before_tick_0_nothing_is_awaited() -> None:
    rules = """
        input Late(x: text, time) delay 3.
        chance Late(_, _) = 20%.
        P(X, T) :- Limit(X, 2), count(Late(X, T-2..T)) = 1.
        query P(X, T).
    """
    engine = antelog.Engine(antelog.parse(RULES.format(rules)))
    engine.advance(0, {})
    (answer,) = (row for row in engine.answers("P").to_pylist() if row["T"] == 0)
    assert [each["tick"] for each in answer["forecast"]] == [1, 2, 3]
