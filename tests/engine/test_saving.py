"""Saving and restoring to a file: what matters is kept, and what is wrong is refused.

That going on is as if nothing had happened, `test_properties.py` shows.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import antelog
from antelog import Engine, StateError

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


def test_another_program_is_refused(tmp_path: Path) -> None:
    _saved(tmp_path / "state")
    with pytest.raises(StateError, match="another program"):
        Engine.restore(tmp_path / "state", antelog.parse(TURBINES.replace("T+1", "T+2")))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file"):
        Engine.restore(tmp_path / "none")


@pytest.mark.parametrize("at", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_damaged_file_is_refused(tmp_path: Path, at: float) -> None:
    path = tmp_path / "state"
    _saved(path)
    content = path.read_bytes()
    middle = int(len(content) * at)
    path.write_bytes(content[:middle])
    with pytest.raises(StateError, match="no state that can be restored"):
        Engine.restore(path)


def test_one_wrong_byte_is_noticed_or_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "state"
    program = _saved(path)
    whole = path.read_bytes()
    expected = Engine.restore(path, program).answers("Hot")
    refused = 0
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            assert Engine.restore(path, program).answers("Hot").equals(expected)
        except StateError:
            refused += 1
    assert refused > len(whole) // 14


def test_another_version_is_refused(tmp_path: Path) -> None:
    _saved(tmp_path / "state")
    with zipfile.ZipFile(tmp_path / "state") as old, zipfile.ZipFile(tmp_path / "new", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "state.json":
                content = json.dumps(json.loads(content) | {"version": 99}).encode()
            new.writestr(name, content)
    with pytest.raises(StateError, match="version 99"):
        Engine.restore(tmp_path / "new")
