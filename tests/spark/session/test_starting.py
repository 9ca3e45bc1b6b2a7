"""antelog/spark/session/{quiet,starting}.py: what Java is told in a file, and what it says is shown of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import SparkContext, java_gateway

from antelog.spark.session import starting
from antelog.spark.session.quiet import Heard, _sieve, sifted
from antelog.spark.session.starting import _end, _left_alone, _submitted, properties, start_java


def test_settings_are_written_as_java_reads_them() -> None:
    assert properties({"spark.x": "a b=c", "spark.y": "ä#"}) == "spark.x=a\\ b\\=c\nspark.y=\\u00e4\\#\n"


def test_settings_are_in_a_file_that_is_gone_afterwards() -> None:
    before = os.environ.get("PYSPARK_SUBMIT_ARGS")
    with _submitted({"spark.secret": "hunter2"}):
        said = os.environ["PYSPARK_SUBMIT_ARGS"]
        file = Path(said.split()[1])
        assert "hunter2" not in said
        assert file.read_text(encoding="ascii") == "spark.secret=hunter2\n"
        assert file.parent.stat().st_mode & 0o077 == 0
    assert not file.exists()
    assert os.environ.get("PYSPARK_SUBMIT_ARGS") == before


def test_java_does_not_outlive_a_start_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def begins() -> None:
        started.append(vars(java_gateway)["Popen"]([sys.executable, "-c", "import time; time.sleep(600)"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(SparkContext, "_ensure_initialized", begins)
    with pytest.raises(KeyboardInterrupt):
        start_java({"spark.master": "yarn"})
    assert started[0].returncode is not None
    assert vars(java_gateway)["Popen"] is subprocess.Popen


def test_java_is_told_by_its_python_when_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ignores SIGTERM, which may be sent to all processes; and what does not end by itself is ended."""
    monkeypatch.setattr(starting, "LONGEST_END", 0.5)
    code = "import sys; print(flush=True); sys.stdin.read(); {}; print('ended')"
    for slow, said in (("pass", b"ended\n"), ("import time; time.sleep(600)", b"")):
        java = subprocess.Popen(
            [sys.executable, "-c", code.format(slow)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=lambda: _left_alone(lambda: None),  # noqa: PLW1509 - as PySpark does it
        )  # fmt: skip
        assert java.stdout is not None
        assert java.stdout.readline() == b"\n"
        java.terminate()
        _end(java)
        assert java.stdout.read() == said
        assert java.wait() == (0 if said else -signal.SIGKILL)
        java.stdout.close()


def _said(lines: bytes, *, starts: bool = True) -> tuple[str, Heard]:
    """What is written of what Java said, and what was heard of it."""
    theirs, ours = os.pipe()
    source, target = os.pipe()
    os.write(ours, lines)
    os.close(ours)
    heard = Heard(target)
    _sieve(theirs, heard)
    if starts:
        heard.start()
    os.close(target)
    with open(source, encoding="utf-8") as out:  # noqa: PTH123 - it is the end of a pipe
        return out.read(), heard


def test_noise_is_kept_back_and_the_rest_is_shown() -> None:
    said, _ = _said(b"Setting default log level to WARN\n\nERROR password=hunter2\x1b[31m\n")
    assert said.startswith("ERROR ")
    assert said.count("\n") == 1
    assert "hunter2" not in said
    assert "\x1b" not in said


def test_what_java_said_before_it_failed_is_for_whoever_tells_of_it() -> None:
    said, heard = _said(b"downloading https://host/a.jar\nno such jar\n", starts=False)
    assert said == "downloading https://host/a.jar\n"  # which may take minutes
    assert heard.text() == "no such jar"


IDLE = """\
before
Traceback (most recent call last):
  File "daemon.py", line 193, in manager
    code = worker(sock)
BrokenPipeError: [Errno 32] Broken pipe

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "worker.py", line 9, in main
    infile.read()
KeyboardInterrupt
between
Traceback (most recent call last):
  File "worker.py", line 1, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
after
"""


def test_workers_that_nobody_needs_any_more_end_in_silence() -> None:
    lines = IDLE.splitlines()
    rest = lines[lines.index("between") :]
    assert [*sifted(lines)] == ["before", *rest]
    assert [*sifted(lines[:4])] == lines[:4]  # what is not finished is not lost


NOISY = """
import subprocess, sys, time
from antelog.spark.session import starting
from antelog.spark.session.quiet import quietly
said = ":: loading settings :: x\\nheard\\n"
with quietly():
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1])", said])
time.sleep(0.5)
"""


def test_processes_started_quietly_are_heard_through_the_sieve() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=True)
    assert done.stderr == "heard\n"
