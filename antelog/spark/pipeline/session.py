"""Spark for a pipeline: started with its settings, silent, and stopped at the end."""

from __future__ import annotations

import logging
import os
import re
import shlex
import signal
import socketserver
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeAlias

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError
from antelog.escaping import shown_lines
from antelog.secrets import redacted
from antelog.spark.failures import TEXTS, cause, explaining_lost_java, is_not_of_py4j, plain
from antelog.spark.pipeline.configuration import JAVA_OPTIONS
from antelog.spark.pipeline.requirements import PANDAS_WARNING
from antelog.spark.settings import LOOPBACK
from antelog.writing import temporary_folder

Session: TypeAlias = SparkSession  # a Spark session, for layers that may not import PySpark

_SUBMIT = "PYSPARK_SUBMIT_ARGS"
_NO_SIGNALS = "-Xrs"  # Java does not handle signals: those that are blocked when it starts never reach it


@contextmanager
def session(name: str, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end unless there was one. Raises UnsupportedError if none starts."""
    if SparkSession.getActiveSession() is not None:
        builder = SparkSession.builder
        for key, value in settings.items():
            builder.config(key, value)
        yield builder.getOrCreate()
        return
    _hush()
    spark = _started(name, settings)
    try:
        with explaining_lost_java():
            yield spark
    finally:
        # Java may be gone, which PySpark tells in several ways.
        with warnings.catch_warnings(), suppress(Py4JError, OSError):
            warnings.simplefilter("ignore")
            spark.stop()


def _started(name: str, settings: Mapping[str, str]) -> SparkSession:
    if settings["spark.master"].startswith("local"):
        # What has no setting for its address, as Spark's page for browsers, follows this.
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Workers get this from Java: else they import what lies in the folder where somebody's rules are.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    output = ProcessOutput()
    try:
        with (
            as_file(files("antelog.spark") / "log4j2.properties") as log4j,
            temporary_folder() as folder,
            filtered(output),
        ):
            options = f"-Dlog4j2.configurationFile={log4j.as_uri()} {_NO_SIGNALS}"
            options = f"{options} {settings.get(JAVA_OPTIONS, '')}".rstrip()
            # On its command line, where PySpark has them, others on the machine can read passwords.
            file = folder / "spark.properties"
            file.write_text(properties({**settings, JAVA_OPTIONS: options}), encoding="ascii")
            builder = SparkSession.builder.appName(name)
            if "PYSPARK_GATEWAY_PORT" in os.environ:  # Java was there first, and does not read the file
                builder = builder.config(map=dict(settings))
            try:
                with explaining_lost_java(), _starting(file):
                    spark = builder.getOrCreate()
            except BaseException:
                _kill(file)
                raise
    except (PySparkException, Py4JError) as error:
        text = output.text()
        error.add_note(text)
        why = cause(f"{text}\n{error}") or plain(error)
        raise UnsupportedError(f"Spark does not start: {why}") from None
    output.release()
    return spark


@contextmanager
def _starting(file: Path) -> Iterator[None]:
    """Has a Java that is started here read its settings from a file, and ignore SIGTERM: Python ends it."""
    known = os.environ.get(_SUBMIT)
    arguments = f"--properties-file {shlex.quote(str(file))} --load-spark-defaults"
    os.environ[_SUBMIT] = f"{arguments} {known or 'pyspark-shell'}"
    blocked = [] if os.name == "nt" else [signal.SIGTERM]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked) if blocked else None
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if known is None:
            del os.environ[_SUBMIT]
        else:
            os.environ[_SUBMIT] = known


def _kill(file: Path) -> None:
    listed = subprocess.run(["ps", "-axwwo", "pid=,args="], capture_output=True, text=True, check=False)
    for line in listed.stdout.splitlines():
        number, _, command = line.strip().partition(" ")
        if str(file) in command:
            with suppress(OSError):  # it has ended already
                os.kill(int(number), signal.SIGKILL)


def _hush() -> None:
    """Silences warnings of pandas, and tracebacks when Java or the run ends, of PySpark and its workers."""
    logging.getLogger("py4j").propagate = False
    logging.getLogger().addFilter(is_not_of_py4j)
    # A server in PySpark takes numbers from Java, and shows where it was when these end.
    socketserver.BaseServer.handle_error = lambda *_: None  # type: ignore[method-assign]  # for all servers
    known = os.environ.get("PYTHONWARNINGS", "")  # for the workers, see `ignore_pandas`
    if PANDAS_WARNING not in known:
        ignored = f"ignore:{PANDAS_WARNING}:FutureWarning"
        os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [known, ignored]))


def properties(settings: Mapping[str, str]) -> str:
    """Writes settings as a property file of Java."""
    return "".join(f"{_escaped(name)}={_escaped(value)}\n" for name, value in settings.items())


def _escaped(text: str) -> str:
    text = re.sub(r"[\\ :=#!]", r"\\\g<0>", text)
    codes = text.encode("utf-16-be")
    units = [int.from_bytes(codes[i : i + 2]) for i in range(0, len(codes), 2)]
    return "".join(chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}" for unit in units)


# ---- what Java and the workers say ----

# While Java starts, its output is held back, as the message of a failed start is made of it. Afterwards noise
# is left out, and the tracebacks of idle workers that end.

_NOISE = re.compile("|".join(TEXTS["noise"]))
_NEWS = re.compile("downloading ")  # shown even while Java starts, as a download may take minutes
# The last line of a traceback of a worker that is no longer needed.
_IDLE = re.compile(r"(BrokenPipe|ConnectionReset|ConnectionAborted|EOF)Error\b|KeyboardInterrupt\b")
_LONGEST = 500  # the most lines of a traceback
_PATIENCE = 2.0  # seconds to wait for the last lines of a process that has ended


@dataclass(eq=False)
class ProcessOutput:
    """The filtered output of Spark's processes, buffered until it is released to `target`."""

    target: int = field(default_factory=lambda: os.dup(2))
    lines: list[str] = field(default_factory=list)
    passes: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, source: int) -> None:
        with open(source, encoding="utf-8", errors="backslashreplace") as pipe:
            for line in sifted(shown_lines(redacted(line.removesuffix("\n"))) for line in pipe):
                with self._lock:
                    if self.passes or _NEWS.match(line):
                        self._write(line)
                    else:
                        self.lines.append(line)
        self.ended.set()

    def release(self) -> None:
        """Writes the buffered lines, and later ones at once."""
        with self._lock:
            self.passes = True
            self._write(*self.lines)

    def text(self) -> str:
        """The buffered lines, once the processes that wrote them have ended."""
        self.ended.wait(_PATIENCE)
        return "\n".join(self.lines)

    def _write(self, *lines: str) -> None:
        with suppress(OSError):  # if nobody reads it, Spark is not to wait
            os.write(self.target, "".join(f"{line}\n" for line in lines).encode())


@contextmanager
def filtered(output: ProcessOutput) -> Iterator[None]:
    """Has processes that are started in this context write output and errors through the filter, for good."""
    theirs, ours = os.pipe()
    threading.Thread(target=output.read, args=(theirs,), daemon=True).start()
    before = {number: os.dup(number) for number in (1, 2)}
    try:
        for number in before:
            os.dup2(ours, number)
        os.close(ours)
        yield
    finally:
        for number, saved in before.items():
            os.dup2(saved, number)
            os.close(saved)


def sifted(lines: Iterable[str]) -> Iterator[str]:
    """Drops noise, and tracebacks of workers that ended as expected."""
    block: list[str] = []
    for line in lines:
        if line.startswith("Traceback (most recent call last):"):
            yield from block
            block = [line]
        elif block and (line.startswith(" ") or not line.strip()) and len(block) < _LONGEST:
            block.append(line)
        elif block:
            if not _IDLE.match(line):
                yield from (*block, line)
            block = []
        elif not _NOISE.match(line):
            yield line
    yield from block
