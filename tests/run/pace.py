"""Random sets of facts of several sources, read at different pace, and what a batch confirms of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import antelog
from antelog.run.clock import ClockName

PROGRAM = """
input Alarm(x: text, time) delay 2.
input Ack(x: text, time) delay 3.
Acked(X, T) :- Alarm(X, T), Ack(X, U), U >= T, U <= T+5.
Missed(X, T) :- Alarm(X, T), not Ack(X, T..T+5).
query Acked(X, T).
query Missed(X, T).
"""
DELAYS = {"Alarm": 2, "Ack": 3}
MISSES = 9  # micro-batches in a row that a source may be without a row, on Spark, and still holds time
_END = "end"  # each source ends with a row about this, so that all before it is finished


@dataclass(frozen=True)
class Row:
    x: str
    time: int
    arrival: int


Rows = Sequence[Row]


@dataclass(frozen=True)
class PaceCase:
    """Sources, as `Ack` and `Ack/p1`, whose rows come in pieces: some, or None, of each at each turn."""

    clock: ClockName
    lag: int
    turns: Sequence[Mapping[str, Rows]]

    @property
    def program(self) -> antelog.Program:
        return antelog.parse(PROGRAM)

    def rows(self, name: str, turns: Iterable[Mapping[str, Rows]]) -> list[tuple[str, Row]]:
        """The rows of an input, each with its source."""
        found = [(source, rows) for turn in turns for source, rows in turn.items()]
        return [(source, row) for source, rows in found if input_of(source) == name for row in rows]

    def confirmed(self) -> set[tuple[str, str, int]]:
        """What a batch confirms, in which a fact arrives when it says, or else at its own time."""
        facts = {
            name: [
                {
                    "x": row.x,
                    "time": row.time,
                    "arrival": row.arrival if self.clock == "arrival" else row.time,
                }
                for _, row in self.rows(name, self.turns)
            ]
            for name in DELAYS
        }
        engine, log = antelog.Engine(self.program), list[dict[str, Any]]()

        last = max(row.arrival for turn in self.turns for rows in turn.values() for row in rows)
        for name, table in engine.advance(
            last + 9, {name: pa.Table.from_pylist(rows) for name, rows in facts.items()}
        ).items():
            log += [{"query": name, **row} for row in table.to_pylist()]
        assert not engine.rejects.num_rows
        return confirmed(log)


def input_of(source: str) -> str:
    return source.partition("/")[0]


def confirmed(log: Iterable[Mapping[str, Any]]) -> set[tuple[str, str, int]]:
    return {
        (row["query"], row["X"], row["T"]) for row in log if row["change"] == "confirmed" and row["X"] != _END
    }


def case_of(seed: int) -> PaceCase:
    dice = random.Random(seed)
    clock: ClockName = dice.choice(("arrival", "event"))
    lag = dice.randrange(1, 4)
    last = dice.choice((20, 60, 200))
    sources = ["Alarm", *(["Ack"] if dice.random() < 0.5 else ["Ack/p0", "Ack/p1"])]
    pieces = {source: _pieces(_rows(dice, source, last, clock, lag), dice) for source in sources}
    turns = [{source: each.pop(0) for source, each in pieces.items()}]
    missed, pace = dict.fromkeys(sources, 0), {source: dice.choice((0.05, 0.3, 1.0)) for source in sources}
    while any(pieces.values()):
        turn = {}
        for source, left in pieces.items():
            if left and (dice.random() < pace[source] or missed[source] == MISSES):
                turn[source] = left.pop(0)
            missed[source] = 0 if source in turn else missed[source] + 1
        turns.append(turn)
    return PaceCase(clock, lag, turns)


def _rows(dice: random.Random, source: str, last: int, clock: ClockName, lag: int) -> list[Row]:
    """Rows of a source, out of order by so much that its delay and the lag allow it."""
    delay = DELAYS[input_of(source)]
    found = []
    for _ in range(dice.randrange(1, 60)):
        time = dice.randrange(last)
        found.append(Row(dice.choice("abc"), time, time + dice.randint(0, delay)))
    if clock == "arrival":
        found.sort(key=lambda row: row.arrival + dice.randrange(lag))
    else:
        found.sort(key=lambda row: row.time + dice.randrange(lag + delay))
    return [*found, Row(_END, last + 20, last + 20)]


def _pieces(rows: Rows, dice: random.Random) -> list[Rows]:
    """Rows in a random number of pieces, each with a row at least."""
    ends = sorted({dice.randrange(1, len(rows)) for _ in range(dice.choice((0, 2, 12)))})
    return [rows[start:end] for start, end in zip([0, *ends], [*ends, len(rows)], strict=True)]
