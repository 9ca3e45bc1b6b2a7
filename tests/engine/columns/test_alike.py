"""antelog/engine/columns/joins.py: rows that may be there twice, by their digests."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns.joins import alike, among

# Digests that are equal, that share a place in the table, as they begin alike, and others.
DIGESTS = st.integers(0, 3) | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([2**62, 2**62 + 1, -1, -2])


@given(st.lists(DIGESTS, max_size=40))
def test_rows_are_found_whose_digest_another_row_has(digests: list[int]) -> None:
    count = Counter(digests)
    wanted = [row for row, digest in enumerate(digests) if count[digest] > 1]
    assert alike(np.array(digests, np.int64)).tolist() == wanted


@given(st.lists(DIGESTS, max_size=40), st.lists(DIGESTS, min_size=1, max_size=40))
def test_rows_are_found_whose_digest_is_known(digests: list[int], known: list[int]) -> None:
    wanted = [row for row, digest in enumerate(digests) if digest in known]
    assert among(np.array(digests, np.int64), np.array(known, np.int64)).tolist() == wanted
