"""Failures of Spark in plain words: the cause in one sentence, and what to do."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import AntelogError, DataError, UnsupportedError
from antelog.lazily import brought_by
from antelog.secrets import redacted

TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def cause(text: str) -> str | None:
    """The cause of a failure and its remedy, if Java's text has a known one."""
    for known in TEXTS["known"]:
        found = re.search(known["pattern"], f"{text}\n")
        if found is not None:
            groups = (group.rstrip(".") for group in found.groups() if group)
            says: str = known["says"].format(*groups, replay=TEXTS["replay"], bring=TEXTS["bring"])
            return says
    return None


# ---- errors of PySpark ----

_WORKERS = (
    "It is the one that the variable PYSPARK_PYTHON names, by a path that is the same on the driver and all "
    f"workers, and needs this there: {brought_by('spark')}"
)
# Spark says this if the Python that reads the schema of a state does not start.
_CRASHED = "TransformWithStateInPySpark driver worker exited unexpectedly"
_RAISED = r"(?m)^(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception): (.+)$"
_MOST = 600


@contextmanager
def plainly() -> Iterator[None]:
    """Turns errors of Spark into DataErrors."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise DataError(plain(error)) from None


def plain(error: Exception) -> str:
    """The message of the innermost cause of a failure of Spark, without stacks."""
    if (failed := unreadable(error)) is not None:
        return str(failed)[:_MOST]
    text = str(error)
    text = redacted((isinstance(error, Py4JJavaError) and text.partition("\n")[2]) or text)
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
        python = getattr(SparkContext._active_spark_context, "pythonExec", "of a server")
        found = f"the workers' Python ({python}) has no {missing[1]}. {_WORKERS}"
    elif _CRASHED in text:
        found = f"{_CRASHED}; it may lack a package. {_WORKERS}"
    elif "Traceback (most recent call last)" in text and (raised := re.findall(_RAISED, text)):
        found = raised[-1]
    return found[:_MOST].rstrip(".")


# Sent to workers as it is: a function of antelog would need antelog there.
_LOOK = (
    "lambda _: __import__('sys').executable * "
    "(__import__('importlib.util').util.find_spec('antelog') is None)"
)
_SOME = 8  # tasks that look for antelog, so that most workers have one
_looked_at = set[str]()  # the applications whose workers have antelog


def find_workers(spark: SparkSession) -> None:
    """Has local workers use this Python, if none is chosen. UnsupportedError if it lacks antelog."""
    context: Any = getattr(spark, "_sc", None)  # there is none on Spark Connect
    if context is None or context.applicationId in _looked_at:
        return
    lacking: list[str] = []  # the Pythons without antelog, and empty texts
    if not context.master.startswith("local"):
        tasks = context.parallelize(range(_SOME), _SOME)
        lacking = tasks.map(eval(_LOOK, {"__name__": "__main__"})).collect()
    elif "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = os.environ["PYSPARK_PYTHON"] = sys.executable
    elif context.pythonExec != sys.executable:
        asked = [context.pythonExec, "-c", f"print(({_LOOK})(0))"]
        lacking = [subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()]
    if any(lacking):
        raise UnsupportedError.of(
            "workers.no-antelog", python=max(lacking), executable=sys.executable, bring=brought_by("spark")
        )
    _looked_at.add(context.applicationId)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Hides the traceback of errors of antelog, for the process of a worker, which ends after any error."""
    try:
        yield
    except AntelogError:
        os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


def require_spark(spark: SparkSession, needing: str, instead: str) -> None:
    """Raises UnsupportedError if a session's Spark, which may be a server's, is too old or lacks antelog."""
    if tuple(int(number) for number in re.findall(r"\d+", spark.version)[:2]) < (4, 1):
        raise UnsupportedError(f"Spark is version {spark.version}, and {needing} 4.1 or later. {instead}")
    find_workers(spark)


def require_changes(columns: Collection[str]) -> None:
    """Raises DataError if rows with these columns are not changes."""
    for name in ("query", "tick", "change", "answer"):
        if name not in columns:
            raise DataError.of("tables.no-changes", name=name)


# ---- files that cannot be read ----

_FAILED = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (\S+?)\.?\s")
_CAUSE = re.compile(r"^Caused by: ([\w.$]+)(?:: (.*))?$", re.MULTILINE)

_DAMAGED = re.compile("|".join(TEXTS["damaged"]))
_DAMAGE = re.compile(  # words by which an IOException is about the content, too
    r"gzip|zlib|bzip|snappy|zstd|lz4|crc|checksum|corrupt|magic|invalid|header", re.IGNORECASE
)

_LOCAL = "file:"


@dataclass(frozen=True)
class Unreadable:
    """A file, as Spark names it, that cannot be read; `damaged` unless a network or a store failed."""

    file: str
    reason: str
    damaged: bool

    @property
    def is_local(self) -> bool:
        return self.file.startswith(_LOCAL)

    def __str__(self) -> str:
        return f"{shown(self.file)}: cannot be read: {self.reason}"


def unreadable(error: BaseException) -> Unreadable | None:
    text = str(error)
    failed = _FAILED.search(text)
    if failed is None:
        return None
    file = _alike(failed[1])
    causes = _CAUSE.findall(text, failed.end())
    kind, reason = causes[-1] if causes else ("", "")
    reason = reason.replace(unquote(file), "it").rstrip(". ") or kind.rpartition(".")[2] or "it is damaged"
    damaged = bool(_DAMAGED.fullmatch(kind) or (kind == "java.io.IOException" and _DAMAGE.search(reason)))
    return Unreadable(file, redacted(reason), damaged)


def shown(file: str) -> str:
    """A file as users name it; Spark has a URL."""
    return redacted(unquote(_alike(file)).removeprefix(_LOCAL))


def is_same(file: Unreadable, path: str) -> bool:
    return unquote(file.file) == _alike(path)


def _alike(file: str) -> str:
    """A URL in one of several forms that Spark uses for the same file."""
    return re.sub("^file:/+", "file:/", file)


# ---- a Java that is gone ----

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
    """Turns any error into an UnsupportedError if Spark's Java is gone, or does not answer in a pipeline."""
    with _without_log_of_calls():
        try:
            yield
        except Exception as error:
            if _is_refusal(error):
                raise UnsupportedError(_WHERE_TO_ASK) from None
            try:
                session = SparkSession.getActiveSession()
                _ = session is None or session.version
            except Exception as silent:
                if not _is_refusal(silent):
                    raise UnsupportedError(_GONE) from None
            raise


@contextmanager
def _without_log_of_calls() -> Iterator[None]:
    """Drops what py4j logs: a call that fails logs a traceback and raises, too."""
    logger, root = logging.getLogger("py4j"), logging.getLogger()
    level = logger.level
    passes = partial(is_not_of_py4j)  # one for each context, since a filter is added only once
    logger.setLevel(logging.CRITICAL)
    root.addFilter(passes)
    try:
        yield
    finally:
        logger.setLevel(level)
        root.removeFilter(passes)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a record of the log is not of py4j, which also uses the root logger."""
    return Path(record.pathname).parent.name != "py4j"


def _is_refusal(error: Exception) -> bool:
    """Whether Spark refuses to answer within a function of a declarative pipeline."""
    return isinstance(error, PySparkException) and error.getCondition() == _NOT_HERE
