"""antelog/testing.py: each case of a file is a test of pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import antelog
import antelog.testing
from antelog.errors import ArgumentError, UnsupportedError
from tests.docs.pages import ROOT
from tests.workbench.testing.suites import case, written

test_turbines = antelog.testing.check(ROOT / "examples" / "turbines" / "turbines.test.yaml")

MODULE = """\
import antelog

test_rules = antelog.testing.check("turbines.test.yaml")
test_nothing = antelog.testing.check("nothing.test.yaml")
"""


def test_each_case_is_a_test(tmp_path: Path) -> None:
    text = case("- Temp(wt2, high, 0)\n- Temp(wt2, high, 1)", "- confirmed: Malf(wt2, 0)")
    written(
        tmp_path, text + text.partition("\n")[2].replace("a case", "another").replace("confirmed", "never")
    )
    (tmp_path / "test_rules.py").write_text(MODULE, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
        f"--rootdir={tmp_path}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert "test_rules[a case] PASSED" in done.stdout
    assert "test_rules[another] FAILED" in done.stdout
    assert "  - Malf(wt2, 0) never comes\n  + Malf(wt2, 0) is confirmed since 1\n" in done.stdout
    assert "└─ ● Malf(X, T) :- Flag(X, T), Flag(X, T+1)." in done.stdout
    assert "test_nothing[the file] FAILED" in done.stdout
    assert "error E801 (test-file): it cannot be read" in done.stdout
    assert "Traceback" not in done.stdout


def test_without_pytest_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)
    with pytest.raises(
        UnsupportedError, match="needs the package pytest, which is not installed: pip install"
    ):
        antelog.testing.check("turbines.test.yaml")


def test_the_path_is_a_path() -> None:
    with pytest.raises(ArgumentError):
        antelog.testing.check(7)  # type: ignore[arg-type]  # that is the mistake
