"""antelog/spark/session/requirements.py: a Java or a PySpark that does not fit is refused in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

import antelog.spark
from antelog.errors import UnsupportedError
from antelog.spark.session.requirements import require_java, require_pyspark
from antelog.spark.session.session import ProcessOutput, filter_output, sifted
from tests.processes import Start


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return folder


def test_java_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    require_java({"JAVA_HOME": str(fake_java(tmp_path / "new", "21.0.1"))})
    for environment, message in [
        ({"PATH": str(tmp_path)}, "there is no Java on this machine"),
        ({"JAVA_HOME": str(tmp_path / "gone")}, "there is no Java in it"),
        ({"JAVA_HOME": str(fake_java(tmp_path / "old", "1.8.0_4"))}, "is version 8, too old"),
    ]:
        with pytest.raises(UnsupportedError, match=message):
            require_java(environment)


def test_the_java_of_the_set_up_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    home = str(fake_java(tmp_path / "java", "17.0.1"))
    Path(tmp_path, "java-home").write_text(home + "\n", encoding="utf-8")
    environment = {"PATH": str(tmp_path)}
    require_java(environment)
    assert environment["JAVA_HOME"] == home
    with pytest.raises(UnsupportedError, match="there is no Java in it"):  # what is said goes first
        require_java({"JAVA_HOME": str(tmp_path / "gone")})


@pytest.mark.parametrize(
    ("version", "why"), [("3.5.1", "too old"), ("4.0.2", "too old"), ("5.0.0.dev1", "too new")]
)
def test_versions_that_cannot_do_it(version: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    message = f"PySpark is version {version}, {why}.*pip install"
    with pytest.raises(UnsupportedError, match=message):
        require_pyspark()
    with pytest.raises(UnsupportedError, match=message):
        _ = antelog.spark.changes
    assert antelog.spark.BUCKETS == 8


@pytest.mark.parametrize("version", ["4.1.0", "4.3.0", "4.12.0.dev2"])
def test_versions_that_can(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    require_pyspark()


def test_pandas_3_is_no_reason_to_warn_since_no_fact_passes_through_it() -> None:
    code = "import antelog.spark; import pyspark.sql.pandas.utils as u; u.require_minimum_pandas_version()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _written(lines: bytes, *, starts: bool = True) -> tuple[str, ProcessOutput]:
    """The lines that are shown, and the output they are from."""
    theirs, ours = os.pipe()
    source, target = os.pipe()
    os.write(ours, lines)
    os.close(ours)
    output = ProcessOutput(target)
    filter_output(theirs, output)
    if starts:
        output.release()
    os.close(target)
    with open(source, encoding="utf-8") as out:  # noqa: PTH123 - it is the end of a pipe
        return out.read(), output


def test_noise_is_kept_back_and_the_rest_is_shown() -> None:
    said, _ = _written(b"Setting default log level to WARN\n\nERROR password=hunter2\x1b[31m\n")
    assert said.startswith("ERROR ")
    assert said.count("\n") == 1
    assert "hunter2" not in said
    assert "\x1b" not in said


def test_what_java_said_before_it_failed_is_for_whoever_tells_of_it() -> None:
    said, output = _written(b"downloading https://host/a.jar\nno such jar\n", starts=False)
    assert said == "downloading https://host/a.jar\n"  # which may take minutes
    assert output.text() == "no such jar"


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
import subprocess, sys
from antelog.spark.session.session import ProcessOutput, filtered
output = ProcessOutput()
code = "import sys; print(sys.argv[1]); sys.stderr.write(sys.argv[2])"
with filtered(output):
    subprocess.run([sys.executable, "-c", code, "from Java", ":: loading settings :: x\\nheard\\n"])
print("ours", flush=True)
output.release()
sys.stdin.read()
"""


def test_processes_write_to_stderr_through_the_filter(start: Start) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    noisy = start([sys.executable, "-c", NOISY], **pipes)
    assert noisy.stderr is not None
    assert sorted(noisy.stderr.readline() for _ in range(2)) == ["from Java\n", "heard\n"]
    assert noisy.communicate() == ("ours\n", "")
    assert noisy.returncode == 0
