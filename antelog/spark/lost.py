"""Java that has ended while Spark was at work, told in one sentence.

Whatever PySpark is asked after that fails in a way of its own: a refused connection, an empty answer, a
package that is no class. So the question is not what failed, but whether Java is still there.

    with told_if_java_ends():
        frame.count()      # UnsupportedError: Java, in which Spark runs, was killed …
"""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from antelog.errors import AntelogError, UnsupportedError
from antelog.spark.settings import LONGEST_END

_PATIENCE = 2.0
"""Seconds in which a process is seen to have ended after its connections have."""
_REMEDY = (
    "Start it again: a stream goes on from its checkpoint. If it happens again, give Java more memory "
    "(spark.driver.memory=4g), or take smaller batches or more buckets"
)


@contextmanager
def told_if_java_ends() -> Iterator[None]:
    """Raises UnsupportedError in place of whatever is raised if Spark's Java is not there any more."""
    try:
        yield
    except Exception as error:
        how = _how_it_ended(wait=_is_of_connection(error))
        if how is None:
            raise
        raise UnsupportedError(f"Java, in which Spark runs, {how}. {_REMEDY}") from None


def stop(spark: SparkSession) -> None:
    """Stops Spark, or ends its Java if that takes too long; then the next session starts another one."""
    process = getattr(SparkContext._gateway, "proc", None)
    if _how_it_ended(wait=False) is None:
        ending = threading.Timer(LONGEST_END, lambda: None if process is None else process.kill())
        ending.start()
        try:
            with suppress(Py4JNetworkError, ConnectionError):  # it may end meanwhile
                spark.stop()
        finally:
            ending.cancel()
            ending.join()
    if process is not None and process.poll() is not None:
        SparkSession._instantiatedSession = None
        SparkContext._active_spark_context = None
        SparkContext._gateway = SparkContext._jvm = None


def _how_it_ended(*, wait: bool) -> str | None:
    """None as long as Java is there, or is somebody else's who would know."""
    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return "does not answer any more" if wait else None
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE if wait else 0)
    status = process.returncode
    if status is None:
        return None
    if status == -signal.SIGKILL:
        return "was killed, as a system does that has no memory left"
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"has ended ({name})"


def _is_of_connection(error: BaseException | None) -> bool:
    """Whether an error is one of the connection to Java, or came of one. Words of ours stand for theirs."""
    while error is not None:
        of_java = isinstance(error, ConnectionError) and "py4j" in _place(error)
        if isinstance(error, Py4JNetworkError) or of_java:
            return True
        error = error.__context__ if isinstance(error, AntelogError) else None
    return False


def _place(error: BaseException) -> str:
    """The file in which an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else trace.tb_frame.f_code.co_filename
