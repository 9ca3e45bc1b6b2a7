"""Tell a stream in order, and keep what each judge said of every open line, and what became of it.

    tick  answer  stage  age  key  model  outcomes  chance  settled  confirmed
    12    7       0b001  0    0    0.61   0.70      0.66    20       true

Judges may know only what had been settled at the time. The engine sees to that; rivals get the columns to
do the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
import polars as pl
import pyarrow as pa

from antelog.engine.columns.tables import Column, Numbers
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.judged import Judged, Predictions
from antelog.forecast.outcomes.following import SettledAnswers
from antelog.forecast.outcomes.rows import AnswerRows
from antelog.process import Engine
from benchmarks.forecast.records import RECORDS
from benchmarks.forecast.streams import Stream

STEP = 200
"""So many ticks at a time; it makes no difference to what is said."""


@dataclass(frozen=True)
class _Heard:
    """What was said of open lines, and the answers that were settled."""

    said: list[pl.DataFrame] = field(default_factory=list)
    settled: list[pl.DataFrame] = field(default_factory=list)


def told(stream: Stream, step: int = STEP) -> tuple[pl.DataFrame, int]:
    """Every open line whose answer was settled in the end, and the last tick."""
    facts = RECORDS[stream.record].facts()
    engine = Engine(stream.program, model="learn")
    name = engine.plan.inputs[0].name
    arrival = facts["arrival"].to_numpy()
    last = int(arrival.max())
    with _listening() as heard:
        for first in range(0, last + 1, step):
            now = min(first + step - 1, last)
            here = (arrival >= first) & (arrival <= now)
            engine.advance(now, {name: facts.filter(pa.array(here))})
    lines = pl.concat(heard.said).join(pl.concat(heard.settled), on="answer")
    return lines.sort("tick", "answer"), last


@contextmanager
def _listening() -> Iterator[_Heard]:
    """What a query's judges say meanwhile, and what becomes of the answers.

    Users see what they say together; what each says alone stays within, so it is overheard here.
    """
    heard = _Heard()
    judge, settle = judging.judge, judging.settle

    def judge_(judged: Judged, rows: AnswerRows, by_model: Numbers) -> tuple[Judged, Predictions]:
        judged, told = judge(judged, rows, by_model)
        heard.said.append(_said(rows, told))
        return judged, told

    def settle_(judged: Judged, settled: SettledAnswers, at: Column, epoch: int | None) -> Judged:
        columns = {"answer": settled.number, "settled": settled.tick, "confirmed": settled.confirmed}
        heard.settled.append(pl.DataFrame({name: column.take(at) for name, column in columns.items()}))
        return settle(judged, settled, at, epoch)

    with patch.object(judging, "judge", judge_), patch.object(judging, "settle", settle_):
        yield heard


def _said(rows: AnswerRows, told: Predictions) -> pl.DataFrame:
    key = pl.DataFrame({str(number): column for number, column in enumerate(rows.key)})
    lines = pl.DataFrame(
        {
            "tick": rows.tick,
            "answer": told.number,
            "stage": rows.stage,
            "age": rows.age,
            "key": key.hash_rows().to_numpy() if key.width else np.zeros_like(rows.tick),
            "model": told.each[:, 0],
            "outcomes": told.each[:, 1],
            "chance": told.chance,
        },
        schema_overrides={"key": pl.UInt64},
    )
    return lines.filter(pl.Series(rows.at_line))
