"""What released versions have written is read by this one: lines go on as if nothing had been."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

import antelog
from scripts import keep_states, release
from scripts.keep_states import CUT, KEPT, MODEL, RULES, SAVEPOINT, STATE, STORE, Line, steps, watched

ARCHIVES = {path.name.removesuffix(".tar.xz"): path for path in sorted(KEPT.iterdir())}
# Chances may come to differ a little, as judges learn in other ways; answers may not.
_NEAR, _CHANCES = 0.01, ("chance", "forecast", "chance_from")


@pytest.fixture(scope="module", params=ARCHIVES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kept")
    with tarfile.open(ARCHIVES[request.param]) as kept:
        kept.extractall(place, filter="data")
    return place / str(request.param)


@pytest.fixture(scope="module")
def unbroken(folder: Path) -> list[Line]:
    """The lines of an engine that runs to the end, from the tick on at which the others go on."""
    engine = antelog.Engine(antelog.load(folder / RULES), model="learn")
    steps(engine, folder, 0, CUT)
    lines = steps(engine, folder, CUT)
    assert {line["change"] for line in lines} == {"possible", "revised", "confirmed", "rejected"}
    assert sum(line["chance"] is not None for line in lines) > len(lines) / 4
    return lines


def but_chances(lines: list[Line]) -> list[Line]:
    return [{key: value for key, value in line.items() if key not in _CHANCES} for line in lines]


def same(found: list[Line], expected: list[Line]) -> None:
    assert but_chances(found) == but_chances(expected)
    one, other = ([line.get("chance") for line in lines] for lines in (found, expected))
    assert one == pytest.approx(other, abs=_NEAR)


def test_this_version_is_kept() -> None:
    """All versions from 0.3.0 on that have been released, or are about to be."""
    dated = release.sections((release.ROOT / "CHANGELOG.md").read_text("utf-8"))
    versions = [name for name, (date, _) in dated.items() if date is not None]
    assert sorted(ARCHIVES) == sorted(versions[: versions.index("0.3.0") + 1]), (
        "python -m scripts.keep_states"
    )
    assert all(path.stat().st_size < 200_000 for path in ARCHIVES.values())


@pytest.mark.parametrize("kept", [STATE, SAVEPOINT])
def test_an_engine_goes_on(folder: Path, unbroken: list[Line], kept: str) -> None:
    engine = antelog.Engine.restore(folder / kept, antelog.load(folder / RULES))
    assert engine.now == CUT - 1
    same(steps(engine, folder, CUT), unbroken)


def test_a_model_is_of_use(folder: Path) -> None:
    program = antelog.load(folder / RULES)
    teacher = antelog.Engine(program, model="learn")
    steps(teacher, folder, 0, CUT)
    given = (antelog.Engine(program, model=model) for model in (folder / MODEL, teacher.model))
    found, expected = (steps(engine, folder, 0) for engine in given)
    same(found, expected)
    assert any(line["chance_from"] == "linear" for line in found)


def test_a_watcher_goes_on(folder: Path) -> None:
    watched(folder, STORE, "watched.jsonl")
    watched(folder, "new.state", "whole.jsonl")
    found, expected = (
        [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("watched.jsonl", "whole.jsonl")
    )
    same(found, expected)


def test_what_is_there_is_not_written_anew(capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in KEPT.iterdir()}
    assert keep_states.main() == 1
    assert "not written anew" in capsys.readouterr().err
    assert {path.name: path.stat().st_mtime_ns for path in KEPT.iterdir()} == before
