"""antelog/forecast/judges/judge.py: a third judge is one class, and the mean of judges follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.errors import DataError
from antelog.forecast.forecaster import LearningSettings, ModelForecaster
from antelog.forecast.judges import judge
from antelog.forecast.judges.judge import JUDGES, JudgeSettings
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes, SettledLines
from antelog.forecast.rates.ledger import Ledger, before, closed, entered, opened
from antelog.forecast.rates.tally import Cells, nothing_counted
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

    def learn(self, rows: AnswerRows, outcome: RowOutcomes) -> EveryThird:
        numbers = np.stack([np.ones(len(outcome.tick)), outcome.confirmed.astype(np.float64)], axis=1)
        return EveryThird(entered(self.counts, outcome.tick, (rows.answer[-1] % 3,), numbers, None))

    def learn_lines(self, _lines: SettledLines, _now: int) -> EveryThird:
        return self

    def settled(self, now: int) -> EveryThird:
        return EveryThird(closed(self.counts, now))

    def at_tick(self, _tick: int) -> EveryThird:
        return self

    def merged(self, _others: Sequence[EveryThird]) -> EveryThird:
        raise NotImplementedError

    def part(self, _mine: Callable[[Column], Mask]) -> EveryThird:
        return self

    def renewed(self, newer: EveryThird) -> EveryThird:
        return newer

    def with_cells(self, _cells: Cells) -> EveryThird:
        return self


def every_third(_settings: JudgeSettings) -> EveryThird:
    return EveryThird(opened(nothing_counted(1, 2)))


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
    assert "every third" in found["chance_from"].to_pylist()
    last = [row for row in found.to_pylist() if row["tick"] > TICKS - 60 and row["change"] == "possible"]
    assert all((row["chance"] > 0.9) == (row["T"] % 3 == 0) for row in last)


def test_its_chances_do_not_depend_on_how_a_run_is_cut() -> None:
    whole, cut = (lines(engine(third=True), ends) for ends in ([TICKS + 2], list(range(TICKS + 3))))
    np.testing.assert_allclose(whole["chance"].to_numpy(), cut["chance"].to_numpy(), atol=1e-12)


def test_the_others_are_as_before_where_it_is_not_asked() -> None:
    plain, again = (lines(engine(third=False), [TICKS + 2]) for _ in range(2))
    assert plain.equals(again)
    assert "every third" not in plain["chance_from"].to_pylist()


def test_the_judge_of_values_is_left_out_where_no_values_are_compared() -> None:
    running = Engine(antelog.parse(RULES), model="learn")
    assert "values" not in running.model.judges["Malf"]
    with pytest.raises(DataError, match="no query compares values, as `V >= 90` does"):
        Engine(antelog.parse(RULES), model="learn", judges=["values"])
    Engine(antelog.parse(RULES), model="learn", judges=["values", "outcomes"])


def test_one_query_of_two_compares_values() -> None:
    """The other one has no chances, if nobody else has a say."""
    program = antelog.parse(
        "input Temp(x: text, v: number, time). Hot(X, T) :- Temp(X, V, T), V > 9, Temp(X, W, T+1), W > 9. "
        "Both(X, T) :- Temp(X, _, T), Temp(X, _, T+1). query Hot(X, T). query Both(X, T)."
    )
    running = Engine(program, model="learn", judges=["values"])
    facts = [("a", 12.0 - tick % 5, tick) for tick in range(120) if tick % 7]
    log = running.advance(120, {"Temp": facts})
    assert {*log["Both"]["chance_from"].to_pylist()} == {None}
    assert {*log["Hot"]["chance_from"].to_pylist()} == {None, "values"}


def test_the_judge_of_values_needs_a_library_to_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "can_fit", lambda: False)
    with pytest.raises(DataError, match=r"pip install '\.\[values\]', .*\. Or name other judges"):
        Engine(antelog.parse(RULES), model="learn", judges=["values", "model"])
    Engine(antelog.parse(RULES), model="learn")
