"""What the runs read: the readings of the kernel's benchmark, as folders of Parquet files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.counting import Counts
from benchmarks.workloads import hot_in_a_row, size, turbines

BATCHES = 10
DEVICES = 1_000
TICKS = 2_000


@dataclass(frozen=True)
class Readings:
    """Files in a folder, each of them a micro-batch, and how many changes there must be.

    A batch goes on until nothing is open any more. A stream does not finish the tick it saw last.
    """

    folder: Path
    program: str
    facts: int
    batch: Counts
    stream: Counts


def write(folder: Path, scale: float) -> Readings:
    """The readings as files; `scale` changes the number of devices."""
    given = turbines(scale, DEVICES, TICKS, BATCHES)
    for number, (_, table) in enumerate(given.facts.batches(given.ends)):
        _write(folder, number, table)
    seen = int(given.facts.arrival.max()) - 1
    stream = hot_in_a_row(given.facts, size(scale, DEVICES), seen)
    return Readings(folder, given.program, len(given.facts), given.expected, stream)


def add_empty(folder: Path, count: int) -> None:
    """So many more files, without readings."""
    files = sorted(folder.glob("*.parquet"))
    nothing = pq.read_table(files[0]).slice(0, 0)
    for number in range(len(files), len(files) + count):
        _write(folder, number, nothing)


def _write(folder: Path, number: int, table: pa.Table) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path, hidden = folder / f"{number:03}.parquet", folder / f".{number:03}.parquet"
    pq.write_table(table, hidden)
    os.utime(hidden, (1_000 + 10 * number,) * 2)  # Spark takes the oldest first
    hidden.rename(path)  # a stream that is under way sees all of a file, or nothing
