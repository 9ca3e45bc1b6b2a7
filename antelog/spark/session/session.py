"""Spark for a pipeline: started with what the endpoints need, silent, and its failures in plain words."""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import as_file, files
from math import gcd
from pathlib import Path
from typing import TypeAlias

import pyspark
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import DataError, UnsupportedError
from antelog.secrets import NAMES, redacted
from antelog.spark.endpoints.endpoints import Jdbc, Kafka, Sink, Source
from antelog.spark.endpoints.unreadable import unreadable
from antelog.spark.lost import stop, told_if_java_ends
from antelog.spark.session.brief import JAVA_OPTIONS
from antelog.spark.session.causes import cause
from antelog.spark.session.java import require_java
from antelog.spark.session.quiet import Heard, quietly
from antelog.spark.session.starting import LOOPBACK, start_java
from antelog.spark.settings import SETTINGS, master_of

Session: TypeAlias = SparkSession
"""What other layers call a session, which may not import PySpark themselves."""

_SCALA = "2.13"
_POSTGRES = "org.postgresql:postgresql:42.7.7"
_PANDAS = "PySpark does not yet fully support pandas"
_CONNECT = {"spark.remote": "", "SPARK_REMOTE": "", "spark.api.mode": "connect", "SPARK_API_MODE": "connect"}
"""Settings and variables that ask for Spark Connect: by this value, or by any if it is empty."""
_WORKERS = (
    "It is the one that the variable PYSPARK_PYTHON names, by a path that is the same on the driver and all "
    "workers, and needs what `pip install 'antelog[spark]'` brings"
)
_CRASHED = "TransformWithStateInPySpark driver worker exited unexpectedly"
"""What Spark says if the Python in which it asks a stream for its state does not start."""
_RAISED = r"(?m)^(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception): (.+)$"
"""The last line of Python's traceback."""
DAEMON = "antelog.spark.daemon"
"""What starts the workers of this machine, which then need not import everything each for itself."""
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
    _refuse_connect(conf or {})
    require_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _hush()
    known = SparkSession.getActiveSession()
    heard: Heard | None = None
    settings = _settings(master, buckets, dict(conf or {}), list(endpoints))
    builder = SparkSession.builder.appName(name)
    with as_file(files("antelog.spark") / "log4j2.properties") as quiet:
        # Java's options that are given go after these, so that both count.
        logging_of_ours = f"-Dlog4j2.configurationFile={quiet.as_uri()}"
        settings[JAVA_OPTIONS] = f"{logging_of_ours} {settings.get(JAVA_OPTIONS, '')}".rstrip()
        try:
            with told_if_java_ends(), quietly() as heard:
                start_java(settings)
                for key, value in settings.items():
                    builder.config(key, value)
                spark = builder.getOrCreate()
        except (PySparkException, Py4JError) as error:
            said = "" if heard is None else heard.text()
            error.add_note(said)
            why = cause(f"{said}\n{error}") or plain(error)
            raise UnsupportedError(f"Spark does not start: {why}") from None
    if known is not None:
        yield spark
        return
    _hush_ends(spark)
    try:
        with told_if_java_ends():
            yield spark
    finally:
        stop(spark)


def _hush_ends(spark: SparkSession) -> None:
    """Keeps a thread of PySpark's from printing tracebacks if Java ends before it does."""
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _refuse_connect(conf: Mapping[str, str]) -> None:
    """Raises UnsupportedError if the session would be one of Spark Connect, which has no driver here."""
    for name, asking in _CONNECT.items():
        value = conf.get(name) or os.environ.get(name)
        if value and asking in ("", value.lower()):
            raise UnsupportedError(
                f"{name} is {redacted(value)}, which asks for Spark Connect, and the outputs of "
                "`antelog run` need the driver itself. Leave it out and give a cluster's --master, or use "
                "antelog.spark.changes in a Connect session of your own"
            )


def _hush() -> None:
    """Keeps PySpark from telling, here and in each worker, that a pandas is newer than it is itself.

    And keeps its way to Java from showing tracebacks of its own when it is interrupted, or Java ends.
    """
    logging.getLogger("py4j").propagate = False
    logging.getLogger().addFilter(_is_not_of_py4j)  # for it uses this one too
    warnings.filterwarnings("ignore", _PANDAS, FutureWarning)
    known = os.environ.get("PYTHONWARNINGS", "")
    if _PANDAS not in known:
        os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [known, f"ignore:{_PANDAS}:FutureWarning"]))


def _settings(
    master: str | None, buckets: int, given: dict[str, str], endpoints: list[Source | Sink]
) -> dict[str, str]:
    """Spark's settings: those given win."""
    master = master_of(master, given)
    found = {
        **SETTINGS,
        "spark.master": master,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(buckets),
        "spark.ui.showConsoleProgress": "false",
        # With this, Spark would not share its workers between kinds of functions, and start twice as many.
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.redaction.regex": NAMES,
    }
    if master.startswith("local"):
        # One partition for each core, as far as the buckets can be dealt out evenly.
        found["spark.sql.shuffle.partitions"] = str(_partitions(buckets, _cores(master)))
        found["spark.ui.enabled"] = "false"
        found["spark.python.daemon.module"] = DAEMON
        found["spark.driver.bindAddress"] = found["spark.driver.host"] = LOOPBACK
    wanted = [each for each in _packages(endpoints) if not _brought(each, given)]
    if wanted:
        given["spark.jars.packages"] = ",".join(filter(None, [given.get("spark.jars.packages"), *wanted]))
    return {**found, **given}


def _cores(master: str) -> int:
    match = re.match(r"local\[(\d+)", master)
    return int(match[1]) if match else 1 if master == "local" else os.cpu_count() or 1


def _partitions(buckets: int, cores: int) -> int:
    return max(gcd(buckets, count) for count in range(1, min(cores, buckets) + 1))


def _packages(endpoints: Iterable[Source | Sink]) -> Iterator[str]:
    """What Spark has to fetch for the endpoints."""
    endpoints = list(endpoints)
    if any(isinstance(each, Kafka) for each in endpoints):
        yield f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{pyspark.__version__}"
    if any(isinstance(each, Jdbc) and each.url.startswith("jdbc:postgresql:") for each in endpoints):
        yield _POSTGRES


def _brought(package: str, given: Mapping[str, str]) -> bool:
    """Whether the user brings a package in a version of their own."""
    artifact = package.split(":")[1]
    names = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")
    return any(artifact in given.get(name, "") for name in names)


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
