"""Tables of Delta and Iceberg for tests, read and written by a process of its own that has their archives."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.servers import UnavailableError, for_spark

ROOT = Path(__file__).resolve().parents[2]
Row = dict[str, Any]
PLACES = {  # the names of a table in SQL and on the command line, and what is said before the first one
    "delta": ("delta.`{}/{}`", "delta:./{}", ""),
    "iceberg": ("plant.lines.{1}", "iceberg:plant.lines.{}", "CREATE NAMESPACE IF NOT EXISTS plant.lines"),
}


def known_forms() -> dict[str, str]:
    """For each of `delta` and `iceberg` an empty text, or why the installed Spark cannot have it."""
    found = {}
    for form in PLACES:
        try:
            for_spark(form)
            found[form] = ""
        except UnavailableError as error:
            found[form] = str(error)
    return found


def settings(folder: Path) -> dict[str, str]:
    """Spark's settings for the forms there are; Iceberg's catalog `plant` is a folder."""
    known = known_forms()
    jars: list[Path] = []
    found = {}
    if not known["delta"]:
        jars += for_spark("delta")
        found["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
        found["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        found["spark.databricks.delta.snapshotPartitions"] = "1"  # of small tables
    if not known["iceberg"]:
        jars += for_spark("iceberg")
        found["spark.sql.catalog.plant"] = "org.apache.iceberg.spark.SparkCatalog"
        found["spark.sql.catalog.plant.type"] = "hadoop"
        found["spark.sql.catalog.plant.warehouse"] = str(folder / "plant")
    return found | {"spark.jars": ",".join(map(str, jars))}


def options(given: Mapping[str, str]) -> list[str]:
    return [each for name, value in given.items() for each in ("--conf", f"{name}={value}")]


def asked(folder: Path, *statements: str) -> list[list[Row]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.tables", str(folder), *statements],
        cwd=ROOT, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def session(folder: Path, *, connect: bool = False) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    more = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
    }
    builder = SparkSession.builder
    builder = builder.remote("local[2]") if connect else builder.master("local[2]")
    for name, value in (settings(folder) | more).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(folder: str, *statements: str) -> None:
    spark = session(Path(folder))
    for statement in statements:
        rows = [row.asDict(recursive=True) for row in spark.sql(statement).collect()]
        print(json.dumps(rows, default=str))  # noqa: T201 - read by the test
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
