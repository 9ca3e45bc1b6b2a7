"""Streams made from what a program can declare: then a program that declares it says the true chances.

drift   a fact follows another with 90 %, and from a tick on with 30 %
weekly  reports by week that come late
new     keys that begin one after the other: half of those at the end were never seen in the first half
levels  readings of two levels that come late, one at each tick of a key: learned, or one level declared
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl
import pyarrow as pa

import antelog
from antelog.process import Engine
from benchmarks.forecast.telling import Facts, Numbers, replay


class Process(Protocol):
    """The way facts are made, and the program that is scored.

    The `truths` are programs that declare how facts are made from a tick on, in order of these ticks.
    """

    @property
    def program(self) -> str: ...

    @property
    def truths(self) -> dict[int, str]: ...


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

    def facts(self, seed: int, keys: int, ticks: int, pace: int = 0) -> Facts:
        """Facts of some keys; with a `pace` each key begins so many ticks after the one before."""
        random = np.random.default_rng(seed)
        first = np.arange(keys) * pace
        on, there = np.zeros(keys, np.bool_), np.zeros((ticks, keys), np.bool_)
        for tick in range(ticks):
            again = self.later if self.turn is not None and tick >= self.turn else self.again
            on = (random.random(keys) < np.where(on, again, self.once)) & (first <= tick)
            there[tick] = on
        time, key = np.nonzero(there)
        late = random.choice(len(self.shares), len(time), p=self.shares)
        return {"Ping": pa.table({"key": key, "time": time, "arrival": time + late})}

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
    """Readings, one a tick and key, `high` with a chance or else `low`; `shares` of them 0, 1, … late."""

    high: float
    shares: tuple[float, ...]

    def facts(self, seed: int, keys: int, ticks: int) -> Facts:
        random = np.random.default_rng(seed)
        time, key = (each.reshape(-1) for each in np.mgrid[:ticks, :keys])
        level = np.where(random.random(len(time)) < self.high, "high", "low")
        late = random.choice(len(self.shares), len(time), p=self.shares)
        return {"Level": pa.table({"key": key, "level": level, "time": time, "arrival": time + late})}

    @property
    def program(self) -> str:
        return f"{self._input(declared=False)}\n{_HIGHS}"

    @property
    def truths(self) -> dict[int, str]:
        high, low = (f"{share:.0%}" for share in (self.high, 1 - self.high))
        chances = f"chance Level(_, high, _) = {high}. chance Level(_, low, _) = {low}."
        return {0: f"{self._input(declared=True)} {chances}\n{_HIGHS}"}

    def _input(self, *, declared: bool) -> str:
        return f"input Level(key, level, time){_delay(self.shares, declared)}, one per key."


def _delay(shares: tuple[float, ...], declared: bool) -> str:
    """The delay of an input, if facts come late; with its shares if these are declared."""
    if len(shares) == 1:
        return ""
    given = f" ({', '.join(f'{share:.0%}' for share in shares)})" if declared else ""
    return f" delay {len(shares) - 1}{given}"


def declared_chance(process: Process, facts: Facts, lines: pl.DataFrame) -> Numbers:
    """The chance of each line by the programs that declare how the facts were made."""
    for tick, program in process.truths.items():
        told = replay(Engine(antelog.parse(program)), facts).lines
        truth = told.select("tick", "answer", pl.col("chance").alias(f"from {tick}"))
        lines = lines.join(truth, on=("tick", "answer"), how="left", maintain_order="left")
    # The last of the truths that hold by then.
    last, *earlier = (
        pl.when(pl.col("tick") >= tick).then(pl.col(f"from {tick}")) for tick in reversed(process.truths)
    )
    return lines.select(pl.coalesce(last, *earlier)).to_series().to_numpy()
