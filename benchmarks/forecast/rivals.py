"""What chances are compared with: the base rate, and learners that are given what antelog looks at.

    base                of the lines whose answers were decided before, the share that was confirmed
    boosting, logistic  trees, and logistic regression, fitted to those lines
    + clock             the same with the hour and the weekday, where ticks have a length

They are fitted anew whenever the decided lines grew by 40 %, and at each tenth of the way, to the newest
20,000. In come the lines of a stream, out go columns of chances; nobody looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from antelog.engine.columns.tables import Column
from antelog.engine.step.lines import LITERALS, NO_STAGE, PATTERN, pattern_of
from benchmarks.forecast.telling import Numbers

TENTHS = 10
FEWEST, GROWN, NEWEST = 20, 1.4, 20_000
"""The fewest decided lines to fit, by how much they grow until the next time, and the most that are used."""

MOST = 8
"""So many literals of a pattern are looked at."""


def base_rate(lines: pl.DataFrame, of_key: bool = False) -> Numbers:
    """For each line the share of those decided before its tick that were confirmed; a half of none."""
    tick, decided = lines["tick"].to_numpy(), lines["decided"].to_numpy()
    key = np.zeros_like(tick)
    if of_key:
        key = lines["key"].rank("dense").cast(pl.Int64).to_numpy()
    first = min(tick.min(initial=0), decided.min(initial=0))
    span = max(tick.max(initial=0), decided.max(initial=0)) - first + 1
    ends = key * span + decided - first
    order = ends.argsort(kind="stable")
    start, end = (np.searchsorted(ends, key * span + at, "left", order) for at in (0, tick - first))
    good = np.append(0, np.cumsum(lines["confirmed"].to_numpy().take(order)))
    rate: Numbers = (good.take(end) - good.take(start) + 0.5) / (end - start + 1)
    return rate


def boosting(lines: pl.DataFrame, last: int, *, clock: bool = False) -> Numbers:
    """The chances by gradient boosting; before there is anything to fit, the base rate."""
    # Its own requirements: see requirements.txt.
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415

    return _fitted(lines, last, lambda: HistGradientBoostingClassifier(random_state=0), clock)


def logistic(lines: pl.DataFrame, last: int, *, clock: bool = False) -> Numbers:
    """The chances by logistic regression, of features of mean 0 and deviation 1."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    return _fitted(
        lines, last, lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)), clock
    )


def _fitted(lines: pl.DataFrame, last: int, classifier: Callable[[], Any], clock: bool) -> Numbers:
    """The chances by a classifier, fitted anew now and then to the lines decided so far."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    found = base_rate(lines)
    features, confirmed = _features(lines, clock), lines["confirmed"].to_numpy()
    tick, decided = lines["tick"].to_numpy(), lines["decided"].to_numpy()
    order = decided.argsort(kind="stable")
    moments = [*_moments(int(tick.min(initial=0)), last, decided.take(order)), last + 1]
    for now, until in pairwise(moments):
        known = order[: np.searchsorted(decided, now, "left", order)][-NEWEST:]
        ahead = np.flatnonzero((tick >= now) & (tick < until))
        if len(ahead) == 0 or len(np.unique(confirmed[known])) < 2:
            continue
        fitted = classifier()
        # Several threads wait for each other most of the time where the machine is busy.
        with threadpool_limits(1):
            fitted.fit(features[known], confirmed[known])
        found[ahead] = fitted.predict_proba(features[ahead])[:, 1]
    return found


def _moments(first: int, last: int, decided: Column) -> Iterator[int]:
    """The ticks at which to fit, given the ticks at which lines were decided, in order."""
    tenth, now, known = max((last + 1 - first) // TENTHS, 1), first, 0
    while True:
        enough = max(FEWEST, int(known * GROWN) + 1)
        # What was decided at a tick is known at the next.
        grown = int(decided[enough - 1]) + 1 if enough <= len(decided) else last + 1
        now = min(grown, now + tenth) if known else grown
        if now > last:
            return
        known = int(np.searchsorted(decided, now, "left"))
        yield now


def _features(lines: pl.DataFrame, clock: bool) -> Numbers:
    """What antelog looks at: literals, ages, silence, the latest values, the key's history; and the clock."""
    known = lines["stage"].to_numpy()
    stage = np.where(known == NO_STAGE, 0, known)
    bits = [stage >> bit & 1 for bit in range(MOST)]
    reached = stage >> LITERALS & ((1 << PATTERN - LITERALS) - 1)
    silent = pl.col("tick") - pl.col("tick").shift(1).over("answer")
    since = lines.select(silent.fill_null(-1)).to_series().to_numpy()
    columns = [reached, pattern_of(known), lines["age"].to_numpy(), since]
    if lines["key"].n_unique() > 1:
        columns.append(base_rate(lines, of_key=True))
    if clock:
        hour, day = (lines[name].to_numpy() for name in ("hour", "weekday"))
        turns = [2 * np.pi * each * hour / 24 for each in (1, 2, 3)]
        columns += [hour, *map(np.sin, turns), *map(np.cos, turns), *(day == each for each in range(7))]
    return np.column_stack([*bits, *columns, lines["looks"].to_numpy()]).astype(np.float64)
