"""Nothing needs what only Linux and macOS have: every module is imported without these."""

from __future__ import annotations

import subprocess
import sys

# A module that is None in `sys.modules` cannot be imported, as on Windows.
_WITHOUT = """
import importlib, os, pkgutil, sys
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
        wrong.append(f"{each.name}: {type(error).__name__}: {error}")
print("\\n".join(wrong))
"""


def test_every_module_is_imported_without_them() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
