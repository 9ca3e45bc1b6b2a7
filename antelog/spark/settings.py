"""Names and numbers that both the library and its users need; nothing here needs PySpark."""

from __future__ import annotations

import gc
import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from antelog.accounts import FAILED, FATES, REASONS

CLOCKS: Final = ("arrival", "event", "processing")

BUCKETS = 8
"""The number of buckets by default."""

MALFORMED = "_malformed"
"""A column that an input may have: a text in it is the reason why the row is set aside."""

ROW = "_row"
"""A column that an input may have: the text of the row, shown if it is set aside."""

SOURCE = "_source"
"""A column that an input may have: the source a row is from, by name. Each has a time of its own."""

CLOCK = "_clock"  # a column that an input may have: how the clock showed a time, see `Ticks.local`

OBSERVED = "antelog"
"""The name of the counts among the observed metrics of a stream's progress."""

COUNTS = (*("given", *FATES), *("held", "kept", "state_bytes", "changes", FAILED, "open", "behind", "now"))
"""The counts of each bucket and micro-batch.

    given           rows that came: those with a fate (see `antelog.accounts`) and the growth of `held`
    held            rows that wait for their tick to be finished
    kept            facts in the state
    state_bytes     the size of the state in the store
    changes         rows of the log
    failed          calls of functions that failed, each once
    open            open answers; null unless the wanted changes tell of them
    behind          by how many ticks others are ahead of the source that holds time back
    now             the last finished tick
"""

STANDING = ("held", "kept", "state_bytes", "open", "behind", "now")  # are about the state after a micro-batch
ALIKE = ("behind", "now")  # are the same in all buckets
HOLDING = "holding"
"""The name of the source that holds time back, beside the counts."""

TICK, ZONE = "tick", "zone"  # the length of a tick in microseconds and its zone, beside the counts
OF_INPUTS = (*REASONS, "held")  # the counts of single inputs: `Temp.late` is beside `late`

LOOPBACK = "127.0.0.1"  # an address that only this machine can reach


@cache
def _table(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(files("antelog.spark").joinpath(name).read_text(encoding="utf-8"))


def editions() -> Mapping[str, Mapping[str, str]]:
    """The coordinates that go with each PySpark, by `kafka`, `delta` and `iceberg`: see the file."""
    return _table("editions.toml")


SETTINGS = _table("settings.toml")["session"]
"""Settings that a session needs for streams: their state must be in Spark's RocksDB store."""
LOCAL_CHECKPOINT = _table("settings.toml")["local_checkpoint"]
"""Settings for checkpoints on this machine; by default, renaming a file there takes two processes."""
PARQUET = _table("settings.toml")["parquet"]
"""Options of a writer of changes to Parquet, which take a third of its work away: few texts repeat."""
DRIVERS = _table("settings.toml")["drivers"]


def short(version: str) -> str:
    """The first two numbers of a version of Spark, which has the editions of `4.2`."""
    return ".".join(version.split(".")[:2])


def master_of(given: str | None, conf: Mapping[str, str]) -> str:
    """Spark's master: the given one, or that of Spark's settings, of the environment, or this machine."""
    return given or conf.get("spark.master") or os.environ.get("SPARK_MASTER", "local[*]")


def quoted(name: str) -> str:
    """Quotes the name of a column for Spark."""
    return "`" + name.replace("`", "``") + "`"


_FIRST_TASKS = 10  # the tasks in which a worker may load something that stays, as Arrow loads pandas

_begun = 0


def spare() -> None:
    """Exempts a worker's modules from the garbage collection that Spark does after each task."""
    global _begun  # noqa: PLW0603 - once for each process
    if _begun < _FIRST_TASKS:
        gc.freeze()
        _begun += 1
