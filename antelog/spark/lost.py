"""A Java that has ended while Spark was at work, or that refuses to answer, reported in one sentence.

    with explaining_lost_java():
        frame.count()      # UnsupportedError: Java, in which Spark runs, is gone …

Each call of PySpark then fails in a way of its own: a refused connection, an empty answer, a package that is
no class. So any failure is checked by asking Java itself.

In a function of a declarative pipeline Spark answers no question about a DataFrame. That is said, too.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError

_GONE = (
    "Java, in which Spark runs, is gone: it has ended, or was killed, as a system does that has no memory "
    "left. Start it again: a stream goes on from its checkpoint. If it happens again, give Java more memory "
    "(spark.driver.memory=4g), or use smaller batches or more buckets"
)
_NOT_HERE = "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"
"""The name of Spark's error when a function of a pipeline asks about a DataFrame."""
_WHERE_TO_ASK = (
    "in a function of a declarative pipeline Spark does not say which columns a DataFrame has. Call "
    "antelog.spark before that function, at the top level of the file, and return the DataFrame from it; "
    "`newest` may be called in it if it is given the `columns`"
)


@contextmanager
def explaining_lost_java() -> Iterator[None]:
    """Turns any error into an UnsupportedError if Spark's Java does not answer any more, or not here."""
    with _without_log_of_calls():
        try:
            yield
        except Exception as error:
            if _is_refusal(error):
                raise UnsupportedError(_WHERE_TO_ASK) from None
            if _answers():
                raise
            raise UnsupportedError(_GONE) from None


@contextmanager
def _without_log_of_calls() -> Iterator[None]:
    """A context in which calls of Java are not logged: a call that fails logs a traceback and raises, too."""
    logger, root = logging.getLogger("py4j"), logging.getLogger()
    level = logger.level

    def passes(record: logging.LogRecord) -> bool:  # one for each context, since a filter is added only once
        return is_not_of_py4j(record)

    logger.setLevel(logging.CRITICAL)
    root.addFilter(passes)
    try:
        yield
    finally:
        logger.setLevel(level)
        root.removeFilter(passes)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a line of the log is of another library than py4j, which also uses the root logger."""
    return Path(record.pathname).parent.name != "py4j"


def _answers() -> bool:
    """Whether Spark's Java answers, if there is one."""
    try:
        session = SparkSession.getActiveSession()
        _ = session is None or session.version
    except Exception as error:
        return _is_refusal(error)
    return True


def _is_refusal(error: Exception) -> bool:
    """Whether Spark does not answer because a function of a declarative pipeline has asked."""
    return isinstance(error, PySparkException) and error.getCondition() == _NOT_HERE
