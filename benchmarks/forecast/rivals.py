"""What chances are compared with: the base rate, and gradient boosting of the same features.

    base      of the lines whose answers were decided before, the share that was confirmed
    boosting  trees fitted to those lines, anew at each tenth of the way
    logistic  logistic regression of the same features, fitted likewise

In come the lines of a stream, out go columns of chances; nobody looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from antelog.engine.step.lines import pattern_of

Numbers = NDArray[np.float64]

TENTHS = 10
LITERALS = 8
"""So many literals of a pattern are looked at."""


def base_rate(lines: pl.DataFrame) -> Numbers:
    """For each line the share of those decided before its tick that were confirmed; a half of none."""
    decided, confirmed = _decided(lines)
    before = np.searchsorted(decided, lines["tick"].to_numpy(), "left")
    good = np.append(0, np.cumsum(confirmed)).take(before)
    rate: Numbers = (good + 0.5) / (before + 1)
    return rate


def boosting(lines: pl.DataFrame, last: int) -> Numbers:
    """The chances by gradient boosting; before there is anything to fit, the base rate."""
    # Its own requirements: see requirements.txt.
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415

    return _fitted(lines, last, lambda: HistGradientBoostingClassifier(random_state=0))


def logistic(lines: pl.DataFrame, last: int) -> Numbers:
    """The chances by logistic regression, of features of mean 0 and deviation 1."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    return _fitted(lines, last, lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)))


def _fitted(lines: pl.DataFrame, last: int, classifier: Callable[[], Any]) -> Numbers:
    """The chances by a classifier, fitted anew at each tenth of the way to the lines decided so far."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    found = base_rate(lines)
    features, confirmed = _features(lines), lines["confirmed"].to_numpy()
    tick, decided = lines["tick"].to_numpy(), lines["decided"].to_numpy()
    for tenth in range(1, TENTHS):
        now = tenth * (last + 1) // TENTHS
        known = np.flatnonzero(decided < now)
        ahead = np.flatnonzero((tick >= now) & (tick < (tenth + 1) * (last + 1) // TENTHS))
        if len(ahead) == 0 or len(np.unique(confirmed[known])) < 2:
            continue
        fitted = classifier()
        # Several threads wait for each other most of the time where the machine is busy.
        with threadpool_limits(1):
            fitted.fit(features[known], confirmed[known])
        found[ahead] = fitted.predict_proba(features[ahead])[:, 1]
    return found


def _features(lines: pl.DataFrame) -> Numbers:
    """Which literals are true, how old an answer is, how long it was silent, and its key's history."""
    stage = lines["stage"].to_numpy()
    bits = [stage >> bit & 1 for bit in range(LITERALS)]
    silent = pl.col("tick") - pl.col("tick").shift(1).over("answer")
    since = lines.select(silent.fill_null(-1)).to_series().to_numpy()
    columns = [pattern_of(stage), lines["age"].to_numpy(), since]
    if lines["key"].n_unique() > 1:
        columns.append(_history(lines))
    return np.stack([*bits, *columns], axis=1).astype(np.float64)


def _history(lines: pl.DataFrame) -> Numbers:
    """For each line the share of its key's lines, decided before, that were confirmed."""
    rate = np.full(lines.height, 0.5)
    for at in lines.with_row_index("row").group_by("key").agg("row")["row"]:
        rate[at.to_numpy()] = base_rate(lines[at.to_numpy()])
    return rate


def _decided(lines: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """When lines were decided, in order, and how."""
    order = lines["decided"].to_numpy().argsort(kind="stable")
    return lines["decided"].to_numpy().take(order), lines["confirmed"].to_numpy().take(order)
