"""antelog/forecast/judges/judge.py: judges in log odds; those that were wrong less often count more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antelog.forecast.judges.judge import (
    RATE,
    SHARE,
    JudgeWeights,
    Predictions,
    SettledLines,
    averaged,
    first_weights,
    merged_weights,
    weighed,
)
from antelog.forecast.scores.scored_lines import LEAST

UNKNOWN = float("nan")
ALIKE = first_weights([1, 1])


def both(model: float, outcomes: float, weights: JudgeWeights = ALIKE, pattern: int = 0) -> float:
    own = weights.before(np.array([pattern]), np.array([9999]))
    return float(averaged(own, np.array([[model, outcomes]]))[0])


Row = tuple[int, list[float], int, bool]


def after(weights: JudgeWeights, *rows: Row, answers: list[int] | None = None) -> JudgeWeights:
    """The weights after lines given as (pattern, the chance by each judge, tick, confirmed).

    There is one answer a tick, unless other `answers` are given.
    """
    pattern, each, tick, confirmed = map(np.array, zip(*rows, strict=True))
    nothing = np.zeros((len(tick), 0), np.float32)
    number = tick if answers is None else np.array(answers)
    lines = Predictions(number, tick, pattern, each, each[:, 0], each[:, 0], number, nothing)
    return weighed(weights, lines, SettledLines(tick, tick, nothing, confirmed))


def test_in_log_odds() -> None:
    assert both(0.9, 0.7) == pytest.approx(0.8209, abs=1e-4)
    odds = math.sqrt(0.9 / 0.1 * 0.7 / 0.3)
    assert both(0.9, 0.7) == pytest.approx(odds / (1 + odds))


def test_a_judge_who_is_certain_is_not_believed_blindly() -> None:
    assert both(1.0, LEAST) == pytest.approx(0.5)


def test_weights_fall_with_the_mean_loss_of_a_block_in_that_pattern() -> None:
    weights = after(ALIKE, (7, [0.8, 0.2], 3, True), (7, [0.6, 0.6], 3, True))
    lost = [-(math.log(0.8) + math.log(0.6)) / 2, -(math.log(0.2) + math.log(0.6)) / 2]
    left = [math.exp(-RATE * loss) for loss in lost]
    share = [weight / sum(left) for weight in left]
    given = [weight * (1 - (1 - SHARE) ** loss) for weight, loss in zip(share, lost, strict=True)]
    wanted = share[0] - given[0] + sum(given) / 2
    assert weights.weights[0].tolist() == pytest.approx([wanted, 1 - wanted])
    assert both(0.9, 0.7, weights, pattern=7) > both(0.9, 0.7)
    assert both(0.9, 0.7, weights, pattern=8) == both(0.9, 0.7)


def test_a_block_of_many_answers_counts_as_the_root_of_so_many() -> None:
    rows = [(0, [0.8, 0.6], 3, True)] * 9
    nine = after(ALIKE, *rows, answers=[*range(9)])
    cubed = after(ALIKE, (0, [0.8**3, 0.6**3], 3, True))
    assert nine.weights[0].tolist() == pytest.approx(cubed.weights[0].tolist())


def test_a_judge_gives_the_more_away_the_more_it_loses() -> None:
    """Where all are right none gives much; so the best one keeps its weight, however long that lasts."""
    ahead = after(ALIKE, *((0, [0.9, 0.1], tick, True) for tick in range(20))).settled()
    calm, wild = (
        after(ahead, *((0, [chance] * 2, tick, True) for tick in range(20, 60))).weights[-1, 0]
        for chance in (0.999, 0.2)
    )
    assert calm == pytest.approx(ahead.weights[0, 0], abs=0.001)
    assert wild < ahead.weights[0, 0] - 0.1


def test_lines_of_a_tick_are_judged_by_what_was_decided_before() -> None:
    weights = after(ALIKE, (0, [0.9, 0.1], 5, True), (0, [0.9, 0.1], 7, True))
    model = weights.before(np.zeros(5, np.int64), np.array([0, 5, 6, 7, 8]))[:, 0].tolist()
    assert model[0] == model[1] == 0.5 < model[2] == model[3] < model[4]


def test_it_makes_no_difference_how_a_run_is_cut() -> None:
    numbers = np.random.default_rng(0)
    rows = [
        (
            int(numbers.integers(3)),
            numbers.uniform(0.1, 0.9, 3).tolist(),
            tick // 4,
            bool(numbers.integers(2)),
        )
        for tick in range(400)
    ]
    whole = after(first_weights([1, 2, 4]), *rows).settled()
    cut = first_weights([1, 2, 4])
    for first in range(0, 400, 20):
        part = rows[first : first + 20]
        cut = after(cut, *(part[at] for at in numbers.permutation(20))).settled()
    assert whole.weights.tolist() == cut.weights.tolist()
    assert whole.blocks.tolist() == cut.blocks.tolist()


def test_a_judge_that_was_wrong_for_long_is_soon_back() -> None:
    wrong = [(0, [0.1, 0.9], tick, True) for tick in range(500)]
    right = [(0, [0.9, 0.1], tick, True) for tick in range(500, 510)]
    assert both(0.9, 0.1, after(ALIKE, *wrong)) < 0.2
    assert both(0.9, 0.1, after(ALIKE, *wrong, *right)) > 0.8


def test_a_judge_that_says_nothing_is_neither_better_nor_worse_for_it() -> None:
    three = first_weights([1, 1, 1])
    found = after(three, (0, [0.8, 0.8, UNKNOWN], 0, True))
    assert found.weights[0].tolist() == pytest.approx([1 / 3] * 3)


def test_those_of_workers_count_by_their_blocks() -> None:
    much = after(ALIKE, *((0, [0.9, 0.4], tick, True) for tick in range(30))).settled()
    little = after(ALIKE, (0, [0.4, 0.9], 0, True), (1, [0.4, 0.9], 0, True)).settled()
    found = merged_weights([much, little])
    assert found.pattern.tolist() == [0, 1]
    assert found.blocks.tolist() == [31, 1]
    assert found.weights[0, 0] > 0.9
    assert found.weights[1].tolist() == pytest.approx(little.weights[1].tolist())
