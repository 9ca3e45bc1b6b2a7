"""Unlikely answers are dropped: those below a chance, and the least likely of too many.

    min_chance = 5%    Malf(wt2, 0) told with 64 %, revised with 3 %    dropped: its last line
                       Malf(wt7, 0) has 2 % at first                    dropped: it is never told
    most = 100         101 answers are open                             the least likely is dropped

In come the lines of a step with their chances, out go those that are still told. Dropped answers are counted,
with the sum of their chances: so many confirmations are lost on average.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
import pyarrow as pa

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.log.told import CONFIRM, KINDS, POSSIBLE, REJECT, REVISED
from antelog.errors import DataError
from antelog.forecast.columns import COLUMNS
from antelog.forecast.judges.alerts import ROUNDED
from antelog.forecast.kinds import DROPPED
from antelog.forecast.retelling import LINE, NUMBER, Pool, again, marked

_OPEN = (KINDS[POSSIBLE], KINDS[REVISED])
_OVER = (KINDS[CONFIRM], KINDS[REJECT])


@dataclass(frozen=True)
class Limits:
    """The least chance that is told of, and how many open answers may be told of a query (None: any)."""

    min_chance: float | None = None
    most: int | None = None

    def __bool__(self) -> bool:
        return self.min_chance is not None or self.most is not None


NO_LIMITS = Limits()


def limits_of(min_chance: float | None, most: int | None) -> Limits:
    """The limits that a user gives, checked."""
    if min_chance is not None and not 0 <= min_chance <= 1:
        raise DataError(f"min_chance is {min_chance}, and a chance is from 0 to 1")
    if most is not None and most < 1:
        raise DataError(f"most is {most}, but at least one answer has to be told")
    return Limits(min_chance, most)


@dataclass(frozen=True, eq=False)
class Dropping:
    """The open answers that are told with their chances, the longest told first, and those that were dropped.

    All together so many `answers` were dropped, and `lost` is the sum of their chances.
    """

    told: Column
    chance: Numbers
    dropped: Column
    answers: int
    lost: float


NOTHING_DROPPED = Dropping(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), 0, 0.0)


def with_dropped(
    before: Dropping, lines: pa.Table, limits: Limits, pool: Pool
) -> tuple[Dropping, list[pa.Table]]:
    """What is dropped after a step, and the lines that are told, with the last ones of dropped answers."""
    sieve = _Sieve(before, limits)
    number, chance = lines.column(NUMBER).to_numpy(), lines.column("chance").to_numpy()
    tick, place = lines.column("tick").to_numpy(), lines.column(LINE).to_numpy()
    change = lines.column("change").to_numpy(zero_copy_only=False)
    for start, end in _by_tick(tick):
        for row in range(start, end):
            sieve.line(row, int(number[row]), str(change[row]), (float(chance[row]), int(place[row])))
        sieve.tick(int(tick[start]))
    told = lines.take(pa.array(np.array(sieve.kept, np.int64)))
    return sieve.after(), [told, *_last_lines(sieve, told, pool)]


def _by_tick(tick: Column) -> Iterator[tuple[int, int]]:
    if len(tick):
        yield from pairwise([0, *(np.flatnonzero(np.diff(tick)) + 1).tolist(), len(tick)])


@dataclass(frozen=True)
class _Last:
    """The last line of a dropped answer: when, with which chance, and the place of the line before it."""

    number: int
    tick: int
    chance: float
    place: int


class _Sieve:
    """Goes through the lines of a step in their order: which are told, and what is dropped."""

    def __init__(self, before: Dropping, limits: Limits) -> None:
        self._limits = limits
        # The chance of each open answer that is told, and how many were told before it, in this order.
        self._open: dict[int, tuple[float, int]] = {}
        # The same, the least likely first and of equally likely ones the longest told; some may be over.
        self._queue: list[tuple[float, int, int]] = []
        self._times = 0
        for number, chance in zip(before.told.tolist(), before.chance.tolist(), strict=True):
            self._tell(number, chance)
        self._gone = set(before.dropped.tolist())
        self._place: dict[int, int] = {}
        self._due: list[tuple[int, float]] = []
        self._answers, self._lost = before.answers, before.lost
        self.kept: list[int] = []
        self.last: list[_Last] = []

    def line(self, row: int, number: int, change: str, said: tuple[float, int]) -> None:
        chance, place = said
        if number in self._gone:
            return
        least = self._limits.min_chance
        if number >= 0 and change in _OPEN and least is not None and chance < least - ROUNDED:
            if number in self._open:
                self._place[number] = place
                self._due.append((number, chance))
            else:
                self._drop(number, chance)
            return
        self.kept.append(row)
        if number >= 0 and change in _OPEN:
            self._tell(number, chance)
            self._place[number] = place
        elif change in _OVER:
            self._open.pop(number, None)

    def tick(self, tick: int) -> None:
        """The end of a tick: what has become unlikely is dropped, and then the least likely of too many."""
        for number, chance in self._due:
            self._end(number, tick, chance)
        self._due = []
        while self._limits.most is not None and len(self._open) > self._limits.most:
            _, time, number = heappop(self._queue)
            chance, last = self._open.get(number, (0.0, -1))
            if time == last:
                self._end(number, tick, chance)

    def _tell(self, number: int, chance: float) -> None:
        self._open.pop(number, None)
        self._open[number] = chance, self._times
        if self._limits.most is not None:
            equal = 2.0 if np.isnan(chance) else round(chance / ROUNDED) * ROUNDED
            heappush(self._queue, (equal, self._times, number))
        self._times += 1

    def _end(self, number: int, tick: int, chance: float) -> None:
        self.last.append(_Last(number, tick, chance, self._place.get(number, -1)))
        self._open.pop(number)
        self._drop(number, chance)

    def _drop(self, number: int, chance: float) -> None:
        self._gone.add(number)
        self._answers += 1
        self._lost += 0.0 if np.isnan(chance) else chance

    def after(self) -> Dropping:
        return Dropping(
            np.array(list(self._open), np.int64),
            np.array([chance for chance, _ in self._open.values()], np.float64),
            np.array(sorted(self._gone), np.int64),
            self._answers,
            self._lost,
        )


def _last_lines(sieve: _Sieve, told: pa.Table, pool: Pool) -> Iterator[pa.Table]:
    """The last lines of answers that were told and are dropped."""
    if not sieve.last:
        return
    names = ("number", "tick", "place")
    number, tick, place = (np.array([getattr(each, name) for each in sieve.last], np.int64) for name in names)
    last = again(pool.lines(place, number), tick, pa.array([DROPPED] * len(number)))
    said = pa.array([each.chance for each in sieve.last], pa.float64(), from_pandas=True)
    for field in told.schema:
        if field.name not in (*last.column_names, NUMBER, LINE):
            nothing = pa.nulls(last.num_rows, field.type)
            last = last.append_column(field, said if field.name == COLUMNS.names[0] else nothing)
    yield marked(last, number, np.full(len(number), -1))


def without(dropping: Dropping, settled: Column) -> Dropping:
    """The same when answers are settled: nothing more will be said of them."""
    kept = find(dropping.dropped, settled) < 0
    return Dropping(dropping.told, dropping.chance, dropping.dropped[kept], dropping.answers, dropping.lost)


def dropped_table(by_query: dict[str, Dropping]) -> pa.Table:
    """How many answers were dropped, and how many confirmations are lost with them on average."""
    return pa.table(
        {
            "query": pa.array(list(by_query), pa.string()),
            "answers": pa.array([each.answers for each in by_query.values()], pa.int64()),
            "lost": pa.array([each.lost for each in by_query.values()], pa.float64()),
        }
    )
