"""antelog/forecast/inference/forms.py: what is worked out for a query once, from the rules alone."""

from __future__ import annotations

from antelog.compile.literals.background import StaticAtom
from antelog.forecast.inference.forms import QueryForm, forms
from tests.forecast.making import plan_of

INPUTS = """
input Temp(x: text, level: text, time) delay 1{}.
delay Temp(wt4, _, _) = 3.
static Site(x: text, y: text). Site(a, b).
"""


def form(rules: str, shares: str = "") -> QueryForm:
    found = forms(plan_of(f"{INPUTS.format(shares)} {rules} query P(X, T)."))["P"]
    assert isinstance(found, QueryForm)
    return found


def test_the_ticks_it_speaks_of() -> None:
    found = form("P(X, T) :- Temp(X, high, T-1), Temp(X, high, T+2).")
    assert (found.first, found.last, found.slowest, found.memory) == (-1, 2, 3, 0)
    # A fact of the last tick may come 3 late; what mattered to the first tick must be known for good.
    assert found.reach == 2 + 3 + 3 + 1 + 1


def test_its_leaves_and_families() -> None:
    found = form("P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).")
    assert [(leaf.chain, leaf.state, leaf.at) for leaf in found.leaves.values()] == [(0, 1, 0), (1, 1, 1)]
    assert [family.places for family in found.families] == [(0,), (0,)]


def test_lost_facts_matter_for_longer() -> None:
    found = form("chance Temp(_, high, _) = 5%, again 55%. P(X, T) :- Temp(X, high, T).", " (60%, 30%)")
    assert found.memory == 40
    assert found.reach == 3 + 3 + 1 + 40


def test_the_background_it_asks_for() -> None:
    found = form("P(X, T) :- Temp(X, high, T), Site(X, b), T > 3.")
    conditions = found.formula.conditions
    assert [each.predicate for each in conditions if isinstance(each, StaticAtom)] == ["Site"]


def test_a_query_without_chances_says_why() -> None:
    text = f"{INPUTS.format('')} P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T. query P(X, T)."
    assert forms(plan_of(text))["P"] == "nothing bounds it in time"
