"""antelog/spark/workers.py: what Spark's workers look at after each task."""

from __future__ import annotations

import subprocess
import sys

_TASKS = """
import gc
from antelog.spark.workers import spare

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
