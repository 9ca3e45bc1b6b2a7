"""antelog/forecast/inference/evaluation.py: the chance of a formula, tick by tick, by columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antelog.forecast.inference.diagrams import Leaf, Question, diagram_of
from antelog.forecast.inference.evaluation import FOREVER, Link, Window, probability
from antelog.forecast.inference.nodes import Comes, Every, Never, Node, Some
from antelog.forecast.rates.odds import Odds, Series
from tests.forecast.making import odds

SERIES = [Series(name, (), (), (), ()) for name in "xyz"]
LONG_AGO = -1000


def at(tick: int, which: int = 0) -> Comes:
    return Comes(SERIES[which], (), tick)


def chance(
    node: Node, shown: Sequence[Sequence[int]], of: Odds, *, horizon: int = FOREVER, since: int = LONG_AGO
) -> list[float]:
    """The chance of a formula over ticks 0 to 2, where each row has shown this from tick -1 up to now."""
    age, states = len(shown[0]) - 2, of.once.shape[1]
    leaves = {at(tick, which): Leaf(0, which + 1, tick) for tick in range(3) for which in range(states)}
    slowest = of.shares.shape[2] - 1
    question = Question(node, [], leaves, [1 + states], lambda leaf: leaf.at + slowest <= horizon)
    rows = np.array(shown, np.int64)
    link = Link(of, np.zeros(len(rows), np.int64), rows)
    window = Window(-1, np.full(len(rows), age), np.full(len(rows), since), (link,))
    found: list[float] = probability(diagram_of(question), window, 2, horizon).chance.tolist()
    return found


def any_slot(seed: int) -> Odds:
    """Odds of a slot with three kinds of facts: each comes after each by its chance, and late in its way."""
    random = np.random.default_rng(seed)
    moves = random.dirichlet([0.5] * 4, 4)
    moves[1:, 0] *= random.choice([0, 1])  # it may always have a fact
    moves /= moves.sum(axis=1, keepdims=True)
    shares = random.dirichlet([1] * 3, 3)
    return replace(odds([0.1] * 3, [0.1] * 3, shares.tolist()), transitions=moves[None])


def by_ways(wanted: Sequence[Sequence[int]], shown: Sequence[int], of: Odds, now: int) -> float:
    """The chance that a slot goes one of the wanted ways at ticks 0, 1 and 2: their share of all its ways.

    It had a fact of the first kind at tick -1, and has shown this since.
    """
    (moves,), (shares,) = of.transitions, of.shares
    found = {}
    for way in product(range(4), repeat=4):
        weight = 1.0
        for tick, (before, here) in enumerate(zip((1, *way), way, strict=False)):
            weight *= moves[before, here]
            if shown[tick]:
                weight *= here == shown[tick]
            elif here:
                weight *= shares[here - 1, max(now - tick + 1, 0) :].sum()  # it has not come by now
        found[way] = weight
    return sum(weight for way, weight in found.items() if way[:3] in wanted) / sum(found.values())


@pytest.mark.parametrize("seed", range(20))
def test_any_slot_agrees_with_all_its_ways(seed: int) -> None:
    """Also where its chances to get from kind to kind are none that a program can declare."""
    of, random = any_slot(seed), np.random.default_rng(seed)
    node = Some((Every((at(0), Never(at(1)), at(2, 2))), Every((Never(at(0, 1)), at(1, 1), at(2)))))
    wanted = [(1, second, 3) for second in (0, 2, 3)] + [(first, 2, 1) for first in (0, 1, 3)]
    (moves,), (shares,) = of.transitions, of.shares
    way, late = [1], [0]
    for _ in range(4):
        way.append(int(random.choice(4, p=moves[way[-1]])))
        late.append(int(random.choice(3, p=shares[way[-1] - 1])))
    for now in range(-1, 4):
        shown = [way[1 + tick] if tick + late[1 + tick] <= now else 0 for tick in range(4)]
        (found,) = chance(node, [[1, *shown[: now + 1]]], of)
        assert found == pytest.approx(by_ways(wanted, shown, of, now), abs=1e-9)
