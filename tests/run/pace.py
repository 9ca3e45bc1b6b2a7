"""Random sets of facts of several sources, read at different pace, and what a batch confirms of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog.run.clock import ClockName

PROGRAM = antelog.load(Path(__file__).with_suffix(".alog"))
DELAYS = {"Alarm": 2, "Ack": 3}
INPUTS = {"Alarm": ["Alarm"], "Ack": ["Ack", "Ack/p0", "Ack/p1"]}  # with their sources, the parts of some
MISSES = 9  # micro-batches in a row that a source may be without a row, on Spark, and still holds time
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 204))]
Turn = Mapping[str, pa.Table]  # rows of some sources


@dataclass(frozen=True)
class PaceCase:
    """Rows that come turn by turn; those of event time have no column `arrival`."""

    clock: ClockName
    lag: int
    turns: Sequence[Turn]

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """All rows of each source."""
        found: dict[str, list[dict[str, Any]]] = {}
        for source, rows in (each for turn in self.turns for each in turn.items()):
            found.setdefault(source, []).extend(rows.to_pylist())
        return found

    def check(self, tables: Iterable[tuple[str, pa.Table]]) -> None:
        """Compares what was confirmed, by query, with what one step over all rows confirms."""
        engine = antelog.Engine(PROGRAM)
        given = {name: [row for each in INPUTS[name] for row in self.rows.get(each, [])] for name in INPUTS}
        log = engine.advance(999, {name: pa.Table.from_pylist(rows) for name, rows in given.items()})
        assert not engine.rejects.num_rows
        assert _confirmed(tables) == _confirmed(log.items())


def _confirmed(tables: Iterable[tuple[str, pa.Table]]) -> set[tuple[Any, ...]]:
    rows = ((query, row) for query, found in tables for row in found.to_pylist())
    return {
        (query, row["X"], row["T"])
        for query, row in rows
        if row["change"] == "confirmed" and row["X"] != "end"
    }


def table(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    return pa.table([*map(list, zip(*rows, strict=True))], ["x", "time", "arrival"][: len(rows[0])])


def at(*times: int) -> pa.Table:
    return table([("a", time) for time in times])


def case_of(seed: int) -> PaceCase:
    dice = random.Random(seed)
    clock: ClockName = dice.choice(("arrival", "event"))
    lag, last = dice.randrange(1, 4), dice.choice((20, 60, 200))
    sources = dice.choice((["Alarm", "Ack"], ["Alarm", "Ack/p0", "Ack/p1"]))
    delays = {each: DELAYS[each.partition("/")[0]] for each in sources}
    left = {each: _pieces(_rows(dice, delay, last, clock, lag), dice) for each, delay in delays.items()}
    turns = [{source: pieces.pop(0) for source, pieces in left.items()}]
    missed, pace = dict.fromkeys(left, 0), {source: dice.choice((0.05, 0.3, 1.0)) for source in left}
    while any(left.values()):
        due = [each for each in left if dice.random() < pace[each] or missed[each] == MISSES]
        turns.append({source: left[source].pop(0) for source in due if left[source]})
        missed = {source: 0 if source in turns[-1] else missed[source] + 1 for source in left}
    return PaceCase(clock, lag, turns)


def _rows(dice: random.Random, delay: int, last: int, clock: ClockName, lag: int) -> pa.Table:
    """Rows that are out of order by so much that their delay and the lag allow it; a last one ends them."""
    times = [dice.randrange(last) for _ in range(dice.randrange(1, 60))]
    rows: list[tuple[Any, ...]] = [(dice.choice("abc"), t, t + dice.randint(0, delay)) for t in times]
    last_column, free = (2, lag) if clock == "arrival" else (1, lag + delay)
    rows.sort(key=lambda row: row[last_column] + dice.randrange(free))
    return table([row[: last_column + 1] for row in [*rows, ("end", last + 20, last + 20)]])


def _pieces(rows: pa.Table, dice: random.Random) -> list[pa.Table]:
    ends = sorted({dice.randrange(1, len(rows)) for _ in range(dice.choice((0, 2, 12)))})
    return [rows.slice(i, j - i) for i, j in zip([0, *ends], [*ends, len(rows)], strict=True)]
