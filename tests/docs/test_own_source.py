"""The source on the page about sources of one's own passes its tests, installed as the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "own-source.md"


def test_the_page_is_enough(tmp_path: Path) -> None:
    for name, text in re.findall(r'title="([\w.]+)"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL):
        (tmp_path / name).write_text(text)
    # As pip would install it, which takes longer and needs a network.
    info = tmp_path / "antelog_sqlite-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: antelog-sqlite\nVersion: 0.1\n")
    entry = re.search(r'^sqlite = "(.*)"$', (tmp_path / "pyproject.toml").read_text(), re.MULTILINE)
    assert entry is not None
    (info / "entry_points.txt").write_text(f"[antelog.sources]\nsqlite = {entry[1]}\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "test_sqlite.py",
        "--deselect",
        "test_sqlite.py::test_kills",
    ]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
