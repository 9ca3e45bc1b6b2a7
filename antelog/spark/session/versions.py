"""Whether this PySpark is one that antelog can work with, found out before a name is missing in it.

Nothing is imported for that, for it takes as long as much of what a command does.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from antelog.errors import UnsupportedError

OLDEST, BEFORE = (4, 1), (5, 0)


def require_pyspark() -> None:
    """Raises UnsupportedError if PySpark is too old or too new; says nothing if there is none."""
    version = pyspark_version()
    if not version:
        return
    major, minor = (int(number) for number in re.findall(r"\d+", version)[:2])
    if not OLDEST <= (major, minor) < BEFORE:
        why = "too old: its streams cannot keep state in Python" if (major, minor) < OLDEST else "too new"
        raise UnsupportedError(
            f"PySpark is version {version}, {why}. "
            "Take one from 4.1 on and before 5: pip install 'antelog[spark]'"
        )


def pyspark_version() -> str:
    """PySpark's version; nothing if there is none."""
    if (loaded := sys.modules.get("pyspark")) is not None:
        return str(loaded.__version__)
    folder = pyspark_folder()
    if folder is None:
        return ""
    found = re.search(
        r'__version__[^=\n]*= *["\']([^"\']+)', (folder / "version.py").read_text(encoding="utf-8")
    )
    return found[1] if found else ""


@cache
def pyspark_folder() -> Path | None:
    """Where PySpark is, if it is."""
    found = find_spec("pyspark")
    return None if found is None or found.origin is None else Path(found.origin).parent
