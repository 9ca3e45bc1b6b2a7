"""The page of licences: what libraries say is read, what is not allowed is found, and the page is current."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from scripts import licences

ACCEPTED = """
[licences]
allowed = ["MIT", "Apache-2.0", "BSD"]
names = { "BSD License" = "BSD", "MIT License" = "MIT" }
[licences.exceptions]
certifi = { licence = "MPL-2.0", reason = "a list" }
"""
HERE = licences.allowed(ACCEPTED)


@pytest.mark.parametrize(
    ("expression", "field", "classifiers", "expected"),
    [
        ("MIT", "whatever", ["License :: OSI Approved :: BSD License"], "MIT"),
        ("", "Apache-2.0", ["License :: OSI Approved :: BSD License"], "Apache-2.0"),
        ("", "Permission is hereby granted, free of charge,\nto any", ["License :: MIT License"], "MIT"),
        ("", "", ["Topic :: Text", "License :: OSI Approved :: BSD License"], "BSD"),
        ("", "", ["License :: MIT License", "License :: GPL"], "MIT AND GPL"),
        ("", "", [], ""),
    ],
)
def test_what_a_library_says(expression: str, field: str, classifiers: list[str], expected: str) -> None:
    assert licences.licence(expression, field, classifiers, HERE.names) == expected


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("a", "MIT", True),
        ("a", "MIT AND Apache-2.0", True),
        ("a", "MIT AND GPL-3.0-only", False),
        ("a", "GPL-3.0-only OR MIT", True),
        ("a", "", False),
        ("a", "MPL-2.0", False),
        ("certifi", "MPL-2.0", True),
        ("certifi", "GPL-3.0-only", False),
    ],
)
def test_what_may_be(name: str, found: str, expected: bool) -> None:
    assert licences.is_allowed(name, found, HERE) is expected


def test_the_command_fails_on_what_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    strict = tmp_path / "accepted.toml"
    strict.write_text(licences.ACCEPTED.read_text("utf-8").replace('"MIT", ', ""), "utf-8")
    monkeypatch.setattr(licences, "ACCEPTED", strict)
    monkeypatch.setattr(licences, "PAGE", tmp_path / "licences.md")
    assert licences.main(["--write"]) == 1
    assert "rich is under MIT, which scripts/accepted.toml does not allow" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr(licences, "PAGE", tmp_path / "licences.md")
    assert licences.main([]) == 0, capsys.readouterr().out
    (tmp_path / "licences.md").write_text("", "utf-8")
    assert licences.main([]) == 1
    assert "numpy is missing; run `make licences`" in capsys.readouterr().out


@pytest.mark.parametrize("path", [path for path, _ in licences.VENDORED], ids=lambda path: path.stem)
def test_scripts_and_fonts_in_the_package_come_with_their_licences(path: Path) -> None:
    text = path.read_text("utf-8")
    listed = {file for each in tomllib.loads(text).values() for file in each["files"]}
    there = {each.name for each in path.parent.iterdir()} - {path.name}
    assert listed == there
    for name, said in licences.vendored(text).items():
        assert licences.is_allowed(name, said, licences.allowed(licences.ACCEPTED.read_text("utf-8")))
