"""Made streams: the chances of their answers are known, so there is a score that nobody can better.

    drift   a fact follows another with 90 %, and from the middle on with 30 %
    weekly  70 weeks of 20 regions, with reports that come late
    new     keys that come and go: most of those in the second half were never seen before

The truth is what the engine says if the program declares how the facts were made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

import antelog
from antelog.process import Engine
from benchmarks.forecast.telling import Replay, replay


@dataclass(frozen=True)
class Spells:
    """Facts that come in spells: each tick of a key has one with `once` after none, with `again` after one.

    From tick `turn` on it is `later` instead of `again`. Of the facts, `shares` come 0, 1, … ticks late.
    """

    once: float
    again: float
    shares: tuple[float, ...] = (1.0,)
    turn: int | None = None
    later: float = 0.0

    def facts(self, keys: int, ticks: int, life: int | None = None) -> pa.Table:
        """Facts of some keys. With a `life` each lasts so many ticks, and new ones come at a steady pace."""
        random = np.random.default_rng(0)
        first = np.zeros(keys, np.int64) if life is None else np.arange(keys) * (ticks - life) // (keys - 1)
        until = first + (ticks if life is None else life)
        on, there = np.zeros(keys, np.bool_), np.zeros((ticks, keys), np.bool_)
        for tick in range(ticks):
            again = self.later if self.turn is not None and tick >= self.turn else self.again
            on = (random.random(keys) < np.where(on, again, self.once)) & (first <= tick) & (tick < until)
            there[tick] = on
        time, key = np.nonzero(there)
        late = random.choice(len(self.shares), len(time), p=self.shares)
        names = pa.array([f"k{number}" for number in range(keys)]).take(pa.array(key))
        columns = {"key": names, "time": time, "arrival": time + late}
        return pa.table(columns).sort_by([("arrival", "ascending"), ("time", "ascending")])

    def declared(self, again: float) -> str:
        return f"chance Ping(_, _) = {self.once:.0%}, again {again:.0%}."

    @property
    def input(self) -> str:
        if len(self.shares) == 1:
            return "input Ping(key, time)."
        return f"input Ping(key, time) delay {len(self.shares) - 1}."

    @property
    def input_with_shares(self) -> str:
        if len(self.shares) == 1:
            return self.input
        return f"{self.input[:-1]} ({', '.join(f'{share:.0%}' for share in self.shares)})."


_RUN = "Run(X, T) :- Ping(X, T), Ping(X, T+1), Ping(X, T+2). query Run(X, T)."


@dataclass(frozen=True)
class MadeStream:
    """A made stream: in words, its facts, the rules, and the tick from which on lines count."""

    name: str
    words: str
    spells: Spells
    facts: Callable[[Spells], pa.Table]
    since: int
    rules: str = _RUN

    def replayed(self) -> Replay:
        """The lines with the chances that are learned, and a column with the truth."""
        facts = self.facts(self.spells)
        learned = replay(Engine(antelog.parse(f"{self.spells.input}\n{self.rules}"), model="learn"), facts)
        truth = self._truth(facts, self.spells.again)
        if self.spells.turn is not None:
            later = self._truth(facts, self.spells.later)
            truth = truth.with_columns(
                pl.when(pl.col("tick") < self.spells.turn).then(pl.col("truth")).otherwise(later["truth"])
            )
        lines = learned.lines.join(truth, on=("tick", "answer")).sort("tick", "answer")
        return Replay(lines, learned.judges, learned.last)

    def _truth(self, facts: pa.Table, again: float) -> pl.DataFrame:
        program = f"{self.spells.input_with_shares}\n{self.spells.declared(again)}\n{self.rules}"
        lines = replay(Engine(antelog.parse(program)), facts).lines
        return lines.select("tick", "answer", pl.col("chance").alias("truth"))


DRIFT, TURN = 6000, 3000
WEEKS = 70
MADE = {
    stream.name: stream
    for stream in (
        MadeStream(
            "drift",
            "20 keys; a fact follows another with 90 %, from tick 3,000 on with 30 %; scored from 4,000 on",
            Spells(0.05, 0.9, turn=TURN, later=0.3),
            lambda spells: spells.facts(20, DRIFT),
            TURN + 1000,
        ),
        MadeStream(
            "weekly",
            "20 regions over 70 weeks, reports up to two weeks late; scored from week 20 on",
            Spells(0.15, 0.8, (0.5, 0.3, 0.2)),
            lambda spells: spells.facts(20, WEEKS),
            20,
        ),
        MadeStream(
            "new keys",
            "500 keys of 60 ticks each, one after the other over 3,000 ticks; the second half is scored",
            Spells(0.1, 0.85, (0.7, 0.3)),
            lambda spells: spells.facts(500, 3000, 60),
            1500,
        ),
    )
}
