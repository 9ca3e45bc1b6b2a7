"""Rows that are few go a shorter way; tests have few rows, and should go the long one as well."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest.mock import patch

from antelog.engine.columns import few


def at_most(rows: int) -> AbstractContextManager[object]:
    """Up to this many rows are few."""
    return patch.object(few, "FEW", rows)


def at_most_for(case: object) -> AbstractContextManager[object]:
    """Nothing is few in half of the cases."""
    return at_most(few.FEW * (len(str(case)) % 2))
