"""Names and numbers that both the library and its users need; nothing here needs PySpark."""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping
from typing import get_args

from antelog.accounts import FATES
from antelog.run.clock import ClockName

CLOCKS: tuple[ClockName, ...] = get_args(ClockName)
"""The clocks that may move time on."""

BUCKETS = 8
"""The number of parts that facts are divided into by default."""

MALFORMED = "_malformed"
"""A column of texts an input may have: where there is one, the row is set aside for that reason."""

ROW = "_row"
"""A column of texts an input may have: what the row was, to be shown if it is set aside."""

CLOCK = "_clock"
"""A column of numbers an input may have: how the clock showed a time without an offset, see `Ticks.local`."""

OBSERVED = "antelog"
"""The name of the counts among the observed metrics of a stream's progress."""

COUNTS = (*("given", *FATES), *("held", "kept", "state_bytes", "changes", "open", "now"))
"""The counts of each bucket and micro-batch.

Of the rows `given`, `antelog.accounts` says what may become of them. Those that meet no literal of any rule
are `unneeded` where that is known beforehand: their arrivals count, that is all. `held` rows wait for their
tick to be finished. `given` is the sum of what became of rows and the growth of `held`. `kept` are the
facts in the state, `state_bytes` what the state takes in the store, `changes` the rows of the log. `open`
answers are counted if changes are asked for that tell of them, and else null. `now` is the last finished
tick.
"""

STANDING = ("held", "kept", "state_bytes", "open", "now")
"""The counts of the state after a micro-batch, not of what happened in it."""

LOOPBACK = "127.0.0.1"
"""This machine, as only it can be reached by itself."""

SETTINGS = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}
"""Settings that a session needs for streams, and some that make it faster.

Stateful operators in Python need Spark's RocksDB store. Bucket numbers spread evenly over
`spark.sql.shuffle.partitions` if that is a divisor or a multiple of the number of buckets.
"""

LOCAL_CHECKPOINT = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    )
}
"""Settings that make streams faster whose checkpoint is in a folder of this machine.

Spark's usual way to rename a file there is to start a process that looks for links, twice for each
of a dozen files in a micro-batch.
"""

PARQUET = {
    f"parquet.enable.dictionary#{column}": "false"
    for column in (
        "answer",
        "explanations.list.element.evidence.list.element",
        "explanations.list.element.hypotheses.list.element",
        "because.list.element",
    )
}
"""Options of a writer that make it faster to write changes to Parquet.

Few of these texts come often. Parquet looks up each of them all the same, until it sees that its dictionary
is of no use; that is a third of the work of writing, and makes the files a fifth smaller.
"""


def master_of(given: str | None, conf: Mapping[str, str]) -> str:
    """Spark's master: as given, by Spark's settings, by the environment, or this machine."""
    return given or conf.get("spark.master") or os.environ.get("SPARK_MASTER", "local[*]")


def quoted(name: str) -> str:
    """The name of a column as Spark takes it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


_FIRST_TASKS = 10
"""In its first tasks, this many, a worker may load something that stays, as Arrow loads pandas."""

_begun = 0


def spare() -> None:
    """Exempts all objects in memory at the start of a task from garbage collection: mostly modules.

    Spark's worker scans everything after each task, which takes longer than a small task. Objects that exist
    when one of its first tasks begins, just after a collection, stay as long as the worker.
    """
    global _begun  # noqa: PLW0603 - once for each process
    if _begun < _FIRST_TASKS:
        gc.freeze()
        _begun += 1
