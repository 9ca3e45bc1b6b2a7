"""One Spark for all tests that need one: a small JVM, started when the first of them asks for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError
from antelog.spark.session.requirements import PANDAS_WARNING, require_java
from antelog.spark.settings import SETTINGS

IGNORED = (
    # What Spark's own Python code does is not for us to change.
    f"ignore:{PANDAS_WARNING}:FutureWarning",
    "ignore::ResourceWarning:py4j",
    "ignore:unclosed:ResourceWarning",
    "ignore::DeprecationWarning:pyspark",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use Spark are slow, whatever they do with it."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
            for warning in IGNORED:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    try:
        require_java()
    except UnsupportedError as error:
        pytest.skip(str(error))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("antelog's tests")
    settings = SETTINGS | {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "America/New_York",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
