"""antelog/spark/session/session.py: output of Spark's processes, held back at first and without noise."""

from __future__ import annotations

import os
import subprocess
import sys

from antelog.spark.session.session import ProcessOutput, filter_output, sifted
from tests.processes import Start


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
