"""Table functions and the feed of a stream have the lines of an engine on Spark Connect."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pyspark.sql import SparkSession

import tests.spark.sql.comparing
from antelog.spark import register_source
from tests.run import cases
from tests.run.cases import Case
from tests.spark import feeds


@pytest.mark.long
@pytest.mark.parametrize("name", ["sql", "feed"])
def test_of_each_example(name: str) -> None:
    pytest.importorskip("pyspark.sql.connect.session", exc_type=ImportError)  # of pyspark[connect]
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.test_on_connect", name],
        cwd=cases.ROOT, capture_output=True, text=True, timeout=580, check=False,
    )  # fmt: skip
    assert done.stdout.split() == cases.EXAMPLES, done.stderr[-3000:]


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
