"""antelog/forecast/inference/forms.py: which facts have to be seen, and for how long."""

from __future__ import annotations

from antelog.forecast.inference.forms import is_lossy, key_of, layout
from antelog.forecast.rates.tally import EPOCH
from tests.forecast.making import plan_of

TEXT = """
input Temp(x: text, level: text, time) delay {delay}.
input Ping(x: text, time).
{more}
Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Malf(X, T) :- Temp(X, high, T), not Ping(X, T+1).
query Hot(X, T). query Malf(X, T).
"""


def test_families_of_all_queries_each_once() -> None:
    found = layout(plan_of(TEXT.format(delay=2, more="")))
    assert [family.predicate for family in found.families] == ["Temp", "Ping"]
    assert found.slowest == 2
    assert found.reach(EPOCH) == 2 * EPOCH + 2  # counting an epoch asks for more than any query


def test_slow_facts_are_counted_later() -> None:
    assert layout(plan_of(TEXT.format(delay=2, more=""))).lag(EPOCH) == 2
    assert layout(plan_of(TEXT.format(delay=EPOCH, more=""))).lag(EPOCH) == 2
    slow = layout(plan_of(TEXT.format(delay=EPOCH + 1, more="")))
    assert slow.lag(EPOCH) == 3
    assert slow.lag(1) == EPOCH + 2


def test_a_query_without_a_form_asks_for_nothing() -> None:
    found = layout(plan_of("input A(x: text, time). P(X, T) :- A(X, T), A(X, U), U > T. query P(X, T)."))
    assert (found.families, found.slowest) == ((), 0)


def test_where_facts_may_be_lost() -> None:
    plain = plan_of(TEXT.format(delay=2, more=""))
    declared = plan_of(TEXT.format(delay="1 (60%, 30%)", more="chance Temp(_, high, _) = 5%."))
    assert [is_lossy(plan, "Malf") for plan in (plain, declared)] == [False, True]


def test_keys() -> None:
    plan = plan_of(TEXT.format(delay=2, more=""))
    assert key_of(plan, plan.relation("Malf")) == (0,)
    pairs = plan_of("input A(x: text, y: text, time). P(Y, X, T) :- A(X, Y, T). query P(Y, X, T).")
    assert key_of(pairs, pairs.relation("P")) == ((pairs.key["P"],) if pairs.key else (0, 1))
