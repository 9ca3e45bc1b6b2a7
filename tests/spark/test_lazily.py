"""What needs no Spark runs without it, and what does says what to install."""

import subprocess
import sys

import pytest
from pyspark.sql import SparkSession

from antelog.accounts import FATES
from antelog.lazily import brought_by
from antelog.spark.settings import COUNTS, STANDING
from tests.attack import on_spark
from tests.attack.findings import all_of, report


def test_antelog_itself_does_not_need_spark() -> None:
    text = "import sys, antelog, antelog.spark; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_without_pyspark_the_error_says_what_to_install() -> None:
    text = "import sys; sys.modules['pyspark'] = None\nimport antelog.spark\nantelog.spark.changes"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert brought_by("spark") in done.stderr


def test_every_fate_is_counted_and_what_stands_is_no_sum() -> None:
    assert set(FATES) < set(COUNTS)
    assert set(STANDING) < set(COUNTS)
    assert not set(STANDING) & set(FATES)


@pytest.mark.filterwarnings("ignore")  # libraries warn of what is odd
@pytest.mark.long
def test_types_that_change_are_the_same_in_streams_and_batches(spark: SparkSession) -> None:
    _, found = all_of(on_spark.attempts_in(spark, 60, 7))
    assert not found, "\n".join(report(len(found), found))


_TASKS = """
import gc
from antelog.spark.settings import spare

spare()
import pyarrow
pyarrow.array([1])  # loads pandas
before = len(gc.get_objects())
spare()
after = len(gc.get_objects())
assert before > 10_000 and after < 1_000, (before, after)
"""


def test_what_the_first_tasks_load_is_not_looked_at_again() -> None:
    done = subprocess.run([sys.executable, "-c", _TASKS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
