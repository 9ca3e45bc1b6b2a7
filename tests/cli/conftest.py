"""The folder the tests of `antelog try` work in."""

from pathlib import Path

import pytest

from tests.cli.trying import PROGRAM, READINGS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and its readings."""
    monkeypatch.chdir(tmp_path)
    Path("p.alog").write_text(PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(READINGS, encoding="utf-8")
    return tmp_path
