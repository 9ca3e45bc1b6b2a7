"""Programs on Spark: DataFrames of facts in, a DataFrame of changes out.

    changes(program, inputs, ...)    what happens to the answers: batch in, batch out; stream in, stream out
    rejects(program, inputs, ...)    the facts that were set aside, each with the reason
    answers(program, inputs, ...)    for a batch, the answers that are open at its end, and those confirmed
    outputs(program, inputs, ...)   all of it from one run: for a stream that feeds several sinks
    learn(program, inputs, ...)      for a batch, a model of how often facts come and answers are confirmed
    scores(program, inputs, ...)     for a batch, how good the chances of answers were
    newest(changes)                  the state of each answer that a batch of changes is about
    merge(changes, "delta:...")      these states into a table of Delta or Iceberg, a row for each answer
    to_parquet(outputs, folder, ...) the changes as Parquet, on one machine by Python's workers, for less CPU
    register(spark, name, program)   makes a program a table function of SQL, for batches
    register_source(spark)           makes the sink `writeStream.format("antelog")` known: a feed for the page
    serve_metrics(spark, port)       serves metrics of the session's streams to Prometheus
    guard(spark, checkpoint, ...)    refuses a checkpoint that belongs to another program

`inputs` has a DataFrame for each input of the program: batches, or streams. Columns are found by name; others
are ignored. The options are those of `antelog run`, by the names they have in a file, and `static`, `begin`,
`learn` and `query`; for streams also `checkpoint` and `accept`. docs/spark/library.md says what they do, and
which columns changes have: `query`, `answer` and `others` together are a key to upsert by.

PySpark, which the extra `spark` brings, is needed only when one of these names is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antelog.lazily import names_of
from antelog.spark.pipeline.requirements import ignore_pandas, require_pyspark

if TYPE_CHECKING:
    from antelog.spark.data_source import register_source
    from antelog.spark.endpoints.sinks import to_parquet
    from antelog.spark.endpoints.tables import merge, newest
    from antelog.spark.pipeline.metrics import serve_metrics
    from antelog.spark.pipeline.stream_run import changes, guard, outputs
    from antelog.spark.running import Outputs, answers, learn, rejects, scores
    from antelog.spark.settings import (
        BUCKETS,
        CLOCKS,
        COUNTS,
        LOCAL_CHECKPOINT,
        MALFORMED,
        OBSERVED,
        PARQUET,
        ROW,
        SETTINGS,
        SOURCE,
    )
    from antelog.spark.sql import register

__all__ = [
    "BUCKETS", "CLOCKS", "COUNTS", "LOCAL_CHECKPOINT", "MALFORMED", "OBSERVED", "PARQUET", "ROW",
    "SETTINGS", "SOURCE", "Outputs", "answers", "changes", "guard", "learn", "merge", "newest", "outputs",
    "register", "register_source", "rejects", "scores", "serve_metrics", "to_parquet",
]  # fmt: skip

_FROM = {
    **dict.fromkeys(__all__, "running"),
    **dict.fromkeys(("changes", "guard", "outputs"), "pipeline.stream_run"),
    **dict.fromkeys(("merge", "newest"), "endpoints.tables"),
    "to_parquet": "endpoints.sinks",
    "register": "sql",
    "register_source": "data_source",
    "serve_metrics": "pipeline.metrics",
    **{name: "settings" for name in __all__ if name.isupper()},
}

ignore_pandas()

# What needs no PySpark must not import it.
if not TYPE_CHECKING:  # a checker of types would take any name for one of these
    _find = names_of(__name__, _FROM, what="antelog.spark", extra="spark")

    def __getattr__(name: str) -> object:
        if _FROM.get(name, "settings") != "settings":
            require_pyspark()
        return _find(name)


def __dir__() -> list[str]:
    return __all__
