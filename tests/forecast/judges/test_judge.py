"""antelog/forecast/judges/judged.py: a third judge is one class, and the mean of judges follows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.engine.columns.tables import Numbers
from antelog.forecast.forecaster import ModelForecaster
from antelog.forecast.judges.following import DecidedAnswers, age_bucket, state_of
from antelog.forecast.judges.judge import AnswerRows, Judge, Predictions
from antelog.forecast.judges.judged import (
    JUDGES,
    Judged,
    all_scored,
    judge,
    learned,
    nothing_judged,
    score_decided,
    settled,
)
from antelog.forecast.judges.looks import QueryFeatures
from antelog.forecast.rates.learning import Learning, Learns
from antelog.forecast.rates.tally import Ledger, before, closed, entered, nothing_counted, opened
from antelog.forecast.scores.scores import result
from antelog.process import Engine
from tests.forecast.making import replayed

RULES = """
input Temp(device: text, level: text, time).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
TICKS = 400


@dataclass(frozen=True, eq=False)
class EveryThird(Judge):
    """Counts what became of answers by their tick modulo 3, which no other judge looks at."""

    counts: Ledger

    @property
    def columns(self) -> Mapping[str, float]:
        return {"every third": 1.0}

    @property
    def rows(self) -> int:
        return self.counts.tally.count

    def predict(self, rows: AnswerRows) -> Numbers:
        found = before(self.counts, (rows.answer[-1] % 3,), rows.tick, None)
        chance: Numbers = (found[:, 1] + 0.5) / (found[:, 0] + 1)
        return np.where(found[:, 0] > 0, chance, np.nan)[:, None]

    def learn(self, decided: DecidedAnswers, _key: Sequence[int], _learns: Learns) -> EveryThird:
        numbers = np.stack([np.ones(len(decided.tick)), decided.confirmed.astype(np.float64)], axis=1)
        return EveryThird(entered(self.counts, decided.settled, (decided.answer[-1] % 3,), numbers, None))

    def settled(self, now: int) -> EveryThird:
        return EveryThird(closed(self.counts, now))


def every_third(_keys: int, _half_life: float | None) -> EveryThird:
    return EveryThird(opened(nothing_counted(1, 2)))


def engine(*, third: bool) -> Engine:
    """An engine that learns while it runs; with a third judge, registered for it alone."""
    found = Engine(antelog.parse(RULES), model="learn")
    if third:
        judges = {**JUDGES, "every third": every_third}
        found._forecaster = ModelForecaster.start(found.plan, None, Learning(True), judges=judges)
    return found


def lines(of: Engine, ends: list[int]) -> pa.Table:
    """Readings are high at ticks 0, 1, 3, 4, 6, 7 and so on: an answer about 0, 3, 6 is confirmed."""
    facts = [("a", "high", tick) for tick in range(TICKS) if tick % 3 < 2]
    return replayed(of, {"Temp": facts}, ends)["Malf"]


def test_a_third_judge_is_weighed_with_the_others() -> None:
    brier = {}
    for third in (False, True):
        running = engine(third=third)
        lines(running, [TICKS + 2])
        (row,) = running.scores().to_pylist()
        brier[third] = row["brier"]
    # The model and the counts of outcomes know that half of them are confirmed, the third knows which.
    assert brier[True] < 0.5 * brier[False]
    found = lines(engine(third=True), [TICKS + 2])
    assert "every third" in found["chance_from"].to_pylist()
    last = [row for row in found.to_pylist() if row["tick"] > TICKS - 60 and row["change"] == "possible"]
    assert all((row["chance"] > 0.9) == (row["T"] % 3 == 0) for row in last)


UNKNOWN = float("nan")
SLOW = 2
NO_FEATURES = QueryFeatures((), 0, np.zeros(1, np.int64), None, ())


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
        state_of(zero, age_bucket(zero), np.full(len(tick), not reported)),
        NO_FEATURES.unknown(len(tick)),
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
    known = learned(nothing_judged(2, 1, None, NO_FEATURES), past, (0,), Learns.ALL)
    return settled(known, 0)


def test_with_history_it_is_between_the_two() -> None:
    judged = with_history(90, 100)
    _, said = said_of(judged, (0, 3, 0.3), (1, 3, UNKNOWN))
    assert said.each[:, SLOW].tolist() == pytest.approx([0.9, 0.9], abs=0.02)
    assert 0.3 < said.chance[0] < said.each[0, SLOW]
    assert said.chance[1] == pytest.approx(said.each[1, SLOW], abs=0.02)


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
