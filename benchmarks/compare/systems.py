"""The engines that are compared, and how each is used."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from antelog.spark.pipeline.configuration import LASTING
from benchmarks.compare.launching import ROOT
from benchmarks.report import versions_of

CACHE = ROOT / ".compare"
"""Jars, and classes compiled against them."""

OTHER_PYTHON = Path(os.environ.get("COMPARE_PYTHON", ROOT / ".venv-compare" / "bin" / "python"))
"""A Python that has the engines of `requirements.txt`."""

CORES = 2
"""So many tasks at a time have engines that divide their work among machines: Flink and Spark."""

MEMORY = "6g"
"""What a JVM may take for its objects, of all that are measured."""

PARQUET, CSV = "Parquet, a file for each batch", "one CSV file"
PATTERNS = ("W1", "W2", "W3", "W4", "W5", "W6")
WINDOWS = ("W7", "W8")
EVERYTHING = (*PATTERNS, *WINDOWS)


@dataclass(frozen=True)
class System:
    """An engine used in one way. `command` takes a workload, a folder and a place for answers besides.

    `unable` says of workloads why they are not here, `loses` why answers may be lost.
    """

    name: str
    title: str
    how: str
    reads: str
    command: tuple[str, ...]
    workloads: tuple[str, ...] = EVERYTHING
    unable: Mapping[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    loses: str = ""

    def launched(self, workload: str, folder: Path, out: Path) -> list[str]:
        return [*self.command, workload, str(folder), str(out), *self.after]

    @property
    def missing(self) -> str:
        """What has to be there and is not; empty if nothing."""
        program = Path(self.command[0])
        if program.is_absolute() and not program.exists():
            return f"{program} is not there"
        if self.command[0] == "java" and not Path(self.command[-2].split(":")[0]).exists():
            return "its jars are not there"
        return ""


def _own(module: str, *options: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"benchmarks.compare.engines.{module}", *options)


def _other(module: str, *options: str) -> tuple[str, ...]:
    return (str(OTHER_PYTHON), "-m", f"benchmarks.compare.engines.{module}", *options)


def _java(library: str, main: str) -> tuple[str, ...]:
    """It compiles as antelog has Spark's Java compile: that saves the others a tenth or more, too."""
    classes = CACHE / library
    options = (f"-Xmx{MEMORY}", *LASTING.split())
    return ("java", *options, "-cp", f"{classes / 'classes'}:{classes / 'jars'}/*", main)


NOT_WRITTEN = dict.fromkeys(WINDOWS, "its query is not written here yet")
NO_WINDOWS = dict.fromkeys(WINDOWS, "it has no windows that end with each event")

STATIC = "its patterns have no relations to join with"

LEARNING = (
    "K-slack begins with no slack, and then waits for as long as what it has seen was late. Until it has "
    "seen the latest event, it passes on later events in the wrong order"
)
EXACT = (
    "a row whose time is the watermark is late, so an event late by exactly the bound may be dropped. "
    "How many are depends on when watermarks are made, every 200 ms by default"
)
FLINK_SQL = (
    "`MATCH_RECOGNIZE` for W1 and W4 to W6, joins for W2 to W5, `OVER` for W7 and W8; the watermark a "
    "millisecond further back than the bound"
)

ESPER = (
    "`time_order` sorts by time, then `match_recognize`, patterns of what it found, and joins with tables; "
    "W3 joins windows that are not sorted"
)
SIDDHI = (
    "`reorder:kslack` sorts by time, then sequences, patterns of what they found, and joins with tables; "
    "W3 joins windows that are not sorted"
)


