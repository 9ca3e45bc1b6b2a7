"""Streams of answers with chances that are right, made by chance; and the same made too sure of themselves.

Each answer is a sum of steps, one a tick; it is confirmed if the sum is above zero in the end. Its chance is
worked out from the steps so far. Steps of the same tick are partly shared, so that answers go together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from antelog.forecast.scores.scored_lines import ScoredLines


@dataclass(frozen=True)
class Made:
    """How many ticks and answers, for how many ticks each is open, the share of a step that is of its tick
    alone, what a sum begins with, and by what the evidence is multiplied: 1 is right."""

    ticks: int = 400
    answers: int = 2000
    life: int = 8
    shared: float = 0.3
    begin: float = -1.5
    sure: float = 1.0


def stream(seed: int, made: Made = Made()) -> ScoredLines:
    random, age = np.random.default_rng(seed), np.arange(made.life)
    since = random.integers(0, made.ticks, (made.answers, 1))
    of_tick = random.normal(size=made.ticks + made.life)
    own = random.normal(size=(made.answers, made.life))
    steps = sqrt(made.shared) * of_tick[since + age] + sqrt(1 - made.shared) * own
    sums = made.begin + np.cumsum(steps, axis=1)
    before = np.concatenate([np.full((made.answers, 1), made.begin), sums[:, :-1]], axis=1)
    chance = 0.5 * (1 + np.vectorize(erf)(made.sure * before / np.sqrt(2 * (made.life - age))))
    shape = (made.answers, made.life)
    return ScoredLines(
        np.broadcast_to(np.arange(made.answers)[:, None], shape).reshape(-1),
        (since + age).reshape(-1),
        chance.reshape(-1),
        np.broadcast_to(since + made.life, shape).reshape(-1),
        np.broadcast_to(sums[:, -1:] > 0, shape).reshape(-1),
    )


def decided(*lines: tuple[int, int, float, int, bool]) -> ScoredLines:
    """Lines by hand: answer, reported, chance, decided, confirmed."""
    answer, reported, chance, until, confirmed = zip(*lines, strict=True) if lines else ((),) * 5
    return ScoredLines(
        np.array(answer, np.int64),
        np.array(reported, np.int64),
        np.array(chance, np.float64),
        np.array(until, np.int64),
        np.array(confirmed, np.bool_),
    )
