"""antelog/spark/session/session.py: settings reach Java in a file, and SIGTERM does not reach it at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from antelog.spark.session.session import _kill, properties
from tests.processes import Start


def test_settings_are_written_as_java_reads_them() -> None:
    assert properties({"spark.x": "a b=c", "spark.y": "ä#"}) == "spark.x=a\\ b\\=c\nspark.y=\\u00e4\\#\n"


def test_a_java_whose_start_was_cut_short_is_ended(tmp_path: Path, start: Start) -> None:
    file = tmp_path / "spark.properties"
    code = "import sys; print(flush=True); sys.stdin.read()"
    java = start([sys.executable, "-c", code, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert java.stdout is not None
    assert java.stdout.readline() == "\n"
    _kill(tmp_path / "another")
    assert java.poll() is None
    _kill(file)
    assert java.wait(60) < 0


SECRET = """
import os, signal
from pathlib import Path
import psutil
from antelog.spark.session.configuration import settings_of
from antelog.spark.session.session import session

settings = settings_of([], buckets=1, master="local[1]", conf={"spark.secret": "hunter2"})
with session("secret", settings) as spark:
    (java,) = [each for each in psutil.Process().children() if "SparkSubmit" in " ".join(each.cmdline())]
    assert "hunter2" not in " ".join(java.cmdline())
    assert not Path(java.cmdline()[java.cmdline().index("--properties-file") + 1]).exists()
    java.send_signal(signal.SIGTERM)
    if (status := Path(f"/proc/{java.pid}/status")).exists():  # Linux says which signals will never arrive
        blocked = int(dict(line.split(":", 1) for line in status.read_text().splitlines())["SigBlk"], 16)
        assert blocked >> signal.SIGTERM - 1 & 1
    print(spark.conf.get("spark.secret"), spark.range(3).count())
assert "PYSPARK_SUBMIT_ARGS" not in os.environ
"""


@pytest.mark.slow
def test_java_has_its_settings_on_no_command_line_and_is_ended_by_its_python_only() -> None:
    done = subprocess.run([sys.executable, "-c", SECRET], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("hunter2 3\n", "")
