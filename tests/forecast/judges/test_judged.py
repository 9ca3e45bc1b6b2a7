"""antelog/forecast/judges/judged.py: how likely open answers are, by whom, and how good the judges were."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antelog.forecast.judges.judge import JUDGES, OUTCOMES
from antelog.forecast.judges.judged import (
    Judged,
    Predictions,
    all_scored,
    judge,
    learned,
    no_predictions,
    nothing_judged,
    ready,
    score_decided,
)
from antelog.forecast.outcomes.following import DecidedAnswers, age_bucket, state_of
from antelog.forecast.outcomes.rows import AnswerRows, lesson_of
from antelog.forecast.rates.tally import EPOCH, KnownEpoch
from antelog.forecast.scores.losses import log_losses
from antelog.forecast.scores.scores import result

UNKNOWN = float("nan")
NOW = KnownEpoch(9, None)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def asked(*rows: tuple[int, int], reported: bool = True) -> AnswerRows:
    """Answers of one stage and key, given as (number, tick); each is asked about at its own tick."""
    number, tick = zip(*rows, strict=True)
    zero = np.zeros(len(rows), np.int64)
    return AnswerRows(
        (zero, ints(*tick)),
        (zero,),
        ints(*number),
        zero,
        ints(*tick),
        np.full(len(rows), reported),
        NOW,
        zero,
    )


def said_of(
    judged: Judged, *rows: tuple[int, int, float], reported: bool = True
) -> tuple[Judged, Predictions]:
    """The predictions for answers given as (number, tick, chance of the model)."""
    return judge(
        judged, asked(*(row[:2] for row in rows), reported=reported), np.array([row[2] for row in rows])
    )


def decided(*rows: tuple[int, int, bool]) -> DecidedAnswers:
    """Answers given as (number, when, confirmed), all of which were in one state."""
    number, tick, confirmed = zip(*rows, strict=True)
    zero = np.zeros(len(rows), np.int64)
    states = state_of(zero, age_bucket(zero), zero > 0)
    done = np.array(confirmed, np.bool_)
    return DecidedAnswers((zero, zero), ints(*number), ints(*tick), done, np.arange(len(rows)), states)


def with_history(confirmed: int, of: int) -> Judged:
    """So many of the answers in this state were confirmed."""
    start = nothing_judged(2, 1)
    past = decided(*((i, 0, i < confirmed) for i in range(of)))
    return ready(learned(start, *lesson_of(past, (0,), np.zeros(of, np.int64), NOW, ints(0))), NOW)


def test_who_says_a_chance() -> None:
    each = np.array(
        [[0.5, UNKNOWN, 0.5, UNKNOWN, 0.5], [UNKNOWN, 0.5, 0.5, UNKNOWN, 0.5], [UNKNOWN] * 4 + [0.5]]
    )
    zero = np.zeros(5, np.int64)
    source = Predictions(zero, zero, zero, each.T, each[0]).source.tolist()
    assert source == [0, 1, 3, -1, 4]
    names = nothing_judged(2, 1, {**JUDGES, "third": JUDGES[OUTCOMES]}).sources
    assert [names[number] for number in source if number >= 0] == ["model", "outcomes", "both", "several"]


def test_without_history_it_is_as_the_model_says() -> None:
    judged, said = said_of(nothing_judged(2, 1), (0, 3, 0.64), (1, 3, UNKNOWN))
    assert said.chance[0] == 0.64
    assert math.isnan(said.chance[1])
    assert judged.reported.number.tolist() == [0, 1]


def test_with_history_it_is_between_the_two() -> None:
    judged = with_history(90, 100)
    _, said = said_of(judged, (0, 3, 0.3), (1, 3, UNKNOWN))
    assert said.each[:, 1].tolist() == pytest.approx([0.9, 0.9], abs=0.02)
    assert 0.3 < said.chance[0] < said.each[:, 1][0]
    assert said.chance[1] == said.each[:, 1][1]


def test_only_what_is_reported_is_kept() -> None:
    judged, said = said_of(nothing_judged(2, 1), (0, 3, 0.64), reported=False)
    assert (len(said.number), len(judged.reported.number)) == (1, 0)


def test_what_was_said_is_judged_when_the_answer_is_decided() -> None:
    judged = with_history(50, 100)
    judged, first = said_of(judged, (0, 3, 0.8), (1, 3, 0.7))
    judged, second = said_of(judged, (0, 4, 0.9))
    done = decided((0, EPOCH + 5, True))
    after = score_decided(judged, done, ints(0), 1)
    assert after.reported.number.tolist() == [1]
    # What each judge has lost on each of the two lines, and that it is one line.
    (counted,) = after.losses.later
    lines = (list(line.each[:1].T) for line in (first, second))
    lost = [[float(log_losses(column[:1], np.array([True]))[0]) for column in line] for line in lines]
    assert counted.epoch == 1
    assert counted.numbers.sum(axis=0) == pytest.approx([*map(sum, zip(*lost, strict=True)), 2])
    scores = result(all_scored(after))
    assert (scores.counted.lines, scores.counted.answers, scores.counted.confirmed) == (2, 1, 1)
    wanted = ((1 - first.chance[0]) ** 2 + (1 - second.chance[0]) ** 2) / 2
    assert scores.brier.mean == pytest.approx(wanted, abs=1e-8)


def test_who_was_right_counts_more_later() -> None:
    judged = with_history(50, 100)
    _, before = said_of(judged, (9, 30, 0.9))
    for number in range(20):
        judged, _ = said_of(judged, (number, 3, 0.9))
    done = decided(*((number, 5, True) for number in range(20)))
    judged = score_decided(judged, done, np.arange(20), 0)
    assert said_of(judged, (99, 30, 0.9))[1].chance == before.chance  # not known yet
    _, after = said_of(ready(judged, NOW), (99, 30, 0.9))
    assert after.chance[0] > before.chance[0]
    assert after.chance[0] == pytest.approx(0.9, abs=0.01)


def test_nothing_decided_changes_nothing() -> None:
    judged = nothing_judged(2, 1)
    assert score_decided(judged, decided((0, 3, True)), ints(), 0) is judged
    assert len(no_predictions(2).and_then(no_predictions(2)).number) == 0
