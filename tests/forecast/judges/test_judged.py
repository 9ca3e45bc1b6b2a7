"""antelog/forecast/judges/judged.py: how likely open answers are, by whom, and how good the judges were."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from antelog.forecast.judges.judged import (
    Asked,
    Judged,
    Predictions,
    all_scored,
    judge,
    nothing_judged,
    nothing_told,
    ready,
    settle,
    source_of,
)
from antelog.forecast.outcomes.following import SettledAnswers, age_bucket, state_of
from antelog.forecast.outcomes.outcomes import learned
from antelog.forecast.rates.tally import EPOCH, AsOf
from antelog.forecast.scores.losses import log_losses
from antelog.forecast.scores.scores import result

UNKNOWN = float("nan")
NOW = AsOf(9, None)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def asked(*rows: tuple[int, int, float], told: bool = True) -> Asked:
    """Answers of one stage and key, given as (number, tick, what the model says)."""
    number, tick, model = zip(*rows, strict=True)
    zero = np.zeros(len(rows), np.int64)
    return Asked(ints(*number), ints(*tick), zero, zero, (zero,), np.array(model), np.full(len(rows), told))


def settled(*rows: tuple[int, int, bool]) -> SettledAnswers:
    """Answers given as (number, when, confirmed), all of which were in one state."""
    number, tick, confirmed = zip(*rows, strict=True)
    zero = np.zeros(len(rows), np.int64)
    states = state_of(zero, age_bucket(zero), zero > 0)
    done = np.array(confirmed, np.bool_)
    return SettledAnswers((zero, zero), ints(*number), ints(*tick), done, np.arange(len(rows)), states)


def with_history(confirmed: int, of: int) -> Judged:
    """So many of the answers in this state were confirmed."""
    start = nothing_judged(2, 1)
    past = settled(*((i, 0, i < confirmed) for i in range(of)))
    outcomes = learned(start.outcomes, past, [np.zeros(of, np.int64)], np.zeros(of, np.int64), shared=True)
    return ready(replace(start, outcomes=outcomes), NOW)


def test_who_says_a_chance() -> None:
    model, outcomes = np.array([0.5, UNKNOWN, 0.5, UNKNOWN]), np.array([UNKNOWN, 0.5, 0.5, UNKNOWN])
    zero = np.zeros(4, np.int64)
    assert source_of(Predictions(zero, zero, zero, model, outcomes, model)).tolist() == [0, 1, 2, -1]


def test_without_history_it_is_as_the_model_says() -> None:
    judged, said = judge(nothing_judged(2, 1), asked((0, 3, 0.64), (1, 3, UNKNOWN)), NOW)
    assert said.chance[0] == 0.64
    assert math.isnan(said.chance[1])
    assert judged.told.number.tolist() == [0, 1]


def test_with_history_it_is_between_the_two() -> None:
    judged = with_history(90, 100)
    _, said = judge(judged, asked((0, 3, 0.3), (1, 3, UNKNOWN)), NOW)
    assert said.outcomes.tolist() == pytest.approx([0.9, 0.9], abs=0.02)
    assert 0.3 < said.chance[0] < said.outcomes[0]
    assert said.chance[1] == said.outcomes[1]


def test_only_what_is_told_is_kept() -> None:
    judged, said = judge(nothing_judged(2, 1), asked((0, 3, 0.64), told=False), NOW)
    assert (len(said.number), len(judged.told.number)) == (1, 0)


def test_what_was_said_is_judged_when_the_answer_is_settled() -> None:
    judged = with_history(50, 100)
    judged, first = judge(judged, asked((0, 3, 0.8), (1, 3, 0.7)), NOW)
    judged, second = judge(judged, asked((0, 4, 0.9)), NOW)
    done = settled((0, EPOCH + 5, True))
    after = settle(judged, done, ints(0), 1)
    assert after.told.number.tolist() == [1]
    # What each judge has lost on each of the two lines, and that it is one line.
    (counted,) = after.losses.later
    lines = ((each.model, each.outcomes) for each in (first, second))
    lost = [[float(log_losses(column[:1], np.array([True]))[0]) for column in line] for line in lines]
    assert counted.epoch == 1
    assert counted.numbers.sum(axis=0) == pytest.approx([*map(sum, zip(*lost, strict=True)), 2])
    scores = result(all_scored(after))
    assert (scores.counted.lines, scores.counted.answers, scores.counted.confirmed) == (2, 1, 1)
    wanted = ((1 - first.chance[0]) ** 2 + (1 - second.chance[0]) ** 2) / 2
    assert scores.brier.mean == pytest.approx(wanted, abs=1e-8)


def test_who_was_right_counts_more_later() -> None:
    judged = with_history(50, 100)
    _, before = judge(judged, asked((9, 30, 0.9)), NOW)
    for number in range(20):
        judged, _ = judge(judged, asked((number, 3, 0.9)), NOW)
    done = settled(*((number, 5, True) for number in range(20)))
    judged = settle(judged, done, np.arange(20), 0)
    assert judge(judged, asked((99, 30, 0.9)), NOW)[1].chance == before.chance  # not known yet
    _, after = judge(ready(judged, NOW), asked((99, 30, 0.9)), NOW)
    assert after.chance[0] > before.chance[0]
    assert after.chance[0] == pytest.approx(0.9, abs=0.01)


def test_nothing_settled_changes_nothing() -> None:
    judged = nothing_judged(2, 1)
    assert settle(judged, settled((0, 3, True)), ints(), 0) is judged
    assert len(nothing_told().and_then(nothing_told()).number) == 0
