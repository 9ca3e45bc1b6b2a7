"""antelog/forecast/judges/values_judge.py: trees that are fitted to settled lines, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pytest

from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.columns.trees import Features
from antelog.forecast.judges import values_judge as judging
from antelog.forecast.judges.judge import AnswerRows, SettledLines, no_lines
from antelog.forecast.judges.values_judge import BLOCK, LEAST, LEAVES, MOST, ROUNDS, ValuesJudge, fitted
from antelog.forecast.model_file import packed, unpacked
from antelog.forecast.rates.tally import Learns

TICKS, WIDTH = 400, 17


def test_trees_are_used_from_the_block_after_the_next() -> None:
    lines = stream(1)
    judge = after(ValuesJudge(no_lines(WIDTH)), lines, range(TICKS))
    enough = int(np.sort(lines.settled)[LEAST - 1])
    first = (enough // BLOCK + 2) * BLOCK
    assert judge.fits[0].first == first
    known = ~np.isnan(judge.predict(rows(lines.features[:2], np.array([first - 1, first]))))
    assert known.tolist() == [[False], [True]]


@pytest.mark.parametrize("size", [1, 7, 50, 399])
def test_cuts_do_not_matter(size: int) -> None:
    """Nor does the order of lines, nor that it is saved in between."""
    lines = stream(2)
    expected = predictions(lines, [range(TICKS)])
    steps = [range(first, min(first + size, TICKS)) for first in range(0, TICKS, size)]
    assert np.array_equal(predictions(lines, steps), expected, equal_nan=True)
    assert (~np.isnan(expected)).mean() > 0.5
    order = np.random.default_rng(0).permutation(lines.count)
    shuffled = predictions(lines.take(order), steps)
    assert np.array_equal(shuffled, expected[order], equal_nan=True)


def test_lines_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST", 100)
    monkeypatch.setattr(judging, "_SOME", 10)
    monkeypatch.setattr(judging, "PAUSE", 60)
    lines = stream(4)
    whole = predictions(lines, [range(TICKS)])
    steps = [range(first, first + 5) for first in range(0, TICKS, 5)]
    assert np.array_equal(predictions(lines, steps), whole, equal_nan=True)
    judge = learned(lines, steps)
    assert judge.at_tick(TICKS).kept.count == 100
    assert judge.count == lines.count > judge.fitted > 100


def test_a_model_has_trees_of_all_lines_and_uses_them_at_once() -> None:
    lines = stream(5)
    judge = learned(lines, [range(TICKS)])
    begun = judge.at_tick(TICKS - 1)
    some = rows(lines.features[:5], np.zeros(5, np.int64))
    expected = fitted(judge.kept.features, judge.kept.confirmed).sums(some.features)
    assert begun.predict(some)[:, 0].tolist() == pytest.approx((1 / (1 + np.exp(-expected))).tolist())
    assert begun.kept.count == min(judge.kept.count, MOST)
    assert begun.kept.settled.max() < 0
    assert np.isnan(ValuesJudge(no_lines(WIDTH)).at_tick(9).predict(some)).all()


def test_judges_of_workers_together_are_the_judge_of_all() -> None:
    lines = stream(6)
    whole = learned(lines, [range(TICKS)]).at_tick(TICKS)
    parts = [learned(lines.take(np.arange(lines.count) % 3 == part), [range(TICKS)]) for part in range(3)]
    one, *others = (each.at_tick(TICKS) for each in parts)
    some = rows(lines.features, lines.tick)
    assert one.merged(others).predict(some).tolist() == whole.predict(some).tolist()
    worker = whole.part(lambda cells: cells >= 0)
    assert (worker.kept.count, worker.rows) == (0, 1)
    assert worker.predict(some).tolist() == whole.predict(some).tolist()


def test_without_scikit_learn_nothing_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = stream(5)
    judge = learned(lines, [range(TICKS)]).at_tick(TICKS)
    monkeypatch.setattr(judging, "can_fit", lambda: False)
    assert learned(lines, [range(TICKS)]).rows == 0
    assert not np.isnan(judge.predict(rows(lines.features[:5], np.zeros(5, np.int64)))).any()
    kept = judge.at_tick(3).fits[0].made
    assert kept is judge.fits[0].made


def stream(seed: int) -> SettledLines:
    """Two lines for each of many answers, which come true where a feature is high, mostly."""
    random = np.random.default_rng(seed)
    count = 2 * TICKS
    first = np.arange(count) // 2
    tick = np.repeat(first, 2)
    tick = tick + np.arange(len(tick)) % 2
    features = random.normal(size=(len(tick), WIDTH)).astype(np.float32)
    features[1::2] = features[::2]
    confirmed = np.repeat((features[::2, 5] > 0) ^ (random.random(count) < 0.05), 2)
    settled = np.repeat(np.minimum(first + 2, TICKS - 1), 2)
    return SettledLines(settled, tick, features, confirmed).take(tick < TICKS - 3)


def rows(features: Features, tick: Column) -> AnswerRows:
    zero = np.zeros_like(tick)
    return AnswerRows((zero,), (), zero, tick, zero == 0, Learns.ALL, zero, features)


def learned(lines: SettledLines, steps: Sequence[range]) -> ValuesJudge:
    judge = ValuesJudge(no_lines(WIDTH))
    for step in steps:
        judge = after(judge, lines, step).settled(step[-1])
    return judge


def predictions(lines: SettledLines, steps: Sequence[range]) -> Numbers:
    judge, chance = ValuesJudge(no_lines(WIDTH)), np.full(lines.count, np.nan)
    for step in steps:
        judge = after(judge, lines, step)
        here = within(lines.tick, step)
        chance[here] = judge.predict(rows(lines.features[here], lines.tick[here]))[:, 0]
        judge = judge.settled(step[-1])
        if len(step) > 1:
            judge = unpacked(*packed(judge))
    return chance


def after(judge: ValuesJudge, lines: SettledLines, step: range) -> ValuesJudge:
    return judge.learn_lines(lines.take(within(lines.settled, step)), step[-1])


def within(ticks: Column, step: range) -> Column:
    return np.flatnonzero((ticks >= step[0]) & (ticks <= step[-1]))


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
