"""antelog/spark/session/{quiet,starting}.py: what Java is told in a file, and what it says is shown of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError

from antelog.spark.session.quiet import Heard, _sieve, sifted
from antelog.spark.session.starting import _end, _left_alone, java_starting, properties


def test_settings_are_written_as_java_reads_them() -> None:
    assert properties({"spark.x": "a b=c", "spark.y": "ä#"}) == "spark.x=a\\ b\\=c\nspark.y=\\u00e4\\#\n"


ANSWERS = """\
#!{python}
import os, struct, sys
from pathlib import Path
asked = Path(sys.argv[sys.argv.index("--properties-file") + 1])
Path("asked").write_text(" ".join(sys.argv[1:]) + "\\n" + asked.read_text(), encoding="utf-8")
answer = Path(os.environ["_PYSPARK_DRIVER_CONN_INFO_PATH"])
answer.with_name("half").write_bytes(struct.pack(">ii", 4711, 6) + b"secret")
answer.with_name("half").rename(answer)
sys.stdin.read()
"""


@pytest.fixture
def fake_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Spark whose `spark-submit` tells a port, and ends when nobody listens. No Java is there before."""
    script = tmp_path / "bin" / "spark-submit"
    script.parent.mkdir()
    script.write_text(ANSWERS.format(python=sys.executable), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.chdir(tmp_path)
    return script


@pytest.mark.usefixtures("fake_spark")
def test_java_is_spoken_to_where_it_says_and_settings_are_in_a_file_that_is_gone_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gateway:
        proc: object = None

    gateway = Gateway()

    def connects() -> None:
        asked = (os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"])
        assert asked == ("4711", "secret")
        monkeypatch.setattr(SparkContext, "_gateway", gateway)

    monkeypatch.setattr(SparkContext, "_ensure_initialized", connects)
    with java_starting({"spark.master": "yarn", "spark.secret": "hunter2"}) as java:
        assert java.folder.stat().st_mode & 0o077 == 0
        java.connect()
        assert not java.folder.exists()
    assert gateway.proc is java.process
    assert java.process is not None
    assert java.process.poll() is None  # it ends with its Python
    assert "PYSPARK_GATEWAY_PORT" not in os.environ
    words, _, settings = Path("asked").read_text(encoding="utf-8").partition("\n")
    assert "hunter2" not in words
    assert words.endswith("--load-spark-defaults pyspark-shell")
    assert "spark.secret=hunter2\n" in settings
    _end(java.process, 10)
    assert java.process.returncode == 0


@pytest.mark.usefixtures("fake_spark")
def test_java_does_not_outlive_a_start_that_is_cut_short() -> None:
    with pytest.raises(KeyboardInterrupt), java_starting({"spark.master": "yarn"}) as java:
        raise KeyboardInterrupt
    assert java.process is not None
    assert java.process.returncode is not None
    assert not java.folder.exists()


def test_a_java_that_ends_before_it_is_up_is_missed(fake_spark: Path) -> None:
    fake_spark.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n", encoding="utf-8")
    with (
        pytest.raises(PySparkRuntimeError, match="JAVA_GATEWAY_EXITED"),
        java_starting({"spark.master": "yarn"}) as java,
    ):
        java.connect()
    assert java.heard.text() == "no memory"


@pytest.mark.usefixtures("fake_spark")
def test_a_java_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", object())
    with java_starting({"spark.master": "yarn"}) as java:
        assert java.process is None
        java.connect()
    assert not Path("asked").exists()


def test_java_is_told_by_its_python_when_to_end() -> None:
    """It ignores SIGTERM, which may be sent to all processes; and what does not end by itself is ended."""
    code = "import sys; print(flush=True); sys.stdin.read(); {}; print('ended')"
    for slow, said in (("pass", b"ended\n"), ("import time; time.sleep(600)", b"")):
        java = subprocess.Popen(
            [sys.executable, "-c", code.format(slow)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=_left_alone,  # noqa: PLW1509 - it takes no locks
        )  # fmt: skip
        assert java.stdout is not None
        assert java.stdout.readline() == b"\n"
        java.terminate()
        _end(java, 0.5)
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
from antelog.spark.session.quiet import listening
said = ":: loading settings :: x\\nheard\\n"
with listening() as (heard, ours):
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1])", said], stderr=ours)
heard.start()
time.sleep(0.5)
"""


def test_processes_started_quietly_are_heard_through_the_sieve() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=True)
    assert done.stderr == "heard\n"
