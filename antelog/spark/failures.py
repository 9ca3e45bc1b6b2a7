"""Failures of Spark in plain words: the cause in one sentence, and what to do."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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

_REPLAY = "Bring the checkpoint back from a copy, or use an empty folder and replay the facts"
_BRING = "Give its files with --conf spark.jars=FILE,FILE, or start once where the network reaches Maven"

_KNOWN = {  # the first that fits counts. The groups of its pattern fill the sentence
    r"Checksum error: (?:file:/*(?=/))?(\S+/(?:offsets|commits|sources|state|metadata)\b\S*) at \d": (
        "the checkpoint is damaged: {} is not as it was written. " + _REPLAY
    ),
    r"MALFORMED_LOG_FILE|CANNOT_LOAD_STATE_STORE\.CANNOT_READ_": (
        "the checkpoint is damaged: the state in it cannot be read. " + _REPLAY
    ),
    r"STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY": (
        "Spark was killed while it wrote down where the first batch begins, and does not go on from there. "
        "No batch has come out yet: remove the folder of the checkpoint, and start again"
    ),
    r"No space left on device|Disk quota exceeded": (
        "a disk is full: where results or the checkpoint go, or where Spark keeps what does not fit into "
        "memory. Make room there, or move the latter with --conf spark.local.dir=FOLDER"
    ),
    r"OutOfMemoryError": (
        "Java has no memory left. Give it more with --conf spark.driver.memory=4g, or use smaller batches "
        "(--chunk) or more --buckets"
    ),
    r"CONCURRENT_STREAM_LOG_UPDATE|Multiple streaming queries are concurrently": (
        "another pipeline uses the same checkpoint now. Stop it, or give this one a --checkpoint of its own"
    ),
    r"\[PATH_NOT_FOUND\] Path does not exist: (?:file:/*(?=/))?([^\n]+?)\.?(?: SQLSTATE|\n)": (
        "{}: there is no such file or folder, or nothing that the pattern fits. Check the path"
    ),
    r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+) cannot": (
        "there is no table {}. Check its name, and that --conf names its catalog"
    ),
    r"DELTA_TABLE_NOT_FOUND|DELTA_MISSING_DELTA_TABLE|is not a Delta table": (
        "there is no Delta table of that name or in that folder. Check it"
    ),
    r'(?:ERROR: relation|Table) [\'"]([\w.]+)[\'"] (?:does not|doesn\'t) exist': (
        "the database has no table {}. Check the name behind the #"
    ),
    (
        r"(password authentication failed for user|Access denied for user|Login failed for user)"
        r" ['\"]?([\w.@-]+)"
    ): "the database refuses {1}: {0}. Check user and password",
    r"Connection to (\S+:\d+) refused": "no database answers at {}. Start it, or check host and port",
    r"No suitable driver": "Spark has no driver for this database. Give its jar: --conf spark.jars=FILE",
    r"(?:Failed to find|find the) data source: (\w+)": "Spark has no connector for {}. " + _BRING,
    r"unresolved dependency: ([^#\s]+)#([^;\s]+);([^:\s]+): ": (
        "Spark cannot fetch {0}:{1}:{2}: Maven's repository cannot be reached, or does not have it. " + _BRING
    ),
    r"UnknownTopicOrPartitionException|does not host this topic-partition": (
        "the broker has no topic of that name. Create it, or check the name behind the host"
    ),
    r"Topic (\S+) not present in metadata": (
        "the broker knows nothing of the topic {}: create it, or see whether the broker is up"
    ),
    (
        r"Timed out waiting for a node assignment"
        r"|Timeout expired while fetching topic metadata|kafka\S*TimeoutException"
        r"|No resolvable bootstrap urls|BrokerNotAvailableException"
    ): (
        "no broker of Kafka answers: it is down, or it gives clients an address that cannot be reached from "
        "here (advertised.listeners). Start it, or check the address"
    ),
    r"kafka\.common\.errors\.\w*(?:Authentication|Authorization)\w*Exception:? ?([^\n]*)": (
        "Kafka refuses access: {}. Check user, password and rights (options kafka.security.protocol, …)"
    ),
    r'No FileSystem for scheme "?(\w+)': (
        "Spark cannot reach {0}://… by itself. Bring the jar that can, as hadoop-aws for s3a: "
        "--conf spark.jars.packages=…"
    ),
    r"NoAwsCredentials|Unable to load (?:AWS )?credentials|No AWS Credentials provided": (
        "there are no keys for S3. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"
    ),
    r"AccessControlException: Permission denied: ([^\n]+)": (
        "no permission: {}. Use another place, or have the rights given"
    ),
    (
        r"AccessDeniedException: (\S+)|(?:FileNotFoundException: )?(\S+) \(Permission denied\)"
        r"|PermissionError: \[Errno 13\] Permission denied: '([^']+)'"
        r"|Mkdirs failed to create (\S+)|Unable to clear output directory (\S+)"
    ): "{}: no permission to read or to write there. Use another place, or have the rights given",
    r"Could not parse Master URL: '?([^'\s]+)": "{} is not a master of Spark. Write it like spark://host:7077",
    r"All masters are unresponsive": (
        "no master of Spark answers. Start it, check --master, or leave that out to run on this machine"
    ),
    r"UnknownHostException: ([\w.-]+)": "no machine is known by the name {}. Check the name, and the network",
    r"BindException: ([^\n:]+)": (
        "Spark cannot open a port on this machine: {}. Set SPARK_LOCAL_IP=127.0.0.1, or end what holds it"
    ),
    r"getSubject is (?:not )?supported": (
        "this Java is too new for this Spark. Let JAVA_HOME name Java 17 or 21"
    ),
    r"UnsupportedClassVersionError: (\S+)": "{} needs a newer Java. Let JAVA_HOME name Java 17 or 21",
    r'Exception in thread "main" [\w.$]+: ([^\n]+)': "{}",
    r"([^\n]+)\nError: Could not create the Java Virtual Machine": "{}",
    r"JAVA_GATEWAY_EXITED": "Java ended before it was up. Start it again, with --debug if that is not all",
}


def cause(text: str) -> str | None:
    """The cause of a failure and its remedy, if Java's text has a known one."""
    for pattern, sentence in _KNOWN.items():
        found = re.search(pattern, f"{text}\n")
        if found is not None:
            return sentence.format(*(group.rstrip(".") for group in found.groups() if group))
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
    """Has workers on this machine use this Python, if none is chosen.

    Raises UnsupportedError if workers have no antelog.
    """
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
        raise UnsupportedError(
            f"the Python of Spark's workers, {max(lacking)}, has no antelog. Before Spark starts, let "
            f"PYSPARK_PYTHON name one that has it, as {sys.executable} here, or install it there: "
            f"{brought_by('spark')}"
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


def require_version(spark: SparkSession, needing: str, instead: str) -> None:
    """Raises UnsupportedError if the Spark of a session, which may be a server's, is too old."""
    if tuple(int(number) for number in re.findall(r"\d+", spark.version)[:2]) < (4, 1):
        raise UnsupportedError(f"Spark is version {spark.version}, and {needing} 4.1 or later. {instead}")


# ---- files that cannot be read ----

_FAILED = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (\S+?)\.?\s")
_CAUSE = re.compile(r"^Caused by: ([\w.$]+)(?:: (.*))?$", re.MULTILINE)

_DAMAGED = re.compile(  # exceptions that are about the content of a file
    r"java\.lang\.(Runtime|IllegalArgument|IllegalState|\w*IndexOutOfBounds|NegativeArraySize|NullPointer"
    r"|ClassCast|UnsupportedOperation|Arithmetic)Exception"
    r"|java\.io\.(EOF|UTFDataFormat)Exception|java\.util\.(zip\.\w+|NoSuchElementException)"
    r"|java\.nio\.Buffer\w+Exception|.*\bparquet\..*|.*SchemaColumnConvert\w+|.*\.ChecksumException"
    r"|.*\.Spark(Runtime|UnsupportedOperation)Exception|.*(Zstd|Snappy|LZ4)\w*Exception"
)
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
    """Whether a record of the log is not of py4j, which also uses the root logger."""
    return Path(record.pathname).parent.name != "py4j"


def _is_refusal(error: Exception) -> bool:
    """Whether Spark refuses to answer within a function of a declarative pipeline."""
    return isinstance(error, PySparkException) and error.getCondition() == _NOT_HERE
