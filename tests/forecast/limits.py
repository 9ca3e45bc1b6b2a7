"""A small limit for decision diagrams, so that chances are drawn by a sample also where they are exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from antelog.forecast.chances import questions, singly
from antelog.forecast.formulas import diagrams


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Diagrams have at most so many steps."""
    known = questions.diagram, questions.fits, singly.worked_out
    with patch.object(diagrams, "MOST_STEPS", steps):
        for each in known:
            each.cache_clear()
        yield
    for each in known:
        each.cache_clear()
