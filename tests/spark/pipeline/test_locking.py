"""antelog/spark/pipeline/locking.py: a second process on a checkpoint is told who has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antelog.errors import OutputError, StateError
from antelog.spark.pipeline.locking import LOCK, local_folder, locked
from tests.processes import Start

HOLDS = """
import sys
from antelog.spark.pipeline.locking import locked
with locked(sys.argv[1]):
    print("has it", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_who_has_it(tmp_path: Path, start: Start) -> None:
    state = tmp_path / "state"
    holding = [sys.executable, "-c", HOLDS, str(state)]
    other = start(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == "has it\n"
    for place in (str(state), f"file://{state}"):
        with pytest.raises(StateError) as refused, locked(place):
            pass
        assert str(refused.value).startswith(f"the checkpoint {place} is in use by process {other.pid} on ")
        assert f"Stop that one (kill {other.pid}), or give this one a --checkpoint" in str(refused.value)
    other.kill()  # and leaves its file
    other.wait()
    with locked(str(state)):
        assert (state / LOCK).read_text(encoding="utf-8").startswith(f"process {os.getpid()} on ")
    with locked(str(state)):
        pass


def test_what_is_elsewhere_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_folder("s3a://bucket/state") is None
    assert local_folder("file:///a%20b") == Path("/a b")
    with locked("hdfs://head/state"), locked("hdfs://head/state"):
        assert not list(tmp_path.iterdir())
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    assert local_folder("state") is None


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written: "), locked(str(tmp_path / "file" / "state")):
        pass
