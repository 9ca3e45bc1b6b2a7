"""Tell a stream in order, and keep what each judge said of every open line, and what became of it.

    tick  answer  stage  age  key  model  outcomes  chance  decided  confirmed
    12    7       0b001  0    0    0.61   0.70      0.66    20       true

Judges may know only what had been decided at the time. The engine sees to that; rivals get the columns to
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

from antelog.engine.columns.tables import Numbers
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.judged import Judged, Predictions
from antelog.forecast.outcomes.following import DecidedAnswers
from antelog.forecast.outcomes.rows import AnswerRows
from antelog.process import Engine
from benchmarks.forecast.records import RECORDS
from benchmarks.forecast.streams import Stream

STEP = 200
"""So many ticks at a time; it makes no difference to what is said."""


@dataclass(frozen=True)
class _Heard:
    """The chances that open lines had, and the answers that were decided."""

    said: list[pl.DataFrame] = field(default_factory=list)
    decided: list[pl.DataFrame] = field(default_factory=list)


def replayed(stream: Stream, step: int = STEP) -> tuple[pl.DataFrame, int]:
    """Every open line whose answer was decided in the end, and the last tick."""
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
    lines = pl.concat(heard.said).join(pl.concat(heard.decided), on="answer")
    return lines.sort("tick", "answer"), last


@contextmanager
def _listening() -> Iterator[_Heard]:
    """What a query's judges say meanwhile, and what becomes of the answers.

    Users see what they say together; what each says alone stays within, so it is overheard here.
    """
    heard = _Heard()
    judge, score_decided = judging.judge, judging.score_decided

    def judge_(
        judged: Judged, rows: AnswerRows, by_model: Numbers, decided: DecidedAnswers | None
    ) -> tuple[Judged, Predictions]:
        judged, reported = judge(judged, rows, by_model, decided)
        heard.said.append(_said(rows, reported, judged.columns))
        return judged, reported

    def score_decided_(judged: Judged, decided: DecidedAnswers) -> Judged:
        columns = {"answer": decided.number, "decided": decided.tick, "confirmed": decided.confirmed}
        heard.decided.append(pl.DataFrame(columns))
        return score_decided(judged, decided)

    with patch.object(judging, "judge", judge_), patch.object(judging, "score_decided", score_decided_):
        yield heard


def _said(rows: AnswerRows, reported: Predictions, names: tuple[str, ...]) -> pl.DataFrame:
    key = pl.DataFrame({str(number): column for number, column in enumerate(rows.key)})
    lines = pl.DataFrame(
        {
            "tick": rows.tick,
            "answer": reported.number,
            "stage": rows.stage,
            "age": rows.age,
            "key": key.hash_rows().to_numpy() if key.width else np.zeros_like(rows.tick),
            **{name: reported.each[:, at] for at, name in enumerate(names)},
            "chance": reported.chance,
        },
        schema_overrides={"key": pl.UInt64},
    )
    return lines.filter(pl.Series(rows.at_line))
