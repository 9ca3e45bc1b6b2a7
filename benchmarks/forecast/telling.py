"""Tell a stream in order, and keep what each judge said of every open line, and what became of it.

    tick  answer  stage  age  key  number  time  looks       model  outcomes  chance  decided  confirmed
    12    7       0b001  0    0    3       12    [1.5, 0.2]  0.61   0.70      0.66    20       true

The `number` is the answer's first value, if that is one; `looks` are the features of the latest values.
There is a column for each judge, with its name, between those of the line and the chance. Judges may know
only what had been decided at the time. The engine sees to that; rivals get the columns to do the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from antelog.engine.columns.tables import Column
from antelog.forecast import lines as telling
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.following import DecidedAnswers
from antelog.forecast.judges.judge import AnswerRows, Predictions
from antelog.forecast.judges.judged import Judged
from antelog.forecast.lines import AnswerChances
from antelog.process import Engine
from benchmarks.forecast.records import RECORDS
from benchmarks.forecast.streams import Stream

Facts = Mapping[str, pa.Table]
"""Facts by input, in any order; the last column is `arrival`, and the one before has the ticks."""

Numbers = NDArray[np.float64]

STEP = 200
"""So many ticks at a time; it makes no difference to what is said."""


@dataclass(frozen=True)
class _Heard:
    """The chances that open lines had, their forecasts, and the answers that were decided."""

    said: list[pl.DataFrame] = field(default_factory=list)
    forecasts: list[pl.DataFrame] = field(default_factory=list)
    decided: list[pl.DataFrame] = field(default_factory=list)


@dataclass(frozen=True)
class Replay:
    """Every open line whose answer was decided in the end, the names of its judges, first and last tick."""

    lines: pl.DataFrame
    judges: tuple[str, ...]
    first: int
    last: int


_LINE = ("tick", "answer", "stage", "age", "key", "number", "time", "looks")
"""The columns of a line before those of the judges."""


def replayed(stream: Stream, step: int = STEP) -> Replay:
    """A recorded stream with chances that are learned on the way."""
    program = stream.program
    (source,) = program.plan.inputs
    return replay(Engine(program, model="learn"), {source.name: RECORDS[stream.record].facts()}, step)


def replay(engine: Engine, facts: Facts, step: int = STEP) -> Replay:
    """Runs an engine over facts in the order of arrival."""
    ordered = {name: each.sort_by("arrival") for name, each in facts.items()}
    arrival = {name: each["arrival"].to_numpy() for name, each in ordered.items()}
    begin = min(int(each[-2].to_numpy().min()) for each in facts.values())
    last = max(int(each[-1]) for each in arrival.values())
    with _listening() as heard:
        for first in range(begin, last + 1, step):
            now = min(first + step - 1, last)
            ends = {name: np.searchsorted(each, (first, now + 1)) for name, each in arrival.items()}
            batch = {name: ordered[name].slice(start, end - start) for name, (start, end) in ends.items()}
            engine.advance(now, batch)
    said = pl.concat(heard.said)
    judges = tuple(each for each in said.columns if each not in (*_LINE, "chance"))
    lines = said.join(pl.concat(heard.decided).unique("answer"), on="answer")
    lines = lines.join(pl.concat(heard.forecasts), on=("answer", "tick"), how="left").sort("tick", "answer")
    if (scale := engine.plan.timescale) is not None:
        ticks = lines["tick"].unique()
        moments = [scale.time(tick) for tick in ticks]
        clock = {
            "tick": ticks,
            "hour": [each.hour + each.minute / 60 for each in moments],
            "weekday": [each.weekday() for each in moments],
        }
        lines = lines.join(pl.DataFrame(clock), on="tick", how="left", maintain_order="left")
    return Replay(lines, judges, begin, last)


@contextmanager
def _listening() -> Iterator[_Heard]:
    """What a query's judges say meanwhile, and what becomes of the answers.

    Users see what they say together; what each says alone stays within, so it is overheard here.
    """
    heard = _Heard()
    judge, score_decided, with_chances = judging.judge, judging.score_decided, telling.with_chances

    # What else they are given is of no interest here.
    def judge_(judged: Judged, number: Column, rows: AnswerRows, *more: Any) -> tuple[Judged, Predictions]:
        judged, reported = judge(judged, number, rows, *more)
        heard.said.append(_said(rows, reported, judged.columns))
        return judged, reported

    def score_decided_(judged: Judged, decided: DecidedAnswers, *more: Any) -> Judged:
        columns = {"answer": decided.number, "decided": decided.tick, "confirmed": decided.confirmed}
        heard.decided.append(pl.DataFrame(columns))
        return score_decided(judged, decided, *more)

    def with_chances_(lines: pa.Table, rows: Column, answers: AnswerChances, *more: Any) -> pa.Table:
        table = with_chances(lines, rows, answers, *more)
        asked = answers.predictions
        columns = {"answer": asked.number, "tick": asked.tick}
        forecasts = pl.Series("forecast", table["forecast"].take(pa.array(rows)))
        heard.forecasts.append(pl.DataFrame(columns).with_columns(forecasts))
        return table

    with (
        patch.object(judging, "judge", judge_),
        patch.object(judging, "score_decided", score_decided_),
        patch.object(telling, "with_chances", with_chances_),
    ):
        yield heard


def _said(rows: AnswerRows, reported: Predictions, judges: Sequence[str]) -> pl.DataFrame:
    key = pl.DataFrame({str(number): column for number, column in enumerate(rows.key)})
    count = len(rows.tick)
    lines = pl.DataFrame(
        {
            "tick": rows.tick,
            "answer": reported.number,
            "stage": rows.stage,
            "age": rows.tick - rows.answer[-1],
            "key": key.hash_rows().to_numpy() if key.width else np.zeros_like(rows.tick),
            # The cell of a number has its bits, that of a text those of no number.
            "number": rows.answer[0].view(np.float64) if len(rows.answer) > 1 else np.zeros(count),
            "time": rows.answer[-1],
            "looks": rows.features.astype(np.float64),
            **{name: reported.each[:, at] for at, name in enumerate(judges)},
            "chance": reported.chance,
        },
        schema_overrides={"key": pl.UInt64},
    )
    return lines.filter(pl.Series(rows.at_line))
