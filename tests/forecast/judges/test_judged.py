"""antelog/forecast/judges/judged.py: how likely open answers are, by whom, and how good the judges were."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from antelog.forecast.judges.judge import JudgeSettings
from antelog.forecast.judges.judged import (
    Judged,
    Predictions,
    all_scored,
    judge,
    learned,
    no_predictions,
    nothing_judged,
    score_decided,
    settled,
)
from antelog.forecast.outcomes.following import DecidedAnswers, age_bucket, state_of
from antelog.forecast.outcomes.rows import AnswerRows
from antelog.forecast.rates.tally import Learns
from antelog.forecast.scores.scores import result

UNKNOWN = float("nan")
ONE_KEY = JudgeSettings(1, None)
SLOW = 3


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def asked(*ticks: int, reported: bool = True) -> AnswerRows:
    """Answers of one stage and key, each of which is asked about at its own tick."""
    tick = ints(*ticks)
    zero = np.zeros_like(tick)
    return AnswerRows(
        (zero, tick),
        (zero,),
        zero,
        tick,
        np.full(len(tick), reported),
        Learns.ALL,
        zero,
        np.zeros((len(tick), 0), np.float32),
    )


def said_of(
    judged: Judged, *rows: tuple[int, int, float], reported: bool = True, done: DecidedAnswers | None = None
) -> tuple[Judged, Predictions]:
    """The predictions for answers given as (number, tick, chance of the model)."""
    number, tick, by_model = zip(*rows, strict=True)
    return judge(judged, ints(*number), asked(*tick, reported=reported), np.array(by_model), done)


def decided(*rows: tuple[int, int, bool]) -> DecidedAnswers:
    """Answers given as (number, when, confirmed), all of which were in one state."""
    number, tick, confirmed = zip(*rows, strict=True)
    zero = np.zeros(len(rows), np.int64)
    states = state_of(zero, age_bucket(zero), zero > 0)
    done = np.array(confirmed, np.bool_)
    when = ints(*tick)
    return DecidedAnswers((zero, zero), ints(*number), when, when, done, np.arange(len(rows)), states)


def with_history(confirmed: int, of: int) -> Judged:
    """So many of the answers in this state were confirmed."""
    past = decided(*((i, 0, i < confirmed) for i in range(of)))
    known = learned(nothing_judged(2, ONE_KEY), past, (0,), Learns.ALL, ints(0))
    return settled(known, 0)


def test_who_says_a_chance() -> None:
    fresh = nothing_judged(2, ONE_KEY)
    assert fresh.sources == ("model", "outcomes")
    assert fresh.columns == ("model", "fast", "middle", "slow")
    known = with_history(90, 100)
    for judged, model, source in (
        (fresh, 0.5, 0),
        (fresh, UNKNOWN, -1),
        (known, UNKNOWN, 1),
        (known, 0.5, 1),  # its memories together weigh more, as long as nothing speaks against them
    ):
        assert said_of(judged, (0, 3, model))[1].source.tolist() == [source]


def test_without_history_it_is_as_the_model_says() -> None:
    judged, said = said_of(nothing_judged(2, ONE_KEY), (0, 3, 0.64), (1, 3, UNKNOWN))
    assert said.chance[0] == 0.64
    assert math.isnan(said.chance[1])
    assert judged.reported.number.tolist() == [0, 1]


def test_with_history_it_is_between_the_two() -> None:
    judged = with_history(90, 100)
    _, said = said_of(judged, (0, 3, 0.3), (1, 3, UNKNOWN))
    assert said.each[:, SLOW].tolist() == pytest.approx([0.9, 0.9], abs=0.02)
    assert 0.3 < said.chance[0] < said.each[0, SLOW]
    assert said.chance[1] == pytest.approx(said.each[1, SLOW], abs=0.02)


def test_only_what_is_reported_is_kept() -> None:
    judged, said = said_of(nothing_judged(2, ONE_KEY), (0, 3, 0.64), reported=False)
    assert (len(said.number), len(judged.reported.number)) == (1, 0)


def test_what_was_said_is_scored_when_the_answer_is_decided() -> None:
    judged = with_history(50, 100)
    judged, first = said_of(judged, (0, 3, 0.8), (1, 3, 0.7))
    judged, second = said_of(judged, (0, 4, 0.9))
    after = score_decided(judged, decided((0, 25, True)))
    assert after.reported.number.tolist() == [1]
    scores = result(all_scored(after))
    assert (scores.counted.lines, scores.counted.answers, scores.counted.confirmed) == (2, 1, 1)
    wanted = ((1 - first.chance[0]) ** 2 + (1 - second.chance[0]) ** 2) / 2
    assert scores.brier.mean == pytest.approx(wanted, abs=1e-8)


def test_who_was_right_counts_more_from_the_next_tick_on() -> None:
    judged = with_history(50, 100)
    _, before = said_of(judged, (9, 30, 0.9))
    for number in range(20):
        judged, _ = said_of(judged, (number, 3, 0.9))
    done = decided(*((number, 5 + number, True) for number in range(20)))
    _, said = said_of(judged, (99, 5, 0.9), (98, 15, 0.9), (97, 30, 0.9), done=done)
    assert said.chance[0] == before.chance[0]  # the first is decided at that very tick
    assert before.chance[0] < said.chance[1] < said.chance[2]
    # Of what is decided in other buckets nothing is known, so nothing of it is learned.
    keys = replace(asked(30), learns=Learns.KEYS)
    assert judge(judged, ints(99), keys, np.array([0.9]), done)[1].chance.tolist() == before.chance.tolist()


def test_lines_of_the_step_itself_count_as_well() -> None:
    judged = with_history(50, 100)
    done = decided((7, 10, True))
    after, said = said_of(judged, (7, 3, 0.9), (99, 30, 0.9), done=done)
    assert said.chance[1] > said.chance[0]
    assert settled(after, 30).weights.blocks.tolist() == [1]


def test_nothing_decided_changes_nothing() -> None:
    judged = nothing_judged(2, ONE_KEY)
    nothing = decided((0, 3, True))
    none = DecidedAnswers((ints(), ints()), ints(), ints(), ints(), ints() > 0, ints(), ints())
    assert score_decided(judged, none) is judged
    assert score_decided(judged, nothing).scores == judged.scores
    assert len(no_predictions(2).and_then(no_predictions(2)).number) == 0
