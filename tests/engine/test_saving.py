"""antelog/engine/saving.py: what matters is kept, and nobody else can read it.

That going on is as if nothing had happened, `test_properties.py` shows; and that what is damaged is refused,
`test_damaged_states.py`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import antelog
from antelog import Engine, OutputError, StateError
from tests.processes import longest_file

TURBINES = """
input Temp(device, level, time) delay 1.
static Site(device, name).
Site(wt2, "North Sea").
Hot(X, N, T) :- Temp(X, high, T), Temp(X, high, T+1), Site(X, N).
query Hot(X, N, T).
"""


def _saved(path: Path) -> antelog.Program:
    program = antelog.parse(TURBINES)
    engine = Engine(program, static={"Site": [("wt4", "7")]})
    engine.advance(3, {"Temp": [("wt4", "high", 3, 3), ("wt2", "high", 1, 3)]})
    engine.save(path)
    return program


def test_everything_that_matters_is_kept(tmp_path: Path) -> None:
    program = _saved(tmp_path / "state")
    engine = Engine.restore(tmp_path / "state", program)
    assert engine.now == 3
    assert engine.counts["Temp"].late == 1
    assert engine.answers("Hot").to_pylist()[0]["N"] == "7"
    changes = engine.advance(4, {"Temp": [("wt4", "high", 4)]})
    assert "confirmed" in changes["Hot"]["change"].to_pylist()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file"):
        Engine.restore(tmp_path / "none")


def _permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.touch(0o666)
    before = os.umask(0)
    try:
        _saved(path)
    finally:
        os.umask(before)
    assert _permissions(path) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["state"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"kept")
    for name in ("state", "state.partial"):
        (tmp_path / name).symlink_to(kept)
    program = _saved(tmp_path / "state")
    assert kept.read_bytes() == b"kept"
    assert not (tmp_path / "state").is_symlink()
    Engine.restore(tmp_path / "state", program)


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"old")
    with longest_file(1000), pytest.raises(OutputError, match="state: cannot be written: File too large"):
        _saved(path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