def _systems() -> Iterator[System]:
    confirmed, everything = "confirmed answers only", "what is possible too, why, and until when"
    yield System("antelog", "antelog, confirmed", confirmed, PARQUET, _own("in_process", "confirmed"))
    workers = f"{confirmed}; two processes run the rules, each for half of the values of the key"
    parts = {"W3": "facts of different devices meet, so one process has them all"}
    divided = tuple(name for name in EVERYTHING if name not in parts)
    own = _own("in_process", str(CORES))
    yield System("antelog-2", "antelog, 2 workers", workers, PARQUET, own, divided, parts)
    yield System("antelog-all", "antelog, all changes", everything, PARQUET, _own("in_process", "all"))
    bare = "what is possible too, and until when, but not why: `--explanations 0`"
    yield System("antelog-bare", "antelog, without explanations", bare, PARQUET, _own("in_process", "bare"))
    on_spark = _own("on_spark", "batch", "confirmed"), _own("on_spark", "stream", "confirmed")
    yield System("antelog-spark-batch", "antelog on Spark, batch", confirmed, PARQUET, on_spark[0])
    each = f"{confirmed}; each batch is a micro-batch"
    yield System("antelog-spark-stream", "antelog on Spark, stream", each, PARQUET, on_spark[1])

    windows = "window functions and joins in SQL, over all events at once"
    yield System("spark-batch", "Spark, SQL over all", windows, PARQUET, _own("spark_own", "batch"))
    marked = "a watermark of the bound; each batch is a micro-batch"
    own = _own("spark_own", "joins")
    yield System("spark-joins", "Spark, joins of streams", marked, PARQUET, own, PATTERNS, NO_WINDOWS)

    sql, cep = _java("flink", "FlinkSqlRun"), _java("flink", "FlinkCepRun")
    yield System("flink-sql", "Flink SQL", FLINK_SQL, CSV, sql, after=("1", str(CORES)))
    exactly = "the same with a watermark of exactly the bound; W1 only, to show what that does"
    yield System(
        "flink-sql-exact",
        "Flink SQL, exact watermark",
        exactly,
        CSV,
        sql,
        ("W1",),
        {},
        ("0", str(CORES)),
        EXACT,
    )
    bounded = "a pattern, of what another found for W4, with `forBoundedOutOfOrderness` of the bound"
    unable = {"W3": STATIC, "W5": STATIC, **NO_WINDOWS}
    yield System("flink-cep", "Flink CEP", bounded, CSV, cep, ("W1", "W2", "W4", "W6"), unable, (str(CORES),))

    esper, siddhi = _java("esper", "EsperRun"), _java("siddhi", "SiddhiRun")
    yield System("esper", "Esper", ESPER, CSV, esper)
    yield System("siddhi", "Siddhi", SIDDHI, CSV, siddhi, PATTERNS, NOT_WRITTEN, loses=LEARNING)

    joins, hand = "joins, over all events at once", "an operator in Python for each question, written by hand"
    yield System("pathway", "Pathway", joins, CSV, _other("pathway_own"), PATTERNS, NOT_WRITTEN)
    yield System("bytewax", "Bytewax", hand, PARQUET, _other("bytewax_own"))
    again, once = (
        "asked anew after each batch, over all events so far",
        "asked once, when all events are there",
    )
    yield System("duckdb", "DuckDB, again", again, PARQUET, _other("duckdb_again", "again"))
    yield System("duckdb-once", "DuckDB, once", once, PARQUET, _other("duckdb_again", "once"))
    yield System("polars", "Polars, again", again, PARQUET, _own("polars_again", "again"))
    yield System("polars-once", "Polars, once", once, PARQUET, _own("polars_again", "once"))


PRODUCTS = {
    "antelog": "rules over streams: in one process, or as a pipeline on Spark",
    "Polars": "a library for tables: written in Rust, asked in Python",
    "DuckDB": "a database within a process: asked in SQL",
    "Bytewax": "functions in Python over streams: on an engine in Rust",
    "Pathway": "tables in Python that follow their input: on an engine in Rust",
    "Esper": "a Java library for patterns of events: in a language like SQL",
    "Siddhi": "a Java library for patterns of events: with connectors to many systems",
    "Flink": "streams on clusters: on the JVM. *Flink CEP* is its library for patterns, *Flink SQL* its SQL",
    "Spark": "tables and streams on clusters: on the JVM, asked in SQL or Python. antelog can run on it",
}
"""What each is: in few words, and after the colon in some more. Titles of systems begin with these names."""

SYSTEMS = {system.name: system for system in _systems()}


def memory() -> str:
    """MEMORY as one reads it."""
    return MEMORY.replace("g", " GB")


def versions() -> dict[str, str]:
    """Of everything that takes part, as far as it is there."""
    found = {
        "Python": platform.python_version(),
        **versions_of(("antelog", "numpy", "pyarrow", "polars", "pyspark")),
    }
    java = subprocess.run(["java", "-version"], check=False, capture_output=True, text=True).stderr
    found["Java"] = (re.findall(r'version "([^"]+)"', java) or ["none"])[0]
    for library, jar in (("flink", "flink-cep"), ("esper", "esper-runtime"), ("siddhi", "siddhi-core")):
        for file in (CACHE / library / "jars").glob(f"{jar}-*.jar"):
            found[library.capitalize()] = file.stem.removeprefix(f"{jar}-")
    pins = (ROOT / "benchmarks" / "compare" / "requirements.txt").read_text(encoding="utf-8")
    return found | dict(re.findall(r"^(bytewax|duckdb|pathway)==(\S+)", pins, re.MULTILINE))
