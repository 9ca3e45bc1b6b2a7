"""Records of the world as facts: what was so at which tick, and when that became known.

dengue       a week has reached 40 cases      known when the 40th was reported
phones       a phone was heard                known when its message arrived
readings     a value every few minutes        known at once
earthquakes  one of some strength in a cell   known when it was first in the feed

The folder is given by the variable RECORDS. None of the records is part of the project.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

FOLDER = Path(os.environ.get("RECORDS", "../shared/data"))


@dataclass(frozen=True)
class Record:
    """A record: where it lies, and how to read it as the facts of one input, with a column `arrival`."""

    name: str
    path: str
    read: Callable[[Path], pl.DataFrame]
    tick: str | None = None  # how long a tick is, where the hour may matter: ticks are counted from 1970 then

    @property
    def there(self) -> bool:
        return (FOLDER / self.path).exists()

    @property
    def reported(self) -> bool:
        """Whether its streams are in the half that nobody may choose anything on: they are only reported.

        The files, in the order of their names, are dealt to both halves in turn; the first may be chosen on.
        So what was recorded together stays together, and nobody has looked at scores to deal them.
        """
        paths = sorted({each.path for each in RECORDS.values()})
        return paths.index(self.path) % 2 == 1

    def facts(self) -> pa.Table:
        """Its facts in the order of arrival; the column before the last has the ticks."""
        found = self.read(FOLDER / self.path)
        time = found.columns[-2]
        first = found[time].min() if self.tick is None else 0
        ticks = found.with_columns(pl.col(time, "arrival") - first).sort("arrival", time, maintain_order=True)
        return ticks.cast({time: pl.Int64, "arrival": pl.Int64}).to_arrow()


CASES = 40
WEEK = 7 * 24 * 3600
HOUR = 3600


def dengue(path: Path) -> pl.DataFrame:
    """The weeks with at least 40 cases, and the week in which the 40th of them was reported."""
    cases = pl.read_csv(path, try_parse_dates=True).sort("onset_week", "report_week")
    ranked = cases.with_columns(pl.int_range(pl.len()).over("onset_week").alias("rank"))
    reached = ranked.filter(pl.col("rank") == CASES - 1)
    week, known = (pl.col(name).dt.epoch("s") // WEEK for name in ("onset_week", "report_week"))
    return reached.select(week.alias("week"), known.alias("arrival"))


def phones(milliseconds: int) -> Callable[[Path], pl.DataFrame]:
    """The phones heard in each tick of so many milliseconds, by the message that came first."""

    def read(path: Path) -> pl.DataFrame:
        raw = pl.read_csv(path, separator=";", infer_schema_length=None)
        sent, received = pl.col("S.Client.Detection.Time"), pl.col("S.Message.received.time.ms")
        ticks = raw.select(
            pl.col("S.Device.ID").alias("phone"),
            (sent // milliseconds).alias("time"),
            (received // milliseconds).alias("arrival"),
        )
        return ticks.group_by("phone", "time").agg(pl.col("arrival").min()).sort("arrival", "phone", "time")

    return read


def readings(minutes: int) -> Callable[[Path], pl.DataFrame]:
    """Values that are logged every so many minutes; where two are of one tick, the first counts."""

    def read(path: Path) -> pl.DataFrame:
        raw = pl.read_csv(path, try_parse_dates=True, schema_overrides={"value": pl.Float64})
        tick = (pl.col("timestamp").dt.epoch("s") // (60 * minutes)).alias("time")
        once = raw.sort("timestamp").with_columns(tick).unique("time", keep="first", maintain_order=True)
        return once.select("value", "time", pl.col("time").alias("arrival"))

    return read


_CELL = 10
"""Degrees of latitude and longitude."""


def earthquakes(path: Path) -> pl.DataFrame:
    """Earthquakes by cell and hour, and the hour when they were first in the feed."""
    raw = pl.read_csv(path, try_parse_dates=True).filter(
        (pl.col("kind") == "new") & (pl.col("baseline") == 0)
    )
    first = raw.sort("seen_utc").unique("id", keep="first", maintain_order=True).drop_nulls("mag")
    cells = [(pl.col(name) / _CELL).floor().cast(pl.Int64).cast(pl.String) for name in ("lat", "lon")]
    hour, seen = (pl.col(name).dt.epoch("s") // HOUR for name in ("event_utc", "seen_utc"))
    return first.select(
        pl.concat_str(cells, separator=" ").alias("cell"), "mag", hour.alias("time"), seen.alias("arrival")
    )


_NAB = "nab/data"
RECORDS = {
    record.name: record
    for record in (
        Record("dengue", "dengue/denguedat.csv", dengue),
        Record("phones-1", "ooo-dataset/d-1.csv", phones(500)),
        Record("phones-2", "ooo-dataset/d-2.csv", phones(500)),
        Record("pulses-1", "ooo-dataset/d-1.csv", phones(100)),
        Record("pulses-2", "ooo-dataset/d-2.csv", phones(100)),
        Record(
            "machine",
            f"{_NAB}/realKnownCause/machine_temperature_system_failure.csv",
            readings(5),
            "5 minutes",
        ),
        Record("taxis", f"{_NAB}/realKnownCause/nyc_taxi.csv", readings(30), "30 minutes"),
        Record(
            "ambient",
            f"{_NAB}/realKnownCause/ambient_temperature_system_failure.csv",
            readings(60),
            "60 minutes",
        ),
        Record("occupancy", f"{_NAB}/realTraffic/occupancy_6005.csv", readings(5), "5 minutes"),
        Record("speed", f"{_NAB}/realTraffic/speed_7578.csv", readings(5), "5 minutes"),
        Record("earthquakes", "usgs-feed-history/usgs_all_week_changes.csv", earthquakes, "1 hour"),
    )
}
