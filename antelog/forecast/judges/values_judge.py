"""The judge of values: trees over how near the latest values are to the thresholds of the query.

Trees are fitted, in a thread, to the lines settled before the end of a block of ticks, and used from the
start of the block after the next; a step that needs them waits. So chances do not depend on how a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers, marked
from antelog.engine.columns.trees import Features, Trees
from antelog.forecast.columns import VALUES
from antelog.forecast.judges.judge import AnswerRows, Judge, SettledLines, no_lines
from antelog.forecast.judges.looks import QueryFeatures

BLOCK = 20  # the ticks of a block
LEAST = 40  # the lines from which on the judge says something
MOST = 5_000  # the newest lines that are kept: more would hardly make better trees, and take longer
GROWTH = 2.5  # trees are fitted anew once there are this many times the lines of the last fit
PAUSE = 1_000  # once there are `MOST` lines, trees are fitted anew after as many new ones and this many ticks
WEIGHT = 16.0  # the weight of the judge before anything is known of it
ALWAYS = -(2**62)  # the first tick of trees that are used from the start
_SOME = 1024


@dataclass(frozen=True, eq=False)
class Fit:
    """Trees that are used from a tick on, or are still being fitted."""

    first: int
    trees: Trees | Future[Trees]

    @property
    def made(self) -> Trees:
        return self.trees.result() if isinstance(self.trees, Future) else self.trees


@dataclass(frozen=True, eq=False)
class ValuesJudge(Judge):
    """The judge of a query that compares values."""

    kept: SettledLines  # what it learns from
    fits: tuple[Fit, ...] = ()
    count: int = 0  # of all lines so far
    fitted: int = 0  # how many of these the last fit was to
    block: int = BLOCK

    @property
    def columns(self) -> Mapping[str, float]:
        return {VALUES: WEIGHT}

    @property
    def rows(self) -> int:
        return self.kept.count + len(self.fits)

    def predict(self, rows: AnswerRows) -> Numbers:
        """The chance of each row, by the trees in use at its tick; NaN before there are any."""
        chance = np.full((len(rows.tick), 1), np.nan)
        ends = [each.first for each in self.fits[1:]]
        which = np.searchsorted(ends, rows.tick, "right") if ends else np.zeros_like(rows.tick)
        for number, fit in enumerate(self.fits):
            at = marked((which == number) & (rows.tick >= fit.first))
            if len(at):
                odds = fit.made.sums(rows.features.take(at, axis=0))
                chance[at, 0] = 1 / (1 + np.exp(-odds))
        return chance

    def learn_lines(self, lines: SettledLines, now: int) -> ValuesJudge:
        if not can_fit():
            return self
        after = self
        if lines.count:
            # Those of earlier steps were settled before.
            kept = self.kept.and_then(lines.in_order())
            after = replace(self, kept=kept, count=self.count + lines.count)
        # Fits begin at the ends of blocks, as soon as enough lines are new.
        fits, last, earlier = list(after.fits), after.fitted, after.count - after.kept.count
        # So many lines there have to be for another fit.
        while (enough := max(LEAST, int(min(last * GROWTH, last + MOST)))) <= after.count:
            row = enough - 1 - earlier
            # Lines that are dropped were settled before the pause was over.
            settled = int(after.kept.settled[row]) if row >= 0 else -1
            if fits and last >= MOST:
                settled = max(settled, fits[-1].first - self.block + PAUSE - 1)
            # A block ends after the tick at which enough were settled.
            end = (settled // self.block + 1) * self.block
            if end > now + 1:
                break
            here = int(np.searchsorted(after.kept.settled, end))
            fits.append(Fit(end + self.block, _fit(after.kept.between(max(here - MOST, 0), here))))
            last = here + earlier
        return replace(after, fits=tuple(fits), fitted=last)

    def settled(self, now: int) -> ValuesJudge:
        """Drops what no tick after `now` needs."""
        past = sum(each.first <= now + 1 for each in self.fits)
        kept = self.kept.newest(MOST) if self.kept.count > MOST + _SOME else self.kept
        return replace(self, kept=kept, fits=self.fits[max(past - 1, 0) :])

    def at_tick(self, tick: int) -> ValuesJudge:
        """The judge as another run begins with it after `tick`: trees fitted to all lines, used at once."""
        kept, past = self.kept.newest(MOST), tick + 1
        return replace(self, kept=replace(kept, settled=kept.settled - past, tick=kept.tick - past))._begun()

    def _begun(self) -> ValuesJudge:
        count = self.kept.count
        trees = self.fits[-1].made if self.fits else None
        if count >= LEAST and can_fit():
            trees = _fit(self.kept).result()
        fits = () if trees is None else (Fit(ALWAYS, trees),)
        return replace(self, fits=fits, count=count, fitted=count if fits else 0)

    def merged(self, others: Sequence[ValuesJudge]) -> ValuesJudge:
        """Merges the judges of several workers: trees are fitted to the newest lines of all."""
        largest, *rest = sorted((self, *others), key=lambda each: each.rows, reverse=True)
        kept = largest.kept.and_then(*(each.kept for each in rest)).in_order()
        return replace(largest, kept=kept.newest(MOST))._begun()

    def part(self, _mine: Callable[[Column], Mask]) -> ValuesJudge:
        """The judge of a worker: it has the trees that all keys share, and learns nothing itself."""
        return replace(self, kept=self.kept.between(0, 0), count=0, fitted=0)


def _fit(lines: SettledLines) -> Future[Trees]:
    return _pool().submit(fitted, lines.features, lines.confirmed)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "antelog-values")


def nothing_fitted(_keys: int, _half_life: float | None, features: QueryFeatures) -> ValuesJudge | None:
    """Makes the judge before the first line; None where a query compares no values."""
    return ValuesJudge(no_lines(features.width)) if features.looks else None


# ---- fitting, by gradient boosting: only this needs scikit-learn ----

# The trees are taken out of scikit-learn's model, so they are applied without it.


ROUNDS, RATE, LEAVES = 20, 0.2, 4  # the number of trees, how much of each counts, and the leaves of each


@cache
def can_fit() -> bool:
    return find_spec("sklearn") is not None


def fitted(features: Features, outcome: Mask) -> Trees:
    """Fits trees whose sums are log odds of outcomes; the same rows in the same order give the same trees."""
    right = int(outcome.sum())
    if right in (0, len(outcome)):
        return _leaf(np.log((right + 0.5) / (len(outcome) - right + 0.5)))
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - an extra, and slow to import
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with it

    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=20,
        l2_regularization=5.0,
        max_bins=64,
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
    """The trees of a model, taken out of scikit-learn; the first one is the value it begins with."""
    start = _leaf(float(model._baseline_prediction.ravel()[0]))  # type: ignore[attr-defined]  # it shows its trees nowhere else
    nodes = [each.nodes for (each,) in model._predictors]  # type: ignore[attr-defined]
    sizes = np.array([1, *map(len, nodes)])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)[1:]
    every = np.concatenate(nodes)
    leaf, itself = every["is_leaf"] > 0, np.arange(1, len(every) + 1)
    left, right = (np.where(leaf, itself, every[side].astype(np.int64) + first) for side in ("left", "right"))
    threshold: Numbers = np.where(leaf, 0.0, every["num_threshold"])
    return Trees(
        np.repeat(np.arange(len(sizes)), sizes),
        np.append(0, np.where(leaf, 0, every["feature_idx"].astype(np.int64))),
        np.append(0.0, threshold),
        np.append(start.left, left),
        np.append(start.right, right),
        np.append(start.value, every["value"]),
    )
