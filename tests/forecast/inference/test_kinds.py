"""antelog/forecast/inference/kinds.py: which values declarations name, and of which facts."""

from __future__ import annotations

import pytest

from antelog.compile.literals.aggregate import Aggregation
from antelog.forecast.inference.kinds import kinds_of, rises
from tests.forecast.making import plan_of

SALE = "input Sale(shop: text, amount: number, kind: text, time) one per shop."


def kinds(declared: str, aggregate: str = "sum(V : Sale(X, V, _, T..T+1))") -> list[str] | None:
    """The kinds of facts as values and atoms; with `+` if their sum rises."""
    plan = plan_of(f"{SALE} {declared} P(X, T) :- Sale(X, _, _, T), {aggregate} > 3. query P(X, T).")
    (literal,) = plan.relation("P").patterns[0].asked
    assert isinstance(literal, Aggregation)
    found = kinds_of(literal.left, plan.inputs[0])
    sign = "+" if rises(literal.left) else ""
    return None if found is None else [f"{sign}{each.value}: {each.inside.arguments[1:]}" for each in found]


def test_each_value_that_is_declared() -> None:
    found = kinds(
        "chance Sale(_, 5, _, _) = 20%. chance Sale(_, 2.5, _, _) = 20%. chance Sale(a, 5, _, _) = 1%."
    )
    assert found == ["5: (Const(value=5), None)", "5/2: (Const(value=2.5), None)"]


def test_conditions_choose() -> None:
    declared = "chance Sale(_, 5, _, _) = 20%. chance Sale(_, -2, _, _) = 20%."
    found = kinds(declared, "sum(V : Sale(X, V, _, T..T+1), V >= 0)")
    assert found == ["+5: (Const(value=5), None)"]


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "chance Sale(_, _, _, _) = 20%.",
        "chance Sale(_, 5, _, _) = 20%. chance Sale(_, _, fish, _) = 20%.",
        "chance Sale(_, 9.99, _, _) = 20%.",
        "chance Sale(_, 5, _, _) = 20%. delay Sale(a, _, _, _) = 2.",
    ],
)
def test_where_values_are_not_known(declared: str) -> None:
    assert kinds(declared) is None
