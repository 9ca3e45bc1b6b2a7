"""antelog as a program of its own: `learn PROGRAM STREAM MODEL`, `follow PROGRAM STREAM MODEL CHANCES STEP`.

In come a program's text and a stream as `streams` writes it, out goes a model, or a line for each open answer
and tick with its chance. STEP ticks are handed over at a time: 1 is a live stream.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

import antelog

COLUMNS = ("level", "time", "machine")
LEARNING_STEP = 100


def main(arguments: list[str]) -> None:
    task, program, stream, model, *more = arguments
    parsed = antelog.parse(Path(program).read_text(encoding="utf-8"))
    if task == "learn":
        engine = antelog.Engine(parsed, model="learn", half_life=None)
        for _ in reported(engine, stream, LEARNING_STEP):
            pass
        engine.model.save(model)
        return
    chances, step = more
    found = [_chances(lines) for lines in reported(antelog.Engine(parsed, model=model), stream, int(step))]
    pq.write_table(pa.concat_tables(found), chances)


def reported(engine: antelog.Engine, stream: str, step: int) -> Iterator[pa.Table]:
    """The changes of each step."""
    options = pa.csv.ReadOptions(column_names=list(COLUMNS))
    readings = pa.csv.read_csv(stream, read_options=options)
    (query,) = engine.plan.queries
    time = readings["time"].to_numpy()
    for first in range(0, int(time[-1]) + 1, step):
        begin, end = time.searchsorted([first, first + step])
        now = int(time[end - 1])
        yield engine.advance(now, {"Reading": readings.slice(begin, end - begin)})[query.name]


def _chances(lines: pa.Table) -> pa.Table:
    return lines.select(["tick", "X", "T", "chance"]).filter(pc.is_valid(lines["chance"]))


if __name__ == "__main__":
    main(sys.argv[1:])
