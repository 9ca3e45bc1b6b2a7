"""antelog/forecast/inference/evaluation.py: the chance of a formula, tick by tick, by columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antelog.forecast.inference.diagrams import Leaf, Question, diagram_of
from antelog.forecast.inference.evaluation import FOREVER, TRUTH, Link, Window, probability
from antelog.forecast.inference.nodes import Comes, Every, Never, Node, Some
from antelog.forecast.rates.odds import Odds, Series
from tests.forecast.making import odds

SERIES = [Series(name, (), (), (), ()) for name in "xyz"]
LONG_AGO = -1000
HOT = odds(once=[0.05], again=[0.8])


def at(tick: int, which: int = 0) -> Comes:
    return Comes(SERIES[which], (), tick)


def chance(
    node: Node,
    shown: Sequence[Sequence[int]],
    of: Odds = HOT,
    *,
    horizon: int = FOREVER,
    since: int = LONG_AGO,
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


BOTH = Every((at(0), at(1)))


def test_what_has_come_and_what_is_still_to_come() -> None:
    # One row for each case: nothing at ticks -1 and 0; a fact at -1; facts at both.
    assert chance(BOTH, [[0, 0], [1, 0], [1, 1]]) == pytest.approx([0, 0, 0.8], abs=1e-12)
    assert chance(BOTH, [[0], [1]]) == pytest.approx([0.05 * 0.8, 0.8 * 0.8])
    assert chance(Some((at(0), at(1))), [[0]]) == pytest.approx([1 - 0.95 * 0.95])
    assert chance(Never(BOTH), [[0, 1, 1]]) == pytest.approx([0], abs=1e-12)


def test_silence_makes_a_late_fact_less_likely() -> None:
    late = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.3]])
    silent = 0.8 * 0.3 / (0.2 + 0.8 * 0.3)
    assert chance(BOTH, [[0, 1, 0]], late) == pytest.approx([silent])


def test_what_came_later_says_something_of_a_silent_tick_before() -> None:
    late = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.3]])
    assert chance(at(0), [[0, 0]], late) == pytest.approx([0.05 * 0.3 / (0.05 * 0.3 + 0.95)])
    assert chance(at(0), [[0, 0, 1]], late) == pytest.approx([0], abs=1e-12)  # now it can come no more
    slow = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.0, 0.3]])
    # With a fact at tick 1, it is likelier that there was one at tick 0, too, and is late.
    with_, without = 0.05 * 0.3 * 0.8, 0.95 * 0.05
    assert chance(at(0), [[0, 0, 1]], slow) == pytest.approx([with_ / (with_ + without)])


def test_by_a_horizon() -> None:
    late = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.3]])
    one = Every((at(0), at(1)))
    by = [chance(one, [[1, 1]], late, horizon=tick)[0] for tick in (0, 1, 2, FOREVER)]
    assert by == pytest.approx([0, 0.8 * 0.7, 0.8, 0.8], abs=1e-12)
    # What must not come is certain only when it can come no more.
    absent = [chance(Never(at(0)), [[0, 0]], late, horizon=tick)[0] for tick in (0, 1)]
    assert absent == pytest.approx([0, 0.95 / (0.95 + 0.05 * 0.3)], abs=1e-12)


def test_what_is_lost_may_be_true() -> None:
    lossy = odds(once=[0.2], again=[0.2], shares=[[0.6]])
    silent = 0.2 * 0.4 / (0.2 * 0.4 + 0.8)
    assert chance(at(0), [[0, 0]], lossy, horizon=TRUTH) == pytest.approx([silent])
    assert chance(at(0), [[0, 0]], lossy) == pytest.approx([0], abs=1e-12)
    assert chance(at(0), [[0]], lossy) == pytest.approx([0.2 * 0.6])
    assert chance(at(0), [[0]], lossy, horizon=TRUTH) == pytest.approx([0.2])


def test_before_the_beginning_there_is_nothing() -> None:
    assert chance(BOTH, [[0]], since=0) == pytest.approx([0.05 * 0.8])
    assert chance(at(0), [[0]], since=1) == pytest.approx([0], abs=1e-12)
    assert chance(BOTH, [[0]], since=1) == pytest.approx([0], abs=1e-12)


def test_a_slot_shows_one_fact_a_tick() -> None:
    levels = odds(once=[0.1, 0.2, 0.0], again=[0.8, 0.2, 0.0])
    either = Some((at(0), at(0, 1)))
    assert chance(either, [[0]], levels) == pytest.approx([0.3])
    assert chance(Every((at(0), at(0, 1))), [[0]], levels) == pytest.approx([0], abs=1e-12)
    # After another fact, that is none of these, the next tick is as after nothing.
    assert chance(at(1), [[0, 3], [0, 1]], levels) == pytest.approx([0.1, 0.8])


def test_the_silence_of_a_slot_that_always_has_a_fact_says_nothing() -> None:
    high, low = 0.4, 0.6
    always = odds(once=[high, low], again=[high, low], shares=[[0.7, 0.3]])
    assert chance(at(0), [[1, 0], [2, 0]], always) == pytest.approx([high, high])
    # The other one is quicker, so that silence speaks for this one.
    quick = odds(once=[high, low], again=[high, low], shares=[[0.7, 0.3], [0.9, 0.1]])
    wanted = high * 0.3 / (high * 0.3 + low * 0.1)
    assert chance(at(0), [[1, 0]], quick) == pytest.approx([wanted])
    # In some ticks there is neither.
    seldom = odds(once=[high, 0.2], again=[high, 0.2], shares=[[0.7, 0.3]])
    wanted = high * 0.3 / (high * 0.3 + 0.2 * 0.3 + 0.4)
    assert chance(at(0), [[1, 0]], seldom) == pytest.approx([wanted])


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


def window_of(of: Odds, which: list[int], age: list[int], shown: list[list[int]]) -> Window:
    link = Link(of, np.array(which), np.array(shown, np.int64))
    return Window(-1, np.array(age), np.full(len(age), LONG_AGO), (link,))


def always(node: Node) -> Question:
    """Of one chain, all of whose facts have come in time."""
    return Question(node, [], {at(tick): Leaf(0, 1, tick) for tick in range(2)}, [2], lambda _: True)


def test_rows_may_have_different_odds_and_ages() -> None:
    two = HOT.and_then(odds(once=[0.5], again=[0.8]))
    window = window_of(two, [0, 1, 0, 0], [-1, -1, -1, 0], [[0, 0], [0, 0], [1, 0], [0, 1]])
    found = probability(diagram_of(always(at(0))), window, 0, FOREVER)
    assert found.chance.tolist() == pytest.approx([0.05, 0.5, 0.8, 1])
    some = probability(diagram_of(always(at(0))), window.take(np.array([1, 3])), 0, FOREVER)
    assert some.chance.tolist() == pytest.approx([0.5, 1])


def test_how_likely_it_is_by_each_tick() -> None:
    either = Some((at(0), Every((at(0), at(1))), at(1)))
    found = probability(diagram_of(always(either)), window_of(HOT, [0], [-1], [[0]]), 1, FOREVER)
    assert found.by_tick.tolist() == [pytest.approx([0.05, 0.05 + 0.95 * 0.05])]
    assert found.chance.tolist() == pytest.approx([0.05 + 0.95 * 0.05])
