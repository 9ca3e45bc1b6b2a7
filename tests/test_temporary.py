"""antelog/writing.py: temporary folders go with their process, or with the next one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from antelog.writing import temporary_folder
from tests.processes import Process, Start

HOLDS = """
import sys
from antelog.writing import temporary_folder
with temporary_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary ones, also for other processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def holder(start: Start) -> tuple[Process, Path]:
    process = start([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_goes_with_its_block(somewhere: Path) -> None:
    with temporary_folder() as folder:
        assert folder.parent == somewhere
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "feed").write_text("x")
    assert list(somewhere.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next(somewhere: Path, start: Start) -> None:
    living, its = holder(start)
    killed, left = holder(start)
    killed.kill()
    killed.wait()
    (somewhere / "antelog-of-somebody").mkdir()
    assert left.exists()
    with temporary_folder() as folder:
        assert {each.name for each in somewhere.iterdir()} == {folder.name, its.name, "antelog-of-somebody"}
    living.communicate("")
    assert not its.exists()
