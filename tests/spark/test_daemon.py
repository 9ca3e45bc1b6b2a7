"""antelog/spark/daemon.py: workers are copies of a process that has what they need."""

from __future__ import annotations

import subprocess
import sys

from antelog.spark.session.configured import DAEMON

_IMPORTED = """
import sys
import antelog.spark.daemon
for name in ("pandas", "antelog.engine.kernel", "antelog.spark.bucket.keeping"):
    assert name in sys.modules, name
"""


def test_it_has_imported_what_workers_compute_with() -> None:
    assert DAEMON == "antelog.spark.daemon"
    done = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
