"""Recordings of phones that sent a message every half second, as the readings of W6.

The folder is given by the variable OOO_DATASET: two files, `d-1.csv` and `d-2.csv`, with the times at which a
phone noticed something and at which a server heard of it. A tick is half a second. Each phone and tick counts
once, by the message that came first. All of it is repeated, for phones of other names.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.streams import Facts, numbered

FOLDER = Path(os.environ.get("OOO_DATASET", "../shared/data/ooo-dataset"))
FILES = ("d-1.csv", "d-2.csv")
TICK = 500
"""Milliseconds."""

BOUND = 12
"""In ticks: no message was later."""


def there() -> bool:
    return all((FOLDER / name).exists() for name in FILES)


def phones(copies: int) -> tuple[Facts, int, int]:
    """What was heard of each phone, with how many phones and ticks there are."""
    once = pl.concat([_read(FOLDER / name) for name in FILES])
    known = {name: number for number, name in enumerate(once["phone"].unique(maintain_order=True))}
    one = once["phone"].replace_strict(known).to_numpy()
    phone = np.concatenate([one + copy * len(known) for copy in range(copies)])
    time, arrival = (np.tile(once[name].to_numpy(), copies) for name in ("time", "arrival"))
    order = np.argsort(arrival, kind="stable")
    count = copies * len(known)
    names = (("device", numbered("phone", count)), ("value", np.array(["high"])))
    objects = (phone[order], np.zeros(len(order), dtype=np.int64))
    return Facts("Temp", objects, names, time[order], arrival[order]), count, int(time.max()) + 1


def _read(path: Path) -> pl.DataFrame:
    """A recording, its first tick being 0."""
    raw = pl.read_csv(path, separator=";", infer_schema_length=None)
    sent, received = (pl.col(f"S.{name}") for name in ("Client.Detection.Time", "Message.received.time.ms"))
    ticks = [
        ((time - sent.min()) // TICK).alias(name) for time, name in ((sent, "time"), (received, "arrival"))
    ]
    phone = (pl.lit(f"{path.stem} ") + pl.col("S.Device.ID")).alias("phone")
    return (
        raw.select(phone, *ticks)
        .group_by("phone", "time")
        .agg(pl.col("arrival").min())
        .sort("arrival", "phone")
    )
