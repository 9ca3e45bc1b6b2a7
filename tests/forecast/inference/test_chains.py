"""antelog/forecast/inference/forms.py: which series of a formula are one chain, and which have their own."""

from __future__ import annotations

import pytest

from antelog.forecast.inference.forms import QueryForm, forms, layout
from antelog.forecast.inference.nodes import UnknownChanceError
from antelog.forecast.rates.tally import EPOCH
from tests.forecast.making import chains, plan_of

SLOT = "input Temp(x: text, level: text, time) one per x. {} P(X, T) :- {}. query P(X, T)."


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Temp(X, _, T), Temp(X, high, T+1)", "one fact may stand for two"),
        ("Temp(Y, X, T)", "any fact of several slots"),
        (", ".join(f"Temp(X, l{i}, T+{i})" for i in range(8)), "too many kinds"),
    ],
)
def test_where_facts_hang_together_in_another_way(body: str, why: str) -> None:
    with pytest.raises(UnknownChanceError, match=why):
        chains(SLOT.format("", body))


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


TEXT = """
input Temp(x: text, level: text, time) delay {delay}.
input Ping(x: text, time).
{more}
Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Malf(X, T) :- Temp(X, high, T), not Ping(X, T+1).
query Hot(X, T). query Malf(X, T).
"""


def test_slow_facts_are_counted_later() -> None:
    assert layout(plan_of(TEXT.format(delay=2, more=""))).lag(EPOCH) == 2
    assert layout(plan_of(TEXT.format(delay=EPOCH, more=""))).lag(EPOCH) == 2
    slow = layout(plan_of(TEXT.format(delay=EPOCH + 1, more="")))
    assert slow.lag(EPOCH) == 3
    assert slow.lag(1) == EPOCH + 2
