"""All examples by the data source on a Spark Connect server: it runs in a process of its own.

A process that has begun with one kind of session cannot have the other.
"""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

from antelog.spark import register_source
from tests.run import cases
from tests.spark.format.comparing import compare


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g").getOrCreate()
    assert type(spark).__module__.startswith("pyspark.sql.connect")
    register_source(spark)
    for name in cases.EXAMPLES:
        compare(spark, cases.example(name))
        print(name)  # noqa: T201 - read by the test
    spark.stop()


if __name__ == "__main__":
    main()
