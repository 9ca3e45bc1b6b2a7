"""scripts/demo.py: what `make demo` shows on a page."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

PAGE = "from pathlib import Path; from scripts.demo import on_a_page; raise SystemExit(on_a_page(Path('.')))"


def test_the_address_of_the_page_is_repeated_and_no_reading_is_of_the_future(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PAGE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *again = re.findall(r"the page: (\S+)", done.stderr)
    assert again == [first]
    written = (tmp_path / "readings.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert datetime.fromisoformat(max(line.split(",")[2] for line in written)) <= datetime.now(UTC)
    assert "likely" in done.stdout
