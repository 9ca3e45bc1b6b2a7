"""Polars, asked again after each batch over all events so far; or asked once, when all have come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

import polars as pl
import pyarrow as pa

from benchmarks.compare.answers import HIGH_MEAN, MANY, WINDOW
from benchmarks.compare.folder import Folder, answer

Static = dict[str, pl.LazyFrame]
Question = Callable[[pl.LazyFrame, Static, int], pl.LazyFrame]
"""The answers that are certain, given all events so far and the last tick of which no more will come."""


def _malfunctions(events: pl.LazyFrame, _: Static, __: int) -> pl.LazyFrame:
    high = events.filter(pl.col("value") == "high").select("device", "time")
    for ahead in (1, 2):
        later = events.filter(pl.col("value") == "high").select("device", time=pl.col("time") - ahead)
        high = high.join(later, on=["device", "time"], how="semi")
    return high


def _not_in_a_row(events: pl.LazyFrame, static: Static, complete: int) -> pl.LazyFrame:
    malfunctions = _malfunctions(events, static, complete)
    certain = events.select("device", "time").filter(pl.col("time") + 2 <= complete)
    return certain.join(malfunctions, on=["device", "time"], how="anti")


def _unacknowledged(events: pl.LazyFrame, _: Static, complete: int) -> pl.LazyFrame:
    alarms = events.filter(pl.col("kind") == "Alarm", pl.col("time") + 5 <= complete).select("device", "time")
    acks = events.filter(pl.col("kind") == "Ack").select("device", ack="time").sort("ack")
    after = alarms.with_columns(after=pl.col("time") + 1).sort("after")
    next_ack = after.join_asof(acks, left_on="after", right_on="ack", by="device", strategy="forward")
    ignored = pl.col("ack").is_null() | (pl.col("ack") > pl.col("time") + 5)
    return next_ack.filter(ignored).select("device", "time")


def _joined(events: pl.LazyFrame, static: Static, _: int) -> pl.LazyFrame:
    heat = events.filter(pl.col("kind") == "Heat").select("device", "time")
    pressure = events.filter(pl.col("kind") == "Pressure").select(other="device", time=pl.col("time") - 1)
    return (
        heat.join(static["Feeds"], on="device")
        .join(pressure, on=["other", "time"])
        .select("device", "other", "time")
    )


def _leads(events: pl.LazyFrame, static: Static, complete: int) -> pl.LazyFrame:
    scores = events.select("device", "place", "time", "value").filter(pl.col("time") <= complete)
    earlier = [
        scores.select("device", "place", pl.col("time") + ago, pl.col("value").alias(f"ago{ago}"))
        for ago in (1, 2)
    ]
    where = ["device", "place", "time"]
    steps = scores.join(earlier[0], on=where).join(earlier[1], on=where)
    rises = (pl.col("ago1") >= pl.col("ago2") + 5) & (pl.col("value") >= pl.col("ago1") + 5)
    nearby = steps.filter(rises).join(static["Near"], left_on="place", right_on="neighbour")
    wanted = nearby.select("device", place="region", time="time").unique()
    popular = scores.filter(pl.col("value") >= 60)
    fresh = wanted.join(popular, on=where, how="anti")
    return fresh.join(static["Shop"], left_on="place", right_on="region").select("shop", "device", "time")


def _within(events: pl.LazyFrame) -> pl.LazyFrame:
    """For each event how many of its device there are in the window that ends with it, and their mean."""
    ordered = events.sort("device", "time")
    return ordered.rolling("time", period=f"{WINDOW}i", group_by="device").agg(
        pl.len().alias("count"), pl.col("value").mean().alias("mean")
    )


def _fast(events: pl.LazyFrame, _: Static, __: int) -> pl.LazyFrame:
    return _within(events).filter(pl.col("count") >= MANY).select("device", "time")


def _dear(events: pl.LazyFrame, _: Static, complete: int) -> pl.LazyFrame:
    certain = events.filter(pl.col("time") <= complete)
    return _within(certain).filter(pl.col("mean") > HIGH_MEAN).select("device", "time")


QUESTIONS: dict[str, Question] = {
    "W1": _malfunctions,
    "W2": _unacknowledged,
    "W3": _joined,
    "W4": _not_in_a_row,
    "W5": _leads,
    "W6": _malfunctions,
    "W7": _fast,
    "W8": _dear,
}


def again(question: Question, folder: Folder) -> Iterator[pa.Table]:
    static, delay = _static(folder), folder.settings["delay"]
    parts: list[pl.LazyFrame] = []
    reported: pl.DataFrame | None = None
    for end, batch in folder.batches():
        parts.append(pl.LazyFrame(pl.from_arrow(batch)))
        found = question(pl.concat(parts), static, end - delay).collect()
        yield (found if reported is None else found.join(reported, on=found.columns, how="anti")).to_arrow()
        reported = found


def once(question: Question, folder: Folder) -> Iterator[pa.Table]:
    settings = folder.settings
    events = pl.scan_parquet(folder.path / "batches" / "*.parquet")
    yield question(events, _static(folder), settings["ends"][-1] - settings["delay"]).collect().to_arrow()


def _static(folder: Folder) -> Static:
    return {name: pl.LazyFrame(pl.from_arrow(table)) for name, table in folder.static().items()}


if __name__ == "__main__":
    how = {"again": again, "once": once}[sys.argv[1]]
    answer({name: partial(how, question) for name, question in QUESTIONS.items()}, sys.argv[2:])
