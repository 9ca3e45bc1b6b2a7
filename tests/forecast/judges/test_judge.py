"""antelog/forecast/judges/judge.py: a third judge is one class, and the mean of judges follows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import antelog
from antelog.engine.columns.tables import Numbers
from antelog.forecast.forecaster import LearningSettings, ModelForecaster
from antelog.forecast.judges.judge import JUDGES
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes
from antelog.forecast.rates.tally import Counted, Waiting, looked_up, nothing_counted
from antelog.process import Engine

RULES = """
input Temp(device: text, level: text, time).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
TICKS = 400


@dataclass(frozen=True, eq=False)
class EveryThird:
    """Counts what became of answers by their tick modulo 3, which no other judge looks at."""

    counts: Waiting

    def predict(self, rows: AnswerRows) -> Numbers:
        tally = self.counts.up_to(rows.as_of.epoch, None).tally
        found = looked_up(tally, (rows.answer[-1] % 3,), len(rows.tick), rows.as_of.epoch, None).sums
        chance: Numbers = (found[:, 1] + 0.5) / (found[:, 0] + 1)
        return np.where(found[:, 0] > 0, chance, np.nan)

    def learn(self, rows: AnswerRows, outcome: RowOutcomes) -> EveryThird:
        counts = self.counts
        for epoch in np.unique(outcome.epoch).tolist():
            at = outcome.epoch == epoch
            numbers = np.stack([np.ones(at.sum()), outcome.confirmed[at].astype(np.float64)], axis=1)
            counts = counts.and_then(Counted(epoch, (rows.answer[-1][at] % 3,), numbers))
        return EveryThird(counts)


def every_third(_keys: int) -> EveryThird:
    return EveryThird(Waiting(nothing_counted(1, 2)))


def engine(*, third: bool) -> Engine:
    """An engine that learns while it runs; with a third judge, registered for it alone."""
    found = Engine(antelog.parse(RULES), model="learn")
    if third:
        judges = {**JUDGES, "every third": every_third}
        found._forecaster = ModelForecaster.start(found.plan, None, LearningSettings(True), judges=judges)
    return found


def lines(of: Engine, ends: list[int]) -> pa.Table:
    """Readings are high at ticks 0, 1, 3, 4, 6, 7 and so on: an answer about 0, 3, 6 is confirmed."""
    facts = [("a", "high", tick) for tick in range(TICKS) if tick % 3 < 2]
    parts = []
    for end in ends:
        now = of.now
        parts.append(of.advance(end, {"Temp": [fact for fact in facts if now < fact[-1] <= end]})["Malf"])
    return pa.concat_tables(parts)


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
    assert set(found["chance_from"].to_pylist()) == {"several", None}
    last = [row for row in found.to_pylist() if row["tick"] > TICKS - 60 and row["change"] == "possible"]
    assert all((row["chance"] > 0.9) == (row["T"] % 3 == 0) for row in last)


def test_its_chances_do_not_depend_on_how_a_run_is_cut() -> None:
    whole, cut = (lines(engine(third=True), ends) for ends in ([TICKS + 2], list(range(TICKS + 3))))
    np.testing.assert_allclose(whole["chance"].to_numpy(), cut["chance"].to_numpy(), atol=1e-12)


def test_the_others_are_as_before_where_it_is_not_asked() -> None:
    plain, again = (lines(engine(third=False), [TICKS + 2]) for _ in range(2))
    assert plain.equals(again)
    assert "several" not in plain["chance_from"].to_pylist()
