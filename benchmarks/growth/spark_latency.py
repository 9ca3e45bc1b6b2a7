"""The same on Spark: a file for each tick is put into a folder that a stream follows.

The readings of a second are one tick and one file, which is there when the second is over. With a lag of 1,
as it is usually, a stream does not finish the tick it saw last: its lines come with the next file.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from antelog import parse
from antelog.spark import changes
from benchmarks.growth.latency import Latency, Load, Seconds, behind, compared, grows, spread
from benchmarks.spark import cpu
from benchmarks.streams import Facts
from benchmarks.workloads import TURBINE, hot_in_a_row

TICK = 1.0
WARM = 20
"""So many ticks at first do not count: the JVM compiles what runs often."""
SECONDS = 30
BUSY = "Python worker failed to connect back"
"""Spark gives a stream's Python ten seconds to start, and there is no setting for it."""
ATTEMPTS = 5
PATIENCE = 90
"""So many seconds are given to a stream that is behind when the last file is there."""
BEHIND = 10
"""A stream that is more ticks behind at the end than this has not kept up, even if that grows no more."""
RATES = ((1_000, 1), (5_000, 1), (5_000, 0), (20_000, 1), (50_000, 1), (100_000, 1), (200_000, 1))
"""Facts a second, each with a lag."""


@dataclass
class Sink:
    """Writes the lines of each micro-batch, and notes when they were written."""

    folder: Path
    written: dict[int, float] = field(default_factory=dict)

    def __call__(self, lines: DataFrame, number: int) -> None:
        lines.write.mode("overwrite").parquet(str(self.folder / str(number)))
        self.written[number] = time.monotonic()

    def lines(self) -> pl.DataFrame:
        """All lines that were written, each with the time it was."""
        read = [
            pl.read_parquet(self.folder / str(number) / "*.parquet", columns=["tick", "change"]).with_columns(
                out=pl.lit(at)
            )
            for number, at in self.written.items()
        ]
        return pl.concat(read)


def on_spark(spark: SparkSession, rate: int, folder: Path, seconds: float, lag: int) -> Latency:
    """A new stream that reads a file each second; `lag` is how many ticks back the finished one lies."""
    load = Load(rate, TICK, round(seconds / TICK))
    facts = load.facts()
    last = int(facts.arrival.max())
    files = _files(facts, last, folder / "aside")
    sink = Sink(folder / "out")
    given = folder / "given"
    given.mkdir()
    schema = pq.read_schema(files[0])
    _put(files[:1], given, 0.0)
    query = _warm(lambda: _started(spark, schema, given, sink, folder / "checkpoint", lag))
    try:
        began, used = time.monotonic() - TICK, cpu.seconds()
        _put(files[1:], given, began + 2 * TICK)
        complete = _all_read(query)
        ended = time.monotonic()
        busy = (cpu.seconds() - used) / (ended - began)
    finally:
        query.stop()
    lines = sink.lines()
    expected = hot_in_a_row(facts, load.devices, last - lag)
    kinds = Counter({kind: int((lines["change"] == kind).sum()) for kind in expected})
    out = _out(lines, load.ticks, began, ended)
    late = behind(load, out, WARM)
    return Latency(
        rate,
        len(facts),
        spread(load, facts, out, WARM),
        None,
        busy,
        late,
        complete and not grows(load, late) and late[1] <= BEHIND * TICK,
        compared(expected, kinds) if complete else "",
        lag,
    )


def _files(facts: Facts, last: int, folder: Path) -> list[Path]:
    """A file for what arrives in each tick."""
    folder.mkdir(parents=True)
    for end, table in facts.batches(np.arange(last + 1)):
        pq.write_table(table, folder / f"{end:05}.parquet")
    return sorted(folder.iterdir())


def _started(
    spark: SparkSession, schema: pa.Schema, given: Path, sink: Sink, checkpoint: Path, lag: int
) -> StreamingQuery:
    frame = spark.readStream.schema(from_arrow_schema(schema)).parquet(str(given))
    lines = changes(parse(TURBINE), {"Temp": frame}, lag=lag)
    writer = lines.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    return writer.start()


def _warm(start: Callable[[], StreamingQuery]) -> StreamingQuery:
    """A query that has read what is there, started again while the machine is too busy for its Python."""
    for attempt in range(ATTEMPTS):
        query = start()
        try:
            query.processAllAvailable()
        except StreamingQueryException as error:
            if BUSY not in str(error) or attempt + 1 == ATTEMPTS:
                raise
        else:
            return query
    raise AssertionError("the last attempt returns or raises")


def _put(files: Sequence[Path], given: Path, first: float) -> None:
    """The files one after the other, a tick apart, the first of them at a time of the clock."""
    for number, file in enumerate(files):
        time.sleep(max(0.0, first + number * TICK - time.monotonic()))
        file.touch()  # Spark takes the oldest first
        file.rename(given / file.name)


def _all_read(query: StreamingQuery) -> bool:
    """Waits until all is read; false if that takes too long."""
    reading = threading.Thread(target=query.processAllAvailable, daemon=True)
    reading.start()
    reading.join(PATIENCE)
    return not reading.is_alive()


def _out(lines: pl.DataFrame, ticks: int, began: float, ended: float) -> Seconds:
    """When the lines of each tick were written; for those that were not, when nobody waited any longer."""
    out = np.full(ticks, ended - began)
    told = lines.group_by("tick").agg(pl.col("out").min()).filter(pl.col("tick") < ticks)
    out[told["tick"].to_numpy()] = told["out"].to_numpy() - began
    return out
