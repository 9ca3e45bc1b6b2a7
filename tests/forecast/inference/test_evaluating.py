"""antelog/forecast/inference/evaluation.py: the chance of a formula, tick by tick, by columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from antelog.forecast.inference.diagrams import Leaf, Question, diagram_of
from antelog.forecast.inference.evaluation import FOREVER, TRUTH, Link, Window, probability
from antelog.forecast.inference.nodes import Comes, Every, Never, Node, Some
from antelog.forecast.rates.odds import Odds
from antelog.forecast.rates.series import Series
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
    slotted: bool = False,
) -> list[float]:
    """The chance of a formula over ticks 0 and 1, where each row has shown this from tick -1 up to now."""
    age, states = len(shown[0]) - 2, of.once.shape[1]
    leaves = {at(tick, which): Leaf(0, which + 1, tick) for tick in range(2) for which in range(states)}
    slowest = of.shares.shape[2] - 1
    question = Question(node, [], leaves, [1 + states + slotted], lambda leaf: leaf.at + slowest <= horizon)
    rows = np.array(shown, np.int64)
    link = Link(of, np.zeros(len(rows), np.int64), rows, slotted)
    window = Window(-1, np.full(len(rows), age), np.full(len(rows), since), (link,))
    found: list[float] = probability(diagram_of(question), window, 1, horizon).chance.tolist()
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
    levels = odds(once=[0.1, 0.2], again=[0.8, 0.2])
    either = Some((at(0), at(0, 1)))
    assert chance(either, [[0]], levels, slotted=True) == pytest.approx([0.3])
    assert chance(Every((at(0), at(0, 1))), [[0]], levels, slotted=True) == pytest.approx([0], abs=1e-12)
    # After another fact, that is none of these, the next tick is as after nothing.
    assert chance(at(1), [[0, 3], [0, 1]], levels, slotted=True) == pytest.approx([0.1, 0.8])


def window_of(of: Odds, which: list[int], age: list[int], shown: list[list[int]]) -> Window:
    link = Link(of, np.array(which), np.array(shown, np.int64), slotted=False)
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
