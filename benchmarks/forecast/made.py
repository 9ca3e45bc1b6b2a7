"""Made streams: the chances of their answers are known, so there is a score that nobody can better.

    drift   a fact follows another with 90 %, and from the middle on with 30 %
    weekly  70 weeks of 20 regions, with reports that come late
    new     keys that come and go: most of those in the second half were never seen before
    levels  readings of two levels that come late, one at each tick of a key: learned, or one level declared

The truth is what the engine says if the program declares how the facts were made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import polars as pl
import pyarrow as pa

import antelog
from antelog.process import Engine
from benchmarks.forecast.telling import Replay, replay


class Process(Protocol):
    """The way facts are made: the program that is scored, and its model.

    The `truths` are programs that declare how facts are made from a tick on, in order of these ticks.
    """

    @property
    def program(self) -> str: ...

    @property
    def model(self) -> str | None: ...

    @property
    def truths(self) -> dict[int, str]: ...


LEARN = "learn"
_RUN = "Run(X, T) :- {0}, T), {0}, T+1), {0}, T+2). query Run(X, T)."
_PINGS = _RUN.format("Ping(X")
_HIGHS = _RUN.format("Level(X, high")


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

    model = LEARN

    @property
    def program(self) -> str:
        return f"input Ping(key, time){_delay(self.shares, declared=False)}.\n{_PINGS}"

    @property
    def truths(self) -> dict[int, str]:
        begin = {0: self.again} if self.turn is None else {0: self.again, self.turn: self.later}
        return {tick: self._declared(again) for tick, again in begin.items()}

    def _declared(self, again: float) -> str:
        source = f"input Ping(key, time){_delay(self.shares, declared=True)}."
        return f"{source} chance Ping(_, _) = {self.once:.0%}, again {again:.0%}.\n{_PINGS}"


@dataclass(frozen=True)
class Levels:
    """Readings, one at each tick of a key, `high` with a chance or else `low`; `shares` of them 0, 1, … late.

    Nothing is declared, and all is learned; or it is `declared` how often they are high, not how often low.
    """

    high: float
    shares: tuple[float, ...]
    declared: bool

    def facts(self, keys: int, ticks: int) -> pa.Table:
        random = np.random.default_rng(0)
        time, key = (each.reshape(-1) for each in np.mgrid[:ticks, :keys])
        level = np.where(random.random(len(time)) < self.high, "high", "low")
        late = random.choice(len(self.shares), len(time), p=self.shares)
        names = np.array([f"k{number}" for number in range(keys)])[key]
        columns = {"key": names, "level": level, "time": time, "arrival": time + late}
        return pa.table(columns).sort_by([("arrival", "ascending"), ("time", "ascending")])

    @property
    def model(self) -> str | None:
        return None if self.declared else LEARN

    @property
    def program(self) -> str:
        return f"{self._input(self.declared)} {self._high if self.declared else ''}\n{_HIGHS}"

    @property
    def truths(self) -> dict[int, str]:
        low = f"chance Level(_, low, _) = {1 - self.high:.0%}."
        return {0: f"{self._input(True)} {self._high} {low}\n{_HIGHS}"}

    @property
    def _high(self) -> str:
        return f"chance Level(_, high, _) = {self.high:.0%}."

    def _input(self, declared: bool) -> str:
        return f"input Level(key, level, time){_delay(self.shares, declared)}, one per key."


def _delay(shares: tuple[float, ...], declared: bool) -> str:
    """The delay of an input, if facts come late; with its shares if these are declared."""
    if len(shares) == 1:
        return ""
    given = f" ({', '.join(f'{share:.0%}' for share in shares)})" if declared else ""
    return f" delay {len(shares) - 1}{given}"


@dataclass(frozen=True)
class MadeStream:
    """A made stream: in words, the way its facts are made, these, and the tick from which on lines count."""

    name: str
    words: str
    process: Process
    facts: Callable[[], pa.Table]
    since: int

    def replayed(self) -> Replay:
        """The lines with the chances of the program that is scored, and a column with the truth."""
        facts, own = self.facts(), self.process
        scored = replay(Engine(antelog.parse(own.program), model=own.model), facts)
        lines = scored.lines
        for tick, program in own.truths.items():
            told = replay(Engine(antelog.parse(program)), facts).lines
            truth = told.select("tick", "answer", pl.col("chance").alias(f"from {tick}"))
            lines = lines.join(truth, on=("tick", "answer"))
        # The last of the truths that hold by then.
        last, *earlier = (
            pl.when(pl.col("tick") >= tick).then(pl.col(f"from {tick}")) for tick in reversed(own.truths)
        )
        lines = lines.with_columns(pl.coalesce(last, *earlier).alias("truth")).sort("tick", "answer")
        return Replay(lines, scored.judges, scored.last)


DRIFT, TURN = 6000, 3000
WEEKS = 70
_DRIFT = Spells(0.05, 0.9, turn=TURN, later=0.3)
_WEEKLY = Spells(0.15, 0.8, (0.5, 0.3, 0.2))
_NEW = Spells(0.1, 0.85, (0.7, 0.3))
_LATE = (0.7, 0.2, 0.1)
_LEARNED, _ONE = Levels(0.4, _LATE, declared=False), Levels(0.4, _LATE, declared=True)
MADE = {
    stream.name: stream
    for stream in (
        MadeStream(
            "drift",
            "20 keys; a fact follows another with 90 %, from tick 3,000 on with 30 %; scored from 4,000 on",
            _DRIFT,
            partial(_DRIFT.facts, 20, DRIFT),
            TURN + 1000,
        ),
        MadeStream(
            "weekly",
            "20 regions over 70 weeks, reports up to two weeks late; scored from week 20 on",
            _WEEKLY,
            partial(_WEEKLY.facts, 20, WEEKS),
            20,
        ),
        MadeStream(
            "new keys",
            "500 keys of 60 ticks each, one after the other over 3,000 ticks; the second half is scored",
            _NEW,
            partial(_NEW.facts, 500, 3000, 60),
            1500,
        ),
        MadeStream(
            "levels",
            "20 keys, a reading at each tick, two ticks late at most, high with 40 %; second half scored",
            _LEARNED,
            partial(_LEARNED.facts, 20, 1000),
            500,
        ),
        MadeStream(
            "one level",
            "the same, where it is declared how often readings are high, and nothing of low ones",
            _ONE,
            partial(_ONE.facts, 20, 1000),
            500,
        ),
    )
}
