"""Spark for a pipeline: started with what the endpoints need, silent, and its failures in plain words."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import DataError, UnsupportedError
from antelog.secrets import redacted
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.endpoints.unreadable import unreadable
from antelog.spark.lost import stop, told_if_java_ends
from antelog.spark.session.causes import cause
from antelog.spark.session.classes import with_archive
from antelog.spark.session.configured import settings_of
from antelog.spark.session.ending import end_promptly
from antelog.spark.session.java import require_java
from antelog.spark.session.starting import Java, java_starting

Session: TypeAlias = SparkSession
"""What other layers call a session, which may not import PySpark themselves."""

_WORKERS = (
    "It is the one that the variable PYSPARK_PYTHON names, by a path that is the same on the driver and all "
    "workers, and needs what `pip install 'antelog[spark]'` brings"
)
_CRASHED = "TransformWithStateInPySpark driver worker exited unexpectedly"
"""What Spark says if the Python in which it asks a stream for its state does not start."""
_RAISED = r"(?m)^(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception): (.+)$"
"""The last line of Python's traceback."""
_MOST = 600
"""The characters of a failure that are shown."""


@contextmanager
def session(
    name: str,
    endpoints: Iterable[Source | Sink],
    *,
    buckets: int,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end unless there was one already.

    Raises UnsupportedError if Spark cannot be started.
    """
    settings = settings_of(endpoints, buckets=buckets, master=master, conf=conf)
    with java_starting(with_archive(settings, require_java())) as java, session_on(java, name) as spark:
        yield spark


@contextmanager
def session_on(java: Java, name: str) -> Iterator[SparkSession]:
    """A Spark session on a Java that was started, as soon as that is up; else like `session`."""
    _hush()
    known = SparkSession.getActiveSession()
    try:
        with told_if_java_ends():
            java.connect()
            builder = SparkSession.builder.appName(name)
            for key, value in java.settings.items():
                builder.config(key, value)
            spark = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        said = java.heard.text()
        error.add_note(said)
        why = cause(f"{said}\n{error}") or plain(error)
        raise UnsupportedError(f"Spark does not start: {why}") from None
    java.heard.start()
    if known is not None:
        yield spark
        return
    end_promptly(getattr(spark.sparkContext, "_accumulatorServer", None))
    try:
        with told_if_java_ends():
            yield spark
    finally:
        stop(spark)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _hush() -> None:
    """Keeps PySpark's way to Java from showing tracebacks of its own when it is interrupted, or Java ends."""
    logging.getLogger("py4j").propagate = False
    logging.getLogger().addFilter(_is_not_of_py4j)  # for it uses this one too


# ---- failures ----


@contextmanager
def plainly() -> Iterator[None]:
    """Turns what Spark says of sources, sinks and their data into a DataError."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise DataError(plain(error)) from None


def plain(error: Exception) -> str:
    """What Spark's failure says, without its stack: the innermost cause, if there are several."""
    if (failed := unreadable(error)) is not None:
        return str(failed)[:_MOST]
    text = redacted(_java_text(error) if isinstance(error, Py4JJavaError) else str(error))
    if (known := cause(text)) is not None:
        return known
    lines = [line for line in text.splitlines() if line.strip() and not re.match(r"\s+at |\s*\.\.\. ", line)]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    found = causes[-1].removeprefix("Caused by: ") if causes else " ".join(map(str.strip, lines))
    found = re.sub(r"^(?:: )?(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error): ", "", found)
    found = re.sub(r"\s*(?:SQLSTATE: \w+|=== Streaming Query ===).*$", "", found)
    if (missing := re.search(r"ClassNotFoundException: (\S+)", text)) is not None:
        found = f"Spark has no {missing[1]}; bring the jar that has it with --conf spark.jars=…"
    elif (missing := re.search(r"No module named '([^']+)'", text)) is not None:
        found = f"the workers' Python has no {missing[1]}. {_WORKERS}"
    elif _CRASHED in text:
        found = f"{_CRASHED}; it may lack a package. {_WORKERS}"
    elif "Traceback (most recent call last)" in text and (raised := re.findall(_RAISED, text)):
        found = raised[-1]
    return found[:_MOST].rstrip(".")


def _java_text(error: Py4JJavaError) -> str:
    return str(error).partition("\n")[2] or str(error)
