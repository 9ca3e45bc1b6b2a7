"""One Spark for all tests that need one, started when the first of them asks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError
from antelog.spark.pipeline.requirements import PANDAS_WARNING, require_java
from tests.spark.sessions import small_session

IGNORED = (
    # What Spark's own Python code does is not for us to change.
    f"ignore:{PANDAS_WARNING}:FutureWarning",
    "ignore::ResourceWarning:py4j",
    "ignore:unclosed:ResourceWarning",
    "ignore::DeprecationWarning:pyspark",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use Spark are slow, whatever they do with it; one worker has the session for them all."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("spark"))
            for warning in IGNORED:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    try:
        require_java()
    except UnsupportedError as error:
        pytest.skip(str(error))
    with small_session() as session:
        yield session
