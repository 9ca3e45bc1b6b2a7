"""antelog/spark/session/{quiet,starting}.py: what Java is told in a file, and what it says is shown of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from antelog.spark.session.quiet import _sieve
from antelog.spark.session.starting import _submitted, properties


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


def test_noise_is_kept_back_and_the_rest_is_shown() -> None:
    theirs, ours = os.pipe()
    source, target = os.pipe()
    os.write(ours, b"Setting default log level to WARN\n\nERROR password=hunter2\x1b[31m\n")
    os.close(ours)
    _sieve(theirs, target)
    said = os.read(source, 1_000).decode()
    os.close(source)
    assert said.startswith("ERROR ")
    assert said.count("\n") == 1
    assert "hunter2" not in said
    assert "\x1b" not in said


NOISY = """
import subprocess, sys, time
from antelog.spark.session.quiet import quietly
said = ":: loading settings :: x\\nheard\\n"
with quietly():
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1])", said])
time.sleep(0.5)
"""


def test_processes_started_quietly_are_heard_through_the_sieve() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=True)
    assert done.stderr == "heard\n"
