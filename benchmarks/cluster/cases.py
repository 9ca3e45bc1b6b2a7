"""The runs on a cluster: facts as Parquet files, one for each micro-batch, and how many answers are right."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = """\
input Beat(site: text, sensor: text, time) delay 2.
input Off(site: text, time) delay 2.
Silent(P, S, T) :- Beat(P, S, T), not Beat(P, S, T+1), not Off(P, T+1).
query Silent(P, S, T).
"""
"""A sensor that reported falls silent while its site is on. Each literal has the site: it is the key."""

DELAY = 2
SILENT = 0.01
"""The share of the reports that are missing."""


@dataclass(frozen=True)
class Case:
    """So many sites report with one sensor each; if skewed, half of all sensors belong to one site."""

    name: str
    what: str
    sensors: int = 20_000
    ticks: int = 100
    batches: int = 10
    skewed: bool = False
    workers: int = 2
    buckets: int = 8
    memory: str = "2g"
    loses: bool = False
    """Whether a worker is killed after the first micro-batches."""


CASES = {
    case.name: case
    for case in (
        Case("local", "no cluster, `local[2]`", workers=0),
        Case("one", "one worker", workers=1),
        Case("two", "two workers"),
        Case("four", "four workers", workers=4),
        Case("hundred", "two workers, 100 buckets", buckets=100),
        Case("skewed", "two workers, half of the facts at one site", skewed=True),
        Case("lost", "two workers, one of them killed on the way", loses=True),
        Case(
            "keys",
            "two workers, ten million sites",
            sensors=10_000_000,
            ticks=6,
            batches=6,
            buckets=100,
            memory="5g",
        ),
    )
}


@dataclass(frozen=True)
class Given:
    """Files to read, and how many answers are confirmed by the end of the last tick but one."""

    beats: Path
    off: Path
    facts: int
    confirmed: int


def write(case: Case, folder: Path, scale: float) -> Given:
    """Writes the facts of a case; `scale` is the share of its sensors."""
    sensors = max(100, round(case.sensors * scale))
    site = np.arange(sensors)
    if case.skewed:
        site[: sensors // 2] = 0
    names = pa.array(np.char.add("s", np.arange(sensors).astype(np.str_)))
    sites = names.take(pa.array(site))
    random = np.random.default_rng(7)
    before = np.zeros(sensors, dtype=bool)
    facts = confirmed = 0
    for number, ticks in enumerate(np.array_split(np.arange(case.ticks), case.batches)):
        parts = []
        for tick in ticks.tolist():
            now = random.random(sensors) >= SILENT
            facts += int(now.sum())
            # A stream leaves its last tick unfinished, and a report may come up to the delay later.
            if tick + DELAY < case.ticks - 1:
                confirmed += int((before & ~now).sum())
            before = now
            there = pa.array(np.flatnonzero(now))
            times = pa.array(np.full(len(there), tick))
            parts.append(pa.table({"site": sites.take(there), "sensor": names.take(there), "time": times}))
        _put(pa.concat_tables(parts), folder / "beats", number)
    nothing = pa.table({"site": pa.array([], pa.string()), "time": pa.array([], pa.int64())})
    _put(nothing, folder / "off", 0)
    return Given(folder / "beats", folder / "off", facts, confirmed)


def _put(table: pa.Table, folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:04}.parquet"
    pq.write_table(table, path)
    os.utime(path, (1_000 + 10 * number,) * 2)  # Spark takes the oldest first
