"""All examples on a Spark Connect server: in a process of its own.

python -m tests.spark.over_connect sql      prints the name of each example whose lines are right

By table functions (`sql`), or as streams of changes into a feed (`feed`).

A process that has begun with one kind of session cannot have the other.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

import tests.spark.sql.comparing
from antelog.spark import register_source
from tests.run import cases
from tests.run.cases import Case
from tests.spark import feeds


def compare_feed(spark: SparkSession, case: Case) -> None:
    with TemporaryDirectory() as folder:
        feeds.compare_feed(spark, case, Path(folder))


COMPARISONS = {"sql": tests.spark.sql.comparing.compare, "feed": compare_feed}


def main(name: str) -> None:
    compare = COMPARISONS[name]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g").getOrCreate()
    assert type(spark).__module__.startswith("pyspark.sql.connect")
    register_source(spark)
    for example in cases.EXAMPLES:
        compare(spark, cases.example(example))
        print(example)  # noqa: T201 - read by the test
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
