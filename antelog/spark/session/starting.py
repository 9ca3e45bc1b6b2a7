"""How Spark's Java is started: its settings on no command line, its ports for this machine alone.

PySpark hands settings over as `--conf name=value`, and whoever may list the processes of a machine reads
the passwords among them. Here they go into a file that only its owner can read, and that is gone as soon
as Java is up.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from pyspark import SparkContext, java_gateway

from antelog.spark.lost import LONGEST_END

_SUBMIT = "PYSPARK_SUBMIT_ARGS"
_LOCAL_IP = "SPARK_LOCAL_IP"
LOOPBACK = "127.0.0.1"


def start_java(settings: Mapping[str, str]) -> None:
    """Start Spark's Java with settings, unless it is there already."""
    if settings["spark.master"].startswith("local"):
        # What has no setting for its address, as Spark's page for browsers, follows this.
        os.environ.setdefault(_LOCAL_IP, LOOPBACK)
    with _submitted(settings), _ended_if_cut_short():
        SparkContext._ensure_initialized()


@contextmanager
def _ended_if_cut_short() -> Iterator[None]:
    """What is started in here ends if this does not come to its end, as by Ctrl-C.

    PySpark forgets a Java that it was still waiting for, and that one would then stay for ever.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
        if (theirs := more.get("preexec_fn")) is not None:  # none on Windows
            more["preexec_fn"] = partial(_left_alone, theirs)
        started.append(subprocess.Popen(*arguments, **more))
        return started[-1]

    names = vars(java_gateway)  # PySpark keeps the process it starts to itself until it answers
    known, names["Popen"] = names["Popen"], start
    try:
        yield
        for each in started:
            atexit.register(_end, each)
    except BaseException:
        for each in started:
            each.kill()
            each.wait()
        raise
    finally:
        names["Popen"] = known


def _left_alone(prepare: Callable[[], None]) -> None:
    """Has Java ignore SIGTERM as PySpark has it ignore Ctrl-C: its Python is told, and ends it then."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    prepare()


def _end(java: subprocess.Popen[bytes]) -> None:
    """Ends Java with its Python: it does so itself when nobody can speak to it any more, or is ended."""
    try:
        if java.stdin is not None:
            with suppress(OSError):
                java.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            java.wait(LONGEST_END)
    finally:
        java.kill()


@contextmanager
def _submitted(settings: Mapping[str, str]) -> Iterator[None]:
    """In here what is started by `spark-submit` finds the settings in a file."""
    known = os.environ.get(_SUBMIT)
    with tempfile.TemporaryDirectory(prefix="antelog-") as folder:  # closed to everybody else
        file = Path(folder, "spark.properties")
        file.write_text(properties(settings), encoding="ascii")
        options = ["--properties-file", str(file), "--load-spark-defaults"]
        os.environ[_SUBMIT] = f"{shlex.join(options)} {known or 'pyspark-shell'}"
        try:
            yield
        finally:
            if known is None:
                del os.environ[_SUBMIT]
            else:
                os.environ[_SUBMIT] = known


def properties(settings: Mapping[str, str]) -> str:
    """Settings in the form of Java's property files."""
    return "".join(f"{_escaped(name)}={_escaped(value)}\n" for name, value in settings.items())


def _escaped(text: str) -> str:
    text = re.sub(r"[\\ :=#!]", r"\\\g<0>", text)
    codes = text.encode("utf-16-be")
    units = [int.from_bytes(codes[i : i + 2]) for i in range(0, len(codes), 2)]
    return "".join(chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}" for unit in units)
