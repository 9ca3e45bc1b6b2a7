"""What only Linux and macOS have: every module is imported without it, and what needs it says so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from antelog.run.workers import divided
from tests.cli.trying import PROGRAM, READINGS, antelog

# A module that is None in `sys.modules` cannot be imported, as on Windows.
_WITHOUT = """
import importlib, os, pkgutil, sys, traceback
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getuid", "killpg", "pread", "sched_getaffinity", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
import antelog
wrong = []
for each in pkgutil.walk_packages(antelog.__path__, "antelog."):
    if each.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(each.name)
    except Exception as error:
        files = [each.filename for each in traceback.extract_tb(error.__traceback__)]
        last = [file for file in files if "importlib" not in file][-1]
        # Libraries ask for the system by its name, which is not that of another one here.
        if f"{os.sep}site-packages{os.sep}" not in last:
            wrong.append(f"{each.name}: {type(error).__name__}: {error}")
print("\\n".join(wrong))
"""


def test_every_module_is_imported_without_them() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a program, on a system without groups of processes and sockets that carry files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr(os, "killpg")
    monkeypatch.setattr(divided, "CAN_SHARE", False)
    Path("p.alog").write_text(PROGRAM)
    Path("temp.csv").write_text(READINGS)


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--input", "Temp=temp.csv"], "the page needs Linux or macOS, .*: leave it out with --no-page"),
        (["--input", "Temp=-", "--no-page"], "to follow standard input needs Linux .*: give Temp a file"),
        (["--input", "Temp=temp.csv", "--no-page", "--alert", "command:cat"], "command, .*a webhook"),
        (["--input", "Temp=temp.csv", "--no-page", "--alert", "apprise:@x"], "apprise, .*a webhook"),
    ],
)
def test_what_needs_them_is_refused_in_one_line(arguments: list[str], said: str) -> None:
    done = antelog("watch", "p.alog", *arguments)
    assert done.exit_code == 1
    *notes, error = done.stderr.splitlines()
    assert re.search(said, error)
    assert all(line.startswith("note: ") for line in notes)


@pytest.mark.usefixtures("elsewhere")
def test_the_rest_runs_without_them() -> None:
    tried = antelog("try", "p.alog", "--input", "Temp=temp.csv", "--workers", "2")
    assert "one worker runs all of it: on this system processes cannot share memory" in tried.stderr
    watched = antelog("watch", "p.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "s")
    assert tried.exit_code == watched.exit_code == 0
    assert watched.stdout
    assert tried.stdout.startswith(watched.stdout)  # it goes on after the last fact
