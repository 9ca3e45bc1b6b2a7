"""antelog/engine/columns/joins.py: rows are found by an index of their digests."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.columns import tables
from antelog.engine.columns.joins import find_by, find_rows, index_of


@pytest.mark.parametrize("alike", [False, True])
def test_rows_are_found_by_an_index(monkeypatch: pytest.MonkeyPatch, alike: bool) -> None:
    """Also where many different rows have one digest."""
    if alike:
        monkeypatch.setattr(tables, "digests", lambda columns: columns[0] % 3)
    known = [column.ravel() for column in np.meshgrid(np.arange(40), np.arange(7) * 2)]
    sought = [*np.random.default_rng(1).integers(0, 50, (2, 200))]
    found = find_by(index_of(known), known, sought)
    assert found.tolist() == find_rows(sought, known).tolist()
    assert 0 < (found < 0).sum() < 200
    nothing = [column[:0] for column in known]
    assert find_by(index_of(nothing), nothing, sought).tolist() == [-1] * 200
