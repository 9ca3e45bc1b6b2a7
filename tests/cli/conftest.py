"""The folders the tests of commands work in."""

from pathlib import Path

import pytest

from tests.cli.trying import PROGRAM, READINGS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.alog").write_text(PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(READINGS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A folder with the FILES of a module of tests."""
    monkeypatch.chdir(tmp_path)
    for name, text in request.module.FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, files of facts, and one that has none."""
    monkeypatch.chdir(tmp_path)
    Path("program.alog").write_text("static Turbine(device).\n" + PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(READINGS, encoding="utf-8")
    Path("notes.txt").touch()
    Path("data").mkdir()
    Path("data", "temp.parquet").touch()
    return tmp_path
