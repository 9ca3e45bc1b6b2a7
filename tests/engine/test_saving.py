"""antelog/engine/{saving,sealed}.py: what matters is kept, nobody else can read it, damage is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog import ArgumentError, Engine, OutputError, StateError
from antelog.engine import sealed
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


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.touch(0o666)
    before = os.umask(0)
    try:
        _saved(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
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


# ---- damage, another version, another program ----

TOGGLE = """
input Press(x: text, time) delay 1.
Off(X, T+1) :- Press(X, T+1), not Off(X, T).
query Off(X, T).
"""


def saved(text: str = TOGGLE) -> bytes:
    engine = Engine(antelog.parse(text))
    for tick in range(12):
        engine.advance(tick, {"Press": [("a", tick), ("b", tick)]})
    return engine.to_bytes()


def refused(content: bytes, why: str, program: antelog.Program | None = None, **options: Any) -> None:
    with pytest.raises(StateError, match=why):
        Engine.restore(content, program, **options)


def test_any_wrong_bit_is_noticed() -> None:
    content = saved()
    for at in range(0, len(content), 3):
        wrong = bytearray(content)
        wrong[at] ^= 1 << at % 8
        refused(
            bytes(wrong), "the saved state is (damaged|not a state that antelog wrote|a state of version)"
        )


def test_what_ends_too_early_or_too_late_is_noticed() -> None:
    content = saved()
    for length in range(0, len(content), 3):
        refused(content[:length], "is damaged|is not a state that antelog wrote")
    refused(content + b"\0", "is damaged: it was changed after it was written. Use an older copy")


def test_another_version_is_refused_with_what_to_do() -> None:
    own = sealed.VERSIONS["state"]
    other = saved().replace(f"{own:04}".encode(), b"0099", 1)
    refused(other, f"is a state of version 99, but this antelog reads version {own}; `antelog state export`")


def test_another_program_is_refused() -> None:
    other = antelog.parse(TOGGLE.replace("delay 1", "delay 2"))
    refused(saved(), "was saved by other rules than these", other)


def test_other_files_are_refused(tmp_path: Path) -> None:
    refused(b"", "the saved state is not a state that antelog wrote")
    refused(b"x,time\na,1\n", "is not a state that antelog wrote")
    refused(sealed.pack({"model.json": b"{}"}), "is not a state of an engine: it has no state.json")
    refused(sealed.pack({"state.json": b"[]"}), "is not a state that can be restored: Expected `object`")
    refused(sealed.seal(b""), "its archive cannot be read")
    with pytest.raises(StateError, match=r"is not a savepoint: it has no savepoint\.json"):
        Engine.restore(tmp_path)
    with pytest.raises(ArgumentError, match=r"source is .* give a path"):
        Engine.restore(tmp_path / "a\0b")
    with pytest.raises(StateError, match="/dev/zero is not a state"):
        Engine.restore("/dev/zero")


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    content = sealed.pack({"state.json": b"{" * 5_000_000})
    assert len(content) < 50_000
    refused(content, r"takes 5,000,000 bytes, .* allow more: `max_bytes=5000000`", max_bytes=4_999_999)
    refused(content, "not a state that can be restored", max_bytes=5_000_000)
    (tmp_path / "state").write_bytes(content)
    with pytest.raises(StateError, match="max_bytes=5000000"):
        Engine.restore(tmp_path / "state", max_bytes=100_000)
    with pytest.raises(StateError, match=f"max_bytes={len(content)}"):
        Engine.restore(tmp_path / "state", max_bytes=100)
