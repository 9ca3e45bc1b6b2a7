"""The engines that are compared, and how each is used."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.compare.launching import ROOT
from benchmarks.report import versions_of

CACHE = ROOT / ".compare"
"""Jars, and classes compiled against them."""

OTHER_PYTHON = Path(os.environ.get("COMPARE_PYTHON", ROOT / ".venv-compare" / "bin" / "python"))
"""A Python that has the engines of `requirements.txt`."""

PARQUET, CSV = "Parquet, a file for each batch", "one CSV file"
EVERYTHING = ("W1", "W2", "W3", "W4", "W5", "W6")


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
        if self.command[0] == "java" and not Path(self.command[2].split(":")[0]).exists():
            return "its jars are not there"
        return ""


def _own(module: str, *options: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"benchmarks.compare.engines.{module}", *options)


def _other(module: str, *options: str) -> tuple[str, ...]:
    return (str(OTHER_PYTHON), "-m", f"benchmarks.compare.engines.{module}", *options)


def _java(library: str, main: str) -> tuple[str, ...]:
    classes = CACHE / library
    return ("java", "-cp", f"{classes / 'classes'}:{classes / 'jars'}/*", main)


_NEGATED = "a pattern cannot be negated as a whole, only single events in it"
_STATIC = "its patterns have no relations to join with"
_DEEP = "a pattern of patterns, joined and negated, is a program by hand here"
_OUTER = "joins of streams have no anti join"

SYSTEMS = {
    system.name: system
    for system in (
        System("antelog", "antelog, confirmed", "in process, confirmed answers only", PARQUET,
               _own("in_process", "confirmed")),
        System("antelog-all", "antelog, all changes",
               "in process: also what is possible and why, what is missing, deadlines, rejections", PARQUET,
               _own("in_process", "all")),
        System("antelog-spark-batch", "antelog on Spark, batch", "confirmed answers only", PARQUET,
               _own("on_spark", "batch", "confirmed")),
        System("antelog-spark-stream", "antelog on Spark, stream",
               "confirmed answers only; a batch in each micro-batch", PARQUET,
               _own("on_spark", "stream", "confirmed")),
        System("spark-batch", "Spark, SQL over all", "window functions and joins in SQL, over all events at once",
               PARQUET, _own("spark_own", "batch")),
        System("spark-joins", "Spark, joins of streams", "watermark of the bound; a batch in each micro-batch",
               PARQUET, _own("spark_own", "joins"), ("W1", "W2", "W3", "W6"),
               {"W4": _OUTER + " with the result of another join", "W5": _OUTER + ", and no DISTINCT after them"}),
        System("flink-sql", "Flink SQL",
               "`MATCH_RECOGNIZE` for W1, W4 and W6, interval joins for W2 to W4; watermark a millisecond further back "
               "than the bound", CSV, _java("flink", "FlinkSqlRun"), ("W1", "W2", "W3", "W4", "W6"),
               {"W5": "was not written"}, ("1",)),
        System("flink-sql-exact", "Flink SQL, exact watermark", "the same with a watermark of exactly the bound", CSV,
               _java("flink", "FlinkSqlRun"), ("W1",), dict.fromkeys(EVERYTHING[1:], "is shown for W1 only"), ("0",),
               "a row whose time is the watermark is late, so an event that is late by exactly the bound is dropped; how "
               "many depends on when watermarks are made, every 200 ms unless told otherwise"),
        System("flink-cep", "Flink CEP", "a pattern, with `forBoundedOutOfOrderness` of the bound", CSV,
               _java("flink", "FlinkCepRun"), ("W1", "W2", "W6"), {"W3": _STATIC, "W4": _NEGATED, "W5": _DEEP}),
        System("esper", "Esper", "`time_order` sorts by time, then `match_recognize` or a pattern", CSV,
               _java("esper", "EsperRun"), ("W1", "W2", "W6"), {"W3": "was not written", "W4": _NEGATED, "W5": _DEEP}),
        System("siddhi", "Siddhi", "`reorder:kslack` sorts by time, then a sequence for each device", CSV,
               _java("siddhi", "SiddhiRun"), ("W1", "W6"),
               {"W2": "was not written", "W3": "was not written", "W4": _NEGATED, "W5": _DEEP},
               loses="K-slack begins with no slack, and waits for as long as what it has seen was late. Until it has seen "
               "the latest event, it hands on in the wrong order what is later than all before"),
        System("pathway", "Pathway", "joins, over all events at once; answers that change are taken back", CSV,
               _other("pathway_own"), ("W1", "W2", "W3", "W4", "W6"), {"W5": "was not written"}),
        System("bytewax", "Bytewax", "an operator in Python for each question, written by hand", PARQUET,
               _other("bytewax_own"), ("W1", "W2", "W3", "W4", "W6"), {"W5": "was not written"}),
        System("duckdb", "DuckDB, again", "asked anew after each batch, over all events so far", PARQUET,
               _other("duckdb_again", "again")),
        System("duckdb-once", "DuckDB, once", "asked once, when all events are there", PARQUET,
               _other("duckdb_again", "once")),
        System("polars", "Polars, again", "asked anew after each batch, over all events so far", PARQUET,
               _own("polars_again", "again")),
        System("polars-once", "Polars, once", "asked once, when all events are there", PARQUET,
               _own("polars_again", "once")),
    )
}  # fmt: skip


def versions() -> dict[str, str]:
    """Of everything that takes part, as far as it is there."""
    found = {"Python": platform.python_version(), **versions_of(("antelog", "numpy", "pyarrow", "polars", "pyspark"))}
    java = subprocess.run(["java", "-version"], check=False, capture_output=True, text=True).stderr
    found["Java"] = (re.findall(r'version "([^"]+)"', java) or ["none"])[0]
    for library, jar in (("flink", "flink-cep"), ("esper", "esper-runtime"), ("siddhi", "siddhi-core")):
        for file in (CACHE / library / "jars").glob(f"{jar}-*.jar"):
            found[library.capitalize()] = file.stem.removeprefix(f"{jar}-")
    pins = (ROOT / "benchmarks" / "compare" / "requirements.txt").read_text(encoding="utf-8")
    return found | dict(re.findall(r"^(bytewax|duckdb|pathway)==(\S+)", pins, re.MULTILINE))
