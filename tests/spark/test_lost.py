"""antelog/spark/lost.py: Java that ended is told in one sentence, also in a session of a user's own."""

from __future__ import annotations

import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import cast

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from antelog.errors import DataError, UnsupportedError
from antelog.spark import lost
from antelog.spark.lost import told_if_java_ends

OWN = """
import os, signal, sys
import antelog, antelog.spark
from pyspark import SparkContext
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame([("a", 0)], "x string, time long")
program = antelog.parse("input Temp(x: text, time). Hot(X, T) :- Temp(X, T). query Hot(X, T).")
process = SparkContext._gateway.proc
process.kill()
process.wait()
for what in (antelog.spark.changes, antelog.spark.answers, antelog.spark.rejects, antelog.spark.learn):
    try:
        what(program, {"Temp": frame})
    except antelog.AntelogError as error:
        print(error)
"""


def _gateway(monkeypatch: pytest.MonkeyPatch, *code: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", *code])
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=process))
    process.wait()


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os; os.kill(os.getpid(), 9)", "was killed, as a system does that has no memory left"),
        ("import os; os.kill(os.getpid(), 15)", r"has ended \(SIGTERM\)"),
        ("raise SystemExit(52)", r"has ended \(status 52\)"),
    ],
)
@pytest.mark.parametrize("raised", [TypeError("'JavaPackage' object is not callable"), DataError("empty")])
def test_whatever_fails_then_java_is_why(
    raised: Exception, code: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _gateway(monkeypatch, code)
    message = f"^Java, in which Spark runs, {how}. Start it again"
    with pytest.raises(UnsupportedError, match=message), told_if_java_ends():
        raise raised


def test_while_java_is_there_an_error_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    with pytest.raises(ValueError, match="mine"), told_if_java_ends():
        raise ValueError("mine")
    with pytest.raises(ConnectionRefusedError), told_if_java_ends():  # of something else than Java
        raise ConnectionRefusedError
    # Java that somebody else has started cannot be asked whether it is there.
    with pytest.raises(UnsupportedError, match="does not answer any more"), told_if_java_ends():
        raise Py4JNetworkError("Answer from Java side is empty")


class _Spark:
    """A session that stops when its Java ends, and not before."""

    def stop(self) -> None:
        assert SparkContext._gateway is not None
        SparkContext._gateway.proc.wait(60)
        raise Py4JNetworkError("Answer from Java side is empty")


def test_java_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    for name in ("_gateway", "_jvm", "_active_spark_context"):
        monkeypatch.setattr(SparkContext, name, SimpleNamespace(proc=process))
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    monkeypatch.setattr(lost, "LONGEST_END", 0.1)
    lost.stop(cast("SparkSession", _Spark()))
    assert process.returncode == -signal.SIGKILL
    assert SparkContext._gateway is None  # so that the next session starts another


@pytest.mark.slow
def test_in_a_session_of_ones_own() -> None:
    done = subprocess.run([sys.executable, "-c", OWN], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stderr
    assert all(line.startswith("Java, in which Spark runs, was killed, ") for line in lines)
    assert "py4j" not in done.stderr
