"""antelog/forecast/chances/{courses,bounds}.py: where a chain is at each tick, and what that bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.chances.bounds import Between, Bounds
from antelog.forecast.chances.courses import course
from antelog.forecast.chances.evaluating import FOREVER, TRUTH, Link, Window, probability
from antelog.forecast.formulas.diagrams import diagram_of
from antelog.forecast.formulas.formulas import Every, Never, Node, Some
from antelog.forecast.formulas.plain import Parts
from antelog.forecast.odds.odds import Odds
from tests.forecast.formulas.test_diagrams import NODES, question, x
from tests.forecast.making import odds

HOT = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.3]])
SLOW = odds(once=[0.05], again=[0.8], shares=[[0.7, 0.0, 0.3]])
LOSSY = odds(once=[0.3], again=[0.6], shares=[[0.5, 0.2, 0.1]])


def window(*shown: list[int], of: Odds = HOT) -> Window:
    """Chains of which this was shown from tick -1 up to now, in one row."""
    links = [Link(of, np.zeros(1, np.int64), np.array([own]), slotted=False) for own in shown]
    return Window(-1, np.array([len(shown[0]) - 2]), np.array([-1000]), tuple(links))


def between(node: Node, of: Window, horizon: int = FOREVER) -> Between:
    """The bounds of a formula over ticks 0 to 2."""
    parts = Parts(question(node))
    root = parts.of(node)
    courses = [course(of, link, range(3)) for link in of.links]
    return Bounds(parts, of, courses, horizon).of(root)


def test_what_has_come_since_is_in_it() -> None:
    one = window([0, 1, 0])  # a fact at 0, nothing yet at 1
    found = course(one, one.links[0], range(3))
    still = 0.8 * 0.3 / (0.2 + 0.8 * 0.3)
    assert found.held[:, 1, 0].tolist() == pytest.approx([1, still, still * 0.8 + (1 - still) * 0.05])
    assert found.moves[1][:, :, 0].sum(axis=1).tolist() == pytest.approx([1, 1])
    later = window([0, 0, 1], of=SLOW)  # with a fact at 1, one at 0 is likelier to be late
    with_, without = 0.05 * 0.3 * 0.8, 0.95 * 0.05
    assert course(later, later.links[0], range(1)).held[0, 1, 0] == pytest.approx(with_ / (with_ + without))


def test_literals_that_all_have_to_come_are_exact() -> None:
    found = between(Every((x(0), Never(x(1)), x(2), x(0, 1))), window([0], [0]))
    exact = 0.05 * 0.2 * 0.05 * 0.05
    assert (found.least[0], found.most[0]) == pytest.approx((exact, exact))
    assert found.chains == {0, 1}
    never = between(Every((x(0), Never(x(0)))), window([0], [0]))
    assert (never.least[0], never.most[0]) == (0, 0)


def test_any_of_two_is_at_least_the_likelier_and_at_most_their_sum() -> None:
    found = between(Some((x(0), Every((x(1), x(2))))), window([0], [0]))
    second = (0.95 * 0.05 + 0.05 * 0.8) * 0.8
    assert (found.least[0], found.most[0]) == pytest.approx((second, 0.05 + second))
    apart = between(Some((x(0), x(0, 1))), window([0], [0]))
    assert apart.least[0] == apart.most[0] == pytest.approx(1 - 0.95 * 0.95)


@given(NODES, st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=2), min_size=1, max_size=4))
def test_what_is_exact_lies_between(node: Node, shown: list[list[int]]) -> None:
    own = window(*(list(each) for each in zip(*shown, strict=True)), of=LOSSY)
    diagram = diagram_of(question(node))
    for horizon in (FOREVER, TRUTH):
        found, exact = between(node, own, horizon), probability(diagram, own, 2, horizon).chance
        assert found.least[0] - 1e-9 <= exact[0] <= found.most[0] + 1e-9
