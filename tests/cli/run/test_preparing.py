"""antelog/cli/run/preparing.py, antelog/cli/commands/prepare.py: classes for Java, made and removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from antelog.cli.commands import prepare as command
from antelog.cli.main import main
from antelog.cli.run import preparing
from antelog.spark.session.classes import archive_of, archives


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it, and a Java that need not be there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(command, "require_java", lambda: "17.0.15")
    return tmp_path / "antelog"


def prepare(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["prepare", *arguments])


def test_it_is_made_once_and_removed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def run(folder: Path, archive: Path) -> None:
        assert folder.parent == cache  # so that it can be put into its place at once
        archive.write_bytes(b"x" * 2_000_000)
        made.append(archive)

    monkeypatch.setattr(preparing, "_run", run)
    cache.mkdir()
    older = archive_of("17.0.1")
    older.write_bytes(b"")
    archive = archive_of("17.0.15")
    done = prepare()
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.endswith(f"{archive} is made (2 MB); `antelog run` starts from it now\n")
    assert list(cache.iterdir()) == [archive]
    assert f"{archive} is there already (2 MB)" in prepare().stderr
    assert len(made) == 1
    assert prepare("--remove").stderr == f"{archive} is removed (2 MB)\n"
    assert prepare("--remove").stderr == "there is nothing to remove\n"
    assert list(cache.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_of(cache: Path) -> None:
    cache.write_text("a file", encoding="utf-8")
    done = prepare()
    assert done.exit_code == 1
    assert "error: " in done.stderr
    assert f"{cache}: cannot be written: File exists. Let XDG_CACHE_HOME name another folder" in done.stderr


def test_a_run_that_fails_says_why_and_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/gone")
    done = prepare()
    assert done.exit_code == 1
    assert "the run that loads the classes has failed: JAVA_HOME is /gone, and there is no" in done.stderr
    assert list(cache.iterdir()) == []


def test_a_java_that_keeps_none_is_told_of(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_run", lambda *_: None)
    assert "error: this Java keeps no classes" in prepare().stderr
    assert list(cache.iterdir()) == []


@pytest.mark.slow
def test_java_makes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = prepare()
    assert done.exit_code == 0, done.stderr
    (archive,) = archives()
    assert archive.stat().st_size > 50_000_000
