"""Tell a stream in order, and keep what each judge said of every open line, and what became of it.

    tick  answer  stage  age  key  model  outcomes  chance  decided  confirmed
    12    7       0b001  0    0    0.61   0.70      0.66    20       true

There is a column for each judge, with its name, between those of the line and the chance. Judges may know
only what had been decided at the time. The engine sees to that; rivals get the columns to do the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pyarrow as pa

from antelog.engine.columns.tables import Column
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.following import DecidedAnswers
from antelog.forecast.judges.judge import AnswerRows, Predictions
from antelog.forecast.judges.judged import Judged
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


@dataclass(frozen=True)
class Replay:
    """Every open line whose answer was decided in the end, the names of its judges, and the last tick."""

    lines: pl.DataFrame
    judges: tuple[str, ...]
    last: int


_LINE = ("tick", "answer", "stage", "age", "key")
"""The columns of a line before those of the judges."""


def replayed(stream: Stream, step: int = STEP) -> Replay:
    """A recorded stream with chances that are learned on the way."""
    return replay(Engine(stream.program, model="learn"), RECORDS[stream.record].facts(), step)


def replay(engine: Engine, facts: pa.Table, step: int = STEP) -> Replay:
    """Runs an engine with one input over its facts, in the order of arrival."""
    name = engine.plan.inputs[0].name
    arrival = facts["arrival"].to_numpy()
    last = int(arrival.max())
    with _listening() as heard:
        for first in range(0, last + 1, step):
            now = min(first + step - 1, last)
            here = (arrival >= first) & (arrival <= now)
            engine.advance(now, {name: facts.filter(pa.array(here))})
    said = pl.concat(heard.said)
    judges = tuple(each for each in said.columns if each not in (*_LINE, "chance"))
    lines = said.join(pl.concat(heard.decided).unique("answer"), on="answer")
    return Replay(lines.sort("tick", "answer"), judges, last)


@contextmanager
def _listening() -> Iterator[_Heard]:
    """What a query's judges say meanwhile, and what becomes of the answers.

    Users see what they say together; what each says alone stays within, so it is overheard here.
    """
    heard = _Heard()
    judge, score_decided = judging.judge, judging.score_decided

    # What else they are given is of no interest here.
    def judge_(judged: Judged, number: Column, rows: AnswerRows, *more: Any) -> tuple[Judged, Predictions]:
        judged, reported = judge(judged, number, rows, *more)
        heard.said.append(_said(rows, reported, judged.columns))
        return judged, reported

    def score_decided_(judged: Judged, decided: DecidedAnswers, *more: Any) -> Judged:
        columns = {"answer": decided.number, "decided": decided.tick, "confirmed": decided.confirmed}
        heard.decided.append(pl.DataFrame(columns))
        return score_decided(judged, decided, *more)

    with patch.object(judging, "judge", judge_), patch.object(judging, "score_decided", score_decided_):
        yield heard


def _said(rows: AnswerRows, reported: Predictions, judges: Sequence[str]) -> pl.DataFrame:
    key = pl.DataFrame({str(number): column for number, column in enumerate(rows.key)})
    lines = pl.DataFrame(
        {
            "tick": rows.tick,
            "answer": reported.number,
            "stage": rows.stage,
            "age": rows.tick - rows.answer[-1],
            "key": key.hash_rows().to_numpy() if key.width else np.zeros_like(rows.tick),
            **{name: reported.each[:, at] for at, name in enumerate(judges)},
            "chance": reported.chance,
        },
        schema_overrides={"key": pl.UInt64},
    )
    return lines.filter(pl.Series(rows.at_line))
