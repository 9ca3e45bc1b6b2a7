"""antelog/forecast/judges/linear.py: a regression that is fitted anew as lines are settled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from antelog.engine.columns.tables import Column, Numbers
from antelog.forecast.judges import linear
from antelog.forecast.judges.judge import AnswerRows, Features, SettledLines, no_lines
from antelog.forecast.judges.linear import LEAST, LinearJudge, Recalibration, fitted, nothing_recalibrated
from antelog.forecast.model_file import packed, unpacked
from antelog.forecast.rates.learning import Learns

TICKS, WIDTH = 400, 7
NOTHING, FADING = LinearJudge(no_lines(WIDTH), None), LinearJudge(no_lines(WIDTH), 90.0)


def test_a_fit_is_used_from_the_tick_after_that_of_its_last_line() -> None:
    lines = stream(1)
    judge = after(NOTHING, lines, range(TICKS))
    first = int(np.sort(lines.settled)[LEAST - 1]) + 1
    assert judge.fits[0].first == first
    known = ~np.isnan(judge.predict(rows(lines.features[:2], np.array([first - 1, first]))))
    assert known.tolist() == [[False], [True]]


@pytest.mark.parametrize("nothing", [NOTHING, FADING, nothing_recalibrated(1, 9.0)])
@pytest.mark.parametrize("size", [1, 7, 399])
def test_cuts_do_not_matter(nothing: LinearJudge, size: int) -> None:
    """Nor does the order of lines, nor that it is saved in between."""
    lines = stream(2)
    expected = predictions(nothing, lines, [range(TICKS)])
    steps = [range(first, min(first + size, TICKS)) for first in range(0, TICKS, size)]
    assert np.array_equal(predictions(nothing, lines, steps), expected, equal_nan=True)
    assert (~np.isnan(expected)).mean() > 0.5
    order = np.random.default_rng(0).permutation(lines.count)
    shuffled = predictions(nothing, lines.take(order), steps)
    assert np.array_equal(shuffled, expected[order], equal_nan=True)


def test_lines_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinearJudge, "most", 100)
    monkeypatch.setattr(LinearJudge, "often", 30)
    monkeypatch.setattr(linear, "_SOME", 10)
    lines = stream(4)
    whole = predictions(NOTHING, lines, [range(TICKS)])
    steps = [range(first, first + 5) for first in range(0, TICKS, 5)]
    assert np.array_equal(predictions(NOTHING, lines, steps), whole, equal_nan=True)
    judge = learned(lines, steps)
    assert judge.at_tick(TICKS).kept.count == 100
    assert judge.count == lines.count > judge.fitted > 100


def test_a_model_is_fitted_to_all_lines_and_used_at_once() -> None:
    lines = stream(5)
    judge = learned(lines, [range(TICKS)])
    begun = judge.at_tick(TICKS - 1)
    some = rows(lines.features[:5], np.zeros(5, np.int64))
    kept = judge.kept
    fit = fitted(kept.features, kept.confirmed, np.ones(kept.count), judge.ridge, 0)
    assert begun.predict(some)[:, 0].tolist() == fit.chance(some.features).tolist()
    assert begun.kept.settled.max() < 0
    assert np.isnan(NOTHING.at_tick(9).predict(some)).all()


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


def test_it_learns_what_matters_and_begins_with_what_others_say() -> None:
    """A column that decides moves chances; without one they stay near the log odds in the last column."""
    lines = stream(7)
    chance = learned(lines, [range(TICKS)]).at_tick(TICKS).predict(rows(lines.features, lines.tick))[:, 0]
    assert ((chance > 0.5) == lines.confirmed).mean() > 0.9
    random = np.random.default_rng(0)
    said = random.normal(size=(60, 1)).astype(np.float32)
    became = random.random(60) < 1 / (1 + np.exp(-said[:, 0]))
    fit = fitted(said, became, np.ones(60), Recalibration.ridge, 0)
    assert np.abs(fit.chance(said) - 1 / (1 + np.exp(-said[:, 0]))).max() < 0.15


def test_the_scores_of_a_fit_have_no_slope() -> None:
    """At the best weights, what the ridge adds is what the columns of the residuals leave."""
    lines = stream(8)
    ridge = LinearJudge.ridge
    fit = fitted(lines.features, lines.confirmed, np.ones(lines.count), ridge, 0)
    left = linear._scaled(fit, lines.features).T @ (fit.chance(lines.features) - lines.confirmed)
    held = np.append(np.full(WIDTH, ridge), ridge / linear.LOOSER)
    assert left + held * fit.weights == pytest.approx(np.zeros(WIDTH + 1), abs=1e-3)


def test_chances_that_were_too_sure_are_drawn_to_what_became_of_them() -> None:
    random = np.random.default_rng(3)
    odds = np.where(random.random(2000) < 0.5, 3, -3).astype(np.float32)[:, None]
    became = random.random(2000) < np.where(odds[:, 0] > 0, 0.7, 0.3)
    tick = np.arange(2000)
    judge = nothing_recalibrated(1, None).learn_lines(SettledLines(tick, tick, odds, became))
    sides = np.array([[3], [-3]], np.float32)
    assert judge.predict(rows(sides, np.full(2, 2001)))[:, 0] == pytest.approx([0.7, 0.3], abs=0.08)


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


def learned(lines: SettledLines, steps: Sequence[range]) -> LinearJudge:
    judge = NOTHING
    for step in steps:
        judge = after(judge, lines, step).settled(step[-1])
    return judge


def predictions(judge: LinearJudge, lines: SettledLines, steps: Sequence[range]) -> Numbers:
    chance = np.full(lines.count, np.nan)
    for step in steps:
        judge = after(judge, lines, step)
        here = within(lines.tick, step)
        chance[here] = judge.predict(rows(lines.features[here], lines.tick[here]))[:, 0]
        judge = judge.settled(step[-1])
        if len(step) > 1:
            judge = unpacked(*packed(judge))
    return chance


def after(judge: LinearJudge, lines: SettledLines, step: range) -> LinearJudge:
    return judge.learn_lines(lines.take(within(lines.settled, step)))


def within(ticks: Column, step: range) -> Column:
    return np.flatnonzero((ticks >= step[0]) & (ticks <= step[-1]))
