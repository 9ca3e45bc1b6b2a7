"""antelog/forecast/judges/looks.py: the values that a query compares, found in its rules."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from antelog.forecast.judges.looks import Look, looks_of
from antelog.forecast.judges.values_judge import LEAVES, ROUNDS, fitted
from tests.forecast.making import plan_of

READING = "input Reading(device: text, kind: text, value: number, time) delay 1.\n"


def looks(rules: str) -> tuple[Look, ...]:
    return looks_of(plan_of(READING + rules + "query P(X, T)."), "P")


def test_a_comparison_is_found_through_an_auxiliary_predicate() -> None:
    found = looks(
        """High(X, T) :- Reading(X, warm, V, T), V >= 90.
        P(X, T) :- High(X, T), High(X, T+1).
        """
    )
    assert found == (Look("Reading", ((1, "warm"),), ((0, 0),), 2, ">=", 90.0),)


def test_a_query_without_comparisons_has_no_looks() -> None:
    assert looks("P(X, T) :- Reading(X, warm, 3, T), not Reading(X, cold, _, T+1).\n") == ()


def test_negated_atoms_and_other_constants_are_looked_at_apart() -> None:
    found = looks(
        """Cold(X, T) :- Reading(X, cold, V, T), V < 5.
        P(X, T) :- Reading(X, warm, V, T), V > 90, not Cold(X, T+1).
        """
    )
    assert [(each.constants, each.operator, each.threshold) for each in found] == [
        (((1, "warm"),), ">", 90.0),
        (((1, "cold"),), "<", 5.0),
    ]


def test_one_column_has_one_look() -> None:
    """The trees find other thresholds themselves."""
    found = looks("P(X, T) :- Reading(X, _, V, T), V > 90, Reading(X, _, W, T+1), W < 80.\n")
    assert [each.threshold for each in found] == [90.0]


@pytest.mark.parametrize(
    ("condition", "operator", "threshold"),
    [
        ("90 <= V", ">=", 90.0),
        ("V + 10 > 90", ">", 80.0),
        ("V > W, Reading(X, b, W, T+1)", ">", 0.0),
        ("abs(V) > 3", ">", 0.0),
    ],
)
def test_the_threshold_is_a_number_or_else_0(condition: str, operator: str, threshold: float) -> None:
    found = looks(f"P(X, T) :- Reading(X, a, V, T), {condition}.\n")
    assert (found[0].operator, found[0].threshold) == (operator, threshold)


def test_texts_that_are_compared_are_no_values() -> None:
    assert looks("P(X, T) :- Reading(X, K, _, T), K > a.\n") == ()


def test_a_value_that_the_answer_has_is_looked_at_too() -> None:
    rules = READING + "P(X, V, T) :- Reading(X, a, V, T), V > 9, not Reading(X, b, V, T+1). query P(X, V, T)."
    (look, *_) = looks_of(plan_of(rules), "P")
    assert (look.key, look.column, look.threshold) == (((0, 0),), 2, 9.0)


def test_aggregates_are_looked_into() -> None:
    found = looks("P(X, T) :- Reading(X, _, _, T), avg(V : Reading(X, a, V, T-2..T+2)) > 70.\n")
    assert [(each.column, each.operator, each.threshold) for each in found] == [(2, ">", 70.0)]
    found = looks("P(X, T) :- Reading(X, _, _, T), count(Reading(X, a, V, T..T+9), V > 8) >= 3.\n")
    assert [(each.column, each.operator, each.threshold) for each in found] == [(2, ">", 8.0)]


def test_a_key_that_the_answer_does_not_have_is_open() -> None:
    rules = READING + "High(T) :- Reading(X, a, V, T), V > 9. P(T) :- High(T), High(T+1). query P(T)."
    (look,) = looks_of(plan_of(rules), "P")
    assert look.key == ()


def test_inputs_that_the_query_names_are_looked_at() -> None:
    plan = plan_of(
        READING + "input Load(place: text, device: text, l: number, t) delay 1.\n"
        "P(X, T) :- Reading(X, warm, V, T), V >= 90.\n"
        "query P(X, T) given Load(hall, X, L, T), Reading(X, _, V, T), Reading(X, warm, V, T)."
    )
    assert looks_of(plan, "P") == (
        Look("Reading", ((1, "warm"),), ((0, 0),), 2, ">=", 90.0),
        Look("Load", ((0, "hall"),), ((1, 0),), 2, ">=", 0.0),
        Look("Reading", (), ((0, 0),), 2, ">=", 0.0),
    )


RANDOM = np.random.default_rng(1)
FEATURES = RANDOM.normal(size=(400, 5)).astype(np.float32)
OUTCOME = RANDOM.random(400) < 1 / (1 + np.exp(-2 * FEATURES[:, 1]))


def test_the_sums_are_the_log_odds_of_scikit_learn() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - an extra, and slow to import

    models: list[HistGradientBoostingClassifier] = []
    fit = HistGradientBoostingClassifier.fit

    def kept(model: HistGradientBoostingClassifier, *given: object) -> HistGradientBoostingClassifier:
        models.append(model)
        return fit(model, *given)

    with patch.object(HistGradientBoostingClassifier, "fit", kept):
        trees = fitted(FEATURES, OUTCOME)
    assert np.allclose(trees.sums(FEATURES), models[0].decision_function(FEATURES))
    assert len(trees.roots) == ROUNDS + 1
    assert len(trees.tree) <= ROUNDS * (2 * LEAVES - 1) + 1


def test_the_same_rows_give_the_same_trees() -> None:
    one, other = fitted(FEATURES, OUTCOME), fitted(FEATURES, OUTCOME)
    assert one.threshold.tolist() == other.threshold.tolist()
    assert one.value.tolist() == other.value.tolist()


@pytest.mark.parametrize(("outcome", "chance"), [(True, 20.5 / 21), (False, 0.5 / 21)])
def test_of_one_outcome_alone_little_is_known(outcome: bool, chance: float) -> None:
    trees = fitted(FEATURES[:20], np.full(20, outcome))
    assert 1 / (1 + np.exp(-trees.sums(FEATURES[:1])[0])) == pytest.approx(chance)
