"""scripts/lock.py: what is installed has an exact version and known contents, on every platform."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts.lock import CONSTRAINTS, LOCKED, ROOT, builds, of_users

PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]


def locked(name: str) -> str:
    return Path(ROOT, "locked", f"{name}.txt").read_text("utf-8")


def versions(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for library, version in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^ ;\\\n]+)", text, re.MULTILINE):
        found.setdefault(canonicalize_name(library), set()).add(version)
    return found


def wanted(extras: tuple[str, ...]) -> list[str]:
    if not extras:
        return builds(PYPROJECT)
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    return [*PROJECT["dependencies"], *(each for extra in extras for each in optional[extra])]


@pytest.mark.parametrize("name", LOCKED)
def test_what_the_project_asks_for_is_locked_with_hashes_and_without_an_index(name: str) -> None:
    text = locked(name)
    assert "://" not in text
    assert "index" not in text
    entries = re.split(r"\n(?=\w)", text.partition("make lock\n")[2].strip())
    assert all(" \\\n    --hash=sha256:" in each for each in entries)
    found = versions(text)
    for requirement in map(Requirement, wanted(LOCKED[name])):
        if requirement.name == "antelog":
            continue  # its extras are locked, it is not
        assert canonicalize_name(requirement.name) in found, "run make lock"
        for version in found[canonicalize_name(requirement.name)]:
            assert requirement.specifier.contains(Version(version)), "run make lock"


def test_each_library_has_one_version_in_all_of_them() -> None:
    everything = versions(locked("docs"))
    for name in LOCKED:
        for library, found in versions(locked(name)).items():
            assert found <= everything.get(library, found), library


def test_constraints_are_those_versions_of_what_users_may_install() -> None:
    """pip takes neither hashes nor extras there; what only developers need is no matter of users."""
    text = locked(CONSTRAINTS)
    assert not re.search(r"--hash|\[|://", text.partition("make lock\n")[2])
    found, everything = versions(text), versions(locked("dev"))
    users = wanted(of_users(PYPROJECT))
    names = {canonicalize_name(Requirement(each).name) for each in users}
    assert names <= {*found} <= {*everything}, "run make lock"
    assert {library: everything[library] for library in found} == found, "run make lock"
    assert "pytest" not in found
    extras = {*PROJECT["optional-dependencies"]} - {*of_users(PYPROJECT)}
    assert extras == {"dev", "docs", "odds"}, "each other extra is in that of dev"


def test_a_version_has_the_hashes_of_all_platforms() -> None:
    (numpy, *_) = re.findall(r"^numpy==(?:.|\n(?= ))+", locked("watch"), re.MULTILINE)
    assert numpy.count("--hash=") > 30
