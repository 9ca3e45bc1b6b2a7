"""What needs no Spark runs without it, and what does says what to install."""

from __future__ import annotations

import subprocess
import sys


def test_antelog_itself_does_not_need_spark() -> None:
    text = "import sys, antelog, antelog.spark; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_without_pyspark_the_error_says_what_to_install() -> None:
    text = "import sys; sys.modules['pyspark'] = None\nimport antelog.spark\nantelog.spark.changes"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "pip install '.[spark]'" in done.stderr
