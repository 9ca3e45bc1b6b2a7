"""scripts/published.py: all texts say how antelog is installed today, and one command changes them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from antelog import lazily
from scripts import published, release
from scripts.published import CONSTANT, ROOT, left_over, texts

TEXTS = texts()
AFTER = {path: published.published(text) for path, text in TEXTS.items()}


def test_texts_agree_with_the_constant() -> None:
    """As long as it is false each rule finds something; once it is true there is nothing to find."""
    assert published.unused(TEXTS) == (list(published.REWRITTEN) if lazily.PUBLISHED else [])
    changed = {path.as_posix() for path in TEXTS if AFTER[path] != TEXTS[path]}
    assert ("README.md" in changed) == ("docs/index.md" in changed) == (not lazily.PUBLISHED)


def test_nothing_is_left_over() -> None:
    assert left_over(AFTER) == [], "say it as other pages do, or add a rule to scripts/published.py"
    assert {path: published.published(text) for path, text in AFTER.items()} == AFTER
    assert "pip install 'antelog[spark,draw,watch]'" in AFTER[Path("README.md")]
    found: dict[str, object] = {}
    exec(AFTER[CONSTANT], found)
    brought_by = found["brought_by"]
    assert callable(brought_by)
    assert brought_by("draw") == "pip install 'antelog[draw]'"


@pytest.mark.parametrize(
    "text",
    [
        "say `pip install '.[draw]'`",
        "no package registry has it",
        "in a copy of the project, `pip install 'antelog[draw]'`",
        "`pip install 'antelog[draw]'` from a\ncopy of the project",
    ],
)
def test_what_is_left_over_is_noticed(text: str) -> None:
    (found,) = left_over({Path("a.md"): f"A page.\n{text}\n"})
    assert found.startswith("a.md:2: ")


def test_no_other_text_says_how_extras_are_installed() -> None:
    """No module but one, and no message."""
    files = [path for path in (ROOT / "antelog").rglob("*") if path.suffix in (".py", ".toml", ".html")]
    said = [path for path in files if "pip install '" in path.read_text("utf-8")]
    assert {path.relative_to(ROOT) for path in said} == {CONSTANT, Path("antelog/spark/endpoints/sinks.py")}


def test_one_command_rewrites_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in TEXTS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    monkeypatch.setattr(published, "ROOT", tmp_path)
    monkeypatch.setenv("PUBLISH", "yes")
    tag = ["tag", f"v{release.version()}"]
    assert release.main(tag) == (not lazily.PUBLISHED)
    assert ("run python -m scripts.release published" in capsys.readouterr().err) == (not lazily.PUBLISHED)
    assert release.main(["published"]) == 0
    assert texts(tmp_path) == AFTER
    assert release.main(tag) == 0
