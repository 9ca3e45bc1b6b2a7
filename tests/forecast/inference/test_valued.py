"""antelog/forecast/inference/nodes.py: sums of declared values, compared with all that may come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from operator import eq, ge, gt, le, lt, ne

import pytest

import antelog
from tests.engine.plain import PlainEngine
from tests.tables import cases

RULES = """
input Sale(shop: text, amount: number, time) delay 1 (60%, 40%), one per shop.
chance Sale(_, 5, _) = 20%, again 30%.
chance Sale(_, 10, _) = 15%.
chance Sale(_, -2.5, _) = 10%, again 40%.
P(X, T) :- Sale(X, 5, T), {}.
query P(X, T).
"""
CHANCES = {5.0: (0.2, 0.3), 10.0: (0.15, 0.15), -2.5: (0.1, 0.4)}
NONE = 0.0
OPERATORS = {">=": ge, ">": gt, "<": lt, "<=": le, "=": eq, "!=": ne}
VALUES: dict[str, Callable[[Sequence[float]], float | None]] = {
    "count(distinct ": lambda sold: len(set(sold)),
    "sum(": sum,
    "avg(": lambda sold: sum(sold) / len(sold) if sold else None,
    "max(": lambda sold: max(sold, default=None),
    "min(": lambda sold: min(sold, default=None),
}


def move(before: float, after: float) -> float:
    """The probability of a sale after another, or after none."""
    chances = {each: again if each == before else once for each, (once, again) in CHANCES.items()}
    return chances[after] if after else 1 - sum(chances.values())


def weight(sold: Sequence[float]) -> float:
    """The probability of sales after one of 5."""
    return prod(move(before, after) for before, after in zip((5.0, *sold[:-1]), sold, strict=True))


def enumerated(ticks: int, holds: Callable[[Sequence[float]], bool]) -> float:
    worlds = product((NONE, *CHANCES), repeat=ticks)
    return sum(weight(each) for each in worlds if holds([sold for sold in each if sold]))


def chance(literal: str) -> list[tuple[object, object]]:
    engine = antelog.Engine(antelog.parse(RULES.format(literal)))
    engine.advance(0, {"Sale": [("a", 5, 0)]})
    return [(row["chance"], row["chance_from"]) for row in engine.answers("P").to_pylist()]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("function", VALUES)
@pytest.mark.parametrize("number", [5, 7.5, 2.5, 2])
def test_values_compared_with_a_number(function: str, operator: str, number: float) -> None:
    def holds(sold: Sequence[float]) -> bool:
        value = VALUES[function](sold)
        return value is not None and OPERATORS[operator](value, number)

    wanted = enumerated(3, holds)
    found = chance(f"{function}V : Sale(X, V, T+1..T+3)) {operator} {number}")
    if function.startswith("count") and not 1e-9 < wanted < 1 - 1e-9:
        assert all(each == (None, None) for each in found)  # it is decided at once
    else:
        assert found == [(pytest.approx(wanted, abs=1e-12), "model")]


def test_another_value_than_those_declared() -> None:
    engine = antelog.Engine(antelog.parse(RULES.format("sum(V : Sale(X, V, T+1..T+3)) >= 15")))
    engine.advance(1, {"Sale": [("a", 5, 0), ("a", 7, 1), ("b", 5, 0), ("b", 10, 1)]})
    found = {row["X"]: row["chance_from"] for row in engine.answers("P").to_pylist() if row["T"] == 0}
    assert found == {"a": None, "b": "model"}


@cases(__file__, "literals")
def test_by_when(literal: str) -> None:
    """The chance by each tick: an engine without forecasts says in each world when it is confirmed."""
    program = antelog.parse(
        RULES.format(literal) + "Low(X, T) :- Sale(X, 5, T), sum(V : Sale(X, V, T+1..T+2), V >= 0) < 10."
    )
    engine = antelog.Engine(program)
    engine.advance(0, {"Sale": [("a", 5, 0)]})
    (answer,) = engine.answers("P").to_pylist()
    by_tick: dict[int, float] = {}
    for sold in product((NONE, *CHANCES), repeat=2):
        for late in product((0, 1), repeat=2):
            if any(not value and after for value, after in zip(sold, late, strict=True)):
                continue
            shares = (((0.6, 0.4)[after] if value else 1) for value, after in zip(sold, late, strict=True))
            tick = confirmed(program, sold, late)
            if tick is not None:
                by_tick[tick] = by_tick.get(tick, 0) + weight(sold) * prod(shares)
    total, wanted = 0.0, {}
    for tick in sorted(by_tick):
        total += by_tick[tick]
        wanted[tick] = pytest.approx(total, abs=1e-12)
    assert {each["tick"]: each["chance"] for each in answer["forecast"]} == wanted


def confirmed(program: antelog.Program, sold: Sequence[float], late: Sequence[int]) -> int | None:
    """The tick at which the answer is confirmed if these sales of ticks 1 and 2 come so late."""
    arrivals = [
        ("a", value, 1 + at, 1 + at + after)
        for at, (value, after) in enumerate(zip(sold, late, strict=True))
        if value
    ]
    log = PlainEngine(program).advance(9, {"Sale": [("a", 5, 0, 0), *arrivals]})["P"].to_pylist()
    return next((row["tick"] for row in log if row["change"] == "confirmed" and row["T"] == 0), None)


def test_a_chance_that_is_certain_is_one_however_sums_are_rounded() -> None:
    """The mean of 5, -2.5 and two more is below 6, whatever these are."""
    engine = antelog.Engine(antelog.parse(RULES.format("avg(V : Sale(X, V, T..T+3)) < 6")))
    engine.advance(5, {"Sale": [("a", 5, 0, 1), ("a", 5, 3, 3), ("a", -2.5, 4, 5)]})
    engine.advance(7, {"Sale": [("a", 5, 6, 7), ("a", -2.5, 7, 7)]})
    chances = {row["T"]: row["chance"] for row in engine.answers("P").to_pylist()}
    assert chances[6] == 1
    engine.advance(20, {})
    assert engine.scores()["lines"].to_pylist() == [3]
