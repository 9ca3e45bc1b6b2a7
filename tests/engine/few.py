"""Primitives of columns have a short way for few rows; tests, which have few, take the long one as well."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest.mock import patch

from antelog.engine.columns import tables


def at_most(rows: int) -> AbstractContextManager[object]:
    """Up to this many rows are few."""
    return patch.object(tables, "FEW", rows)


def at_most_for(case: object) -> AbstractContextManager[object]:
    """Nothing is few in half of the cases."""
    return at_most(tables.FEW * (len(str(case)) % 2))
