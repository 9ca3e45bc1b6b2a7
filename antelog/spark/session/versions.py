"""Whether this PySpark is one that antelog can work with, found out before a name is missing in it."""

from __future__ import annotations

import re

from antelog.errors import UnsupportedError

OLDEST, BEFORE = (4, 1), (5, 0)


def require_pyspark() -> None:
    """Raises UnsupportedError if PySpark is too old or too new; says nothing if there is none."""
    try:
        import pyspark  # noqa: PLC0415 - it may not be there
    except ImportError:
        return
    major, minor = (int(number) for number in re.findall(r"\d+", pyspark.__version__)[:2])
    if not OLDEST <= (major, minor) < BEFORE:
        why = "too old: its streams cannot keep state in Python" if (major, minor) < OLDEST else "too new"
        raise UnsupportedError(
            f"PySpark is version {pyspark.__version__}, {why}. "
            "Take one from 4.1 on and before 5: pip install 'antelog[spark]'"
        )
