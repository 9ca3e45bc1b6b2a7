"""How Spark's Java is started: while Python imports what speaks to it, its settings on no command line.

Comes in: settings. Goes out: a Java that comes up in the background, and ends if nobody gets to speak to it.
PySpark itself would start it only when it is wanted, wait for it, and hand settings over as
`--conf name=value`; whoever may list the processes of a machine reads the passwords among them. Here they go
into a file that only its owner can read, and that is gone as soon as Java is up.

    with java_starting(settings) as java:
        import pyspark         # takes a second, as Java does
        java.connect()         # waits for what is left of it
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from antelog.spark.session.classes import MAKING, is_made_by
from antelog.spark.session.compilers import JAVA_OPTIONS
from antelog.spark.session.quiet import Heard, listening
from antelog.spark.session.versions import pyspark_folder
from antelog.spark.settings import LONGEST_END, LOOPBACK

_SUBMIT = "PYSPARK_SUBMIT_ARGS"
_LOCAL_IP = "SPARK_LOCAL_IP"
_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
_ANSWER_IN = "_PYSPARK_DRIVER_CONN_INFO_PATH"
_ANSWER, _SETTINGS = "answer", "spark.properties"
"""Files of a folder: into one Java writes how it can be spoken to, from the other it has its settings."""
_PANDAS = "PySpark does not yet fully support pandas"
_LOOK = 0.02
"""Seconds between two looks at whether Java is up."""


@dataclass(eq=False)
class Java:
    """A Java that was started with settings, or is there already: then there is no process of it here."""

    settings: Mapping[str, str]
    heard: Heard
    process: subprocess.Popen[bytes] | None = None
    folder: Path = Path()
    connected: bool = False

    def connect(self) -> None:
        """Has PySpark speak to it, once it is up. Raises PySparkRuntimeError if it ended before."""
        from pyspark import SparkContext  # noqa: PLC0415 - Java is started before PySpark is imported

        if self.process is not None:
            with _gateway(*self._answered(self.process)):
                SparkContext._ensure_initialized()
            shutil.rmtree(self.folder, ignore_errors=True)
            SparkContext._gateway.proc = self.process  # type: ignore[union-attr]
        self.connected = True

    def _answered(self, process: subprocess.Popen[bytes]) -> tuple[int, str]:
        """Java's port, and what it has to be told to be listened to."""
        from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415 - as above

        answer = self.folder / _ANSWER
        while not answer.exists():
            if process.poll() is not None:
                raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
            time.sleep(_LOOK)
        with answer.open("rb") as told:
            port, length = struct.unpack(">ii", told.read(8))
            return port, told.read(length).decode()


@contextmanager
def java_starting(settings: Mapping[str, str]) -> Iterator[Java]:
    """Java comes up while other things are done in here, and ends if they do not come as far as to it."""
    if settings["spark.master"].startswith("local"):
        # What has no setting for its address, as Spark's page for browsers, follows this.
        os.environ.setdefault(_LOCAL_IP, LOOPBACK)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _hush_workers()
    with ExitStack() as stack:
        quiet = stack.enter_context(as_file(files("antelog.spark") / "log4j2.properties"))
        # Java's options that are given go after these, so that both count.
        options = f"-Dlog4j2.configurationFile={quiet.as_uri()} {settings.get(JAVA_OPTIONS, '')}".rstrip()
        settings = {**settings, JAVA_OPTIONS: options}
        if _is_there():
            with listening() as (heard, _):
                pass
            yield Java(settings, heard)
            return
        folder = Path(tempfile.mkdtemp(prefix="antelog-"))  # closed to others
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        with listening() as (heard, ours):
            process = _started(settings, folder, ours)
        atexit.register(_end, process, patience=MAKING if is_made_by(settings) else LONGEST_END)
        java = Java(settings, heard, process, folder)
        try:
            yield java
        finally:
            if not java.connected:
                process.kill()
                process.wait()


def _is_there() -> bool:
    """Whether PySpark speaks to a Java already, or was told of one."""
    context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    return _PORT in os.environ or (context is not None and context._gateway is not None)


def _started(settings: Mapping[str, str], folder: Path, ours: int) -> subprocess.Popen[bytes]:
    """Java, begun by `spark-submit`, which finds the settings in a file of the folder."""
    file = folder / _SETTINGS
    file.write_text(properties(settings), encoding="ascii")
    known = os.environ.get(_SUBMIT, "pyspark-shell")
    script = Path(_spark_home(), "bin", "spark-submit.cmd" if os.name == "nt" else "spark-submit")
    return subprocess.Popen(
        [script, "--properties-file", file, "--load-spark-defaults", *shlex.split(known)],
        stdin=subprocess.PIPE,  # by whose end Java sees that its Python is gone
        stdout=ours,  # standard output is for results
        stderr=ours,
        env={**os.environ, "SPARK_CONNECT_MODE": "0", _ANSWER_IN: str(folder / _ANSWER)},
        preexec_fn=None if os.name == "nt" else _left_alone,  # noqa: PLW1509 - it takes no locks
    )


def _spark_home() -> str:
    """Where Spark is: as the environment says, within PySpark, or around it."""
    if home := os.environ.get("SPARK_HOME"):
        return home
    folder = pyspark_folder()
    if folder is None:
        raise ImportError("there is no PySpark", name="pyspark")
    return str(folder if (folder / "bin").is_dir() else folder.parents[1])


def _left_alone() -> None:
    """Has Java ignore Ctrl-C and SIGTERM: its Python is told, and ends it then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _end(java: subprocess.Popen[bytes], patience: float) -> None:
    """Ends Java with its Python: it does so itself when nobody can speak to it any more, or is ended."""
    try:
        if java.stdin is not None:
            with suppress(OSError):
                java.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            java.wait(patience)
    finally:
        java.kill()


@contextmanager
def _gateway(port: int, secret: str) -> Iterator[None]:
    """In here PySpark finds a Java that it need not start."""
    os.environ |= {_PORT: str(port), _SECRET: secret}
    try:
        yield
    finally:
        del os.environ[_PORT], os.environ[_SECRET]


def _hush_workers() -> None:
    """Keeps PySpark from telling, here and in each worker, that a pandas is newer than it is itself."""
    warnings.filterwarnings("ignore", _PANDAS, FutureWarning)
    known = os.environ.get("PYTHONWARNINGS", "")
    if _PANDAS not in known:
        os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [known, f"ignore:{_PANDAS}:FutureWarning"]))


def properties(settings: Mapping[str, str]) -> str:
    """Settings in the form of Java's property files."""
    return "".join(f"{_escaped(name)}={_escaped(value)}\n" for name, value in settings.items())


def _escaped(text: str) -> str:
    text = re.sub(r"[\\ :=#!]", r"\\\g<0>", text)
    codes = text.encode("utf-16-be")
    units = [int.from_bytes(codes[i : i + 2]) for i in range(0, len(codes), 2)]
    return "".join(chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}" for unit in units)
