"""antelog/forecast/inference/chances.py: a library for weighted formulas finds the same chances.

Neither the engine nor the specification has a part in it: here each program is written once more as a formula
over its facts, the facts as formulas over independent coins, and PySDD counts. A coin for each tick says
whether a fact comes after a tick without one, another whether it comes after a tick with one, and others how
late it comes:

    true(t)          = true(t-1) and again(t), or not true(t-1) and once(t)
    comes 1 late(t)  = true(t) and not late0(t) and late1(t)

What has come by now, and what has not, is a formula, too; the chance is the weight of both over that of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

import antelog
from antelog.process import Engine
from tests.forecast.asking import by_model

sdd: Any = pytest.importorskip("pysdd.sdd", reason="PySDD gives the third opinion")

LAST, TICK = 5, 1
"""Facts are about ticks 0 to 5, and the answer about tick 1."""


@dataclass(frozen=True)
class Coins:
    """How often the facts of a series come, and how late: the coins of each tick."""

    once: float
    again: float
    shares: tuple[float, ...]

    @property
    def late(self) -> list[float]:
        """The chance of each lag, given that the fact has not come before it."""
        left, found = 1.0, []
        for share in self.shares:
            found.append(min(share / left, 1.0) if left > 1e-12 else 1.0)
            left -= share
        return found


@dataclass
class Formulas:
    """The facts of some series as formulas over coins, and the weights of these."""

    series: Mapping[str, Coins]
    manager: Any = field(init=False)
    weights: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        coins = (LAST + 1) * sum(2 + len(each.shares) for each in self.series.values())
        self.manager = sdd.SddManager(var_count=coins)
        self._true: dict[tuple[str, int], Any] = {}
        self._lags: dict[tuple[str, int], list[Any]] = {}
        for name, each in self.series.items():
            before = self.manager.false()
            for tick in range(LAST + 1):
                again, once = self._coin(each.again), self._coin(each.once)
                true = (before & again) | (~before & once)
                lags, left = [], true
                for chance in each.late:
                    late = self._coin(chance)
                    lags.append(left & late)
                    left = left & ~late
                self._true[name, tick], self._lags[name, tick] = true, lags
                before = true

    def _coin(self, chance: float) -> Any:
        number = len(self.weights) + 1
        self.weights[number] = chance
        return self.manager.literal(number)

    def true(self, name: str, tick: int) -> Any:
        return self._true[name, tick]

    def comes(self, name: str, tick: int) -> Any:
        found = self.manager.false()
        for lag in self._lags[name, tick]:
            found = found | lag
        return found

    def seen(self, arrived: Mapping[tuple[str, int], int], now: int) -> Any:
        """That these facts have come, and no others, by now."""
        found = self.manager.true()
        for (name, tick), lags in self._lags.items():
            for lag, comes in enumerate(lags):
                if tick + lag <= now:
                    found = found & (comes if arrived.get((name, tick)) == tick + lag else ~comes)
        return found

    def weight(self, formula: Any) -> float:
        counter = formula.wmc(log_mode=False)
        for number, chance in self.weights.items():
            counter.set_literal_weight(self.manager.literal(number), chance)
            counter.set_literal_weight(self.manager.literal(-number), 1 - chance)
        return float(counter.propagate())


HIGH, LOW = Coins(0.25, 0.8, (0.7, 0.3)), Coins(0.3, 0.3, (0.5, 0.5))
LOST = Coins(0.25, 0.8, (0.6, 0.3))
PING = Coins(0.6, 0.7, (0.5, 0.2, 0.2))

Fact = Callable[[str, int], Any]


@dataclass(frozen=True)
class Example:
    """A program, its series, and what it says of P(a, 1) as a formula over facts."""

    rules: str
    series: Mapping[str, Coins]
    formula: Callable[[Fact], Any]


INPUTS = {
    "high": "input High(x: text, time) delay 1 (70%, 30%). chance High(_, _) = 25%, again 80%.",
    "low": "input Low(x: text, time) delay 1. chance Low(_, _) = 30%.",
    "lost": "input Lost(x: text, time) delay 1 (60%, 30%). chance Lost(_, _) = 25%, again 80%.",
    "ping": "input Ping(x: text, time) delay 2 (50%, 20%, 20%). chance Ping(_, _) = 60%, again 70%.",
}
COINS = {"high": HIGH, "low": LOW, "lost": LOST, "ping": PING}


def example(rules: str, formula: Callable[[Fact], Any], *names: str) -> Example:
    """A series is named after its input."""
    text = "\n".join([*(INPUTS[name] for name in names), rules, "query P(X, T)."])
    return Example(text, {name: COINS[name] for name in names}, formula)


EXAMPLES = {
    "three in a row": example(
        "P(X, T) :- High(X, T), High(X, T+1), High(X, T+2).",
        lambda f: f("high", 1) & f("high", 2) & f("high", 3),
        "high",
    ),
    "and then none": example(
        "P(X, T) :- High(X, T), not Low(X, T+1), not High(X, T+2).",
        lambda f: f("high", 1) & ~f("low", 2) & ~f("high", 3),
        "high",
        "low",
    ),
    "lost facts": example(
        "P(X, T) :- Lost(X, T), not Lost(X, T+1), not Ping(X, T+1).",
        lambda f: f("lost", 1) & ~f("lost", 2) & ~f("ping", 2),
        "lost",
        "ping",
    ),
    "a rule under a negation": example(
        "Q(X, T) :- Low(X, T), not Ping(X, T+1). P(X, T) :- High(X, T), not Q(X, T+1).",
        lambda f: f("high", 1) & ~(f("low", 2) & ~f("ping", 3)),
        *("high", "low", "ping"),
    ),
}


@cache
def formulas(name: str) -> tuple[Formulas, Any, Any]:
    """The facts of an example, that its answer is confirmed in the end, and that it is true of the world."""
    own = EXAMPLES[name]
    found = Formulas(own.series)
    return found, own.formula(found.comes), own.formula(found.true)


def drawn(series: Mapping[str, Coins], seed: int) -> dict[tuple[str, int], int]:
    """Facts as the declarations say they come: name and tick, and when each arrives."""
    random = np.random.default_rng(seed)
    arrived = {}
    for name, coins in series.items():
        true = False
        for tick in range(LAST + 1):
            true = bool(random.random() < (coins.again if true else coins.once))
            lag = int(random.choice(len(coins.shares) + 1, p=[*coins.shares, max(1 - sum(coins.shares), 0)]))
            if true and lag < len(coins.shares):
                arrived[name, tick] = tick + lag
    return arrived


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", EXAMPLES)
def test_chances_are_those_of_another_program(name: str, seed: int) -> None:
    own = EXAMPLES[name]
    facts, comes, true = formulas(name)
    arrived = drawn(own.series, seed)
    engine = Engine(antelog.parse(own.rules))
    delay = engine.plan.relation("P").bounds.delay
    assert delay is not None
    for now in range(min(LAST, TICK + delay) + 1):  # when its atom is decided, nothing more is reported of it
        new = [(each, tick) for (each, tick), arrival in arrived.items() if arrival == now]
        inputs = dict.fromkeys(each for each, _ in new)
        engine.advance(
            now, {n.capitalize(): [("a", tick, now) for each, tick in new if each == n] for n in inputs}
        )
        seen = facts.seen(arrived, now)
        total = facts.weight(seen)
        chance, holds = facts.weight(comes & seen) / total, facts.weight(true & seen) / total
        found = by_model(engine, "P", [(("X", "a"), ("T", TICK))])
        assert found.column().tolist() == pytest.approx([chance], abs=1e-9)
        if not np.isnan(found.holds[0]):
            assert found.holds[found.which].tolist() == pytest.approx([holds], abs=1e-9)
