"""antelog/forecast/values/fitting.py: trees by gradient boosting, taken out of scikit-learn's model."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from antelog.forecast.values.fitting import LEAVES, ROUNDS, can_fit, fitted

RANDOM = np.random.default_rng(1)
FEATURES = RANDOM.normal(size=(400, 5)).astype(np.float32)
OUTCOME = RANDOM.random(400) < 1 / (1 + np.exp(-2 * FEATURES[:, 1]))


def test_the_sums_are_the_log_odds_of_scikit_learn() -> None:
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


def test_features_that_never_change_are_no_harm() -> None:
    trees = fitted(np.zeros((60, 3), np.float32), np.arange(60) % 3 == 0)
    assert 1 / (1 + np.exp(-trees.sums(np.zeros((1, 3), np.float32))[0])) == pytest.approx(1 / 3, abs=0.02)


def test_it_is_known_whether_scikit_learn_is_there() -> None:
    assert can_fit()
