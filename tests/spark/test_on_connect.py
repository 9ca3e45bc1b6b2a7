"""Table functions and the feed of a stream have the lines of an engine on Spark Connect."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.run import cases


@pytest.mark.long
@pytest.mark.skipif(find_spec("grpc") is None, reason="Spark Connect needs pyspark[connect]")
@pytest.mark.parametrize("name", ["sql", "feed"])
def test_of_each_example(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.over_connect", name],
        cwd=cases.ROOT, capture_output=True, text=True, timeout=580, check=False,
    )  # fmt: skip
    assert done.stdout.split() == cases.EXAMPLES, done.stderr[-3000:]
