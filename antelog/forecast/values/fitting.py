"""Fits trees to rows of features and outcomes, by gradient boosting. Only this needs scikit-learn.

    features of 400 lines, whether each answer was confirmed    20 trees of four leaves

The trees are taken out of scikit-learn's model, so they are applied without it.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import numpy as np

from antelog.engine.columns.tables import Mask, Numbers
from antelog.engine.columns.trees import Features, Trees

ROUNDS, RATE, LEAVES = 20, 0.2, 4
"""How many trees there are, how much of each counts, and how many leaves it has."""

_LEAST = 20
"""So many rows come to a leaf at least."""

_RIDGE, _BINS = 5.0, 64


@cache
def can_fit() -> bool:
    """Whether scikit-learn is there."""
    return find_spec("sklearn") is not None


def fitted(features: Features, outcome: Mask) -> Trees:
    """Trees whose sums are the log odds of outcomes. The same rows in the same order give the same trees."""
    right = int(outcome.sum())
    if right in (0, len(outcome)):
        return _leaf(np.log((right + 0.5) / (len(outcome) - right + 0.5)))
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - an extra, and slow to import
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with it

    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=_LEAST,
        l2_regularization=_RIDGE,
        max_bins=_BINS,
        early_stopping=False,
        random_state=0,
    )
    # Several threads would wait for each other most of the time where the machine is busy.
    with threadpool_limits(1):
        model.fit(features, outcome)
    return _trees(model)


def _leaf(value: float) -> Trees:
    nothing = np.zeros(1, np.int64)
    return Trees(nothing, nothing, np.zeros(1), nothing, nothing, np.array([float(value)]))


def _trees(model: object) -> Trees:
    """The trees of a model, the first one being what it begins with."""
    start = _leaf(float(model._baseline_prediction.ravel()[0]))  # type: ignore[attr-defined]  # it shows its trees nowhere else
    nodes = [each.nodes for (each,) in model._predictors]  # type: ignore[attr-defined]
    sizes = np.array([1, *map(len, nodes)])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)[1:]
    every = np.concatenate(nodes)
    leaf, itself = every["is_leaf"] > 0, np.arange(1, len(every) + 1)
    sides = (np.where(leaf, itself, every[side].astype(np.int64) + first) for side in ("left", "right"))
    left, right = sides
    threshold: Numbers = np.where(leaf, 0.0, every["num_threshold"])
    return Trees(
        np.repeat(np.arange(len(sizes)), sizes),
        np.append(0, np.where(leaf, 0, every["feature_idx"].astype(np.int64))),
        np.append(0.0, threshold),
        np.append(start.left, left),
        np.append(start.right, right),
        np.append(start.value, every["value"]),
    )
