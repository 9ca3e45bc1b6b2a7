"""How many changes there must be, counted without the engine, straight from what they mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchmarks.streams import DELAY, Facts, Numbers

NEVER = np.int64(2**40)

Counts = dict[str, int]


def first_arrivals(facts: Facts, device: int, ticks: int, until: int) -> Numbers:
    """For each device and tick when its fact arrived; NEVER if it did not by tick `until`."""
    arrived = np.full((device, ticks), NEVER)
    there = facts.arrival <= until
    np.minimum.at(arrived, (facts.objects[0][there], facts.time[there]), facts.arrival[there])
    return arrived


def in_a_row(arrived: Numbers, offsets: Sequence[int], until: int, delay: int = DELAY) -> Counts:
    """Changes of answers that need a fact at each of these distances from their tick."""
    ticks = arrived.shape[1]
    padded = np.pad(arrived, ((0, 0), (0, max(offsets))), constant_values=NEVER)
    about = np.arange(ticks)
    parts = [padded[:, about + offset] for offset in offsets]
    fails = [
        np.where(part == NEVER, about + o + delay, NEVER) for part, o in zip(parts, offsets, strict=True)
    ]
    begun, complete, failed = np.minimum.reduce(parts), np.maximum.reduce(parts), np.minimum.reduce(fails)
    possible = (begun < complete) & (begun < failed)
    return {
        "possible": int(possible.sum()),
        "confirmed": int((complete < NEVER).sum()),
        "rejected": int((possible & (complete == NEVER) & (failed <= until)).sum()),
    }


def not_in_a_row(arrived: Numbers, offsets: Sequence[int], until: int) -> Counts:
    """Answers of every device and tick that are confirmed once one of these facts is missing for good."""
    ticks = until + 1
    padded = np.pad(arrived, ((0, 0), (0, ticks + max(offsets))), constant_values=NEVER)
    about = np.arange(ticks)
    fails = [np.where(padded[:, about + o] == NEVER, about + o + DELAY, NEVER) for o in offsets]
    return {"confirmed": int((np.minimum.reduce(fails) <= until).sum())}


def relayed(facts: Facts) -> Counts:
    """Who heard something one tick after another node."""
    heard = frame(facts, "node", "message")
    following = heard.with_columns(time=pl.col("time") - 1).rename({"node": "other"})
    met = heard.join(following, on=["message", "time"]).filter(pl.col("node") != pl.col("other"))
    return {"confirmed": met.select("node", "other", "time").n_unique()}


def paired(facts: Facts) -> Counts:
    """Pairs of facts about the same device, one tick after the other."""
    sizes = frame(facts, "sensor", "device").group_by("device", "time").len()
    following = sizes.with_columns(time=pl.col("time") - 1)
    met = sizes.join(following, on=["device", "time"])
    return {"confirmed": met.select((pl.col("len").cast(pl.Int64) * pl.col("len_right")).sum()).item()}


def cascaded(facts: Facts, feeds: Sequence[tuple[int, int]]) -> Counts:
    """Which neighbours tripped one tick after another."""
    tripped = frame(facts, "device")
    edges = pl.DataFrame(feeds, schema=["device", "other"], orient="row")
    following = tripped.with_columns(time=pl.col("time") - 1).rename({"device": "other"})
    met = tripped.join(edges, on="device").join(following, on=["other", "time"])
    return {"confirmed": met.select("device", "other", "time").n_unique()}


def frame(facts: Facts, *names: str) -> pl.DataFrame:
    objects = dict(zip(names, facts.objects, strict=True))
    return pl.DataFrame({**objects, "time": facts.time}).unique()
